// Package ddxstandin stands in for ddx in tests. It works on a real beads.jsonl
// and a real git repository, and prints what ddx prints, in one of two eras:
// STANDIN_ERA=v06 (ddx agent execute-bead) or head (ddx try).
//
// What it does is said by the first word of the bead's title: land, nochanges,
// fail (with a partial commit that has no ref), conflict (kept under a ref),
// dropped (a merge that loses the work and calls it a success), unclosed (landed
// but left in progress), panic, hang (with a child), dirty, cooldown, ratelimit, agent
// (the harness that --harness names works on it, as a child in a work tree; agent.go).
package ddxstandin

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"helix/internal/git"
	"helix/internal/proc"
	"helix/internal/tracker"
)

// Main is ddx's main function; it returns the exit code.
func Main() int {
	args := os.Args[1:]
	head := os.Getenv("STANDIN_ERA") != "v06"
	help := len(args) > 0 && args[len(args)-1] == "--help"
	switch {
	case help && head && args[0] == "try":
		fmt.Println("Usage:\n  ddx try <bead-id> [flags]\n\nFlags:\n      --harness string\n      --model string")
	case help && !head && len(args) == 3 && args[0] == "agent" && args[1] == "execute-bead":
		fmt.Println("Usage:\n  ddx agent execute-bead <bead-id> [flags]\n\nFlags:\n      --harness string\n      --json")
	case help && !head && args[0] == "agent":
		fmt.Println("Usage:\n  ddx agent [command]")
	case head && len(args) > 1 && args[0] == "try":
		return attempt(args[1], head, args[2:])
	case !head && len(args) > 2 && args[0] == "agent" && args[1] == "execute-bead":
		return attempt(args[2], head, args[3:])
	default:
		fmt.Fprintf(os.Stderr, "Error: unknown command %q for \"ddx\"\n", strings.Join(args, " "))
		return 1
	}
	return 0
}

// row is the result of an attempt; its JSON is v0.6's.
type row struct {
	BeadID      string `json:"bead_id"`
	AttemptID   string `json:"attempt_id"`
	Outcome     string `json:"outcome,omitempty"`
	Status      string `json:"status"`
	Detail      string `json:"detail,omitempty"`
	BaseRev     string `json:"base_rev"`
	ResultRev   string `json:"result_rev,omitempty"`
	LandedRev   string `json:"landed_rev,omitempty"`
	PreserveRef string `json:"preserve_ref,omitempty"`
	FailureMode string `json:"failure_mode,omitempty"`
	RetryAfter  string `json:"retry_after,omitempty"`
}

// session is one attempt.
type session struct {
	ctx   context.Context
	repo  *git.Repo
	store *tracker.Store
	bead  *tracker.Bead
	head  bool
	row   row

	harness string
	said    []byte // what the harness printed
}

func attempt(id string, head bool, flags []string) int {
	ctx := context.Background()
	dir, err := os.Getwd()
	must(err)
	s := &session{ctx: ctx, repo: &git.Repo{Dir: dir}, store: tracker.OpenStore(filepath.Join(dir, ".ddx")), head: head, harness: flagOf(flags, "--harness")}
	q, err := s.store.Load(ctx)
	must(err)
	bead, ok := q.Get(id)
	if !ok {
		fmt.Fprintf(os.Stderr, "Error: bead: not found: %s\n", id)
		return 2
	}
	if head && bead.Status != tracker.Open {
		fmt.Println("bead is not execution-ready (it may be actively claimed by another worker)")
		return 2
	}
	s.bead = bead
	s.row = row{BeadID: id, AttemptID: fmt.Sprintf("%s-%08x", time.Now().Format("20060102T150405"), rand.Uint32()), BaseRev: s.git("rev-parse", "HEAD")}
	if head {
		start, _ := proc.StartToken(os.Getpid())
		_, err := s.store.Claim(ctx, id, tracker.Claim{Owner: "helix", At: time.Now(), PID: os.Getpid(), Start: start, Machine: proc.Machine()})
		must(err)
	}
	fmt.Printf("▶ %s: %s\n", id, bead.Title) // noise before the result
	kind, _, _ := strings.Cut(bead.Title, " ")
	code := s.play(kind)
	if code == panicked {
		return 2
	}
	s.evidence()
	s.print()
	return code
}

// panicked is the code of an attempt that ends without a word.
const panicked = -1

