package handover

import (
	"errors"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"helix/internal/kb/rawfile"
)

// ContextVariable names, in the environment of an agent, the file with what helix has
// to say to it where the prompt is not helix's. AttemptVariable names the attempt.
const (
	ContextVariable = "HELIX_CONTEXT_FILE"
	AttemptVariable = "HELIX_ATTEMPT_ID"
)

// mostAttempt bytes are read of such a file.
const mostAttempt = 1 << 20

// AttemptContext is the file for an attempt in the checkout at root, an absolute path.
func AttemptContext(root, attempt string) string {
	return filepath.Join(root, ".helix-logs", "attempts", attempt, "context.md")
}

// ErrUntrusted: the file is not one that WriteAttempt wrote for this attempt.
var ErrUntrusted = errors.New("it is not a file that helix wrote for this attempt")

// WriteAttempt leaves a text for the agent of an attempt. Only this user can read it:
// by that it differs from whatever a repository brings along.
func WriteAttempt(root, attempt, text string) (path string, err error) {
	path = AttemptContext(root, attempt)
	if err := Replace(path, []byte(text)); err != nil {
		return "", err
	}
	logs := filepath.Dir(filepath.Dir(filepath.Dir(path)))
	ignore, err := os.OpenFile(filepath.Join(logs, ".gitignore"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return path, nil
	}
	if err != nil {
		return "", err
	}
	_, err = ignore.WriteString("*\n")
	return path, errors.Join(err, ignore.Close())
}

// ReadAttempt reads the text, as a hook of the agent does that was told path. What is
// not where WriteAttempt puts it, or is not a file of this user alone, is ErrUntrusted.
func ReadAttempt(path, attempt string) (string, error) {
	dir := filepath.Dir(path)
	for range 3 { // context.md, the attempt, attempts, .helix-logs
		dir = filepath.Dir(dir)
	}
	if !filepath.IsAbs(path) || attempt == "" || path != AttemptContext(dir, attempt) {
		return "", ErrUntrusted
	}
	if !rawfile.Exists(dir + "/.git") {
		return "", ErrUntrusted
	}
	st, err := rawfile.Lstat(path)
	if err != nil {
		return "", err
	}
	if !rawfile.Regular(&st) || st.Mode&0o077 != 0 || int(st.Uid) != unix.Getuid() || st.Size > mostAttempt {
		return "", ErrUntrusted
	}
	text, err := rawfile.ReadAll(path, mostAttempt)
	return string(text), err
}

// told is the note that a session was given the text of a file.
func told(path, session string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(session))
	return path + ".told-" + strconv.FormatUint(h.Sum64(), 16)
}

// Tell notes that a session at work in a checkout is given the first n bytes of the
// text. False: it was before.
func Tell(path, session, checkout string, n int) (bool, error) {
	f, err := os.OpenFile(told(path, session), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	_, err = f.WriteString(strconv.Itoa(n) + " " + checkout + "\n")
	return err == nil, errors.Join(err, f.Close())
}

// Told is how many bytes of the text reached a session that worked in another checkout
// than the one at root: an attempt is made in a work tree of its own, and what ddx asks
// a model in the root, whether a bead is ready or why one failed, is no attempt.
func Told(root, path string) int {
	most := 0
	files, _ := os.ReadDir(filepath.Dir(path)) // without the folder nobody was told
	for _, f := range files {
		if !strings.HasPrefix(f.Name(), filepath.Base(path)+".told-") {
			continue
		}
		text, err := rawfile.ReadAll(filepath.Join(filepath.Dir(path), f.Name()), 8<<10)
		if err != nil {
			continue
		}
		count, checkout, ok := strings.Cut(strings.TrimSuffix(string(text), "\n"), " ")
		n, err := strconv.Atoi(count)
		if !ok || err != nil || n <= most || checkout != "" && Project(checkout) == Project(root) {
			continue
		}
		most = n
	}
	return most
}
