package kb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"helix/internal/kb/log"
	"helix/internal/kb/upkeep"
)

type progressKey struct{}

// WithProgress has long work under ctx tell how far it is.
func WithProgress(ctx context.Context, fn func(done, total int)) context.Context {
	return context.WithValue(ctx, progressKey{}, fn)
}

func progressOf(ctx context.Context) func(done, total int64) {
	fn, ok := ctx.Value(progressKey{}).(func(done, total int))
	if !ok {
		return nil
	}
	return func(done, total int64) { fn(int(done), int(total)) }
}

// Compacted says what a compaction did.
type Compacted struct {
	Entries int   `json:"entries"`
	Before  int64 `json:"before_bytes"`
	After   int64 `json:"after_bytes"`
}

// Compact rewrites the log without what was deleted or replaced, builds the index
// again, and shortens the ledger of credit.
func (m *Memory) Compact(ctx context.Context) (Compacted, error) {
	c, err := m.log.Compact(ctx)
	if errors.Is(err, log.ErrDamaged) {
		return Compacted{}, refuse("the log is damaged: helix kb recover saves what can be read, then compact")
	}
	if err != nil {
		return Compacted{}, err
	}
	if err := m.catchUp(ctx, upkeep.Options{MaxMerge: 1 << 30, Progress: progressOf(ctx)}); err != nil {
		return Compacted{}, err
	}
	if err := m.compactLedger(ctx); err != nil {
		return Compacted{}, fmt.Errorf("the log is compacted, %s is not: %w", ledgerFile, err)
	}
	return Compacted{c.Entries, c.Before, c.After}, nil
}

