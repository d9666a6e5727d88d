package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// checkPlace refuses a folder that cannot be there: what stands in its way would else
// look like a memory without entries. how says with what to name another.
func checkPlace(dir, how string) error {
	for at := dir; ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		if err == nil && info.IsDir() || at == filepath.Dir(at) {
			return nil
		}
		if err == nil {
			return fmt.Errorf("%s is a file: the memory is a folder; give another with %s", at, how)
		}
		to, linkErr := os.Readlink(at)
		switch {
		case linkErr != nil: // nothing is there
		case errors.Is(err, syscall.ELOOP):
			return fmt.Errorf("%s is a link that leads back to itself: mend it, or give another folder for the memory with %s", at, how)
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("%s is a link to %s, which is not there: make that folder, or give another for the memory with %s", at, to, how)
		}
	}
}

// remedies say what a person can do about a refusal of the file system.
var remedies = map[syscall.Errno]string{
	syscall.EACCES:       "look whose it and its folder are (ls -ld), and give yourself access",
	syscall.EPERM:        "look whose it and its folder are (ls -ld), and give yourself access",
	syscall.EROFS:        "it lies where nothing can be written: mount that for writing",
	syscall.ENOSPC:       "the disk is full (df -h): make room and do it again",
	syscall.EDQUOT:       "your share of the disk is used up: make room and do it again",
	syscall.ENOTDIR:      "a part of that path is a file, not a folder: name another",
	syscall.ELOOP:        "a link in that path leads back to itself: mend it",
	syscall.ENAMETOOLONG: "shorten that name",
	syscall.EMFILE:       "too many files are open: raise ulimit -n",
}

// remedy is what can be done about an error, "" for nothing that is known. What lies
// in the memory may lie elsewhere.
func (a *App) remedy(err error) string {
	var code syscall.Errno
	if !errors.As(err, &code) || remedies[code] == "" {
		return ""
	}
	var path *fs.PathError
	if errors.As(err, &path) && a.memory != "" && (path.Path == a.memory || strings.HasPrefix(path.Path, a.memory+string(filepath.Separator))) {
		return "; " + remedies[code] + ", or give another memory with --kb or HELIX_KB"
	}
	return "; " + remedies[code]
}
