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
	"time"

	"github.com/gofrs/flock"

	"helix/internal/kb/credit"
)

// The ledger of credit lies beside the log: one line for each entry that a cycle was
// shown, only ever appended to.
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

// each goes through the lines. What is no line, such as one that a crash cut off, is
// passed over.
func (l ledger) each(do func(credit.Line)) error {
	f, err := os.Open(filepath.Join(l.dir, ledgerFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	r := bufio.NewReader(f)
	for {
		text, err := r.ReadBytes('\n')
		if line, ok := credit.Parse(bytes.TrimSpace(text)); ok {
			do(line)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", f.Name(), err)
		}
	}
}

// last gives the last line of each entry.
func (l ledger) last() (map[string]credit.Line, error) {
	last := map[string]credit.Line{}
	err := l.each(func(line credit.Line) { last[line.ID] = line })
	return last, err
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
