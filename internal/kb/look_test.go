package kb_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"helix/internal/kb"
)

// now is close to the clock: the view asks that one what is active.
func now() time.Time { return time.Now().UTC().Truncate(time.Second) }

func ago(hours int) time.Time { return now().Add(-time.Duration(hours) * time.Hour) }

type note struct {
	topic, text string
	hours       int // ago
	source      string
	links       []string
	tags        []string
}

// memory opens a new memory with notes, and gives their ids.
func memory(t *testing.T, root string, notes ...note) (*kb.Memory, []string) {
	t.Helper()
	at := now()
	m := kb.Open(filepath.Join(t.TempDir(), "kb"), kb.WithRoot(root), kb.WithClock(func() time.Time { return at }))
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m, store(t, m, notes...)
}

func store(t *testing.T, m *kb.Memory, notes ...note) []string {
	t.Helper()
	var ids []string
	for _, n := range notes {
		got, err := m.Store(context.Background(), kb.StoreRequest{
			Topic: n.topic, Text: n.text, Source: n.source, Links: n.links, Tags: n.tags, Created: ago(n.hours), Force: true,
		})
		if err != nil {
			t.Fatalf("store %q: %v", n.text, err)
		}
		ids = append(ids, got.ID)
	}
	return ids
}

func auth() []note {
	return []note{
		{topic: "auth", text: "Overview of tokens", hours: 24 * 60, tags: []string{"architecture"}},
		{topic: "auth", text: "gotcha: the clock of the db host is late", hours: 50},
		{topic: "auth", text: "decision: opaque tokens, see data flow", hours: 3},
		{topic: "data-flow", text: "requests pass auth first", hours: 30},
		{topic: "data-flow", text: "then the flow of data goes to storage", hours: 24 * 40},
		{topic: "auth/keys", text: "keys are rotated monthly", hours: 24*35 + 1},
	}
}

func texts(items []kb.Item) (out []string) {
	for _, i := range items {
		out = append(out, i.Text)
	}
	return out
}

func has(t *testing.T, got string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(got, w) {
			t.Errorf("no %q in:\n%s", w, got)
		}
	}
	if !strings.HasSuffix(got, "\n") {
		t.Errorf("the text does not end its last line: %q", got)
	}
}

func TestTopics(t *testing.T) {
	t.Parallel()
	m, _ := memory(t, "", auth()...)
	got, err := m.Topics(t.Context(), kb.TopicsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	has(t, got.Text(), "3 topics, 6 entries\n", "  auth: 3, last ", "  auth/keys: 1", "  data-flow: 2")
}

func TestRecent(t *testing.T) {
	t.Parallel()
	m, _ := memory(t, "", auth()...)
	for _, c := range []struct {
		r    kb.RecentRequest
		want int
		more bool
		text string
	}{
		{kb.RecentRequest{}, 3, false, "3 entries since "},
		{kb.RecentRequest{Days: 38}, 4, false, "4 entries"},
		{kb.RecentRequest{Days: 38, Hours: 4}, 1, false, "1 entry since"},
		{kb.RecentRequest{Hours: 1}, 0, false, "nothing was written since"},
		{kb.RecentRequest{Limit: 2}, 2, true, "raise the limit"},
	} {
		got, err := m.Recent(t.Context(), c.r)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Items) != c.want || got.More != c.more {
			t.Errorf("%+v: %q, more %v", c.r, texts(got.Items), got.More)
		}
		has(t, got.Text(), c.text)
		if !slices.IsSortedFunc(got.Items, func(a, b kb.Item) int { return b.Created.Compare(a.Created) }) {
			t.Errorf("%+v: not the newest first", c.r)
		}
	}
}

func TestStats(t *testing.T) {
	t.Parallel()
	m, _ := memory(t, "", auth()...)
	for detail, want := range map[string]string{
		"": "3 topics, 6 entries\noldest ", "tags": "  #architecture: 1\n", "index": "index: ",
	} {
		got, err := m.Stats(t.Context(), kb.StatsRequest{Detail: detail})
		if err != nil {
			t.Fatal(err)
		}
		has(t, got.Text(), want)
	}
}

func TestXref(t *testing.T) {
	t.Parallel()
	m, _ := memory(t, "", auth()...)
	got, err := m.Xref(t.Context(), "data-flow")
	if err != nil {
		t.Fatal(err)
	}
	has(t, got.Text(), "data-flow: mentioned by 1 topic, mentions 1\n", "  ← auth: 1\n", "  → auth: 1\n")
	if _, err := m.Xref(t.Context(), "data-flaw"); !errors.Is(err, kb.ErrNotFound) || !strings.Contains(err.Error(), "'data-flow'") {
		t.Errorf("a topic that does not exist: %v", err)
	}
	if got, err = m.Xref(t.Context(), "auth"); err != nil {
		t.Fatal(err)
	}
	has(t, got.Text(), "auth: mentioned by 1 topic, mentions 1\n", "  ← data-flow: 1\n") // auth/keys does not mention it
	store(t, m, note{topic: "zoo", text: "lonely"})
	if got, err = m.Xref(t.Context(), "zoo"); err != nil {
		t.Fatal(err)
	}
	has(t, got.Text(), "no other topic mentions 'zoo'")
}

