package kb

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"helix/internal/kb/entry"
	"helix/internal/kb/log"
	"helix/internal/kb/view"
)

func mustEdit(t testing.TB, m *Memory, r EditRequest) Edited {
	t.Helper()
	e, err := m.Edit(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestEditText(t *testing.T) {
	t.Parallel()
	m := open(t)
	a, b, c := mustStore(t, m, "auth", "first"), mustStore(t, m, "auth", "second"), mustStore(t, m, "auth", "third")
	mustStore(t, m, "other", "elsewhere")
	for _, step := range []struct {
		r    EditRequest
		want string
	}{
		{EditRequest{Action: "append", Topic: "auth", Text: "more"}, "appended to last entry in auth\n  id: " + c.ID},
		{EditRequest{Action: "append", Topic: "auth", Index: ptr(0), Text: "more"}, "appended to entry in auth\n  id: " + a.ID},
		{EditRequest{Action: "revise", Topic: "auth", Match: "second", Text: "2nd"}, "revised entry in auth\n  id: " + b.ID},
		{EditRequest{Action: "tag", ID: a.ID, Tags: []string{"Retries", "x"}}, "updated tags on auth: retry, x\n  id: " + a.ID},
		{EditRequest{Action: "tag", ID: a.ID, Remove: []string{"retries", "x"}}, "updated tags on auth: none\n  id: " + a.ID},
		{EditRequest{Action: "rename", Topic: "auth", Into: "Client Auth"}, "renamed auth → client-auth (3 entries)"},
		{EditRequest{Action: "merge", Topic: "other", Into: "client-auth"}, "merged 1 entry from other into client-auth"},
		{EditRequest{Action: "delete", Topic: "client-auth", Index: ptr(1)}, "removed entry [1] from client-auth\n  id: " + b.ID},
		{EditRequest{Action: "delete", Topic: "client-auth"}, "removed last entry from client-auth"},
		{EditRequest{Action: "delete", ID: c.ID}, "removed entry from client-auth\n  id: " + c.ID},
		{EditRequest{Action: "delete", Topic: "client-auth", All: true}, "deleted client-auth (1 entry)\n  id: " + a.ID},
	} {
		if got := mustEdit(t, m, step.r).Text(); got != step.want+"\n" && !strings.HasPrefix(got, step.want+"\n  id: ") {
			t.Errorf("%+v: got %q, want %q", step.r, got, step.want)
		}
	}
	if left := entries(t, m.Dir()); len(left) != 0 {
		t.Errorf("%d entries are left", len(left))
	}
}

// Revising must not lose what the entry says about itself.
func TestReviseKeepsTheRest(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	file := filepath.Join(root, "a.go")
	if err := os.WriteFile(file, []byte("package a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	m := open(t, WithRoot(root))
	link := mustStore(t, m, "x", "y")
	s, err := m.Store(t.Context(), StoreRequest{
		Topic: "auth", Text: "decision: old", Source: "a.go:3", Tags: []string{"retry"}, Confidence: ptr(0.4), Links: []string{link.ID},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.log.Append(t.Context(), log.Change(entry.Change{ID: s.ID, Helped: 2})); err != nil {
		t.Fatal(err)
	}
	want := entries(t, m.Dir())[s.ID]
	if err := os.WriteFile(file, []byte("package b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	mustEdit(t, m, EditRequest{Action: "revise", ID: s.ID, Text: "new"})
	got := entries(t, m.Dir())[s.ID]
	if got.Modified.IsZero() || got.Source.Hash == want.Source.Hash || got.Source.Hash == "" {
		t.Errorf("modified %v, source %+v", got.Modified, got.Source)
	}
	want.Text, want.Modified, want.Source.Hash = "new", got.Modified, got.Source.Hash
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	read, err := m.Read(t.Context(), ReadRequest{ID: s.ID})
	if err != nil || read.Items[0].Stale {
		t.Errorf("%+v, %v", read, err)
	}
}

func TestEditRefuses(t *testing.T) {
	t.Parallel()
	m := open(t)
	first := mustStore(t, m, "auth", "the client retries")
	second := mustStore(t, m, "auth", "the server does not")
	mustStore(t, m, "queue", "one at a time")
	before := snapshot(t, m.Dir())
	for _, c := range []struct {
		r    EditRequest
		kind error
		want string
	}{
		{EditRequest{Action: "undo", Topic: "auth"}, ErrRefused, `"undo"`},
		{EditRequest{Action: "append", Text: "x"}, ErrRefused, "neither a topic nor an id"},
		{EditRequest{Action: "append", Topic: "auth"}, ErrRefused, "text is empty"},
		{EditRequest{Action: "append", Topic: "auth", Text: "a\xff"}, ErrRefused, "UTF-8"},
		{EditRequest{Action: "revise", Topic: "auth", Text: strings.Repeat("x", entry.MaxText+1)}, ErrRefused, "split it"},
		{EditRequest{Action: "append", Topic: "auth", Text: strings.Repeat("x", entry.MaxText)}, ErrRefused, "split it"},
		{EditRequest{Action: "append", Topic: "auht", Text: "x"}, ErrNotFound, "topic 'auht' not found: did you mean 'auth'?"},
		{EditRequest{Action: "append", Topic: "auth", Index: ptr(2), Text: "x"}, ErrNotFound, "it has 2 entries"},
		{EditRequest{Action: "append", ID: "mem_x", Text: "x"}, ErrNotFound, `"mem_x"`},
		{EditRequest{Action: "append", ID: first.ID, Topic: "queue", Text: "x"}, ErrRefused, "in topic 'auth'"},
		{EditRequest{Action: "append", ID: first.ID, Match: "x", Text: "x"}, ErrRefused, "only one of"},
		{EditRequest{Action: "delete", Topic: "auth", Match: "the "}, ErrRefused, first.ID + " (the client retries), " + second.ID},
		{EditRequest{Action: "delete", Topic: "auth", Match: "nowhere"}, ErrNotFound, `"nowhere"`},
		{EditRequest{Action: "delete", Topic: "auth", Match: "x", All: true}, ErrRefused, "all is for"},
		{EditRequest{Action: "tag", Topic: "auth"}, ErrRefused, "no tag"},
		{EditRequest{Action: "tag", Topic: "auth", Tags: []string{"a\xff"}}, ErrRefused, "UTF-8"},
		{EditRequest{Action: "rename", Topic: "auth"}, ErrRefused, "into is empty"},
		{EditRequest{Action: "rename", Topic: "auth", Into: "?!"}, ErrRefused, "no letter"},
		{EditRequest{Action: "rename", Topic: "auth", Into: "Queue"}, ErrRefused, "exists with 1 entry"},
		{EditRequest{Action: "rename", Topic: "auth", Into: "auth"}, ErrRefused, "already"},
		{EditRequest{Action: "merge", Topic: "auth", Into: "auth"}, ErrRefused, "already"},
		{EditRequest{Action: "merge", Topic: "nope", Into: "auth"}, ErrNotFound, "'nope' not found"},
		{EditRequest{Action: "merge", Topic: "auth", Index: ptr(0), Into: "x"}, ErrRefused, "whole topic"},
	} {
		_, err := m.Edit(t.Context(), c.r)
		checkRefusal(t, err, c.kind, c.want)
	}
	if diff := cmp.Diff(before, snapshot(t, m.Dir())); diff != "" {
		t.Error(diff)
	}
	none := open(t)
	_, err := none.Edit(t.Context(), EditRequest{Action: "delete", Topic: "auth"})
	checkRefusal(t, err, ErrNotFound, "'auth' not found")
	if snapshot(t, none.Dir()) != nil {
		t.Error("the folder was made")
	}
}

func TestTopicName(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"Client Auth": "client-auth", "a//b/": "a/b", "-x-": "x", "a_b": "a-b", "Über/漢字": "über/漢字", "!?": "", "/": "",
	} {
		if got := topicName(in); got != want {
			t.Errorf("topicName(%q) = %q, want %q", in, got, want)
		}
	}
}

// model is what a memory must hold after some edits.
type model struct {
	order []string // ids by age
	topic map[string]string
	text  map[string]string
	tags  map[string][]string
}

func (s *model) of(topic string) (ids []string) {
	for _, id := range s.order {
		if s.topic[id] == topic {
			ids = append(ids, id)
		}
	}
	return ids
}

func (s *model) drop(id string) {
	s.order = slices.DeleteFunc(s.order, func(have string) bool { return have == id })
	delete(s.topic, id)
	delete(s.text, id)
	delete(s.tags, id)
}

func TestEditsAgainstModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "helix-edit")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		m := Open(dir, WithClock(newClock().Now))
		defer m.Close()
		s := &model{topic: map[string]string{}, text: map[string]string{}, tags: map[string][]string{}}
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			s.step(t, m)
			s.compare(t, m)
		}
	})
}

func (s *model) step(t *rapid.T, m *Memory) {
	topic := rapid.SampledFrom([]string{"a", "b", "a/b"}).Draw(t, "topic")
	text := rapid.SampledFrom([]string{"one", "two", "three\n"}).Draw(t, "text")
	action := rapid.SampledFrom([]string{"store", "store", "store", "append", "revise", "tag", "untag", "delete", "all", "rename", "merge"}).Draw(t, "action")
	ids := s.of(topic)
	if action == "store" {
		e, err := m.Store(t.Context(), StoreRequest{Topic: topic, Text: text})
		if err != nil {
			t.Fatal(err)
		}
		s.order = append(s.order, e.ID)
		s.topic[e.ID], s.text[e.ID] = topic, text
		return
	}
	r := EditRequest{Action: action, Topic: topic}
	at := -1
	if len(ids) > 0 {
		at = rapid.IntRange(0, len(ids)-1).Draw(t, "index")
	}
	if action != "all" && action != "rename" && action != "merge" {
		r.Index = ptr(max(0, at))
	}
	into := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "into")
	switch action {
	case "append", "revise":
		r.Text = text
	case "tag":
		r.Tags = []string{"red", text[:1]}
	case "untag":
		r.Action, r.Remove = "tag", []string{"red"}
	case "all":
		r.Action, r.All = "delete", true
	case "rename", "merge":
		r.Into = into
	}
	_, err := m.Edit(t.Context(), r)
	wantErr := len(ids) == 0 || r.Into != "" && (into == topic || action == "rename" && len(s.of(into)) > 0)
	if (err != nil) != wantErr {
		t.Fatalf("%+v: error %v", r, err)
	}
	if err == nil {
		s.apply(action, r, ids, at)
	}
}

func (s *model) apply(action string, r EditRequest, ids []string, at int) {
	id := ids[at]
	switch action {
	case "append":
		s.text[id] += "\n" + r.Text
	case "revise":
		s.text[id] = r.Text
	case "tag", "untag":
		set := map[string]bool{}
		for _, tag := range append(s.tags[id], r.Tags...) {
			set[tag] = true
		}
		for _, tag := range r.Remove {
			delete(set, tag)
		}
		s.tags[id] = slices.Sorted(maps.Keys(set))
	case "delete":
		s.drop(id)
	case "all":
		for _, id := range ids {
			s.drop(id)
		}
	case "rename", "merge":
		for _, id := range ids {
			s.topic[id] = r.Into
		}
	}
}

func (s *model) compare(t *rapid.T, m *Memory) {
	for _, topic := range []string{"a", "b", "c", "a/b"} {
		want := s.of(topic)
		got, err := m.Read(t.Context(), ReadRequest{Topic: topic})
		if (err != nil) != (len(want) == 0) || len(got.Items) != len(want) {
			t.Fatalf("topic %s: %d entries, error %v, want %d", topic, len(got.Items), err, len(want))
		}
		for i, item := range got.Items {
			if id := want[i]; item.ID != id || item.Text != s.text[id] || !slices.Equal(item.Tags, s.tags[id]) {
				t.Fatalf("topic %s: [%d] is %+v, want %s %q %q", topic, i, item, id, s.text[id], s.tags[id])
			}
		}
	}
}

// Nothing that one process writes is lost by the edit of another one.
func TestEditConcurrently(t *testing.T) {
	t.Parallel()
	const handles, each = 4, 8
	dir := filepath.Join(t.TempDir(), "kb")
	id := mustStore(t, openIn(t, dir), "log", "begin").ID
	var wait sync.WaitGroup
	for h := range handles {
		m := openIn(t, dir)
		wait.Go(func() {
			for i := range each {
				line := fmt.Sprintf("handle %d line %d", h, i)
				if _, err := m.Edit(t.Context(), EditRequest{Action: "append", ID: id, Text: line}); err != nil {
					t.Error(err)
				}
				if _, err := m.log.Append(t.Context(), log.Change(entry.Change{ID: id, Accessed: 1})); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	e := entries(t, dir)[id]
	lines := strings.Split(e.Text, "\n")
	slices.Sort(lines)
	if n := len(slices.Compact(lines)); n != 1+handles*each {
		t.Errorf("%d different lines, want %d", n, 1+handles*each)
	}
	if e.AccessCount != handles*each {
		t.Errorf("access count %d, want %d", e.AccessCount, handles*each)
	}
}

// A plan that was overtaken is made again.
func TestEditLooksAgain(t *testing.T) {
	t.Parallel()
	for name, overtake := range map[string]func(t *testing.T, other *Memory, id string){
		"edited": func(t *testing.T, other *Memory, id string) {
			mustEdit(t, other, EditRequest{Action: "append", ID: id, Text: "theirs"})
		},
		"compacted": func(t *testing.T, other *Memory, id string) {
			mustEdit(t, other, EditRequest{Action: "append", ID: id, Text: "theirs"})
			if _, err := other.log.Compact(t.Context()); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "kb")
			m, other := openIn(t, dir), openIn(t, dir)
			id := mustStore(t, m, "auth", "ours").ID
			looks := 0
			r := EditRequest{Action: "append", ID: id, Text: "mine"}
			err := m.write(t.Context(), func(v *view.View) (*plan, error) {
				p, err := m.editOne(v, &r, &Edited{})
				if looks++; looks <= lookAhead {
					overtake(t, other, id)
				}
				return p, err
			})
			if err != nil {
				t.Fatal(err)
			}
			want := "ours" + strings.Repeat("\ntheirs", lookAhead) + "\nmine"
			if got := entries(t, dir)[id].Text; got != want || looks != lookAhead+1 {
				t.Errorf("text %q after %d looks, want %q", got, looks, want)
			}
		})
	}
}

// The log of the original program is taken over by the first edit.
func TestEditOriginalLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	body := "[tags: x]\nhello"
	v1 := append([]byte("AMRL\x01\x00\x00\x00"), 0x01, 1, byte(len(body)), 0, 0, 0, 0x2a, 0x8d, 0xc8, 0x01, 0, 0)
	v1 = append(append(v1, 'a'), body...)
	if err := os.WriteFile(filepath.Join(dir, log.FileName), v1, 0o600); err != nil {
		t.Fatal(err)
	}
	m := openIn(t, dir)
	before, err := m.Read(t.Context(), ReadRequest{Topic: "a"})
	if err != nil {
		t.Fatal(err)
	}
	id := before.Items[0].ID
	mustEdit(t, m, EditRequest{Action: "append", Topic: "a", Text: "world"})
	mustStore(t, m, "a", "another")
	mustEdit(t, m, EditRequest{Action: "tag", ID: id, Tags: []string{"y"}})
	got := entries(t, dir)
	if e := got[id]; len(got) != 2 || e.Text != "hello\nworld" || !slices.Equal(e.Tags, []string{"x", "y"}) {
		t.Errorf("%d entries, %+v", len(got), e)
	}
}
