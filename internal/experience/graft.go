package experience

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/gofrs/flock"

	"helix/internal/kb"
	"helix/internal/kb/redact"
)

// Memory is what grafting needs of the memory. *kb.Memory is one.
type Memory interface {
	Batch(context.Context, kb.BatchRequest) (kb.Batched, error)
	EntriesOf(context.Context, kb.EntriesRequest) (kb.EntriesResult, error)
}

// Origin says whose experience it is. Every field may be empty.
type Origin struct {
	Agent   string
	Session string
	Bead    string
	Commit  string    // that the work ended in
	Outcome Outcome   // what the one who ran the agent knows; "": what the transcript says
	Now     time.Time // zero: the clock's
}

// Grafted says what became of what was found.
type Grafted struct {
	Stored   []Grafting `json:"stored"`
	Known    int        `json:"known"` // left out: the memory says nearly the same
	Redacted int        `json:"redacted,omitempty"`
	DryRun   bool       `json:"dry_run,omitempty"` // nothing was stored
	Broken   int        `json:"broken_lines,omitempty"`
	Cut      bool       `json:"cut,omitempty"` // the transcript was longer than what is read of it
}

// Grafting is one entry that was stored, or would be.
type Grafting struct {
	ID         string   `json:"id,omitempty"`
	Topic      string   `json:"topic"`
	Kind       string   `json:"kind"`
	Rule       Rule     `json:"rule"`
	Text       string   `json:"text"`
	Rationale  string   `json:"rationale,omitempty"`
	Source     string   `json:"source,omitempty"`
	Confidence float64  `json:"confidence"`
	Files      []string `json:"files_touched,omitempty"`
	Outcome    Outcome  `json:"outcome"`

	time time.Time
}

// LockName is the file in the memory's folder that keeps two grafts from storing
// the same at the same time.
const LockName = "experience.lock"

// Graft stores what the memory in dir does not know of the project at hand yet, and appends it to
// experience.jsonl there. What it returns with an error was stored.
func Graft(ctx context.Context, m Memory, dir string, o Origin, found []Experience) (Grafted, error) {
	if len(found) == 0 {
		return Grafted{Stored: []Grafting{}}, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Grafted{}, fmt.Errorf("graft: the folder of the memory: %w", err)
	}
	lock := flock.New(filepath.Join(dir, LockName), flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		return Grafted{}, fmt.Errorf("graft: lock %s: %w", lock.Path(), err)
	}
	defer func() { _ = lock.Unlock() }()

	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	g, err := Check(ctx, m, o, found)
	if g.DryRun = false; err != nil || len(g.Stored) == 0 {
		return g, err
	}
	planned := g.Stored
	batch, err := m.Batch(ctx, kb.BatchRequest{Entries: requests(o, planned)})
	if err != nil {
		g.Stored = []Grafting{}
		return g, fmt.Errorf("graft: %w", err)
	}
	g.Stored = make([]Grafting, 0, len(planned))
	for i, s := range batch.Entries {
		if s.ID == "" {
			g.Known++
			continue
		}
		planned[i].ID = s.ID
		g.Stored = append(g.Stored, planned[i])
	}
	return g, appendJournal(dir, o, g.Stored)
}

// Check says what Graft would store, and stores nothing.
func Check(ctx context.Context, m Memory, o Origin, found []Experience) (Grafted, error) {
	g := Grafted{Stored: []Grafting{}, DryRun: true}
	known := map[string][]wordSet{}
	for _, e := range found {
		p, redacted := prepare(o, e)
		if p.Text == "" {
			continue
		}
		texts, ok := known[p.Topic]
		if !ok {
			var err error
			if texts, err = textsOf(ctx, m, p.Topic); err != nil {
				return g, fmt.Errorf("graft: %w", err)
			}
		}
		set := wordsOf(p.Text)
		if slices.ContainsFunc(texts, set.saidBy) {
			g.Known++
		} else {
			texts = append(texts, set)
			g.Stored = append(g.Stored, p)
			g.Redacted += redacted
		}
		known[p.Topic] = texts
	}
	return g, nil
}

