package hook

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

const usage = `usage: helix-hook EVENT [DIR]

Answers a hook of Claude Code or Codex: its JSON on standard input, the answer on
standard output. DIR is the folder of the memory. helix hooks install sets it up.
`

// timeLimit is how long a hook may take: the clients give up after the 5 seconds
// that the installer writes, and count that as a failure.
const timeLimit = 3 * time.Second

// Main runs the command line EVENT [DIR]. It has no exit code: a hook that fails
// must not stop the client. quit ends the process when the time is up; no thread
// is started for that.
func Main(args []string, in io.Reader, out, stderr io.Writer, getenv func(string) string, quit func()) {
	if len(args) == 0 || args[0] == "-h" || args[0] == "--help" {
		fmt.Fprint(stderr, usage)
		return
	}
	env := Env{Getenv: getenv}
	if len(args) > 1 {
		env.Dir = args[1]
	}
	if cache, err := os.UserCacheDir(); err == nil {
		env.CacheDir = filepath.Join(cache, "helix", "symbols")
	}
	if getenv("HELIX_HOOK_DEBUG") == "1" {
		env.Debug = stderr
	}
	defer time.AfterFunc(timeLimit, quit).Stop()
	Run(args[0], in, out, env)
}
