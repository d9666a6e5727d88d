package prompt

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"helix/workflows"
)

// BuiltIn is where documents come from that nobody overrides.
const BuiltIn = "built in"

// Library finds action documents: document by document in the folder that
// overrides them, else among those built into helix.
type Library struct {
	dir string // "" when nothing is overridden
}

// OpenLibrary chooses what overrides the built-in documents: the folder that the
// user named (HELIX_LIBRARY_ROOT), which must hold a folder actions, else
// workflows/ of the checkout at root when it holds one. A relative name is
// relative to root.
func OpenLibrary(root, named string) (*Library, error) {
	if named != "" {
		if !filepath.IsAbs(named) {
			named = filepath.Join(root, named)
		}
		if !isDir(named) {
			return nil, fmt.Errorf("the library root %s is not a folder; correct HELIX_LIBRARY_ROOT, or leave it out for the built-in documents", named)
		}
		if !isDir(filepath.Join(named, "actions")) {
			return nil, fmt.Errorf("the library root %s has no folder actions; HELIX_LIBRARY_ROOT names the folder that holds actions/", named)
		}
		return &Library{dir: named}, nil
	}
	if own := filepath.Join(root, "workflows"); isDir(filepath.Join(own, "actions")) {
		return &Library{dir: own}, nil
	}
	return &Library{}, nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Dir is the folder that overrides documents, "" for none.
func (l *Library) Dir() string { return l.dir }

// Document is an action's document and where it came from: a path, or BuiltIn.
func (l *Library) Document(a Action) (text, from string, err error) {
	if l.dir != "" {
		path := filepath.Join(l.dir, filepath.FromSlash(a.Document()))
		text, err := readDocument(path)
		if err == nil {
			return text, path, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", "", fmt.Errorf("prompt: the document of the %s action: %w", a, err)
		}
	}
	data, err := workflows.Files.ReadFile(a.Document())
	if err != nil {
		return "", "", fmt.Errorf("prompt: the built-in document of the %s action: %w", a, err)
	}
	return string(data), BuiltIn, nil
}

// maxDocument is far more than an agent can use, in bytes.
const maxDocument = 256 << 10

func readDocument(path string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is not a file; remove it, or write the document there", path)
	case info.Size() > maxDocument:
		return "", fmt.Errorf("%s is larger than %d KiB; shorten it", path, maxDocument>>10)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	text := strings.ToValidUTF8(string(data), "\uFFFD")
	if strings.TrimSpace(text) == "" {
		return "", fmt.Errorf("%s is empty; write the document, or remove the file to use the built-in one", path)
	}
	return text, nil
}
