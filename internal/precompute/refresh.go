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
	// lookEvery is how often the inputs are looked at.
	lookEvery = 2 * time.Second
	// spacing is the least time between two writings of a file, which changes that
	// follow each other share.
	spacing = 30 * time.Second
	// renew is the age at which a file is written anew though nothing seems to have
	// changed: ages are told in it, and a rules file may have gone.
	renew = time.Hour
	// clockTick is how far the time of a written file may lie behind the clock.
	clockTick = 10 * time.Millisecond
	// maxAsked bounds the requests of hooks that wait, and the projects of which is
	// known when they were last looked after.
	maxAsked = 16
)

// Refresher keeps the files of a memory up to date.
type Refresher struct {
	dir, root string
	content   func(ctx context.Context, root string) (Content, error)
	failed    func(error)
	asked     chan string
	tried     map[string]time.Time // by root

	lookEvery, spacing time.Duration
}

// New is a Refresher for the memory in dir. It watches the project at root, and looks
// after others when it is asked to. content puts together what there is to know about
// a project; failed is told what goes wrong.
func New(dir, root string, content func(context.Context, string) (Content, error), failed func(error)) *Refresher {
	return &Refresher{
		dir: dir, root: root, content: content, failed: failed, asked: make(chan string, maxAsked),
		tried: map[string]time.Time{}, lookEvery: lookEvery, spacing: spacing,
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

// Run refreshes until ctx is done.
func (r *Refresher) Run(ctx context.Context) {
	ticker := time.NewTicker(r.lookEvery)
	defer ticker.Stop()
	for root := r.root; ; {
		if err := r.refresh(ctx, root); err != nil && ctx.Err() == nil {
			r.failed(err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			root = r.root
		case root = <-r.asked:
		}
	}
}

// refresh writes the file for root if anything is newer than it.
func (r *Refresher) refresh(ctx context.Context, root string) error {
	now := time.Now()
	if last, ok := r.tried[root]; ok && now.Sub(last) < r.spacing {
		return nil
	}
	if _, err := os.Stat(filepath.Join(root, ".git")); err != nil || !Needed(r.dir, root, now) {
		return nil
	}
	if len(r.tried) >= maxAsked {
		clear(r.tried)
	}
	r.tried[root] = now
	return Refresh(ctx, r.dir, root, r.content)
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
