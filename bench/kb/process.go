package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// programs are the executables that are measured.
type programs struct{ bare, hook, helix string }

func buildAll(dir string) (programs, error) {
	p := programs{bare: filepath.Join(dir, "bare"), hook: filepath.Join(dir, "helix-hook"), helix: filepath.Join(dir, "helix")}
	nothing := filepath.Join(dir, "bare.go")
	if err := os.WriteFile(nothing, []byte("package main\n\nfunc main() {}\n"), 0o644); err != nil {
		return p, err
	}
	for _, b := range []struct{ out, pkg string }{{p.bare, nothing}, {p.hook, "helix/cmd/helix-hook"}, {p.helix, "helix/cmd/helix"}} {
		cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", b.out, b.pkg)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return p, fmt.Errorf("build %s: %w\n%s", b.pkg, err, out)
		}
	}
	return p, nil
}

// command prepares a process that finds nothing of the person who measures.
func (s *session) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = s.home
	cmd.Env = []string{"HOME=" + s.home, "XDG_CACHE_HOME=" + s.home, "TMPDIR=" + s.home, "PATH=" + os.Getenv("PATH")}
	if program == s.hook {
		cmd.Env = append(cmd.Env, "GOMAXPROCS=1") // as helix hooks install sets it
	}
	return cmd
}

// run runs a process to its end and gives what it wrote and how long it took.
func (s *session) run(ctx context.Context, input, program string, args ...string) (out string, ms float64, err error) {
	cmd := s.command(ctx, program, args...)
	cmd.Stdin = strings.NewReader(input)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	start := time.Now()
	err = cmd.Run()
	ms = since(start)
	if err != nil {
		err = fmt.Errorf("%s %s: %w: %s", filepath.Base(program), strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return stdout.String(), ms, err
}

// hooks runs the three hooks that an agent meets most, as helix hooks install has
// the clients call them, and the bare process in turn, so that a busy moment of the
// machine meets them all.
func (s *session) hooks(ctx context.Context, t *table) error {
	names := []string{"bare Go process", "hook ambient", "hook prompt", "hook session"}
	took := make([][]float64, len(names))
	answered := make([]int, len(names))
	for i := range s.runs {
		inputs := []string{"", s.ambientEvent(i), s.promptEvent(i), event(map[string]any{"hook_event_name": "SessionStart", "source": "startup", "cwd": s.home})}
		for k, name := range names {
			program, args := s.bare, []string(nil)
			if k > 0 {
				program, args = s.hook, []string{strings.TrimPrefix(name, "hook "), s.dir}
			}
			out, ms, err := s.run(ctx, inputs[k], program, args...)
			if err != nil {
				return err
			}
			if out != "" {
				answered[k]++
			}
			took[k] = append(took[k], ms)
		}
	}
	base := quantile(took[0], 0.5)
	for k, name := range names {
		note := ""
		if k > 0 {
			note = fmt.Sprintf("%.2f × the bare process; %d of %d had an answer; GOMAXPROCS=1, as installed", quantile(took[k], 0.5)/base, answered[k], s.runs)
		}
		t.times(name, took[k], note)
	}
	return nil
}

func (s *session) ambientEvent(i int) string {
	if len(s.files) == 0 {
		return "{}"
	}
	return event(map[string]any{
		"hook_event_name": "PreToolUse", "session_id": fmt.Sprintf("bench-%d", i), "cwd": s.home,
		"tool_name": "Read", "tool_input": map[string]any{"file_path": s.files[i%len(s.files)]},
	})
}

func (s *session) promptEvent(i int) string {
	return event(map[string]any{
		"hook_event_name": "UserPromptSubmit", "session_id": fmt.Sprintf("bench-%d", i), "cwd": s.home,
		"prompt": "How does the code deal with " + s.queries[len(s.queries)-1-i%len(s.queries)] + "?",
	})
}

func event(fields map[string]any) string {
	b, err := json.Marshal(fields)
	if err != nil {
		panic(err) // strings and maps of them
	}
	return string(b)
}

func (s *session) searchProcess(ctx context.Context, t *table) error {
	var took []float64
	for i := range s.runs {
		_, ms, err := s.run(ctx, "", s.helix, "kb", "search", "--kb", s.dir, s.queries[i*7%len(s.queries)])
		if err != nil {
			return err
		}
		took = append(took, ms)
	}
	t.times("helix kb search", took, "whole process")
	return nil
}
