package builtin

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"helix/internal/git"
	"helix/internal/run/executor"
)

func touching(bead string, paths ...string) unit {
	u := unit{bead: bead}
	for _, p := range paths {
		u.changes = append(u.changes, git.Change{Path: p})
	}
	return u
}

func TestRegroup(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		units []unit
		want  string // beads+beads:paths of their units, by group
	}{
		{"none", nil, ""},
		{"one each", []unit{touching("a", "1"), touching("b", "2")}, "a:1 b:2"},
		{"in a row", []unit{touching("a", "1"), touching("a", "1"), touching("b", "1")}, "a:1,1 b:1"},
		{"interleaved, apart", []unit{touching("a", "1"), touching("b", "2"), touching("a", "3")}, "a:1,3 b:2"},
		{"interleaved, entangled", []unit{touching("a", "1"), touching("b", "2"), touching("a", "2")}, "a+b:1,2,2"},
		{"later work on an earlier bead's file", []unit{touching("a", "1"), touching("b", "1")}, "a:1 b:1"},
		{"a folder in place of a file", []unit{touching("a", "1"), touching("b", "x"), touching("a", "x/y")}, "a+b:1,x,x/y"},
		{"a third between two that are entangled", []unit{touching("a", "1"), touching("b", "2"), touching("c", "3"), touching("a", "2"), touching("b", "3")}, "a+b+c:1,2,3,2,3"},
		{"a third apart", []unit{touching("a", "1"), touching("c", "9"), touching("b", "2"), touching("a", "2")}, "a+b:1,2,2 c:9"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, g := range regroup(tc.units) {
				var paths []string
				for _, u := range g.units {
					paths = append(paths, git.Paths(u.changes)...)
				}
				got = append(got, strings.Join(g.beads, "+")+":"+strings.Join(paths, ","))
			}
			if diff := cmp.Diff(tc.want, strings.Join(got, " ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Regrouping keeps every unit once, gives each bead one group, and never swaps
// two units that touch the same path.
func TestRegroupIsSound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var units []unit
		n := rapid.IntRange(0, 8).Draw(t, "n")
		for i := range n {
			u := touching(rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "bead"), rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"1", "2", "3", "3/4"}), 1, 2, rapid.ID).Draw(t, "paths")...)
			u.message = string(rune('A' + i))
			units = append(units, u)
		}
		var order []unit
		seen := map[string]bool{}
		for _, g := range regroup(units) {
			for _, b := range g.beads {
				if seen[b] {
					t.Fatalf("bead %s has two groups", b)
				}
				seen[b] = true
			}
			for _, u := range g.units {
				if !slices.Contains(g.beads, u.bead) {
					t.Fatalf("unit of %s in the group of %v", u.bead, g.beads)
				}
			}
			order = append(order, g.units...)
		}
		if len(order) != len(units) {
			t.Fatalf("%d units of %d", len(order), len(units))
		}
		for i, u := range order {
			for _, v := range order[i+1:] {
				if u.message == v.message {
					t.Fatal("a unit twice")
				}
				if u.message > v.message && overlap(u.changes, v.changes) {
					t.Fatalf("%s and %s are swapped", u.message, v.message)
				}
			}
		}
	})
}

