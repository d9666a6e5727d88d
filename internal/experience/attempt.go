package experience

import (
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// OfAttempt is what the output of an agent shows that a run of helix started. It
// leaves out what the run knows better: the FINDINGS: list, which is in the agent's
// answer, and how the attempt went. files are those that the attempt changed, below
// the top of the project; by them the worktree is found where the output names none.
func OfAttempt(output io.Reader, files []string) ([]Experience, error) {
	t, err := Read(output, Auto)
	if err != nil {
		return nil, err
	}
	if t.Dir == "" {
		t.Dir = worktree(&t, files)
	}
	return slices.DeleteFunc(Extract(t), func(e Experience) bool { return e.Rule == Trailer || e.Rule == Happened }), nil
}

// worktree is the folder below which the files lie that were changed, "" where none
// of them is named with its whole path.
func worktree(t *Transcript, files []string) string {
	for _, s := range t.Steps {
		for _, used := range s.Files {
			for _, f := range files {
				if dir, ok := strings.CutSuffix(filepath.Clean(used.Path), "/"+filepath.Clean(f)); ok && used.Changed && filepath.IsAbs(dir) {
					return dir
				}
			}
		}
	}
	return ""
}
