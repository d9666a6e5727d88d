package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
	"github.com/tidwall/gjson"
)

// StateFile keeps the run state in the tracker's folder. ddx uses the name
// run-state.json too: a file of that name that is not ours is left alone, and
// ours goes to helix-run-state.json.
type StateFile struct{ Dir string }

// Path is where the state is, or would be written.
func (f StateFile) Path() string {
	path := filepath.Join(f.Dir, "run-state.json")
	if data, err := os.ReadFile(path); err == nil && !ours(data) || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return filepath.Join(f.Dir, "helix-run-state.json")
	}
	return path
}

// ours tells helix's state, and that of the original CLI which wrote the same
// counters, from anybody else's.
func ours(data []byte) bool {
	if len(data) == 0 {
		return true
	}
	s := gjson.ParseBytes(data)
	return gjson.ValidBytes(data) && (s.Get("writer").String() == StateWriter ||
		s.Get("attempted_cycles").Exists() && s.Get("ddx_delegation_success_count").Exists())
}

// Load reads the last state, nil when there is none. A state that was damaged
// from outside is an error: guessing could lose a claim or an attempt count.
func (f StateFile) Load() (*State, error) {
	path := f.Path()
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && len(data) == 0:
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("run: read %s: %w", path, err)
	case gjson.GetBytes(data, "writer").String() != StateWriter && ours(data):
		return nil, nil // the original CLI's: written only at orderly ends
	}
	var s State
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("run: read %s: %w; move it away to start afresh", path, err)
	}
	return &s, nil
}

// Save replaces the state: a reader sees the old one or the new one.
func (f StateFile) Save(s State) error {
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("run: encode the run state: %w", err)
	}
	path := f.Path()
	if err := os.MkdirAll(f.Dir, 0o755); err != nil {
		return fmt.Errorf("run: write %s: %w", path, err)
	}
	if err := renameio.WriteFile(path, append(data, '\n'), 0o644, renameio.WithTempDir(f.Dir)); err != nil {
		return fmt.Errorf("run: write %s: %w", path, err)
	}
	return nil
}