// maxCompared is how many entries of a topic, the newest, a new one is compared
// with.
const maxCompared = 2000

func textsOf(ctx context.Context, m Memory, topic string) ([]wordSet, error) {
	entries, err := m.EntriesOf(ctx, kb.EntriesRequest{Topic: topic, Limit: maxCompared, Own: true})
	if errors.Is(err, kb.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var sets []wordSet
	for _, item := range entries.Items {
		sets = append(sets, wordsOf(item.Text))
	}
	return sets, nil
}

// noTopic holds what neither a file nor a bead says more about.
const noTopic = "experience"

// prepare brings an experience to the form in which it is stored, without secrets.
func prepare(o Origin, e Experience) (Grafting, int) {
	redacted := 0
	clean := func(s string, most int) string {
		s, n := redact.Text(printable(s))
		redacted += n
		return clip(s, most)
	}
	g := Grafting{
		Rule: e.Rule, Kind: string(cmp.Or(e.Kind, e.Rule.kind())), Confidence: e.Confidence, time: e.Time,
		Outcome: cmp.Or(o.Outcome, e.Outcome, Unknown),
		Text:    clean(e.Text, maxText),
		// Of the rationale, which may be part of the text, the secrets count once.
		Topic: cmp.Or(oneLine(e.Topic, 100), oneLine(o.Bead, 100), noTopic),
	}
	g.Rationale, _ = redact.Text(clip(printable(e.Rationale), maxText))
	for _, f := range e.Files[:min(len(e.Files), maxFiles)] {
		f, _ = redact.Text(oneLine(f, maxPath))
		g.Files = append(g.Files, f)
	}
	// A colon would be read as the line's.
	if len(g.Files) > 0 && !strings.Contains(g.Files[0], ":") {
		if g.Source = g.Files[0]; e.Line > 0 {
			g.Source += ":" + strconv.Itoa(e.Line)
		}
	}
	return g, redacted
}

func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

func requests(o Origin, all []Grafting) []kb.StoreRequest {
	out := make([]kb.StoreRequest, 0, len(all))
	for _, g := range all {
		out = append(out, kb.StoreRequest{
			Topic: g.Topic, Text: g.Text, Kind: g.Kind, Tags: tags(o, g.Rule), Source: g.Source, Confidence: &g.Confidence,
			Session: oneLine(o.Session, 200),
		})
	}
	return out
}

// tags say how an entry came about: "grafted", its rule, and bead-ID and
// commit-SHA where these are known.
func tags(o Origin, r Rule) []string {
	list := []string{"grafted", string(r)}
	for _, t := range []struct{ prefix, value string }{{"bead-", o.Bead}, {"commit-", o.Commit[:min(len(o.Commit), 12)]}} {
		if value := oneLine(strings.ReplaceAll(t.value, ",", ""), 100); value != "" {
			list = append(list, t.prefix+value)
		}
	}
	return list
}

// Text says what was stored.
func (g Grafted) Text() string {
	var b strings.Builder
	for _, s := range g.Stored {
		fmt.Fprintf(&b, "%s  %s", s.Rule, s.Topic)
		if s.Source != "" {
			b.WriteString("  " + s.Source)
		}
		fmt.Fprintf(&b, "  ~%.0f%%\n  %s\n", s.Confidence*100, oneLine(s.Text, maxText))
	}
	what := "stored"
	if g.DryRun {
		what = "would be stored"
	}
	fmt.Fprintf(&b, "graft: %d %s, %d known already\n", len(g.Stored), what, g.Known)
	if g.Redacted > 0 {
		fmt.Fprintf(&b, "  secrets replaced: %d\n", g.Redacted)
	}
	if g.Broken > 0 {
		fmt.Fprintf(&b, "  lines that could not be read: %d\n", g.Broken)
	}
	if g.Cut {
		b.WriteString("  the transcript is longer than what is read of it\n")
	}
	return b.String()
}
