package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"helix/internal/git"
)

// ownFiles are the pathspecs that leave out what helix itself writes.
var ownFiles = []string{"--", ".", ":(exclude).ddx", ":(exclude).helix", ":(exclude).helix-logs"}

// Checkout is the Repo of a real run.
type Checkout struct{ Git *git.Repo }

func (c Checkout) Head(ctx context.Context) (string, error) { return c.Git.Head(ctx) }

func (c Checkout) Tree(ctx context.Context) (string, error) {
	diff, err := c.Git.Run(ctx, append([]string{"diff", "HEAD", "--binary", "--no-ext-diff"}, ownFiles...)...)
	if err != nil {
		return "", fmt.Errorf("run: read the changes of %s: %w", c.Git.Dir, err)
	}
	untracked, err := c.Git.Run(ctx, append([]string{"ls-files", "-z", "--others", "--exclude-standard"}, ownFiles...)...)
	if err != nil {
		return "", fmt.Errorf("run: read the untracked files of %s: %w", c.Git.Dir, err)
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00", diff)
	for name := range strings.SplitSeq(untracked, "\x00") {
		// Size and time stand for the content: a large artefact is not read at every cycle.
		if info, err := os.Lstat(filepath.Join(c.Git.Dir, name)); err == nil && name != "" {
			fmt.Fprintf(h, "%s %d %d\x00", name, info.Size(), info.ModTime().UnixNano())
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8]), nil
}

// Contains looks at all local branches: work lands on the branch that its attempt
// started from, and the person may have switched to another one since.
func (c Checkout) Contains(ctx context.Context, rev string) (bool, error) {
	on, err := c.Git.IsAncestor(ctx, rev, "HEAD")
	if err != nil {
		return false, fmt.Errorf("run: look for commit %s: %w", rev, err)
	}
	if on {
		return true, nil
	}
	branches, err := c.Git.RefsContaining(ctx, rev, "refs/heads/")
	if err != nil {
		return false, fmt.Errorf("run: look for commit %s: %w", rev, err)
	}
	return len(branches) > 0, nil
}

func (c Checkout) AttemptCommit(ctx context.Context, bead, attempt string) (string, error) {
	rev, err := c.Git.Run(ctx, "log", "-n", "1", "--format=%H", "--fixed-strings", "--all-match",
		"--grep", "Helix-Attempt: "+attempt, "--grep", "Bead: "+bead, "HEAD", "--branches")
	if err != nil {
		return "", fmt.Errorf("run: look for the commit of attempt %s: %w", attempt, err)
	}
	return rev, nil
}

func (c Checkout) Files(ctx context.Context, from, to string) ([]string, error) {
	out, err := c.Git.Run(ctx, append([]string{"diff", "--name-only", "--no-renames", "-z", from, to}, ownFiles...)...)
	if err != nil {
		return nil, fmt.Errorf("run: list the files of the change %s..%s: %w", from, to, err)
	}
	return strings.FieldsFunc(out, func(r rune) bool { return r == 0 }), nil
}

func (c Checkout) ChangeSize(ctx context.Context, from, to string) (lines, files int, err error) {
	out, err := c.Git.Run(ctx, append([]string{"diff", "--numstat", from, to}, ownFiles...)...)
	if err != nil {
		return 0, 0, fmt.Errorf("run: measure the change %s..%s: %w", from, to, err)
	}
	for row := range strings.Lines(out) {
		fields := strings.Fields(row)
		if len(fields) < 3 {
			continue
		}
		files++
		for _, n := range fields[:2] { // "-" for a binary file
			changed, _ := strconv.Atoi(n)
			lines += changed
		}
	}
	return lines, files, nil
}
