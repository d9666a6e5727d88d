package ddx

import (
	"context"
	"fmt"
	"strings"

	"helix/internal/git"
)

// ownFiles leaves out what ddx writes beside the work.
var ownFiles = []string{"--", ".", ":(exclude).ddx"}

// inspector looks at what an attempt did to the repository.
type inspector struct{ repo *git.Repo }

// commit resolves a revision or ref to a commit, "" when there is none.
func (i inspector) commit(ctx context.Context, rev string) string {
	if rev == "" {
		return ""
	}
	id, err := i.repo.Run(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if err != nil {
		return ""
	}
	return id
}

func (i inspector) onBranch(ctx context.Context, rev string) bool {
	if rev == "" {
		return false
	}
	_, err := i.repo.Run(ctx, "merge-base", "--is-ancestor", rev, "HEAD")
	return err == nil
}

// changed lists the project's files that differ between two commits.
func (i inspector) changed(ctx context.Context, from, to string) ([]string, error) {
	out, err := i.repo.Run(ctx, append([]string{"diff", "--name-only", "-z", "--no-renames", from, to}, ownFiles...)...)
	if err != nil {
		return nil, fmt.Errorf("ddx: compare %s with %s: %w", from, to, err)
	}
	var paths []string
	for path := range strings.SplitSeq(out, "\x00") {
		if path != "" {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// dropped names the files that the agent's commit changed and the landing did
// not: newer ddx resolves conflicts in favour of the branch and calls it a
// success (contracts/ddx.md, fact 6). base is where the agent started, landed
// the commit that claims to hold its work.
func (i inspector) dropped(ctx context.Context, base, work, landed string) ([]string, error) {
	wanted, err := i.changed(ctx, base, work)
	if err != nil {
		return nil, err
	}
	var lost []string
	for _, path := range wanted {
		have, want, before := i.blob(ctx, landed, path), i.blob(ctx, work, path), i.blob(ctx, landed+"^1", path)
		if have != want && have == before {
			lost = append(lost, path)
		}
	}
	return lost, nil
}

// blob is the id of a file in a commit, "" when it is not there.
func (i inspector) blob(ctx context.Context, rev, path string) string {
	id, err := i.repo.Run(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+":"+path)
	if err != nil {
		return ""
	}
	return id
}

// keep puts a commit that is on no branch under helix's own ref, so that it is
// not lost when ddx or git tidies up.
func (i inspector) keep(ctx context.Context, bead, attempt, commit string) (string, error) {
	ref := "refs/helix/preserved/" + bead + "/" + attempt
	if _, err := i.repo.Run(ctx, "update-ref", ref, commit); err != nil {
		return "", fmt.Errorf("ddx: keep %s as %s: %w", commit, ref, err)
	}
	return ref, nil
}
