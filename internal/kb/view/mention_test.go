package view_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"helix/internal/kb/entry"
	"helix/internal/kb/log"
	"helix/internal/kb/upkeep"
	"helix/internal/kb/view"
)

// TestMentions compares what the index counts with the entries themselves.
func TestMentions(t *testing.T) {
	t.Parallel()
	base, n := t.TempDir(), 0
	words := rapid.SliceOfN(rapid.SampledFrom([]string{"auth", "key", "data", "flow"}), 0, 3)
	rapid.Check(t, func(t *rapid.T) {
		n++
		dir := filepath.Join(base, fmt.Sprint(n))
		l := log.Open(dir)
		defer l.Close()
		var all []entry.Entry
		for i := range rapid.IntRange(1, 12).Draw(t, "entries") {
			e := entry.New(strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"auth", "key", "data"}), 1, 2).Draw(t, "topic"), "-"),
				"x "+strings.Join(words.Draw(t, "text"), " "), now)
			e.ID = fmt.Sprintf("mem_%d", i)
			e.Tags = words.Draw(t, "tags")
			e.Source.Path = strings.Join(words.Draw(t, "source"), "/")
			if rapid.IntRange(0, 4).Draw(t, "hidden") == 0 {
				e.DeletedAt = now
			}
			put(t, l, log.Put(e))
			if e.Active(now) {
				all = append(all, e)
			}
			if rapid.IntRange(0, 3).Draw(t, "index") == 0 {
				if _, err := upkeep.CatchUp(context.Background(), dir, upkeep.Options{MaxMerge: 2}); err != nil {
					t.Fatal(err)
				}
			}
		}
		v, err := view.Open(dir, view.WithClock(clock))
		if err != nil {
			t.Fatal(err)
		}
		defer v.Close()
		names := []string{"auth", "key data", "auth keys flow", "nothing", "", "data data"}
		for _, within := range []string{"", "auth", "key-data", "none"} {
			got, err := v.Mentions(names, within, func(int) error { return nil })
			if err != nil {
				t.Fatal(err)
			}
			for i, name := range names {
				want := mentioned(all, strings.Fields(strings.ReplaceAll(name, "keys", "key")), within)
				found := map[string]int{}
				for _, c := range got[i] {
					found[c.Name] = c.Entries
				}
				if d := gocmp.Diff(want, found, cmpopts.EquateEmpty()); d != "" {
					t.Fatalf("%q within %q (-want +got):\n%s", name, within, d)
				}
				if !slices.IsSortedFunc(got[i], func(a, b view.Count) int { return b.Entries - a.Entries }) {
					t.Fatalf("%q: not the most first: %v", name, got[i])
				}
			}
		}
	})
}

func mentioned(all []entry.Entry, name []string, within string) map[string]int {
	out := map[string]int{}
	for _, e := range all {
		has := strings.Fields(e.Text)
		own := strings.Split(e.Topic, "-")
		if !slices.ContainsFunc(name, func(w string) bool { return slices.Contains(own, w) }) {
			has = slices.Concat(has, e.Tags, strings.Split(e.Source.Path, "/"))
		}
		if len(name) > 0 && (within == "" || e.Topic == within) && !slices.ContainsFunc(name, func(w string) bool { return !slices.Contains(has, w) }) {
			out[e.Topic]++
		}
	}
	return out
}

// TestMentionsOfMany asks on all processors, and ends when it is told to.
func TestMentionsOfMany(t *testing.T) {
	t.Parallel()
	v := open(t, memory(t, entry.New("a", "word7 and word8", now)))
	names := make([]string, 1000)
	for i := range names {
		names[i] = fmt.Sprint("word", i)
	}
	var steps []int
	got, err := v.Mentions(names, "", func(done int) error {
		steps = append(steps, done)
		return nil
	})
	if err != nil || len(steps) != len(names) || !slices.IsSorted(steps) {
		t.Fatalf("%v after %d steps", err, len(steps))
	}
	for i, found := range got {
		if (len(found) > 0) != (i == 7 || i == 8) {
			t.Errorf("%s: %v", names[i], found)
		}
	}
	stop := errors.New("stop")
	done := 0
	if _, err := v.Mentions(names, "", func(n int) error { done = n; return stop }); !errors.Is(err, stop) || done != 1 {
		t.Errorf("%v after %d", err, done)
	}
}
