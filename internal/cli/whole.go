package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"
)

// isStdout tells whether the file that a command is to write is its standard output.
func isStdout(args []string) bool {
	return len(args) == 0 || args[0] == "-" || args[0] == "/dev/stdout" || args[0] == "/dev/fd/1"
}

// writeWhole replaces a file in one step by what write gives, or leaves the one that is
// there alone. A link stays one. A device or a pipe is written to: to put a file in its
// place would take it away from everybody.
func writeWhole(path string, perm fs.FileMode, write func(io.Writer) error) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	info, err := os.Stat(path)
	if to, linkErr := os.Readlink(path); linkErr == nil && errors.Is(err, fs.ErrNotExist) { // the file is made where the link leads
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		return writeWhole(to, perm, write)
	}
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s is a folder; name a file in it", path)
	case err == nil && !info.Mode().IsRegular() || strings.HasPrefix(path, "/dev/") && !strings.HasPrefix(path, "/dev/shm/"): // memory, not devices
		return writeTo(path, write)
	}
	if _, err := os.Stat(filepath.Dir(path)); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no folder %s", filepath.Dir(path))
	}
	file, err := renameio.NewPendingFile(path, renameio.WithPermissions(perm), renameio.WithExistingPermissions())
	if err != nil {
		return err
	}
	defer func() { _ = file.Cleanup() }() // nothing to do after the replacement
	if err := write(file); err != nil {
		return err
	}
	return file.CloseAtomicallyReplace()
}

func writeTo(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
