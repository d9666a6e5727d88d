package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/google/renameio/v2"
)

// Change says what became of a file.
type Change struct {
	Path    string `json:"path"`
	Changed bool   `json:"changed"`
	Backup  string `json:"backup,omitempty"` // what was there before
}

// rewrite replaces a file by what edit makes of its bytes; a file that is not
// there has none. Nothing is written when edit changes nothing. A link stays one, and
// so does a byte order mark, which edit is not shown.
func rewrite(path string, mode fs.FileMode, edit func(old []byte) ([]byte, error)) (Change, error) {
	c := Change{Path: path}
	real, err := follow(path)
	if err != nil {
		return c, err
	}
	old, missing, err := read(real)
	if err != nil {
		return c, err
	}
	marked, body := cutMark(old)
	text, err := edit(body)
	if err != nil {
		return c, fmt.Errorf("%s: %w; it was left as it is", path, err)
	}
	text = slices.Concat(marked, text)
	if bytes.Equal(old, text) {
		return c, nil
	}
	if !missing {
		info, err := os.Stat(real)
		if err != nil {
			return c, err
		}
		mode = info.Mode().Perm()
		c.Backup = path + ".helix-backup"
		if err := renameio.WriteFile(c.Backup, old, mode, renameio.WithStaticPermissions(mode)); err != nil {
			return c, fmt.Errorf("%s: keep what is there: %w", path, err)
		}
	} else if err := os.MkdirAll(filepath.Dir(real), 0o755); err != nil {
		return c, err
	}
	if now, _, err := read(real); err != nil || !bytes.Equal(now, old) {
		return c, errors.Join(fmt.Errorf("%s was changed by another program just now; try again", path), err)
	}
	if err := renameio.WriteFile(real, text, mode, renameio.WithStaticPermissions(mode)); err != nil {
		return c, fmt.Errorf("%s: %w", path, err)
	}
	c.Changed = true
	return c, nil
}

// cutMark takes off the byte order mark with which some editors begin a file. Neither
// JSON nor TOML has one.
func cutMark(text []byte) (mark, body []byte) {
	n := len(text) - len(bytes.TrimPrefix(text, []byte("\uFEFF")))
	return text[:n], text[n:]
}

func read(path string) (text []byte, missing bool, err error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, true, nil
	}
	if err != nil {
		return nil, false, err
	}
	if !info.Mode().IsRegular() {
		return nil, false, fmt.Errorf("%s is not a file", path)
	}
	text, err = os.ReadFile(path)
	return text, false, err
}

// follow is the file that a link leads to, also when that is not there yet.
func follow(path string) (string, error) {
	for range 40 {
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode()&fs.ModeSymlink == 0 {
			return path, nil
		}
		if err != nil {
			return "", err
		}
		to, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return "", fmt.Errorf("%s: too many links", path)
}