func TestBatch(t *testing.T) {
	t.Parallel()
	const commit = "git add -A; git commit -qm "
	for _, tc := range []struct {
		name   string
		script string
		landed []string
		log    string // subjects and beads, newest first
	}{
		{"one commit each", "echo 2 > a; " + commit + "'first\n\nBead: hx-1'; echo 2 > b; " + commit + "'second\n\nBead: hx-2'", []string{"hx-1", "hx-2"}, "second[hx-2] first[hx-1]"},
		{"one left out", "echo 2 > b; " + commit + "'second\n\nBead: hx-2'", []string{"hx-2"}, "second[hx-2]"},
		{"all uncommitted goes to the primary", "echo 2 > a; echo 2 > b", []string{"hx-1"}, "Title of hx-1[hx-1]"},
		{"a commit without a trailer goes to the primary", "echo 2 > a; " + commit + "first; echo 2 > b; " + commit + "'second\n\nBead: hx-2'", []string{"hx-1", "hx-2"}, "second[hx-2] first[hx-1]"},
		{"a trailer of a stranger", "echo 2 > a; " + commit + "'first\n\nBead: hx-9'", []string{"hx-1"}, "first[hx-1]"},
		{"something forgotten", "echo 2 > a; " + commit + "'first\n\nBead: hx-1'; echo 2 > b; " + commit + "'second\n\nBead: hx-2'; echo 3 > c", []string{"hx-1", "hx-2"}, "second[hx-2] first[hx-1]"},
		{"something forgotten of the other bead", "echo 2 > a; " + commit + "'first\n\nBead: hx-1'; echo 2 > b; " + commit + "'second\n\nBead: hx-2'; echo 3 > b", []string{"hx-1", "hx-2"}, "Title of hx-1[hx-1 hx-2]"},
		{"two commits of a bead", "echo 2 > a; " + commit + "'first\n\nBead: hx-1'; echo 2 > b; " + commit + "'second\n\nBead: hx-2'; echo 3 > a; " + commit + "'third\n\nBead: hx-1'", []string{"hx-1", "hx-2"}, "second[hx-2] Title of hx-1[hx-1]"},
		{"other order", "echo 2 > b; " + commit + "'second\n\nBead: hx-2'; echo 2 > a; " + commit + "'first\n\nBead: hx-1'", []string{"hx-2", "hx-1"}, "first[hx-1] second[hx-2]"},
		{"undone again", "echo 2 > a; " + commit + "'first\n\nBead: hx-1'; echo 2 > b; " + commit + "'second\n\nBead: hx-2'; echo 1 > b; " + commit + "'never mind\n\nBead: hx-2'", []string{"hx-1"}, "first[hx-1]"},
		{"through a merge", "git switch -q -c side; echo 2 > b; " + commit + "'second\n\nBead: hx-2'; git checkout -q --detach main; echo 2 > a; " + commit + "'first\n\nBead: hx-1'; git merge -q --no-ff -m 'joined\n\nBead: hx-2' side", []string{"hx-1", "hx-2"}, "joined[hx-2] first[hx-1]"},
		{"only files of the queue for one", "echo 2 > a; " + commit + "'first\n\nBead: hx-1'; mkdir -p .helix; echo x > .helix/x; " + commit + "'second\n\nBead: hx-2'", []string{"hx-1"}, "first[hx-1]"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, files{"a": "1\n", "b": "1\n"})
			base := w.git("rev-parse", "main")
			res := w.try(w.sh(tc.script), w.request(bead("hx-1"), bead("hx-2"), bead("hx-3")))
			w.wantOutcome(res, executor.Landed, "")
			if diff := cmp.Diff(tc.landed, res.Landed); diff != "" {
				t.Error(diff)
			}
			var log []string
			for id := range strings.FieldsSeq(w.git("rev-list", base+"..main")) {
				body := w.git("log", "-1", "--format=%B", id)
				subject, _, _ := strings.Cut(body, "\n")
				log = append(log, subject+"["+strings.Join(git.Trailers(body, "Bead"), " ")+"]")
			}
			if diff := cmp.Diff(tc.log, strings.Join(log, " ")); diff != "" {
				t.Error(diff)
			}
			for _, id := range res.Landed {
				if res.Commits[id] == "" {
					t.Errorf("no commit of %s in %v", id, res.Commits)
				}
			}
		})
	}
}

func TestBatchOntoAMovedTip(t *testing.T) {
	t.Parallel()
	const script = "echo 2 > a; git add -A; git commit -qm 'first\n\nBead: hx-1'; echo 2 > b; git add -A; git commit -qm 'second\n\nBead: hx-2'; "
	w := newWorld(t, files{"a": "1\n", "b": "1\n", "c": "1\n"})
	res := w.try(w.sh(script+"cd "+w.root.Dir+"; echo 2 > c; git commit -qam theirs"), w.request(bead("hx-1"), bead("hx-2")))
	w.wantOutcome(res, executor.Landed, "")
	w.wantFiles(files{"a": "2\n", "b": "2\n", "c": "2\n"})
	if diff := cmp.Diff([]string{"hx-1", "hx-2"}, res.Landed); diff != "" || w.git("rev-list", "--count", "main") != "4" {
		t.Error(diff)
	}

	// One of them is on the branch already: only the other is landed.
	w = newWorld(t, files{"a": "1\n", "b": "1\n", "c": "1\n"})
	res = w.try(w.sh(script+"cd "+w.root.Dir+"; echo 2 > a; git commit -qam theirs"), w.request(bead("hx-1"), bead("hx-2")))
	w.wantOutcome(res, executor.Landed, "")
	if diff := cmp.Diff([]string{"hx-2"}, res.Landed); diff != "" {
		t.Error(diff)
	}

	// One of them conflicts: all are kept.
	w = newWorld(t, files{"a": "1\n", "b": "1\n", "c": "1\n"})
	res = w.try(w.sh(script+"cd "+w.root.Dir+"; echo 3 > b; git commit -qam theirs"), w.request(bead("hx-1"), bead("hx-2")))
	w.wantOutcome(res, executor.Preserved, "conflict with main")
	w.wantAt(res.PreserveRef, files{"a": "2", "b": "2"})
	w.wantFiles(files{"a": "1\n", "b": "3\n"})
}

func TestBatchGates(t *testing.T) {
	t.Parallel()
	const script = "echo 2 > a; git add -A; git commit -qm 'first\n\nBead: hx-1'; echo 2 > b; git add -A; git commit -qm 'second\n\nBead: hx-2'"
	w := newWorld(t, files{"a": "1\n", "b": "1\n"})
	one, two, three := bead("hx-1"), bead("hx-2"), bead("hx-3")
	one.Acceptance, two.Acceptance, three.Acceptance = "$ grep -q 2 a", "$ grep -q 3 b", "$ false"
	res := w.try(w.sh(script), w.request(one, two, three))
	w.wantOutcome(res, executor.Preserved, "acceptance of hx-2: grep -q 3 b")
	w.wantAt(res.PreserveRef, files{"a": "2", "b": "2"})
	w.wantFiles(files{"a": "1\n", "b": "1\n"})
	two.Acceptance = "$ grep -q 2 b"
	res = w.try(w.sh(script), w.request(one, two, three))
	w.wantOutcome(res, executor.Landed, "")
	if len(res.Gates) != 3 { // the gate, and the acceptance of those that land
		t.Errorf("got %+v", res.Gates)
	}
}
