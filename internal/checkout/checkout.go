package checkout

import (
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"helix/internal/kb/rawfile"
)

// Root is the top folder of the checkout that the absolute path dir lies in, "" for
// none.
func Root(dir string) string {
	if !filepath.IsAbs(dir) || strings.ContainsRune(dir, 0) {
		return ""
	}
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		if rawfile.Exists(filepath.Join(at, ".git")) {
			return at
		}
		if at == filepath.Dir(at) {
			return ""
		}
	}
}

// Of is the project of the checkout that dir lies in, "" for none.
func Of(dir string) string { return Project(Root(dir)) }

// Project is the name of the project of the checkout with that top folder: the path
// of the folder without links, as git says it. All work trees of a repository are one
// project, that of the main one; of a bare repository the name is its own folder. ""
// stays "".
func Project(root string) string {
	if root == "" {
		return ""
	}
	if common := commonDir(root); common != "" {
		if root = common; filepath.Base(common) == ".git" {
			root = filepath.Dir(common)
		}
	}
	return strings.ToValidUTF8(resolved(root), "\uFFFD")
}

// maxPointer is how many bytes are read of a file that holds a path.
const maxPointer = 8 << 10

// commonDir is the folder of the repository of which root is a linked work tree, ""
// for any other checkout (gitrepository-layout: gitdir, commondir). A submodule has a
// folder of its own behind its .git, which is no work tree's.
func commonDir(root string) string {
	git := filepath.Join(root, ".git")
	if st, err := rawfile.Lstat(git); err != nil || !rawfile.Regular(&st) {
		return ""
	}
	dir, ok := strings.CutPrefix(pointer(git), "gitdir: ")
	if !ok {
		return ""
	}
	dir = below(root, dir)
	common := pointer(filepath.Join(dir, "commondir"))
	if common == "" {
		return ""
	}
	if common = below(dir, common); !rawfile.Exists(common) {
		return "" // the repository was moved, and git does not find it either
	}
	return common
}

// pointer is the one line of a file, "" when it cannot be read.
func pointer(name string) string {
	text, err := rawfile.ReadAll(name, maxPointer)
	if err != nil {
		return ""
	}
	return strings.TrimRight(string(text), "\r\n")
}

func below(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// resolved is path without links. Mostly there are none, and then no more is done
// than to look.
func resolved(path string) string {
	for at := path; at != filepath.Dir(at); at = filepath.Dir(at) {
		if st, err := rawfile.Lstat(at); err != nil || st.Mode&unix.S_IFMT == unix.S_IFLNK {
			if real, err := filepath.EvalSymlinks(path); err == nil {
				return real
			}
			return path
		}
	}
	return path
}