func (s *session) play(kind string) int {
	switch kind {
	case "land":
		s.land(s.commit("work"))
		s.done()
	case "unclosed":
		s.land(s.commit("work"))
		s.row.Status = "success"
	case "nochanges":
		s.release()
		s.row.Status = "no_changes"
		return 1
	case "fail":
		s.row.ResultRev = s.commit("half")
		s.release()
		s.row.Status, s.row.Detail = "execution_failed", "exit status 3"
		return 2
	case "conflict":
		s.row.ResultRev = s.commit("theirs")
		s.row.PreserveRef = "refs/ddx/iterations/" + s.bead.ID + "/" + s.row.AttemptID
		s.git("update-ref", s.row.PreserveRef, s.row.ResultRev)
		s.release()
		s.row.Outcome, s.row.Status, s.row.Detail, s.row.FailureMode = "preserved", "land_conflict", "merge conflict", "merge_conflict"
		return 1
	case "dropped":
		work := s.commit("lost")
		s.row.PreserveRef = "refs/ddx/iterations/" + s.row.AttemptID + "/0"
		s.git("update-ref", s.row.PreserveRef, work)
		merge := s.git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-p", work, "-m", "Merge the iteration")
		s.land(merge)
		s.done()
		s.row.ResultRev, s.row.Detail = work, "auto-recovered: merged preserved iteration onto current tip via ort"
	case "agent":
		return s.work()
	case "panic":
		fmt.Fprintln(os.Stderr, "panic: send on closed channel")
		return panicked
	case "hang":
		child := exec.Command("sleep", "300")
		must(child.Start())
		must(os.WriteFile(os.Getenv("STANDIN_CHILD"), fmt.Append(nil, child.Process.Pid), 0o644))
		must(child.Wait())
	case "ratelimit":
		s.release()
		if _, err := os.Stat(".git/standin-limited"); err != nil {
			must(os.WriteFile(".git/standin-limited", nil, 0o644))
			s.row.Status, s.row.Detail = "resource_exhausted", "rate limit"
			return 2
		}
		s.land(s.commit("work"))
		s.done()
	case "cooldown":
		s.release()
		s.row.Status, s.row.RetryAfter = "no_changes", time.Now().Add(6*time.Hour).UTC().Format(time.RFC3339)
		return 1
	}
	return 0
}

// commit makes a commit that adds a file named after the bead.
func (s *session) commit(text string) string {
	const parent = "HEAD"
	blob, err := s.repo.RunInput(s.ctx, text+"\n", "hash-object", "-w", "--stdin")
	must(err)
	tree, err := s.repo.Run(s.ctx, "ls-tree", parent)
	must(err)
	made, err := s.repo.RunInput(s.ctx, strings.TrimPrefix(tree+"\n", "\n")+"100644 blob "+blob+"\t"+s.bead.ID+".txt\n", "mktree")
	must(err)
	return s.git("commit-tree", made, "-p", parent, "-m", "work on "+s.bead.ID)
}

func (s *session) land(commit string) {
	s.git("merge", "-q", "--ff-only", commit)
	s.row.Outcome, s.row.ResultRev, s.row.LandedRev = "merged", commit, commit
}

// done closes the bead where this era does.
func (s *session) done() {
	s.row.Status = "success"
	if s.head {
		must(s.store.Close(s.ctx, s.bead.ID, tracker.Closing{Commit: s.row.LandedRev}))
	}
}

func (s *session) release() {
	if s.head {
		must(s.store.Unclaim(s.ctx, s.bead.ID, nil))
	}
}

func (s *session) git(args ...string) string {
	out, err := s.repo.Run(s.ctx, args...)
	must(err)
	return out
}

// evidence writes the execution folder.
func (s *session) evidence() {
	dir := filepath.Join(".ddx", "executions", s.row.AttemptID)
	must(os.MkdirAll(dir, 0o755))
	if s.said != nil {
		must(os.Mkdir(filepath.Join(dir, "embedded"), 0o755))
		must(os.WriteFile(filepath.Join(dir, "embedded", s.harness+".log"), s.said, 0o644))
		must(os.WriteFile(filepath.Join(dir, "embedded", "git"), []byte("#!/bin/sh\nexec git \"$@\"\n"), 0o755))
	}
	for name, v := range map[string]any{
		"manifest.json": map[string]any{"attempt_id": s.row.AttemptID, "bead_id": s.bead.ID, "base_rev": s.row.BaseRev},
		"result.json":   s.row,
		"usage.json":    map[string]any{"attempt_id": s.row.AttemptID, "tokens": 321, "input_tokens": 300, "cached_tokens": 50, "output_tokens": 21},
	} {
		data, err := json.Marshal(v)
		must(err)
		must(os.WriteFile(filepath.Join(dir, name), data, 0o644))
	}
}

func (s *session) print() {
	if !s.head {
		data, err := json.Marshal(s.row)
		must(err)
		fmt.Println(string(data))
		return
	}
	for _, f := range []struct{ key, value string }{
		{"bead", s.row.BeadID}, {"status", s.row.Status}, {"detail", s.row.Detail}, {"result_rev", s.row.ResultRev},
		{"landed_rev", s.row.LandedRev}, {"preserve_ref", s.row.PreserveRef},
	} {
		if f.value != "" {
			fmt.Printf("%s: %s\n", f.key, f.value)
		}
	}
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "ddx stand-in:", err)
		os.Exit(2)
	}
}
