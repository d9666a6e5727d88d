package kb

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"helix/internal/kb/entry"
)

// maxHashed is the size in bytes up to which a source is hashed.
const maxHashed = 8 << 20

var errNotHashed = errors.New("not a regular file of at most 8 MiB")

// parseSource reads "path" or "path:line". A name that is no file, such as an
// URL or "issue:12a", is taken as it is.
func parseSource(s string) (entry.Source, error) {
	s = strings.TrimSpace(s)
	colon := strings.LastIndexByte(s, ':')
	if colon < 0 {
		return entry.Source{Path: s}, nil
	}
	path, line := s[:colon], s[colon+1:]
	n, err := strconv.ParseUint(line, 10, 31)
	if err == nil && n > 0 && path != "" {
		return entry.Source{Path: path, Line: int(n)}, nil
	}
	if looksLikeLine(line) || !strings.Contains(line, "/") && looksLikeFile(path) {
		return entry.Source{}, refuse("the source %q has no line number behind the colon: give path or path:line, with a line from 1", s)
	}
	return entry.Source{Path: s}, nil
}

func looksLikeLine(s string) bool {
	return s == "" || strings.Trim(s, "+-0123456789") == ""
}

func looksLikeFile(s string) bool {
	return s == "" || !strings.Contains(s, "://") && strings.ContainsAny(s, "./")
}

// projectPath brings the path of a file below root to the form in which sources
// are kept: relative, without "./". Anything else stays as it is.
func projectPath(root, path string) string {
	if filepath.IsAbs(path) && root != "" {
		if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	if rest := strings.TrimLeft(strings.TrimPrefix(path, "./"), "/"); strings.HasPrefix(path, "./") && rest != "" {
		return rest
	}
	return path
}

// sourceHash identifies what is in a file below root now: 16 hex digits. It is ""
// for everything that is not a readable file there.
func sourceHash(root, path string) string {
	if root == "" || path == "" {
		return ""
	}
	path = projectPath(root, path)
	if !filepath.IsLocal(path) {
		return ""
	}
	dir, err := os.OpenRoot(root)
	if err != nil {
		return ""
	}
	defer dir.Close()
	// A FIFO must not be opened: that would wait for its writer.
	if info, err := dir.Stat(path); err != nil || !hashable(info) {
		return ""
	}
	f, err := dir.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	sum, err := hashOf(f)
	if err != nil {
		return ""
	}
	return sum
}

// hashFile identifies the content of a regular file of at most 8 MiB: 16 hex
// digits.
func hashFile(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("kb: hash a source: %w", err)
	}
	if !hashable(info) {
		return "", fmt.Errorf("kb: hash %s: %w", path, errNotHashed)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("kb: hash a source: %w", err)
	}
	defer f.Close()
	return hashOf(f)
}

func hashable(info os.FileInfo) bool {
	return info.Mode().IsRegular() && info.Size() <= maxHashed
}

func hashOf(f *os.File) (string, error) {
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(f, maxHashed+1))
	if err != nil {
		return "", fmt.Errorf("kb: hash a source: %w", err)
	}
	if n > maxHashed {
		return "", fmt.Errorf("kb: hash %s: %w", f.Name(), errNotHashed)
	}
	return hex.EncodeToString(h.Sum(nil)[:8]), nil
}
