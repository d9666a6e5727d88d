package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"helix/internal/hook"
	"helix/internal/kb"
	"helix/internal/kb/log"
	"helix/internal/kb/socket"
	"helix/internal/mcp"
	"helix/internal/precompute"
)

const serveLong = `Serve the memory to an agent: a Model Context Protocol server on standard input and
output, to be started by the agent's client, such as

  claude mcp add helix -- helix serve

DIR is the folder of the memory, else --kb, HELIX_KB, or .helix-kb in the home folder.
Any number of servers may serve one folder. The first also answers hook.sock in it, and
soon after it has ended another one does.
A server keeps what hooks tell about the project at the start of a session ready in
the folder cache of the memory.

With --background there is no client: the server keeps up the index, that folder and
hook.sock, and ends when nobody has asked or stored anything for the time of --idle. It
does not begin where another server has the socket. The setting serve.auto_start has
sessions start it.`

func (a *App) serveCmd() *cobra.Command {
	var dir string
	var background bool
	var idle time.Duration
	cmd := &cobra.Command{
		Use: "serve [DIR]", Short: "Serve the memory to an agent (MCP)", Long: serveLong, GroupID: "setup",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if len(args) == 1 {
				dir = args[0]
			}
			m, err := a.openMemory(dir)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, m.Close()) }()
			if background {
				return a.serveBackground(cmd.Context(), m, idle)
			}
			return a.serve(cmd.Context(), m)
		},
	}
	cmd.Flags().BoolVar(&background, "background", false, "serve no client, only what belongs to the memory")
	cmd.Flags().DurationVar(&idle, "idle", 30*time.Minute, "with --background: end after this long without anything to do")
	cmd.Flags().StringVar(&dir, "kb", "", "`folder` of the memory (HELIX_KB)")
	return cmd
}

// serve answers one client on the standard streams, and hook.sock meanwhile.
func (a *App) serve(ctx context.Context, m *kb.Memory) error {
	// A client that goes away must not end this process before it has tidied up.
	signal.Ignore(syscall.SIGPIPE)
	defer signal.Reset(syscall.SIGPIPE)
	ctx, stop := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	refresher := a.refresher(m)
	s, err := socket.Listen(m.Dir()) // before the client is answered: then it is there
	running.Go(func() {
		a.serveSocket(ctx, s, err, m.Dir(), takeOver, a.answerer(m, refresher).Answer)
	})
	running.Go(func() { a.upkeep(ctx, m, refresher) })
	return mcp.Serve(ctx, mcp.Options{Memory: m, Guide: a.guide(m), Version: version(), In: a.Stdin, Out: a.Stdout})
}

// takeOver is how often a server looks whether the one that has the socket has gone.
const takeOver = 30 * time.Second

// serveSocket answers hook.sock, which socket.Listen gave or refused, until ctx is done.
// When another server has it, this one takes it over later.
func (a *App) serveSocket(ctx context.Context, s *socket.Socket, err error, dir string, every time.Duration, answer func(context.Context, []byte) []byte) {
	for errors.Is(err, socket.ErrTaken) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(every):
			s, err = socket.Listen(dir)
		}
	}
	if err != nil {
		fmt.Fprintf(a.Stderr, "helix: hook.sock is not served: %v\n", err)
		return
	}
	defer s.Close()
	s.Serve(ctx, answer)
}

// serveBackground does what serve does beside answering a client, until nobody has
// asked or stored anything for the time idle.
func (a *App) serveBackground(ctx context.Context, m *kb.Memory, idle time.Duration) error {
	if idle <= 0 {
		return fmt.Errorf("serve: --idle %s: give a time above 0", idle)
	}
	s, err := socket.Listen(m.Dir())
	if errors.Is(err, socket.ErrTaken) {
		fmt.Fprintf(a.Stderr, "helix: %v: there is nothing to do\n", err)
		return nil
	}
	if err != nil {
		return err
	}
	defer s.Close()
	ctx, stop := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	refresher := a.refresher(m)
	answerer := a.answerer(m, refresher)
	requests := make(chan struct{}, 1)
	running.Go(func() {
		s.Serve(ctx, func(ctx context.Context, line []byte) []byte {
			select {
			case requests <- struct{}{}:
			default:
			}
			return answerer.Answer(ctx, line)
		})
	})
	running.Go(func() { a.upkeep(ctx, m, refresher) })
	waitIdle(ctx, idle, requests, func() time.Time { return lastWrite(m.Dir()) })
	return nil
}

// waitIdle returns when for the time idle no request has come and nothing was
// written, or when ctx is done.
func waitIdle(ctx context.Context, idle time.Duration, requests <-chan struct{}, written func() time.Time) {
	timer := time.NewTimer(idle)
	defer timer.Stop()
	for last := written(); ; {
		select {
		case <-ctx.Done():
			return
		case <-requests:
		case <-timer.C:
			now := written()
			if now.Equal(last) {
				return
			}
			last = now
		}
		timer.Reset(idle)
	}
}

// lastWrite is when the memory was last written to.
func lastWrite(dir string) time.Time {
	info, err := os.Stat(filepath.Join(dir, log.FileName))
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// upkeep keeps what belongs to a memory up to date until ctx is done.
func (a *App) upkeep(ctx context.Context, m *kb.Memory, r *precompute.Refresher) {
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() { m.Tend(ctx, a.complainer("helix: the index is not kept up: %v\n")) })
	running.Go(func() {
		failed := a.complainer("helix: what hooks tell at the start of a session is not kept up: %v\n")
		if err := a.leaveSettings(m.Dir()); err != nil {
			failed(err)
		}
		r.Run(ctx)
	})
}

func (a *App) answerer(m *kb.Memory, r *precompute.Refresher) *socket.Answerer {
	return &socket.Answerer{
		Open: func() (socket.Memory, error) { return m.View() },
		Hook: func(_ context.Context, event string, input []byte) []byte {
			return a.answerHook(m, event, input)
		},
		Refresh: r.Ask,
	}
}

func (a *App) answerHook(m *kb.Memory, event string, input []byte) []byte {
	var out bytes.Buffer
	hook.Run(event, bytes.NewReader(input), &out, hook.Env{
		Getenv: a.Getenv, Dir: m.Dir(),
		Open: func(string) (hook.Memory, error) { return m.View() },
	})
	return out.Bytes()
}

// complainer says on standard error what goes wrong, the same thing once.
func (a *App) complainer(format string) func(error) {
	said := ""
	return func(err error) {
		if text := err.Error(); text != said {
			said = text
			fmt.Fprintf(a.Stderr, format, err)
		}
	}
}
