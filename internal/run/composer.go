package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/google/renameio/v2"

	"helix/internal/run/prompt"
	"helix/internal/tracker"
)

// Composer makes prompts and writes the documents of a checkout.
type Composer struct {
	Root    string
	Tracker string // path of beads.jsonl
	Log     string // path of the session log
	Library *prompt.Library
	Clock   Clock
}

// Implementation is the prompt of an attempt.
func (c Composer) Implementation(_ context.Context, beads []*tracker.Bead, attempt int, earlier []Failure, memory string) (string, error) {
	return c.Compose(prompt.Implementation, attemptCase(beads, attempt, earlier, memory))
}

// Briefing is for the agent of an attempt whose prompt is not this one.
func (c Composer) Briefing(beads []*tracker.Bead, attempt int, earlier []Failure, memory string) string {
	return prompt.Briefing(attemptCase(beads, attempt, earlier, memory))
}

func attemptCase(beads []*tracker.Bead, attempt int, earlier []Failure, memory string) prompt.Case {
	p := prompt.Case{Beads: beads, Attempt: attempt, Memory: memory}
	for _, f := range earlier {
		p.Earlier = append(p.Earlier, prompt.Earlier{
			Attempt: f.Attempt, At: f.At, Outcome: f.Outcome, Reason: f.Reason, Tried: f.Tried, Review: f.Review,
			Ref: f.PreserveRef, Gate: f.Gate, Tail: f.Tail,
		})
	}
	return p
}

// Compose fills in what every prompt of this checkout says.
func (c Composer) Compose(a prompt.Action, p prompt.Case) (string, error) {
	document, _, err := c.Library.Document(a)
	if err != nil {
		return "", err
	}
	p.Root, p.Tracker, p.Log = c.Root, c.Tracker, c.Log
	if a == prompt.Implementation {
		text, err := os.ReadFile(filepath.Join(c.Root, ".helix", "context.md"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("run: read the execution context: %w", err)
		}
		p.Context = string(text)
	}
	return prompt.Compose(a, document, p), nil
}

// Context writes .helix/context.md.
func (c Composer) Context(_ context.Context, q *tracker.Queue, focus string) error {
	agentsMD, err := os.ReadFile(filepath.Join(c.Root, "AGENTS.md"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("run: read AGENTS.md: %w", err)
	}
	s := prompt.Situation{Root: c.Root, Tracker: c.Tracker, AgentsMD: string(agentsMD), Counts: q.Counts(c.Clock.Now())}
	if epic, ok := q.Get(focus); ok {
		s.Epic = epic
	}
	dir := filepath.Join(c.Root, ".helix")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("run: make %s: %w", dir, err)
	}
	if err := ignoreContext(dir); err != nil {
		return fmt.Errorf("run: write %s: %w", dir, err)
	}
	if err := renameio.WriteFile(filepath.Join(dir, "context.md"), []byte(prompt.ContextDocument(s)), 0o644, renameio.WithTempDir(dir)); err != nil {
		return fmt.Errorf("run: write the execution context: %w", err)
	}
	return nil
}

// ignoreContext keeps the generated file out of git in a project that was not
// prepared with helix init.
func ignoreContext(dir string) error {
	path := filepath.Join(dir, ".gitignore")
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.WriteFile(path, []byte("/.gitignore\n/context.md\n"), 0o644)
}

// Blockers writes a blocker report beside the session logs.
func (c Composer) Blockers(report string) (string, error) {
	f, err := createStamped(LogDir(c.Root), "blockers-", ".md", c.Clock.Now())
	if err != nil {
		return "", fmt.Errorf("run: make the blocker report: %w", err)
	}
	defer f.Close()
	if _, err := f.WriteString(report); err != nil {
		return "", fmt.Errorf("run: write %s: %w", f.Name(), err)
	}
	return f.Name(), f.Sync()
}

// AttemptName makes the id of an attempt: the local time to the second and a
// random part. It is also the name of the attempt's evidence folder.
func AttemptName(now time.Time, random uint32) string {
	return fmt.Sprintf("%s-%08x", now.Format("20060102T150405"), random)
}
