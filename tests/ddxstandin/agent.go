package ddxstandin

import (
	"bytes"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"helix/internal/git"
)

func flagOf(flags []string, name string) string {
	if i := slices.Index(flags, name); i >= 0 && i+1 < len(flags) {
		return flags[i+1]
	}
	return ""
}

// work has the harness make the attempt, with a prompt of ddx's own. The newer era asks
// it first, in the root, whether the bead is ready. A check.sh of the project is the
// check after the run.
func (s *session) work() int {
	if s.head {
		_, _ = s.run(s.repo.Dir, "MODE: intake\nIs the bead ready?\n") // what it says changes nothing
	}
	temp, err := os.MkdirTemp("", "ddx-exec-")
	must(err)
	defer os.RemoveAll(temp)
	tree := filepath.Join(temp, "wt")
	s.git("worktree", "add", "-q", "--detach", tree, "HEAD")
	defer s.git("worktree", "remove", "--force", tree)
	var failed error
	s.said, failed = s.run(tree, fmt.Sprintf("<execute-bead>\n<bead id=%q><title>%s</title><acceptance>%s</acceptance></bead>\n<instructions>Do it.</instructions></execute-bead>\n",
		s.bead.ID, html.EscapeString(s.bead.Title), html.EscapeString(s.bead.Acceptance)))
	at := &git.Repo{Dir: tree}
	_, err = at.Run(s.ctx, "add", "-A")
	must(err)
	if _, err := at.Run(s.ctx, "diff", "--cached", "--quiet"); err == nil {
		s.release()
		s.row.Status = "no_changes"
		return 1
	}
	_, err = at.Run(s.ctx, "commit", "-q", "-m", "chore: execute-bead iteration "+s.bead.ID)
	must(err)
	commit, err := at.Run(s.ctx, "rev-parse", "HEAD")
	must(err)
	if failed != nil {
		s.row.ResultRev = commit
		s.release()
		s.row.Status, s.row.Detail = "execution_failed", failed.Error()
		return 2
	}
	if _, err := os.Stat(filepath.Join(tree, "check.sh")); err == nil {
		check := exec.Command("sh", "check.sh")
		check.Dir = tree
		if out, err := check.CombinedOutput(); err != nil {
			s.row.ResultRev = commit
			s.row.PreserveRef = "refs/ddx/iterations/" + s.bead.ID + "/" + s.row.AttemptID
			s.git("update-ref", s.row.PreserveRef, commit)
			s.release()
			s.row.Outcome, s.row.Status, s.row.Detail = "preserved", "post_run_check_failed", strings.TrimSpace(string(out))
			return 1
		}
	}
	s.land(commit)
	s.done()
	return 0
}

// run has the harness answer a prompt, with the environment that ddx was given.
func (s *session) run(dir, prompt string) ([]byte, error) {
	cmd := exec.Command(s.harness)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(prompt)
	cmd.Env = append(os.Environ(), "PWD="+dir)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	err := cmd.Run()
	return out.Bytes(), err
}
