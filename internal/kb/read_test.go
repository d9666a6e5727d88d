package kb

import (
	"strings"
	"testing"
	"time"
)

// A topic is found by exactly its name, also where a filter would read it as a
// pattern.
func TestReadOddTopics(t *testing.T) {
	t.Parallel()
	m := open(t)
	names := []string{"a", "a/", "a/b", "*", "a*", "A", "[a]", "a:1", `a"b`, "?", "a b", "/", "topic:a", "тема"}
	ids := map[string]string{}
	for _, name := range names {
		ids[name] = mustStore(t, m, name, "about "+name).ID
	}
	for _, name := range names {
		got, err := m.Read(t.Context(), ReadRequest{Topic: name})
		if err != nil || got.Entries != 1 || got.Items[0].ID != ids[name] {
			t.Errorf("%q: %+v, %v", name, got, err)
		}
	}
}

func TestReadText(t *testing.T) {
	t.Parallel()
	m := open(t)
	a, err := m.Store(t.Context(), StoreRequest{
		Topic: "auth", Text: "decision: retry\n\nthree times\n", Source: "a.go:3", Confidence: ptr(0.8), Tags: []string{"x", "y"},
	})
	if err != nil {
		t.Fatal(err)
	}
	b, err := m.Store(t.Context(), StoreRequest{Topic: "auth", Text: "second", Links: []string{a.ID}})
	if err != nil {
		t.Fatal(err)
	}
	date := time.Date(2026, 6, 18, 9, 0, 1, 0, time.UTC).Local().Format("2006-01-02 15:04")
	first := "[0] " + date + " " + a.ID + " decision #x #y (~80%)\n  source: a.go:3\n  decision: retry\n\n  three times\n"
	second := "[1] " + date + " " + b.ID + "\n  links: " + a.ID + "\n  second\n"
	for _, c := range []struct {
		r    ReadRequest
		want string
	}{
		{ReadRequest{Topic: "auth"}, first + second + "2 entries in auth\n"},
		{ReadRequest{Topic: "auth", Limit: 1}, second + "2 entries in auth, 1 shown\n"},
		{ReadRequest{Topic: "auth", Index: ptr(0)}, first + "2 entries in auth, 1 shown\n"},
		{ReadRequest{ID: a.ID}, first + "2 entries in auth, 1 shown\n"},
	} {
		got, err := m.Read(t.Context(), c.r)
		if err != nil || got.Text() != c.want {
			t.Errorf("%+v: got %q, %v, want %q", c.r, got.Text(), err, c.want)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	m := open(t)
	id := mustStore(t, m, "retry-policy", "three times").ID
	for _, c := range []struct {
		r    ReadRequest
		kind error
		want string
	}{
		{ReadRequest{}, ErrRefused, "neither a topic nor an id"},
		{ReadRequest{ID: id, Index: ptr(0)}, ErrRefused, "only one of"},
		{ReadRequest{Topic: "x", Limit: -1}, ErrRefused, "negative"},
		{ReadRequest{ID: id, Topic: "x"}, ErrRefused, "in topic 'retry-policy'"},
		{ReadRequest{ID: "mem_x"}, ErrNotFound, `"mem_x"`},
		{ReadRequest{Topic: "retry"}, ErrNotFound, "topic 'retry' not found: did you mean 'retry-policy'?"},
		{ReadRequest{Topic: "zebra"}, ErrNotFound, "topic 'zebra' not found: see the list of topics"},
		{ReadRequest{Topic: "retry-policy", Index: ptr(-2)}, ErrNotFound, "it has 1 entry"},
		{ReadRequest{Topic: strings.Repeat("x\n", 9999)}, ErrNotFound, "not found"},
	} {
		_, err := m.Read(t.Context(), c.r)
		checkRefusal(t, err, c.kind, c.want)
	}
}
