package hook

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

const usage = `usage: helix-hook EVENT [DIR]

Answers a hook of Claude Code or Codex: its JSON on standard input, the answer on
standard output. DIR is the folder of the memory. helix hooks install sets it up.
`

// timeLimit is how long a hook waits for its input: the clients give up after the 5
// seconds that the installer writes, and count that as a failure. The work after it
// is bounded.
const timeLimit = 3 * time.Second

// Main runs the command line EVENT [DIR], the last thing that the process does. It
// has no exit code: a hook that fails must not stop the client. quit ends the process
// when the input does not come.
func Main(args []string, in io.Reader, out, stderr io.Writer, getenv func(string) string, quit func()) {
	if len(args) == 0 || args[0] == "-h" || args[0] == "--help" {
		fmt.Fprint(stderr, usage)
		return
	}
	env := Env{Getenv: getenv, Last: true, Start: startHelix}
	if len(args) > 1 {
		env.Dir = args[1]
	}
	// The first look at the environment makes a map of it, which most answers can do
	// without.
	env.CacheDir = func() string {
		cache, err := os.UserCacheDir()
		if err != nil {
			return ""
		}
		return filepath.Join(cache, "helix", "symbols")
	}
	env.Debug = wanted{stderr, getenv}
	input := &patient{Reader: in, quit: quit}
	defer input.done()
	Run(args[0], input, out, env)
}

// wanted writes what went wrong to one who has asked for it.
type wanted struct {
	io.Writer
	getenv func(string) string
}

func (w wanted) Write(b []byte) (int, error) {
	if w.getenv("HELIX_HOOK_DEBUG") != "1" {
		return len(b), nil
	}
	return w.Writer.Write(b)
}

// patient waits for input until the time is up. A timer makes the runtime start a
// poller and wake a thread for it, a tenth of the life of the process. So there is
// none as long as all input is there already.
type patient struct {
	io.Reader
	quit  func()
	timer *time.Timer
}

func (p *patient) Read(b []byte) (int, error) {
	if p.timer == nil && !ready(p.Reader) {
		p.timer = time.AfterFunc(timeLimit, p.quit)
	}
	return p.Reader.Read(b)
}

func (p *patient) done() {
	if p.timer != nil {
		p.timer.Stop()
	}
}

// ready tells whether in is a file that can be read without waiting.
func ready(in io.Reader) bool {
	f, ok := in.(*os.File)
	if !ok {
		return false
	}
	fds := []unix.PollFd{{Fd: int32(f.Fd()), Events: unix.POLLIN}}
	n, err := unix.Poll(fds, 0)
	return err == nil && n > 0
}
