package hook

import (
	"errors"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"helix/internal/kb/rawfile"
)

// maxCached files remember the symbols of a file each, maxSymbols names of at most
// maxSymbol bytes.
const maxCached = 512

// fileSymbols are the names that a file declares. They are remembered in cacheDir,
// one file for each path, for as long as size and time of the file stay.
func fileSymbols(path, cacheDir string) []string {
	st, err := rawfile.Stat(path)
	if err != nil || !rawfile.Regular(&st) || st.Size > maxSource {
		return nil
	}
	key := path + "\x00" + strconv.FormatInt(st.Size, 10) + "\x00" + strconv.FormatInt(st.Mtim.Nano(), 10)
	place := ""
	if ownFolder(cacheDir) {
		h := fnv.New64a()
		_, _ = h.Write([]byte(path))
		place = filepath.Join(cacheDir, strconv.FormatUint(h.Sum64(), 16)+".sym")
		if text, err := readSource(place); err == nil {
			if names, ok := cached(string(text), key); ok {
				return names
			}
		}
	}
	text, err := readSource(path)
	if err != nil {
		return nil
	}
	names := declared(string(text))
	if place != "" {
		// What cannot be remembered is found again.
		_ = remember(place, key, names)
	}
	return names
}

// cached reads what remember wrote. The last line shows that it is whole.
func cached(text, key string) ([]string, bool) {
	rest, ok := strings.CutPrefix(text, key+"\n")
	if !ok {
		return nil, false
	}
	rest, ok = strings.CutSuffix(rest, ".\n")
	return strings.Fields(rest), ok
}

// remember replaces the file at place in one step.
func remember(place, key string, names []string) error {
	dir := filepath.Dir(place)
	f, err := os.CreateTemp(dir, "new-*") // with mode 0600
	if err != nil {
		return err
	}
	text := key + "\n"
	for _, n := range names {
		text += n + "\n"
	}
	_, err = f.WriteString(text + ".\n")
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), place)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	// To count them is quick, to look at each is not: when there are too many, a
	// quarter goes at once.
	list, err := os.ReadDir(dir)
	if err != nil || len(list) <= maxCached {
		return err
	}
	return trim(dir, maxCached*3/4, time.Time{})
}

// ownFolder makes dir if it is not there, and tells whether it is a real folder of
// this user that nobody else can write or read.
func ownFolder(dir string) bool {
	if dir == "" {
		return false
	}
	st, err := rawfile.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) && os.MkdirAll(dir, 0o700) == nil {
		st, err = rawfile.Lstat(dir)
	}
	return err == nil && st.Mode&unix.S_IFMT == unix.S_IFDIR && st.Mode&0o077 == 0 && int(st.Uid) == os.Getuid()
}
