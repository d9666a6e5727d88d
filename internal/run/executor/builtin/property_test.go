package builtin

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"helix/internal/git"
	"helix/internal/run/executor"
)

// Whatever the person does in the checkout and the agent in its work tree, no
// changed file of the checkout changes, and the agent's work is on the branch or
// under its ref.
func TestNothingIsEverLost(t *testing.T) {
	t.Parallel()
	names := []string{"a", "b", "d/x", "d", "new", "n/y", "x.log"}
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(t, files{"a": "1\n", "b": "1\n", "d/x": "1\n", ".gitignore": "*.log\n"})
		edits := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) edit { return drawEdit(rt, names) }), 0, 5)
		w.do(w.root.Dir, edits.Draw(rt, "before"), rt)
		during, agents := edits.Draw(rt, "during"), edits.Draw(rt, "agent")
		var mine map[string]string
		var ours files
		res := w.try(w.act(func(dir string) {
			w.do(dir, agents, rt)
			ours = changedIn(w, dir)
			w.do(w.root.Dir, during, rt)
			mine = personal(w)
		}), w.request())
		for path, text := range mine {
			if now := personalAt(w, path); now != text {
				rt.Fatalf("%s of the checkout was %q and is %q after %s (%s)", path, text, now, res.Outcome, res.Reason)
			}
		}
		switch res.Outcome {
		case executor.NoChanges:
			if len(ours) > 0 {
				rt.Fatalf("no changes, but %v", ours)
			}
		case executor.Landed:
			// The branch moved under it perhaps, then a file may be merged; the edits
			// here replace whole files, so that a merge keeps one side's text.
			for path, text := range ours {
				if got := w.at("main", path); got != text {
					rt.Fatalf("landed, but %s is %q, not %q", path, got, text)
				}
			}
		case executor.Preserved:
			for path, text := range ours {
				if got := w.at(res.PreserveRef, path); got != text {
					rt.Fatalf("kept, but %s is %q, not %q", path, got, text)
				}
			}
		default:
			rt.Fatalf("%s: %s", res.Outcome, res.Reason)
		}
	})
}

// edit is one step of a person or an agent.
type edit struct {
	kind string // write, remove, stage, unstage, commit
	path string
	text string
}

func drawEdit(rt *rapid.T, names []string) edit {
	return edit{
		kind: rapid.SampledFrom([]string{"write", "write", "remove", "stage", "commit", "unstage"}).Draw(rt, "kind"),
		path: rapid.SampledFrom(names).Draw(rt, "path"),
		text: rapid.SampledFrom([]string{"1", "2", "3"}).Draw(rt, "text"),
	}
}

func (w *world) do(dir string, edits []edit, rt *rapid.T) {
	r := (&git.Repo{Dir: dir}).Unattended()
	for _, e := range edits {
		path := filepath.Join(dir, e.path)
		switch e.kind {
		case "write":
			if parent := filepath.Dir(path); parent != dir {
				if info, err := os.Lstat(parent); err == nil && !info.IsDir() {
					os.Remove(parent)
				}
			}
			os.RemoveAll(path)
			w.write(dir, files{e.path: e.text})
		case "remove":
			os.RemoveAll(path)
		case "stage":
			_, _ = r.Run(w.Context(), "add", "-A", "--", e.path) // a path that matches nothing
		case "unstage":
			_, _ = r.Run(w.Context(), "reset", "-q", "--", e.path)
		case "commit":
			_, _ = r.Run(w.Context(), "commit", "-q", "-m", "by hand") // nothing staged
		}
	}
}

// changedIn lists how the work tree at dir differs from where the branch is; the
// text of a file that is gone is "-".
func changedIn(w *world, dir string) files {
	out := w.gitIn(dir, "status", "--porcelain", "-z", "--no-renames", "-uall")
	changed := files{}
	for entry := range strings.SplitSeq(out+"\x00"+zero(w.gitIn(dir, "diff", "--name-only", "-z", "--no-renames", "main", "HEAD")), "\x00") {
		if len(entry) < 4 {
			continue
		}
		path := entry[3:]
		now := "-"
		if data, err := os.ReadFile(filepath.Join(dir, path)); err == nil {
			now = string(data)
		}
		if was := w.at("main", path); was != strings.TrimSuffix(now, "\n") {
			changed[path] = strings.TrimSuffix(now, "\n")
		}
	}
	return changed
}

// zero gives plain paths the form of status entries.
func zero(paths string) string {
	var b strings.Builder
	for p := range strings.SplitSeq(paths, "\x00") {
		if p != "" {
			fmt.Fprintf(&b, "   %s\x00", p)
		}
	}
	return b.String()
}

// personal is every file of the checkout that differs from the branch, with its
// content and what is staged of it.
func personal(w *world) map[string]string {
	state := map[string]string{}
	for entry := range strings.SplitSeq(w.git("status", "--porcelain", "-z", "--no-renames", "-uall", "--ignored=matching"), "\x00") {
		if len(entry) > 3 && !strings.HasPrefix(entry[3:], ".ddx/") {
			state[strings.TrimSuffix(entry[3:], "/")] = ""
		}
	}
	for path := range state {
		state[path] = personalAt(w, path)
	}
	return state
}

func personalAt(w *world, path string) string {
	staged := w.git("ls-files", "--stage", "--", ":(literal)"+path)
	data, err := os.ReadFile(filepath.Join(w.root.Dir, path))
	if err != nil {
		return staged + " gone"
	}
	return staged + " " + string(data)
}
