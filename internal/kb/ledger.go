package kb

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"
	"github.com/tidwall/gjson"

	"helix/internal/kb/credit"
)

// The ledger of credit lies beside the log: one line of JSON, a credit.Line, for each
// entry that a cycle was shown. It is appended to, and now and then replaced as a whole
// by a shorter one (fold), both under its lock. A shorter one begins with a line that
// says how long it is: {"folded_at":"2026-06-01T12:00:00Z","bytes":81234}. That has no
// id, and what has none is passed over, as is what is no JSON.
const (
	ledgerFile = "credit.jsonl"
	ledgerLock = "credit.lock"
)

// ledger is credit.jsonl of a memory.
type ledger struct{ dir string }

// lock keeps other processes from reckoning with the same lines.
func (l ledger) lock(ctx context.Context) (unlock func(), err error) {
	if err := os.MkdirAll(l.dir, 0o700); err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(l.dir, ledgerLock), flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, 10*time.Millisecond); err != nil {
		return nil, fmt.Errorf("wait for %s: %w", lock.Path(), err)
	}
	return func() { _ = lock.Unlock() }, nil
}

// each goes through the lines as they are; text is only good during the call.
func (l ledger) each(do func(text []byte)) error {
	f, err := os.Open(filepath.Join(l.dir, ledgerFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<20)
	for {
		text, err := r.ReadSlice('\n')
		for errors.Is(err, bufio.ErrBufferFull) { // no line is that long
			text, err = r.ReadSlice('\n')
		}
		do(text)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", f.Name(), err)
		}
	}
}

// last gives the last line of each entry. What is no line, such as one that a crash
// cut off, is passed over.
func (l ledger) last() (map[string]credit.Line, error) {
	texts := map[string][]byte{}
	err := l.each(func(text []byte) {
		if id := gjson.GetBytes(text, "id").String(); id != "" && gjson.ValidBytes(text) {
			texts[id] = append(texts[id][:0], text...)
		}
	})
	last := make(map[string]credit.Line, len(texts))
	for id, text := range texts {
		if line, ok := credit.Parse(text); ok {
			last[id] = line
		}
	}
	return last, err
}

// foldSize is how large a ledger is before a run shortens it, and it must be twice as
// large as the last time left it: it is not written anew for little.
const foldSize = 4 << 20

// foldable tells whether the ledger has become so large that it is to be shortened.
func (l ledger) foldable() bool {
	f, err := os.Open(filepath.Join(l.dir, ledgerFile))
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() < foldSize {
		return false
	}
	head, _ := bufio.NewReader(f).ReadSlice('\n')
	return info.Size() >= 2*gjson.GetBytes(head, "bytes").Int()
}

// fold replaces the ledger by one with less history, for the holder of the lock. What
// entries have is the same afterwards; lines of those that are not there any more go.
// Whoever reads the old file reads it to its end.
func (l ledger) fold(now time.Time, there func(id string) (bool, error)) error {
	live := map[string]bool{}
	lines := func(do func(credit.Line, []byte)) error {
		return l.each(func(text []byte) {
			if line, ok := credit.Parse(text); ok && live[line.ID] {
				do(line, text)
			}
		})
	}
	if err := l.each(func(text []byte) { live[gjson.GetBytes(text, "id").String()] = true }); err != nil {
		return err
	}
	delete(live, "")
	none := true
	for id := range live {
		ok, err := there(id)
		if err != nil {
			return err
		}
		live[id] = ok
		none = none && !ok
	}
	if none { // a log that was moved away may come back
		return nil
	}
	var f credit.Fold
	if err := lines(func(line credit.Line, _ []byte) { f.See(line) }); err != nil {
		return err
	}
	var w bytes.Buffer
	var failed error
	err := lines(func(line credit.Line, text []byte) {
		before, stays := f.Take(line)
		if before != nil {
			folded, err := json.Marshal(before)
			failed = errors.Join(failed, err)
			w.Write(append(folded, '\n'))
		}
		if stays {
			w.Write(append(bytes.TrimRight(text, "\r\n"), '\n'))
		}
	})
	if err := errors.Join(err, failed); err != nil {
		return err
	}
	head, err := json.Marshal(struct {
		At    time.Time `json:"folded_at"`
		Bytes int       `json:"bytes"`
	}{now.UTC(), w.Len()})
	if err != nil {
		return err
	}
	path := filepath.Join(l.dir, ledgerFile)
	return renameio.WriteFile(path, slices.Concat(head, []byte("\n"), w.Bytes()), 0o600, renameio.WithTempDir(l.dir))
}

// of calls do with each line of an entry, in order.
func (l ledger) of(id string, do func(credit.Line)) error {
	return l.each(func(text []byte) {
		if gjson.GetBytes(text, "id").String() != id {
			return
		}
		if line, ok := credit.Parse(text); ok {
			do(line)
		}
	})
}

// add appends lines with one write, behind what a crash may have cut off.
func (l ledger) add(lines []credit.Line) error {
	if len(lines) == 0 {
		return nil
	}
	var w bytes.Buffer
	for _, line := range lines {
		text, err := json.Marshal(line)
		if err != nil {
			return err
		}
		w.Write(append(text, '\n'))
	}
	f, err := os.OpenFile(filepath.Join(l.dir, ledgerFile), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	text := w.Bytes()
	if end, err := f.Seek(0, io.SeekEnd); err == nil && end > 0 {
		var last [1]byte
		if _, err := f.ReadAt(last[:], end-1); err == nil && last[0] != '\n' {
			text = append([]byte{'\n'}, text...)
		}
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}
