package log

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"
)

// noRoom is a file system in whose root nothing can be made, as in /proc: there is no
// such file, it says, though the folder above is there.
type noRoom struct{ osFS }

func (noRoom) Mkdir(name string, _ fs.FileMode) error {
	if filepath.Dir(name) == name {
		return &fs.PathError{Op: "mkdir", Path: name, Err: fs.ErrExist}
	}
	return &fs.PathError{Op: "mkdir", Path: name, Err: fs.ErrNotExist}
}

func TestMakeDirEnds(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"/kb", "/a/b/kb"} {
		if err := makeDir(noRoom{}, dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", dir, err)
		}
	}
}
