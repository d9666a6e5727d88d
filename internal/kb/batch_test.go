package kb

import (
	"slices"
	"testing"
)

func TestBatch(t *testing.T) {
	t.Parallel()
	const text = "the auth client retries three times with jitter before it gives up"
	m := open(t)
	b, err := m.Batch(t.Context(), BatchRequest{Entries: []StoreRequest{
		{Topic: "auth", Text: text},
		{Topic: "auth", Text: " "},
		{Topic: "auth", Text: text + " again"},
		{Topic: "other", Text: text},
		{Topic: "auth", Text: "gotcha: the clock may go back", Links: nil},
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := "batch: 3/5 stored\n  [1] skipped: missing topic or text\n  [2] skipped: similar to earlier entry\n"
	if got := b.Text(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if !slices.Equal(b.Entries[4].Tags, []string{"gotcha"}) {
		t.Errorf("tags %q", b.Entries[4].Tags)
	}
	read, err := m.Read(t.Context(), ReadRequest{Topic: "auth"})
	if err != nil || len(read.Items) != 2 || read.Items[0].ID != b.Entries[0].ID {
		t.Errorf("read %+v, %v", read, err)
	}
	if ids, total := m.session.stored(); total != 3 || len(ids) != 3 {
		t.Errorf("session has %v of %d", ids, total)
	}
}

func TestBatchAllOrNothing(t *testing.T) {
	t.Parallel()
	good := StoreRequest{Topic: "a", Text: "b"}
	for name, c := range map[string]struct {
		entries []StoreRequest
		want    string
	}{
		"nothing":      {nil, "no entries"},
		"too many":     {make([]StoreRequest, MaxBatch+1), "10001"},
		"bad kind":     {[]StoreRequest{good, {Topic: "a", Text: "c", Kind: "rumour"}}, "entry 2 of 2"},
		"unknown link": {[]StoreRequest{good, good, {Topic: "a", Text: "c", Links: []string{"x:1"}}}, "entry 3 of 3"},
	} {
		m := open(t)
		_, err := m.Batch(t.Context(), BatchRequest{Entries: c.entries})
		checkRefusal(t, err, ErrRefused, c.want)
		if got := snapshot(t, m.Dir()); got != nil {
			t.Errorf("%s: the folder was made: %v", name, got)
		}
	}
	m := open(t)
	b, err := m.Batch(t.Context(), BatchRequest{Entries: []StoreRequest{{}}})
	if err != nil || b.Skipped != 1 || snapshot(t, m.Dir()) != nil {
		t.Errorf("%+v, %v", b, err)
	}
}
