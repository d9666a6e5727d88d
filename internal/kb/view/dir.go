package view

import (
	"errors"
	"path/filepath"
)

// DefaultDir is the folder that is used when none is named: $HELIX_KB, else
// .helix-kb in the home folder.
func DefaultDir(getenv func(string) string) (string, error) {
	if dir := getenv("HELIX_KB"); dir != "" {
		return dir, nil
	}
	home := getenv("HOME")
	if home == "" {
		return "", errors.New("no folder for the memory: set HELIX_KB or HOME, or give --kb")
	}
	return filepath.Join(home, ".helix-kb"), nil
}
