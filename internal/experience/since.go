package experience

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"
)

// Mark is how far a transcript was read, and what its beginning said.
type Mark struct {
	Offset  int64  `json:"offset"` // bytes
	Head    string `json:"head"`   // hash of the first bytes: another file may come under the same name
	Format  Format `json:"format"`
	Session string `json:"session,omitempty"`
	Agent   string `json:"agent,omitempty"`
	Dir     string `json:"dir,omitempty"`
}

// Since reads what the transcript at path has gained behind mark, whole lines
// only, and gives the mark for the next time. The zero mark is the beginning. Of
// more than MaxBytes the end is read.
func Since(path string, mark Mark, format Format) (Transcript, Mark, error) {
	file, err := os.Open(path)
	if err != nil {
		return Transcript{}, mark, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return Transcript{}, mark, err
	}
	if !info.Mode().IsRegular() {
		return Transcript{}, mark, fmt.Errorf("%s is no regular file", path)
	}
	if head, err := headOf(file, mark.Offset); err != nil {
		return Transcript{}, mark, err
	} else if mark.Offset > info.Size() || head != mark.Head {
		mark = Mark{}
	}
	end, err := lastLineEnd(file, mark.Offset, info.Size())
	if err != nil {
		return Transcript{}, mark, err
	}
	if format == Auto && mark.Format != "" {
		format = mark.Format
	}
	from := max(mark.Offset, end-MaxBytes)
	t, err := Read(io.NewSectionReader(file, from, end-from), format)
	if err != nil {
		return t, mark, err
	}
	t.Cut = from > mark.Offset
	carry(&t.Session, &mark.Session)
	carry(&t.Agent, &mark.Agent)
	carry(&t.Dir, &mark.Dir)
	if end > 0 && t.Format != Plain {
		mark.Format = t.Format
	}
	mark.Offset = end
	mark.Head, err = headOf(file, end)
	return t, mark, err
}

// carry keeps what a transcript said once.
func carry(now, before *string) {
	if *before == "" {
		*before = *now
	}
	*now = *before
}

// headOf identifies a file by its first bytes, of which size are known.
func headOf(file io.ReaderAt, size int64) (string, error) {
	head := make([]byte, min(size, 512))
	n, err := file.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	if n == 0 {
		return "", nil
	}
	sum := sha256.Sum256(head[:n])
	return hex.EncodeToString(sum[:8]), nil
}

// lastLineEnd is the end of the last whole line between from and size; from when
// there is none.
func lastLineEnd(file io.ReaderAt, from, size int64) (int64, error) {
	buf := make([]byte, 64<<10)
	for end := size; end > from; {
		start := max(from, end-int64(len(buf)))
		n, err := file.ReadAt(buf[:end-start], start)
		if err != nil && !errors.Is(err, io.EOF) {
			return from, err
		}
		if i := bytes.LastIndexByte(buf[:n], '\n'); i >= 0 {
			return start + int64(i) + 1, nil
		}
		end = start
	}
	return from, nil
}

// StateDir is the folder below the memory's in which hooks keep notes, and Follow
// its marks.
const StateDir = "hook-state"

// maxRounds bounds how often one call of Follow reads a transcript that grows.
const maxRounds = 20

// Follow grafts what the transcript at path has gained since the last call for it.
// Of several calls at the same time one works, and the others return at once: the
// one that works looks again at its end. found may change what was extracted; nil
// leaves it.
func Follow(ctx context.Context, m Memory, dir, path string, format Format, o Origin, found func(*Transcript) []Experience) (Grafted, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return Grafted{}, fmt.Errorf("graft: %w", err)
	}
	state := filepath.Join(dir, StateDir)
	if err := os.MkdirAll(state, 0o700); err != nil {
		return Grafted{}, fmt.Errorf("graft: %w", err)
	}
	sum := sha256.Sum256([]byte(path))
	f := follower{m: m, dir: dir, path: path, format: format, origin: o, extract: found, note: filepath.Join(state, "graft-"+hex.EncodeToString(sum[:8]))}
	if f.extract == nil {
		f.extract = func(t *Transcript) []Experience { return Extract(*t) }
	}
	all := Grafted{Stored: []Grafting{}}
	for range maxRounds {
		more, err := f.round(ctx, &all)
		if err != nil || !more {
			return all, err
		}
	}
	return all, nil
}

type follower struct {
	m       Memory
	dir     string
	path    string
	format  Format
	origin  Origin
	extract func(*Transcript) []Experience
	note    string // path of the mark, without its ending
}

// round reads once. more: the transcript has grown since.
func (f *follower) round(ctx context.Context, all *Grafted) (more bool, err error) {
	size, locked, err := f.locked(ctx, all)
	if err != nil || !locked {
		return false, err
	}
	// Without the lock, so that a call that found it taken is answered here.
	now, err := f.size()
	return now > size, err
}

// locked reads under the lock, if nobody else does. size is what the transcript had
// before.
func (f *follower) locked(ctx context.Context, all *Grafted) (size int64, locked bool, err error) {
	lock := flock.New(f.note+".lock", flock.SetPermissions(0o600))
	if locked, err = lock.TryLock(); err != nil {
		return 0, false, fmt.Errorf("graft: lock %s: %w", lock.Path(), err)
	} else if !locked {
		return 0, false, nil
	}
	defer func() { _ = lock.Unlock() }()
	mark, err := f.readMark()
	if err != nil {
		return 0, true, err
	}
	if size, err = f.size(); err != nil {
		return 0, true, err
	}
	before := mark
	t, mark, err := Since(f.path, mark, f.format)
	if err != nil {
		return 0, true, fmt.Errorf("graft: %w", err)
	}
	if mark == before {
		return size, true, nil
	}
	g, err := Graft(ctx, f.m, f.dir, f.origin.of(&t), f.extract(&t))
	all.Stored = append(all.Stored, g.Stored...)
	all.Known += g.Known
	all.Redacted += g.Redacted
	all.Broken += t.Broken
	all.Cut = all.Cut || t.Cut
	if err != nil {
		return 0, true, err
	}
	return size, true, f.writeMark(mark)
}

func (f *follower) size() (int64, error) {
	info, err := os.Stat(f.path)
	if err != nil {
		return 0, fmt.Errorf("graft: %w", err)
	}
	return info.Size(), nil
}

// of completes an origin by what the transcript says.
func (o Origin) of(t *Transcript) Origin {
	if o.Session == "" {
		o.Session = t.Session
	}
	if o.Agent == "" {
		o.Agent = t.Agent
	}
	return o
}

// readMark gives the mark of the last time. One that cannot be understood is none:
// the memory knows then what was grafted before.
func (f *follower) readMark() (Mark, error) {
	text, err := os.ReadFile(f.note + ".json")
	if errors.Is(err, fs.ErrNotExist) {
		return Mark{}, nil
	}
	if err != nil {
		return Mark{}, fmt.Errorf("graft: %w", err)
	}
	var mark Mark
	if json.Unmarshal(text, &mark) != nil || mark.Offset < 0 {
		return Mark{}, nil
	}
	if _, err := ParseFormat(string(mark.Format)); err != nil {
		mark.Format = ""
	}
	return mark, nil
}

func (f *follower) writeMark(mark Mark) error {
	text, err := json.Marshal(mark)
	if err == nil {
		err = renameio.WriteFile(f.note+".json", text, 0o600)
	}
	if err != nil {
		return fmt.Errorf("graft: %w", err)
	}
	return nil
}
