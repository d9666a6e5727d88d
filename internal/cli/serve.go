package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/signal"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"helix/internal/hook"
	"helix/internal/kb"
	"helix/internal/kb/socket"
	"helix/internal/mcp"
)

const serveLong = `Serve the memory to an agent: a Model Context Protocol server on standard input and
output, to be started by the agent's client, such as

  claude mcp add helix -- helix serve

DIR is the folder of the memory, else --kb, HELIX_KB, or .helix-kb in the home folder.
Any number of servers may serve one folder. The first also answers hook.sock in it.`

func (a *App) serveCmd() *cobra.Command {
	var dir string
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
			return a.serve(cmd.Context(), m)
		},
	}
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
	if s, err := socket.Listen(m.Dir()); err != nil {
		fmt.Fprintf(a.Stderr, "helix: hook.sock is not served: %v\n", err)
	} else {
		answerer := &socket.Answerer{
			Open: func() (socket.Memory, error) { return m.View() },
			Hook: func(_ context.Context, event string, input []byte) []byte {
				return a.answerHook(m, event, input)
			},
		}
		defer s.Close()
		running.Go(func() { s.Serve(ctx, answerer.Answer) })
	}
	running.Go(func() { m.Tend(ctx, a.complainer("helix: the index is not kept up: %v\n")) })
	return mcp.Serve(ctx, mcp.Options{Memory: m, Guide: a.guide(m), Version: version(), In: a.Stdin, Out: a.Stdout})
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
