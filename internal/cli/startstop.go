package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"helix/internal/proc"
	"helix/internal/run"
)

// pidFile names the background run: "PID ISO8601 START-TOKEN". The token keeps
// stop from ending a stranger that got the pid later.
type pidFile struct{ path string }

func pidFileOf(p *project) pidFile {
	return pidFile{filepath.Join(filepath.Dir(p.store.Path()), "helix.pid")}
}

func (f pidFile) read() (pid int, token string, err error) {
	data, err := os.ReadFile(f.path)
	if err != nil {
		return 0, "", err
	}
	fields := strings.Fields(string(data))
	if len(fields) == 0 {
		return 0, "", fmt.Errorf("%s is empty", f.path)
	}
	if pid, err = strconv.Atoi(fields[0]); err != nil {
		return 0, "", fmt.Errorf("%s does not begin with a pid", f.path)
	}
	if len(fields) > 2 {
		token = fields[2]
	}
	return pid, token, nil
}

func (f pidFile) write(pid int, now time.Time) error {
	token, _ := proc.StartToken(pid)
	return os.WriteFile(f.path, fmt.Appendf(nil, "%d %s %s\n", pid, now.UTC().Format(time.RFC3339), token), 0o644)
}

// remove takes the file away while it still names pid.
func (f pidFile) remove(pid int) {
	if now, _, err := f.read(); err == nil && now == pid {
		_ = os.Remove(f.path)
	}
}

func (a *App) startCmd() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use: "start", Short: "Start helix run --summary in the background", GroupID: "work", Args: cobra.NoArgs,
		Long:    "Start helix run --summary in the background, with the same flags. Its output goes to\n.helix-logs/; watch it with helix status --watch and end it with helix stop.",
		PreRunE: func(cmd *cobra.Command, _ []string) error { return f.validate(cmd) },
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := a.project(cmd.Context())
			if err != nil {
				return err
			}
			if err := f.apply(cmd, &p.config); err != nil {
				return err
			}
			if err := a.refuseUnusable(cmd.Context(), p, &f); err != nil {
				return err
			}
			return a.start(cmd.Context(), p, givenFlags(cmd))
		},
	}
	f.register(cmd)
	return cmd
}

// givenFlags repeats the flags of this command line for helix run.
func givenFlags(cmd *cobra.Command) []string {
	var args []string
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		args = append(args, "--"+flag.Name+"="+flag.Value.String())
	})
	return args
}

// startWait is how long the new run may take to get going.
const startWait = 15 * time.Second

func (a *App) start(ctx context.Context, p *project, flags []string) error {
	if runIsLive(p) {
		return alreadyLive(p)
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("helix does not find itself: %w", err)
	}
	out, err := run.OpenLog(p.repo.Dir, "start-", time.Now())
	if err != nil {
		return err
	}
	defer out.Close()
	child := exec.Command(self, append([]string{"run", "--summary"}, flags...)...)
	child.Dir, child.Stdout, child.Stderr = p.repo.Dir, out, out
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := child.Start(); err != nil {
		return fmt.Errorf("the background run cannot be started: %w", err)
	}
	pid := child.Process.Pid
	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }()
	if err := pidFileOf(p).write(pid, time.Now()); err != nil {
		_ = child.Process.Signal(syscall.SIGTERM)
		return fmt.Errorf("the pid file cannot be written, the run was ended: %w", err)
	}
	deadline := time.Now().Add(startWait)
	for time.Now().Before(deadline) {
		select {
		case err := <-ended:
			pidFileOf(p).remove(pid)
			return a.endedAtOnce(err, out.Name())
		default:
		}
		if runIsLive(p) {
			fmt.Fprintf(a.Stdout, "started (pid=%d, output in %s)\n", pid, out.Name())
			return nil
		}
		if (run.SystemClock{}).Sleep(ctx, 20*time.Millisecond) != nil {
			break
		}
	}
	return fmt.Errorf("the background run (pid=%d) does not get going; see %s", pid, out.Name())
}

// endedAtOnce tells about a run that was over before it could be seen: an empty
// queue is done in no time, and that is no failure.
func (a *App) endedAtOnce(err error, log string) error {
	if err == nil {
		fmt.Fprintf(a.Stdout, "started and already done (output in %s)\n", log)
		return nil
	}
	var exit *exec.ExitError
	code := ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	}
	return &exitError{code, fmt.Errorf("the background run ended at once: %s (output in %s)", lastLine(log), log)}
}

func lastLine(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	text := strings.TrimSpace(string(data))
	return strings.TrimPrefix(text[strings.LastIndexByte(text, '\n')+1:], "helix: ")
}

func (a *App) stopCmd() *cobra.Command {
	var patience time.Duration
	cmd := &cobra.Command{
		Use: "stop", Short: "End the background run", GroupID: "work", Args: cobra.NoArgs,
		Long: "End the run that helix start began: it ends its agent, keeps unlanded work and\nreleases its claim. After --timeout it is killed; the next run puts things in order.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := a.project(cmd.Context())
			if err != nil {
				return err
			}
			return a.stop(cmd.Context(), p, patience)
		},
	}
	cmd.Flags().DurationVar(&patience, "timeout", 10*time.Second, "how long to wait before the run is killed")
	return cmd
}

func (a *App) stop(ctx context.Context, p *project, patience time.Duration) error {
	file := pidFileOf(p)
	pid, token, err := file.read()
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("no active run (no PID file)")
	}
	if err != nil {
		return err
	}
	if !proc.Same(pid, token) {
		_ = os.Remove(file.path)
		return fmt.Errorf("stale PID file removed (pid=%d was not running)", pid)
	}
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		return fmt.Errorf("the run (pid=%d) cannot be ended: %w", pid, err)
	}
	ended := a.waitGone(ctx, pid, token, patience)
	if !ended {
		_ = syscall.Kill(pid, syscall.SIGKILL)
		if !a.waitGone(ctx, pid, token, 5*time.Second) {
			return fmt.Errorf("the run (pid=%d) does not end", pid)
		}
		fmt.Fprintf(a.Stdout, "killed (pid=%d did not end within %s); the next run puts things in order\n", pid, patience)
	} else {
		fmt.Fprintf(a.Stdout, "stopped (pid=%d)\n", pid)
	}
	file.remove(pid)
	return nil
}

func (a *App) waitGone(ctx context.Context, pid int, token string, patience time.Duration) bool {
	for deadline := time.Now().Add(patience); ; {
		if !proc.Same(pid, token) {
			return true
		}
		if time.Now().After(deadline) || (run.SystemClock{}).Sleep(ctx, 20*time.Millisecond) != nil {
			return false
		}
	}
}
