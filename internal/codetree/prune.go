package codetree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// rootFile, in the folder of a tree, names the project, so that a tree whose project
// is gone can be told: worktrees come and go.
const rootFile = "root"

// settle notes whose tree the folder is for, and removes those beside it whose
// project is no longer there. What cannot be removed stays.
func settle(dir, root string) error {
	if err := os.WriteFile(filepath.Join(dir, rootFile), []byte(root), 0o600); err != nil {
		return fmt.Errorf("codetree: prepare the cache folder: %w", err)
	}
	marks, err := filepath.Glob(filepath.Join(filepath.Dir(dir), "*", rootFile))
	if err != nil {
		return nil
	}
	for _, mark := range marks {
		project, err := os.ReadFile(mark)
		if err != nil || !filepath.IsAbs(string(project)) {
			continue
		}
		if _, err := os.Stat(string(project)); errors.Is(err, fs.ErrNotExist) {
			_ = os.RemoveAll(filepath.Dir(mark))
		}
	}
	return nil
}
