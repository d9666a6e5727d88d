package git

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// ErrNoIdentity: git does not know in whose name to commit.
var ErrNoIdentity = errors.New(`git has no identity to commit with; set one with: git config user.name "…" and git config user.email "…"`)

// CheckIdentity tells whether a name and an address are configured, or given in
// the environment; git's guess from the machine's name does not count.
func (r *Repo) CheckIdentity(ctx context.Context) error {
	for _, who := range []string{"GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"} {
		if _, err := r.With("-c", "user.useConfigOnly=true").Run(ctx, "var", who); err != nil {
			if ctx.Err() != nil {
				return err
			}
			return ErrNoIdentity
		}
	}
	return nil
}

// CommitInfo is one commit.
type CommitInfo struct {
	ID, Tree string
	Parents  []string
	Message  string
}

// FirstParentCommits are the commits from after base up to tip, oldest first,
// along the first parents.
func (r *Repo) FirstParentCommits(ctx context.Context, base, tip string) ([]CommitInfo, error) {
	out, err := r.Run(ctx, "rev-list", "--first-parent", "--reverse", "--no-commit-header",
		"--format=%H%n%T%n%P%n%B%x00", tip, "^"+base)
	if isCode(err, 129) { // before 2.33 the header cannot be left out
		out, err = r.Run(ctx, "log", "--first-parent", "--reverse", "--no-show-signature",
			"--format=%H%n%T%n%P%n%B%x00", tip, "^"+base)
	}
	if err != nil {
		return nil, err
	}
	var list []CommitInfo
	for record := range strings.SplitSeq(out, "\x00") {
		record = strings.TrimPrefix(record, "\n")
		if record == "" {
			continue
		}
		f := strings.SplitN(record, "\n", 4)
		if len(f) != 4 {
			return nil, fmt.Errorf("git: cannot read commit record %.80q", record)
		}
		list = append(list, CommitInfo{ID: f[0], Tree: f[1], Parents: strings.Fields(f[2]), Message: strings.TrimSpace(f[3])})
	}
	return list, nil
}

// CountCommits counts the commits in the history of tip that are in none of the
// others' histories.
func (r *Repo) CountCommits(ctx context.Context, tip string, others ...string) (int, error) {
	in := tip + "\n"
	for _, o := range others {
		in += "^" + o + "\n"
	}
	out, err := r.RunInput(ctx, in, "rev-list", "--count", "--stdin")
	if err != nil {
		return 0, err
	}
	n := 0
	_, err = fmt.Sscan(out, &n)
	return n, err
}

// CommitTree makes a commit object in the name of the configured identity. No
// ref moves.
func (r *Repo) CommitTree(ctx context.Context, tree, message string, parents ...string) (string, error) {
	args := []string{"commit-tree", tree}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	return r.RunInput(ctx, message, args...)
}
