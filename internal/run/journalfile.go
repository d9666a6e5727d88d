package run

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// JournalFile is the run journal: one event a line, only ever appended to.
type JournalFile struct{ Path string }

// JournalIn names the journal of a tracker folder.
func JournalIn(dir string) JournalFile {
	return JournalFile{Path: filepath.Join(dir, "helix-journal.jsonl")}
}

// Append writes one event durably, in one write, so that lines of two processes
// cannot mix.
func (j JournalFile) Append(e Event) error {
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("run: encode a journal event: %w", err)
	}
	f, err := os.OpenFile(j.Path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("run: open the journal: %w", err)
	}
	defer f.Close()
	if torn(f) {
		line = append([]byte{'\n'}, line...)
	}
	if _, err := f.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("run: write the journal %s: %w", j.Path, err)
	}
	return f.Sync()
}

// torn tells whether the file ends in the middle of a line, as a crash leaves it.
func torn(f *os.File) bool {
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil || end == 0 {
		return false
	}
	last := make([]byte, 1)
	_, err = f.ReadAt(last, end-1)
	return err == nil && last[0] != '\n'
}

// Read returns all events in order. Lines that are not events (a torn one after
// a crash) are counted, not returned.
func (j JournalFile) Read() (events []Event, damaged int, err error) {
	f, err := os.Open(j.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("run: read the journal: %w", err)
	}
	defer f.Close()
	r := bufio.NewReader(f)
	for {
		line, readErr := r.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			var e Event
			if json.Unmarshal(line, &e) == nil && e.Kind != "" {
				events = append(events, e)
			} else {
				damaged++
			}
		}
		if readErr == io.EOF {
			return events, damaged, nil
		}
		if readErr != nil {
			return nil, 0, fmt.Errorf("run: read the journal %s: %w", j.Path, readErr)
		}
	}
}
