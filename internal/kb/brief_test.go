package kb_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"helix/internal/kb"
	"helix/internal/kb/brief"
)

// briefed gives the ids that a scan shows, sorted.
func briefed(t *testing.T, m *kb.Memory, r kb.BriefRequest) (ids []string) {
	t.Helper()
	r.Detail = brief.Scan
	got, err := m.Brief(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range got.Sections {
		for _, i := range s.Items {
			ids = append(ids, i.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

func TestBriefCollects(t *testing.T) {
	t.Parallel()
	m, ids := memory(t, "",
		note{topic: "auth", text: "tokens live for minutes", hours: 1},                        // 0
		note{topic: "auth/keys", text: "gotcha: rotation blocks logins", hours: 100},          // 1
		note{topic: "auth-client", text: "decision: the client waits", hours: 200},            // 2
		note{topic: "data-flow", text: "invariant: nothing is written twice", hours: 24 * 30}, // 3
		note{topic: "storage", text: "perf: pages of storage are compressed", hours: 24 * 3},  // 4
	)
	ids = append(ids, store(t, m,
		note{topic: "storage", text: "how to: restore storage from a backup", hours: 2, links: []string{ids[3]}},     // 5
		note{topic: "links", text: "module: third", hours: 24 * 90},                                                  // 6
		note{topic: "auth", text: "overview: what it all is about", hours: 24 * 80, links: []string{"links:0"}},      // 7
		note{topic: "links", text: "bug: chain, one further", hours: 5, links: []string{ids[4], "auth-client:0"}},    // 8
		note{topic: "start", text: "todo: follow one level only, no further", hours: 5, links: []string{"links:-1"}}, // 9
	)...)
	pick := func(n ...int) (out []string) {
		for _, i := range n {
			out = append(out, ids[i])
		}
		slices.Sort(out)
		return out
	}
	for _, c := range []struct {
		name string
		r    kb.BriefRequest
		want []string
	}{
		{"topic, what is below it, and links", kb.BriefRequest{Query: "auth"}, pick(0, 1, 6, 7)},
		{"name written otherwise", kb.BriefRequest{Query: "Data Flow"}, pick(3)},
		{"pattern", kb.BriefRequest{Query: "auth-*"}, pick(2)},
		{"part of a name", kb.BriefRequest{Query: "client"}, pick(2)},
		{"words", kb.BriefRequest{Query: "restore backup"}, pick(3, 5)},
		{"links go one level", kb.BriefRequest{Query: "start"}, pick(8, 9)},
		{"since", kb.BriefRequest{Query: "auth", Since: 24}, pick(0)},
		{"since holds for what is linked", kb.BriefRequest{Query: "storage", Since: 24 * 7}, pick(4, 5)},
		{"focus", kb.BriefRequest{Query: "auth", Focus: []string{"gotchas"}}, pick(1)},
		{"focus alone", kb.BriefRequest{Focus: []string{"performance,gaps"}}, pick(4, 9)},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := briefed(t, m, c.r); !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestBriefKnowsStaleSources(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	path := filepath.Join(root, "a.go")
	if err := os.WriteFile(path, []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	m, _ := memory(t, root, note{topic: "t", text: "gotcha: of a.go", source: "a.go"})
	if err := os.WriteFile(path, []byte("b"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := m.Brief(t.Context(), kb.BriefRequest{Query: "t"})
	if err != nil {
		t.Fatal(err)
	}
	has(t, got.Text(), "GOTCHAS: [t] gotcha: of a.go [TODAY] [stale]\n")
	if c := got.Hot[0].Confidence; c != 0.7 {
		t.Errorf("confidence %v", c)
	}
}

func TestBriefSaysWhenThereIsMore(t *testing.T) {
	t.Parallel()
	m, _ := memory(t, "")
	var all []kb.StoreRequest
	for i := range 501 {
		all = append(all, kb.StoreRequest{Topic: "t", Text: fmt.Sprintf("word%d other%d", i, i), Created: ago(i)})
	}
	if _, err := m.Batch(t.Context(), kb.BatchRequest{Entries: all}); err != nil {
		t.Fatal(err)
	}
	got, err := m.Brief(t.Context(), kb.BriefRequest{Query: "t"})
	if err != nil {
		t.Fatal(err)
	}
	if got.Entries != 500 || !got.More {
		t.Errorf("%d entries, more: %v", got.Entries, got.More)
	}
	has(t, got.Text(), "more entries fit")
}

func TestBriefOfTheWholeMemory(t *testing.T) {
	t.Parallel()
	m, _ := memory(t, "", auth()...)
	got, err := m.Brief(t.Context(), kb.BriefRequest{})
	if err != nil {
		t.Fatal(err)
	}
	has(t, got.Text(), "=== memory === 6 entries, 3 topics\n", "  auth: 3 entries, 2 in 30 days, last [",
		"VELOCITY: 0.43 entries a day over 7 days, 0.10 over 30 days\n", "architecture 1 (17%)")
	if got.Overview.Active[0].Topic != "auth" {
		t.Errorf("the most active topic: %+v", got.Overview.Active)
	}
	if got, err = m.Brief(t.Context(), kb.BriefRequest{Since: 10}); err != nil {
		t.Fatal(err)
	}
	if text := got.Text(); strings.Contains(text, "data-flow") || len(got.Overview.Active) != 1 {
		t.Errorf("topics that were quiet in that time:\n%s", text)
	}
}
