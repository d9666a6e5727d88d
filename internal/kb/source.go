package kb

import (
	"path/filepath"
	"strconv"
	"strings"

	"helix/internal/kb/entry"
	"helix/internal/kb/source"
)

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

// sourceHash identifies what is in a file of the project now. It is "" for
// everything that is not a readable file below root.
func sourceHash(root, path string) string {
	path = projectPath(root, path)
	if root == "" || !filepath.IsLocal(path) {
		return ""
	}
	sum, err := source.Hash(filepath.Join(root, path))
	if err != nil {
		return ""
	}
	return sum
}
