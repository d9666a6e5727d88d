package prompt

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"helix/workflows"
)

// Library finds action documents: in the folder that overrides them, document
// by document, else among the ones built into helix.
type Library struct {
	dir string // "" when nothing is overridden
}

// OpenLibrary chooses the override of a checkout: the folder named by the user
// (HELIX_LIBRARY_ROOT), else workflows/ of the checkout when it holds actions/.
func OpenLibrary(root, named string) (*Library, error) {
	if named != "" {
		if !filepath.IsAbs(named) {
			named = filepath.Join(root, named)
		}
		if info, err := os.Stat(filepath.Join(named, "actions")); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("the library root %s holds no folder actions; correct HELIX_LIBRARY_ROOT or library_root", named)
		}
		return &Library{dir: named}, nil
	}
	own := filepath.Join(root, "workflows")
	if info, err := os.Stat(filepath.Join(own, "actions")); err == nil && info.IsDir() {
		return &Library{dir: own}, nil
	}
	return &Library{}, nil
}

// Document reads an action's document and says where it came from: a path, or
// "built in".
func (l *Library) Document(a Action) (text, from string, err error) {
	if l.dir != "" {
		path := filepath.Join(l.dir, filepath.FromSlash(a.Document()))
		data, err := os.ReadFile(path)
		if err == nil {
			return string(data), path, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", "", fmt.Errorf("prompt: read the %s action: %w", a.Name(), err)
		}
	}
	data, err := workflows.Files.ReadFile(a.Document())
	if err != nil {
		return "", "", fmt.Errorf("prompt: read the built-in %s action: %w", a.Name(), err)
	}
	return string(data), "built in", nil
}
