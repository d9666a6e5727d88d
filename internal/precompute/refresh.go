package precompute

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"helix/internal/hook/handover"
	"helix/internal/kb/log"
)

const (
	// every is how often the inputs are looked at, and so what writes that follow each
	// other share.
	every = 30 * time.Second
	// settle is how long after a write to the memory the file is brought up to date.
	settle = 2 * time.Second
	// renew is the age at which a file is written anew though nothing seems to have
	// changed: ages are told in it, and a rules file may have gone.
	renew = time.Hour
	// clockTick is how far the time of a written file may lie behind the clock.
	clockTick = 10 * time.Millisecond
	// maxAsked bounds the requests of hooks that wait.
	maxAsked = 16
)

// Refresher keeps the files of a memory up to date.
type Refresher struct {
	Dir  string // of the memory
	Root string // of the project that is watched
	// Content puts together what there is to know about the project at root.
	Content func(ctx context.Context, root string) (Content, error)
	Failed  func(error)
	Every   time.Duration // 0: 30 s
	Settle  time.Duration // 0: 2 s

	asked   chan string
	written chan struct{}
}

// New is a Refresher that takes requests before it runs, too.
func New(dir, root string, content func(context.Context, string) (Content, error), failed func(error)) *Refresher {
	return &Refresher{
		Dir: dir, Root: root, Content: content, Failed: failed, Every: every, Settle: settle,
		asked: make(chan string, maxAsked), written: make(chan struct{}, 1),
	}
}

// Ask has the file for the project at root brought up to date, some time. It does not
// wait; a request too many is forgotten.
func (r *Refresher) Ask(root string) {
	if !filepath.IsAbs(root) || len(root) > 4096 || strings.ContainsRune(root, 0) {
		return
	}
	select {
	case r.asked <- filepath.Clean(root):
	default:
	}
}

// Written says that the memory has changed. It does not wait.
func (r *Refresher) Written() {
	select {
	case r.written <- struct{}{}:
	default:
	}
}

// Run refreshes until ctx is done.
func (r *Refresher) Run(ctx context.Context) {
	ticker := time.NewTicker(r.Every)
	defer ticker.Stop()
	for root := r.Root; ; {
		if err := r.refresh(ctx, root); err != nil && ctx.Err() == nil {
			r.Failed(err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			root = r.Root
		case <-r.written:
			root = r.Root
			select {
			case <-ctx.Done():
				return
			case <-time.After(r.Settle):
			}
		case root = <-r.asked:
		}
	}
}

// refresh writes the file for root if anything is newer than it.
func (r *Refresher) refresh(ctx context.Context, root string) error {
	if _, err := os.Stat(filepath.Join(root, ".git")); err != nil {
		return nil // no project
	}
	if !Needed(r.Dir, root, time.Now()) {
		return nil
	}
	return Refresh(ctx, r.Dir, root, r.Content)
}

// Refresh writes the file for the project at root.
func Refresh(ctx context.Context, dir, root string, content func(context.Context, string) (Content, error)) error {
	start := time.Now()
	c, err := content(ctx, root)
	if err != nil {
		return err
	}
	return Write(dir, root, c, start)
}

// Needed tells whether the file for the project at root is missing, older than what
// it was made of, or an hour old.
func Needed(dir, root string, now time.Time) bool {
	at, ok := Written(dir, root)
	if !ok || now.Sub(at) >= renew || at.After(now.Add(time.Minute)) {
		return true
	}
	for _, path := range inputs(dir, root) {
		if info, err := os.Stat(path); err == nil && info.ModTime().After(at.Add(-clockTick)) {
			return true
		}
	}
	return false
}

// Written is when what stands in the file began to be put together.
func Written(dir, root string) (time.Time, bool) {
	info, err := os.Stat(handover.Context(dir, handover.Project(root)))
	if err != nil || !info.Mode().IsRegular() {
		return time.Time{}, false
	}
	return info.ModTime(), true
}

// inputs are files whose change makes a context out of date.
func inputs(dir, root string) []string {
	paths := []string{filepath.Join(dir, log.FileName)}
	for _, name := range []string{"CLAUDE.md", "AGENTS.md", ".claude/rules.md", ".claude/rules", ".helix/rules.md"} {
		paths = append(paths, filepath.Join(root, name))
	}
	rules := filepath.Join(root, ".claude", "rules")
	if list, err := os.ReadDir(rules); err == nil {
		for _, e := range list {
			paths = append(paths, filepath.Join(rules, e.Name()))
		}
	}
	git := gitDir(root)
	return append(paths, filepath.Join(git, "HEAD"), filepath.Join(git, "logs", "HEAD"))
}

// gitDir is where the checkout at root has its HEAD. In a linked work tree .git is a
// file that says it.
func gitDir(root string) string {
	git := filepath.Join(root, ".git")
	text, err := os.ReadFile(git)
	if err != nil {
		return git
	}
	to, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
	if !ok {
		return git
	}
	if !filepath.IsAbs(to) {
		to = filepath.Join(root, to)
	}
	return to
}