func TestGraph(t *testing.T) {
	t.Parallel()
	m, _ := memory(t, "", auth()...)
	var steps []string
	got, err := m.Graph(t.Context(), kb.GraphRequest{Progress: func(done, total int) { steps = append(steps, fmt.Sprint(done, "/", total)) }})
	if err != nil {
		t.Fatal(err)
	}
	has(t, got.Text(), "  auth → data-flow: 1\n", "  data-flow → auth: 1\n")
	if want := []string{"1/3", "2/3", "3/3"}; !slices.Equal(steps, want) {
		t.Errorf("progress %q, want %q", steps, want)
	}

	ctx, cancel := context.WithCancel(t.Context())
	seen := 0
	_, err = m.Graph(ctx, kb.GraphRequest{Progress: func(done, _ int) { seen = done; cancel() }})
	if !errors.Is(err, context.Canceled) || seen != 1 {
		t.Errorf("canceled after the first topic: %v after %d", err, seen)
	}
}

func TestCanceled(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	m, _ := memory(t, root, append(auth(), note{topic: "a", text: "b", source: "gone.go"})...)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, do := range map[string]func() error{
		"xref":  func() error { _, err := m.Xref(ctx, "auth"); return err },
		"graph": func() error { _, err := m.Graph(ctx, kb.GraphRequest{}); return err },
		"stale": func() error { _, err := m.Stale(ctx); return err },
		"brief": func() error { _, err := m.Brief(ctx, kb.BriefRequest{Query: "auth"}); return err },
	} {
		if err := do(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestStale(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	file := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file("same.go", "a")
	file("changed.go", "a")
	file("sub/changed.go", "a")
	file("gone.go", "a")
	m, _ := memory(t, root,
		note{topic: "t", text: "of same", source: "same.go:3", hours: 3},
		note{topic: "t", text: "of changed", source: "changed.go:7", hours: 2},
		note{topic: "t", text: "of a file with that name below", source: "sub/changed.go"},
		note{topic: "t", text: "of gone", source: "gone.go", hours: 1},
		note{topic: "t", text: "of a page", source: "https://example.org/page"},
		note{topic: "t", text: "of nothing"},
	)
	got, err := m.Stale(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	has(t, got.Text(), "no entry is stale: of 5 sources none has changed since\nnot looked at: 1 entry whose source is no file of this project\n")

	file("changed.go", "b")
	if err := os.Remove(filepath.Join(root, "gone.go")); err != nil {
		t.Fatal(err)
	}
	if got, err = m.Stale(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := "  [t] of changed → stale (changed.go:7)\n  [t] of gone → gone (gone.go)\n" +
		"1 entry with a changed source, 1 with one that is gone: check them, then revise or delete\n" +
		"not looked at: 1 entry whose source is no file of this project\n"
	if got.Text() != want {
		t.Errorf("got:\n%swant:\n%s", got.Text(), want)
	}
	if c := got.Items[0].Confidence; c != 0.7 {
		t.Errorf("the confidence of a stale entry is %v", c)
	}
	if c := got.Items[1].Confidence; c != 1 {
		t.Errorf("the confidence of an entry whose file is gone is %v", c)
	}
}

func TestPrune(t *testing.T) {
	t.Parallel()
	m, _ := memory(t, "", auth()...)
	got, err := m.Prune(t.Context(), kb.PruneRequest{})
	if err != nil {
		t.Fatal(err)
	}
	has(t, got.Text(), "  auth/keys: 1 entry, last ", " (35 days ago)\n", "1 topic quiet for 30 days; nothing was deleted")
	if got, err = m.Prune(t.Context(), kb.PruneRequest{Days: 36}); err != nil {
		t.Fatal(err)
	}
	has(t, got.Text(), "no topic has been quiet for 36 days\n")
	list, err := m.Topics(t.Context(), kb.TopicsRequest{})
	if err != nil || len(list.Topics) != 3 {
		t.Errorf("prune changed the memory: %+v, %v", list, err)
	}
}

func TestEntriesOf(t *testing.T) {
	t.Parallel()
	m, _ := memory(t, "", auth()...)
	two, minus, nine := 2, -1, 9
	for _, c := range []struct {
		r    kb.EntriesRequest
		want []int
		text string
	}{
		{kb.EntriesRequest{Topic: "auth"}, []int{0, 1, 2}, "3 entries in auth\n"},
		{kb.EntriesRequest{Topic: "auth", Index: &two}, []int{2}, "  decision: opaque tokens, see data flow\n"},
		{kb.EntriesRequest{Topic: "auth", Index: &minus}, []int{2}, "1 of them asked for"},
		{kb.EntriesRequest{Topic: "auth", Match: "CLOCK"}, []int{1}, "[1] "},
		{kb.EntriesRequest{Topic: "auth", Match: "none such"}, nil, "none of them fits"},
		{kb.EntriesRequest{Topic: "auth", Focus: []string{"gotchas, decision"}}, []int{1, 2}, "2 of them asked for"},
		{kb.EntriesRequest{Topic: "auth", Limit: 2}, []int{1, 2}, "the newest 2 shown"},
	} {
		got, err := m.EntriesOf(t.Context(), c.r)
		if err != nil {
			t.Fatal(err)
		}
		var indexes []int
		for _, i := range got.Items {
			indexes = append(indexes, *i.Index)
		}
		if !slices.Equal(indexes, c.want) {
			t.Errorf("%+v: %v, want %v", c.r, indexes, c.want)
		}
		has(t, got.Text(), c.text)
	}
	if _, err := m.EntriesOf(t.Context(), kb.EntriesRequest{Topic: "auth", Index: &nine}); !errors.Is(err, kb.ErrNotFound) {
		t.Errorf("index 9: %v", err)
	}
	if _, err := m.EntriesOf(t.Context(), kb.EntriesRequest{Topic: "auht"}); !errors.Is(err, kb.ErrNotFound) {
		t.Errorf("no such topic: %v", err)
	}
}

func TestSession(t *testing.T) {
	t.Parallel()
	m, ids := memory(t, "", auth()...)
	if _, err := m.Edit(t.Context(), kb.EditRequest{Action: "delete", ID: ids[0]}); err != nil {
		t.Fatal(err)
	}
	got, err := m.Session(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	has(t, got.Text(), "  [auth] ", "6 entries stored in this session, the last 5 that are still there shown\n")

	other := kb.Open(m.Dir())
	defer other.Close()
	if got, err = other.Session(t.Context()); err != nil {
		t.Fatal(err)
	}
	has(t, got.Text(), "nothing was stored in this session yet\n")
}

func TestEmptyMemory(t *testing.T) {
	t.Parallel()
	m, _ := memory(t, "")
	text := func(r interface{ Text() string }, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return r.Text()
	}
	ctx := t.Context()
	const empty = "the memory is empty"
	has(t, text(m.Topics(ctx, kb.TopicsRequest{})), empty)
	has(t, text(m.Recent(ctx, kb.RecentRequest{})), "nothing was written")
	has(t, text(m.Stats(ctx, kb.StatsRequest{})), empty)
	has(t, text(m.Graph(ctx, kb.GraphRequest{})), empty)
	has(t, text(m.Stale(ctx)), "no entry names a source")
	has(t, text(m.Prune(ctx, kb.PruneRequest{})), "no topic has been quiet")
	has(t, text(m.Brief(ctx, kb.BriefRequest{})), empty)
	has(t, text(m.Brief(ctx, kb.BriefRequest{Query: "x"})), "nothing to brief on for 'x'")
	if _, err := os.Stat(m.Dir()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("looking made the folder: %v", err)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	m, _ := memory(t, "", auth()...)
	ctx := t.Context()
	for name, do := range map[string]func() error{
		"recent hours":  func() error { _, err := m.Recent(ctx, kb.RecentRequest{Hours: -1}); return err },
		"recent days":   func() error { _, err := m.Recent(ctx, kb.RecentRequest{Days: 1 << 40}); return err },
		"recent limit":  func() error { _, err := m.Recent(ctx, kb.RecentRequest{Limit: -3}); return err },
		"stats detail":  func() error { _, err := m.Stats(ctx, kb.StatsRequest{Detail: "all"}); return err },
		"xref nothing":  func() error { _, err := m.Xref(ctx, " "); return err },
		"prune days":    func() error { _, err := m.Prune(ctx, kb.PruneRequest{Days: -1}); return err },
		"entries of":    func() error { _, err := m.EntriesOf(ctx, kb.EntriesRequest{}); return err },
		"entries limit": func() error { _, err := m.EntriesOf(ctx, kb.EntriesRequest{Topic: "auth", Limit: -1}); return err },
		"entries focus": func() error {
			_, err := m.EntriesOf(ctx, kb.EntriesRequest{Topic: "auth", Focus: []string{"x"}})
			return err
		},
		"brief detail":   func() error { _, err := m.Brief(ctx, kb.BriefRequest{Detail: "long"}); return err },
		"brief since":    func() error { _, err := m.Brief(ctx, kb.BriefRequest{Since: -1}); return err },
		"brief query":    func() error { _, err := m.Brief(ctx, kb.BriefRequest{Query: "kind:none"}); return err },
		"brief category": func() error { _, err := m.Brief(ctx, kb.BriefRequest{Focus: []string{"fun"}}); return err },
	} {
		err := do()
		if !errors.Is(err, kb.ErrRefused) || strings.Contains(fmt.Sprint(err), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
