package experience

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// JournalName is the file in the memory's folder to which experiences are appended.
const JournalName = "experience.jsonl"

// row is a line of the journal (spec 2, "Experience Entry"); from kind on it says
// more than the spec asks for.
type row struct {
	Timestamp int64    `json:"timestamp"` // seconds since 1970
	AgentID   string   `json:"agent_id"`
	SessionID string   `json:"session_id"`
	Decision  string   `json:"decision"`
	Rationale string   `json:"rationale"`
	Files     []string `json:"files_touched"`
	Outcome   Outcome  `json:"outcome"`

	Kind   string `json:"kind"`
	Entry  string `json:"entry"` // id in the memory
	Bead   string `json:"bead,omitempty"`
	Commit string `json:"commit,omitempty"`
}

// appendJournal adds a line for each entry, with one write. The caller holds the
// lock.
func appendJournal(dir string, o Origin, all []Grafting) (err error) {
	var b bytes.Buffer
	lines := json.NewEncoder(&b)
	lines.SetEscapeHTML(false)
	for _, g := range all {
		at := g.time
		if at.IsZero() {
			at = o.Now
		}
		files := g.Files
		if files == nil {
			files = []string{}
		}
		if err := lines.Encode(row{
			Timestamp: at.Truncate(time.Second).Unix(), AgentID: o.Agent, SessionID: o.Session,
			Decision: g.Text, Rationale: g.Rationale, Files: files, Outcome: g.Outcome,
			Kind: g.Kind, Entry: g.ID, Bead: o.Bead, Commit: o.Commit,
		}); err != nil {
			return fmt.Errorf("graft: %s: %w", JournalName, err)
		}
	}
	if b.Len() == 0 {
		return nil
	}
	path := filepath.Join(dir, JournalName)
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("graft: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	text := b.Bytes()
	if torn, err := endsTorn(file); err != nil {
		return fmt.Errorf("graft: %w", err)
	} else if torn {
		text = append([]byte("\n"), text...)
	}
	if _, err := file.Write(text); err != nil {
		return fmt.Errorf("graft: %w", err)
	}
	return nil
}

// endsTorn tells a file whose last line has no end: the writer died.
func endsTorn(file *os.File) (bool, error) {
	info, err := file.Stat()
	if err != nil || info.Size() == 0 {
		return false, err
	}
	var last [1]byte
	if _, err := file.ReadAt(last[:], info.Size()-1); err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	return last[0] != '\n', nil
}
