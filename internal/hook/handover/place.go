package handover

import (
	"hash/fnv"
	"path/filepath"
	"strconv"
)

// MaxContext is how many bytes the file of a context has at most.
const MaxContext = 16 << 10

// Folder is the folder of these files in the folder dir of the memory.
func Folder(dir string) string { return filepath.Join(dir, "cache") }

// Project is the hash that stands for the project at root, an absolute path: 16
// digits. A path over links is the same project.
func Project(root string) string {
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(filepath.Clean(root)))
	digits := strconv.FormatUint(h.Sum64(), 16)
	return "0000000000000000"[len(digits):] + digits
}

// Context is the path of the context of a project.
func Context(dir, project string) string { return filepath.Join(Folder(dir), project+".ctx") }
