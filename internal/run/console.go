package run

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Console is the Output of a real run: standard error for the person, and the
// session log for everything.
type Console struct {
	mu      sync.Mutex
	err     io.Writer
	log     *os.File
	path    string
	lines   int  // complete lines in the log so far
	partial bool // the log's last line has no newline yet
	summary bool
	quiet   bool
}

// LogDir is where session logs and blocker reports of a checkout go.
func LogDir(root string) string { return filepath.Join(root, ".helix-logs") }

// OpenConsole starts a session log. Summary keeps all but Lines out of err;
// quiet keeps Notices out.
func OpenConsole(root string, err io.Writer, now time.Time, summary, quiet bool) (*Console, error) {
	log, e := createStamped(LogDir(root), "helix-", ".log", now)
	if e != nil {
		return nil, fmt.Errorf("run: start the session log: %w", e)
	}
	return &Console{err: err, log: log, path: log.Name(), summary: summary, quiet: quiet || summary}, nil
}

// OpenLog makes a new file among the session logs.
func OpenLog(root, prefix string, now time.Time) (*os.File, error) {
	f, err := createStamped(LogDir(root), prefix, ".log", now)
	if err != nil {
		return nil, fmt.Errorf("run: start a log: %w", err)
	}
	return f, nil
}

// createStamped makes a new file named by the time; when two fall into one
// second the later one gets a number.
func createStamped(dir, prefix, suffix string, now time.Time) (*os.File, error) {
	if err := makeIgnored(dir); err != nil {
		return nil, err
	}
	stamp := now.Format("20060102-150405")
	for n := 1; ; n++ {
		name := prefix + stamp + suffix
		if n > 1 {
			name = fmt.Sprintf("%s%s-%d%s", prefix, stamp, n, suffix)
		}
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o644)
		if !os.IsExist(err) {
			return f, err
		}
	}
}

// makeIgnored makes a folder that git does not see, without touching the
// project's own .gitignore.
func makeIgnored(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	ignore := filepath.Join(dir, ".gitignore")
	if _, err := os.Stat(ignore); err == nil {
		return nil
	}
	return os.WriteFile(ignore, []byte("*\n"), 0o644)
}

func (c *Console) Line(text string) { c.say(text, true) }

func (c *Console) Detail(text string) { c.say(text, !c.summary) }

func (c *Console) Notice(text string) { c.say(text, !c.quiet) }

func (c *Console) say(text string, show bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if text != "" {
		text = "helix: " + text
	}
	if show {
		fmt.Fprintln(c.err, text)
	}
	if c.partial {
		c.write([]byte("\n"))
	}
	c.write([]byte(text + "\n"))
}

// Write takes an agent's raw output into the log.
func (c *Console) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.write(p)
	return len(p), nil
}

// write never fails a run: a log that cannot be written is a lesser loss than
// an attempt.
func (c *Console) write(p []byte) {
	if len(p) == 0 {
		return
	}
	_, _ = c.log.Write(p)
	c.lines += bytes.Count(p, []byte("\n"))
	c.partial = p[len(p)-1] != '\n'
}

// Position is the log and the number of its last line.
func (c *Console) Position() (string, int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.partial {
		return c.path, c.lines + 1
	}
	return c.path, c.lines
}

// Close ends the session log.
func (c *Console) Close() error { return c.log.Close() }
