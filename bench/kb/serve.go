package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// serve starts helix serve as a client does, and asks it for every query.
func (s *session) serve(ctx context.Context, t *table) (err error) {
	cmd := s.command(ctx, s.helix, "serve", s.dir)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close(), cmd.Wait()) }()
	c := &client{in: in, out: bufio.NewReaderSize(out, 1<<20)}
	err = c.call("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "bench", "version": "1"},
	})
	if err != nil {
		return err
	}
	if err := c.notify("notifications/initialized"); err != nil {
		return err
	}
	var took []float64
	for i, q := range s.queries {
		asked := time.Now()
		if err := c.call("tools/call", map[string]any{"name": "search", "arguments": map[string]any{"query": q, "limit": 10}}); err != nil {
			return err
		}
		if i == 0 {
			t.value("helix serve, start to first answer", duration(since(start)), "initialize and one search")
			continue
		}
		took = append(took, since(asked))
	}
	t.times("search through helix serve", took, "")
	note := fmt.Sprintf("after %d searches", len(s.queries))
	if runtime.GOOS != "linux" {
		t.value("memory of helix serve", "-", "is read from /proc, which only Linux has")
		return nil
	}
	rss, err := residentMB(cmd.Process.Pid)
	if err != nil {
		return err
	}
	t.value("memory of helix serve", fmt.Sprintf("%.1f MB", rss), note)
	return nil
}

// client speaks JSON-RPC 2.0 in lines, one call at a time.
type client struct {
	in  io.Writer
	out *bufio.Reader
	id  int
}

func (c *client) send(message map[string]any) error {
	message["jsonrpc"] = "2.0"
	return json.NewEncoder(c.in).Encode(message)
}

func (c *client) notify(method string) error { return c.send(map[string]any{"method": method}) }

// call waits for the answer, and fails when it tells of an error.
func (c *client) call(method string, params any) error {
	c.id++
	if err := c.send(map[string]any{"id": c.id, "method": method, "params": params}); err != nil {
		return err
	}
	for {
		line, err := c.out.ReadBytes('\n')
		if err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
		var answer struct {
			ID     int
			Error  json.RawMessage
			Result struct {
				IsError bool
				Content json.RawMessage
			}
		}
		if err := json.Unmarshal(line, &answer); err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
		switch {
		case answer.ID != c.id: // a notification
		case answer.Error != nil:
			return fmt.Errorf("%s: %s", method, answer.Error)
		case answer.Result.IsError:
			return fmt.Errorf("%s: %s", method, answer.Result.Content)
		default:
			return nil
		}
	}
}

// residentMB is how much memory a process has that is in RAM.
func residentMB(pid int) (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kB, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(rest), " kB"))
			return float64(kB) / 1000, err
		}
	}
	return 0, fmt.Errorf("/proc/%d/status has no VmRSS", pid)
}