func (m *Memory) compactLedger(ctx context.Context) error {
	book := ledger{m.dir}
	if _, err := os.Stat(filepath.Join(m.dir, ledgerFile)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	unlock, err := book.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return m.foldLedger(book)
}

// Text says it in one line.
func (c Compacted) Text() string {
	return fmt.Sprintf("compacted: %s, %d → %d bytes\n", count(c.Entries, "entry", "entries"), c.Before, c.After)
}

// Reindexed describes the new index.
type Reindexed struct {
	Entries  int   `json:"entries"`
	Topics   int   `json:"topics"`
	Segments int   `json:"segments"`
	Terms    int   `json:"terms"`
	Bytes    int64 `json:"bytes"`
}

// Reindex builds the index anew from the log.
func (m *Memory) Reindex(ctx context.Context) (Reindexed, error) {
	if _, err := upkeep.CatchUp(ctx, m.dir, upkeep.Options{MaxMerge: 1 << 30, Rebuild: true, Progress: progressOf(ctx)}); err != nil {
		return Reindexed{}, err
	}
	if err := m.refresh(); err != nil {
		return Reindexed{}, err
	}
	v, err := m.View()
	if err != nil {
		return Reindexed{}, err
	}
	defer v.Close()
	topics, err := v.Topics()
	s := v.Stats()
	return Reindexed{v.Len(), len(topics), s.Segments, s.Terms, s.Bytes}, err
}

// Text says it in one line.
func (r Reindexed) Text() string {
	return fmt.Sprintf("index: %s, %d terms, %s, %s, %d bytes\n", count(r.Entries, "entry", "entries"), r.Terms,
		count(r.Topics, "topic", "topics"), count(r.Segments, "segment", "segments"), r.Bytes)
}

// Damage is a range of the log that cannot be read.
type Damage struct {
	From int64  `json:"from"` // offset in bytes
	To   int64  `json:"to"`   // the first behind it
	What string `json:"what"`
}

// Verified says what a check of the files found.
type Verified struct {
	OK      bool           `json:"ok"`
	Path    string         `json:"path"`
	Version int            `json:"version"` // of the log's format, 0 for no log yet
	Bytes   int64          `json:"bytes"`
	Records map[string]int `json:"records,omitempty"`
	Entries int            `json:"entries"` // neither deleted nor replaced
	Damage  []Damage       `json:"damage,omitempty"`
	Tail    *Damage        `json:"unfinished_write,omitempty"` // no damage: the next write cuts it off
	Index   string         `json:"index"`
}

// Verify checks every checksum of the log and of the index. It writes nothing.
func (m *Memory) Verify(ctx context.Context) (Verified, error) {
	r, err := log.Verify(ctx, m.dir)
	if err != nil {
		return Verified{}, err
	}
	out := Verified{OK: r.OK(), Path: r.Path, Version: r.Version, Bytes: r.Bytes, Entries: r.Live, Records: map[string]int{}}
	for t, n := range r.Records {
		out.Records[t.String()] = n
	}
	for _, d := range r.Damage {
		out.Damage = append(out.Damage, Damage{d.From, d.To, d.What})
	}
	if t := r.Tail; t != nil {
		out.Tail = &Damage{t.From, t.To, t.What}
	}
	out.Index, err = m.verifyIndex()
	return out, err
}

func (m *Memory) verifyIndex() (string, error) {
	v, err := m.View()
	if err != nil {
		return "", err
	}
	defer v.Close()
	switch err := v.VerifyIndex(); {
	case err != nil || v.Broken():
		return "damaged: the next write, or helix kb reindex, builds it again", nil
	case v.Behind() > 0:
		return "fine, " + count(v.Behind(), "entry", "entries") + " behind the log", nil
	case v.Stats().Segments == 0:
		return "none", nil
	}
	return "fine", nil
}

// Text names what is damaged, or says that nothing is.
func (v Verified) Text() string {
	if v.Version == 0 {
		return "nothing is stored yet: there is no " + v.Path + "\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: version %d, %d bytes, %s\n", v.Path, v.Version, v.Bytes, count(v.Entries, "entry", "entries"))
	for _, d := range v.Damage {
		fmt.Fprintf(&b, "damaged: offset %d to %d: %s\n", d.From, d.To, d.What)
	}
	if v.Tail != nil {
		fmt.Fprintf(&b, "unfinished write: offset %d to %d: %s; the next write cuts it off\n", v.Tail.From, v.Tail.To, v.Tail.What)
	}
	fmt.Fprintf(&b, "index: %s\n", v.Index)
	switch {
	case !v.OK:
		b.WriteString("helix kb recover saves what can be read\n")
	case v.Tail != nil:
		b.WriteString("else the log is as it was written\n")
	default:
		b.WriteString("the log is as it was written\n")
	}
	return b.String()
}

// Recovered says what a recovery saved.
type Recovered struct {
	Entries int      `json:"entries"`
	Before  int64    `json:"before_bytes"`
	After   int64    `json:"after_bytes"`
	Backup  string   `json:"backup,omitempty"` // the log as it was; empty when nothing was damaged
	Lost    []Damage `json:"lost,omitempty"`
}

// Recover rewrites a damaged log with everything that can still be read, and keeps
// the old file.
func (m *Memory) Recover(ctx context.Context) (Recovered, error) {
	r, err := m.log.Recover(ctx)
	if err != nil {
		return Recovered{}, err
	}
	out := Recovered{Entries: r.Entries, Before: r.Before, After: r.After, Backup: r.Backup}
	for _, d := range r.Lost {
		out.Lost = append(out.Lost, Damage{d.From, d.To, d.What})
	}
	if out.Backup == "" {
		return out, nil
	}
	return out, m.catchUp(ctx, upkeep.Options{MaxMerge: 1 << 30, Progress: progressOf(ctx)})
}

// Text says what was saved, and what was not.
func (r Recovered) Text() string {
	if r.Backup == "" && len(r.Lost) == 0 {
		return "nothing to recover: the log is as it was written\n"
	}
	var b strings.Builder
	if r.Backup == "" {
		for _, d := range r.Lost {
			fmt.Fprintf(&b, "cut off: offset %d to %d: %s\n", d.From, d.To, d.What)
		}
		return b.String() + "else the log is as it was written\n"
	}
	for _, d := range r.Lost {
		fmt.Fprintf(&b, "lost: offset %d to %d: %s\n", d.From, d.To, d.What)
	}
	fmt.Fprintf(&b, "recovered: %s, %d → %d bytes; the old log is kept as %s\n", count(r.Entries, "entry", "entries"), r.Before, r.After, r.Backup)
	return b.String()
}
