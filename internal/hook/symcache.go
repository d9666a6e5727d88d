package hook

import (
	"bufio"
	"errors"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"helix/internal/kb/rawfile"
)

// maxCached files remember the symbols of a file each, maxSymbols names of at most
// maxSymbol bytes.
const maxCached = 512

// rememberFrom is the size in bytes of a file whose symbols are remembered. To look
// through a smaller one takes less time than to remember it, which is in vain anyway
// when the agent goes on to change it.
const rememberFrom = 128 << 10

// fileSymbols are the names that a file declares. Those of a large file are remembered
// in the folder that cacheDir gives, one file for each path, for as long as size and
// time of the file stay.
func fileSymbols(path string, cacheDir func() string) []string {
	st, err := rawfile.Stat(path)
	if err != nil || !rawfile.Regular(&st) || st.Size > maxSource {
		return nil
	}
	if st.Size < rememberFrom {
		return declaredIn(path)
	}
	key := path + "\x00" + strconv.FormatInt(st.Size, 10) + "\x00" + strconv.FormatInt(st.Mtim.Nano(), 10)
	place := ""
	dir := ""
	if cacheDir != nil {
		dir = cacheDir()
	}
	if ownFolder(dir) {
		h := fnv.New64a()
		_, _ = h.Write([]byte(path))
		place = filepath.Join(dir, strconv.FormatUint(h.Sum64(), 16)+".sym")
		if text, err := readSource(place); err == nil {
			if names, ok := cached(string(text), key); ok {
				return names
			}
		}
	}
	names := declaredIn(path)
	if place != "" {
		// What cannot be remembered is found again.
		_ = remember(place, key, names)
	}
	return names
}

// declaredIn is declared of a file. It reads no more of it than it looks at.
func declaredIn(path string) []string {
	f, err := rawfile.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	var d declarations
	r := bufio.NewReaderSize(io.NewSectionReader(f, 0, maxSource), lineBuffer)
	for whole := true; ; {
		l, err := r.ReadSlice('\n')
		begins := whole
		whole = !errors.Is(err, bufio.ErrBufferFull)
		// What does not fit is the end of a line, and no declaration.
		if begins && len(l) > 0 && !d.line(unsafe.String(unsafe.SliceData(l), len(l))) || whole && err != nil {
			return d.names
		}
	}
}

// lineBuffer is the most of a line that is looked at.
const lineBuffer = 8 << 10

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
