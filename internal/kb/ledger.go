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
	"github.com/tidwall/gjson"

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
