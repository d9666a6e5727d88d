package view_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"helix/internal/kb/entry"
	"helix/internal/kb/log"
	"helix/internal/kb/upkeep"
	"helix/internal/kb/view"
)

var now = time.Date(2026, 6, 18, 10, 0, 0, 0, time.UTC)

func clock() time.Time { return now }

func put(t interface{ Fatal(...any) }, l *log.Log, ops ...log.Op) {
	if _, err := l.Append(context.Background(), ops...); err != nil {
		t.Fatal(err)
	}
}

func memory(t *testing.T, entries ...entry.Entry) string {
	t.Helper()
	dir := t.TempDir()
	l := log.Open(dir)
	defer l.Close()
	for i, e := range entries {
		if e.ID == "" {
			e.ID = fmt.Sprintf("mem_%d", i)
		}
		put(t, l, log.Put(e))
	}
	return dir
}

func open(t interface {
	Fatal(...any)
	Cleanup(func())
}, dir string, opts ...view.Option) *view.View {
	v, err := view.Open(dir, append([]view.Option{view.WithClock(clock)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.Close() })
	return v
}

// TestModel writes at random, updates the index now and then, and compares the view
// with what the log itself says.
func TestModel(t *testing.T) {
	t.Parallel()
	base, n := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		dir := filepath.Join(base, fmt.Sprint(n))
		l := log.Open(dir)
		defer l.Close()
		id := rapid.Custom(func(t *rapid.T) string { return fmt.Sprintf("mem_%d", rapid.IntRange(0, 9).Draw(t, "id")) })
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				e := entry.New(rapid.SampledFrom([]string{"a", "b"}).Draw(t, "topic"), rapid.SampledFrom([]string{"one", "two", "one two"}).Draw(t, "text"), now)
				e.ID = id.Draw(t, "id")
				put(t, l, log.Put(e))
			},
			"delete": func(t *rapid.T) { put(t, l, log.Delete(id.Draw(t, "id"))) },
			"change": func(t *rapid.T) {
				c := entry.Change{ID: id.Draw(t, "id"), Helped: rapid.IntRange(0, 2).Draw(t, "helped")}
				if rapid.Bool().Draw(t, "forget") {
					c.DeletedAt = &now
				}
				put(t, l, log.Change(c))
			},
			"compact": func(t *rapid.T) {
				if _, err := l.Compact(context.Background()); err != nil {
					t.Fatal(err)
				}
			},
			"index": func(t *rapid.T) {
				if _, err := upkeep.CatchUp(context.Background(), dir, upkeep.Options{MaxMerge: 1000}); err != nil {
					t.Fatal(err)
				}
			},
			"": func(t *rapid.T) { compare(t, dir) },
		})
	})
}

func compare(t *rapid.T, dir string) {
	v, err := view.Open(dir, view.WithClock(clock))
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	r, err := log.OpenReader(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var want []entry.Entry
	found := 0
	if _, err := r.Entries(func(e entry.Entry, _ int64) error {
		want = append(want, e)
		if e.Active(now) && strings.Contains(e.Text, "one") {
			found++
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	var got []entry.Entry
	for e, err := range v.Entries(view.Filter{Hidden: true}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e)
	}
	if d := gocmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		t.Fatalf("entries (-want +got):\n%s", d)
	}
	for _, e := range want {
		if g, err := v.Get(e.ID); err != nil || !gocmp.Equal(g, e, cmpopts.EquateEmpty()) {
			t.Fatalf("get %s: %+v, %v", e.ID, g, err)
		}
	}
	res, err := v.Search(view.Query{Text: "one", Limit: 100})
	if err != nil || len(res.Hits) != found {
		t.Fatalf("search finds %d, %v, want %d", len(res.Hits), err, found)
	}
}

func sample() []entry.Entry {
	mk := func(topic, text string, days int, edit func(*entry.Entry)) entry.Entry {
		e := entry.New(topic, text, now.AddDate(0, 0, -days))
		if edit != nil {
			edit(&e)
		}
		return e
	}
	return []entry.Entry{
		0: mk("auth", "Tokens live for 15 minutes.\nThe refresh token is rotated.", 1, func(e *entry.Entry) {
			e.Tags = []string{"gotcha"}
			e.Source.Path, e.Source.Line = "src/auth/token.go", 12
			e.Project = "/home/me/shop"
		}),
		1: mk("auth/login", "decision: login uses a CachedSession", 3, func(e *entry.Entry) { e.Kind, e.Project = entry.Decision, "/home/me/web" }),
		2: mk("build", "The HTTPServer needs get_file_name before the cache is warm", 10, func(e *entry.Entry) { e.Source.Path, e.Project = "token.go", "/home/me/shop" }),
		3: mk("build", "Caching is off in CI; retry the build once", 40, func(e *entry.Entry) { e.Project = "/home/maya/shop" }),
		4: mk("日本", "東京の天気は晴れ。Café au lait", 2, nil),
		5: mk("secret", "forgotten tokens", 1, func(e *entry.Entry) { e.DeletedAt = now }),
	}
}

// TestSearch asks the same of an index, and of a memory that has none.
func TestSearch(t *testing.T) {
	t.Parallel()
	bare, indexed := memory(t, sample()...), memory(t, sample()...)
	if _, err := upkeep.CatchUp(context.Background(), indexed, upkeep.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, text string
		any        bool
		filter     view.Filter
		want       string // ids, sorted
		fallback   bool
	}{
		{name: "stemmed", text: "token lives", want: "0"},
		{name: "all words", text: "retry build", want: "3"},
		{name: "fallback to any", text: "retry zebra", want: "3", fallback: true},
		{name: "any", text: "retry refresh", any: true, want: "0 3"},
		{name: "nothing", text: "zebra", want: ""},
		{name: "parts of an identifier", text: "cached session", want: "1"},
		{name: "whole identifier", text: "CachedSession", want: "1"},
		{name: "snake case", text: "file name", want: "2"},
		{name: "snake for camel", text: "http_server", want: "2"},
		{name: "topic counts as text", text: "login", want: "1"},
		{name: "diacritics", text: "CAFE", want: "4"},
		{name: "pairs", text: "東京", want: "4"},
		{name: "one character", text: "晴", want: "4"},
		{name: "stop words are left out", text: "the retry of the build", want: "3"},
		{name: "only stop words", text: "is in", want: "3"},
		{name: "phrase", text: `"refresh token"`, want: "0"},
		{name: "phrase in the wrong order", text: `"token refresh"`, want: ""},
		{name: "phrase with a stop word", text: `"retry the build"`, want: "3"},
		{name: "phrase inside an identifier", text: `"file name"`, want: "2"},
		{name: "excluded word", text: "build -retry", want: "2"},
		{name: "excluded phrase", text: `build -"retry the build"`, want: "2"},
		{name: "topic filter", text: "topic:build cache", want: "2 3"},
		{name: "topics below", text: "topic:auth/", want: "1"},
		{name: "topic pattern", text: "topic:au*", want: "0 1"},
		{name: "unknown topic gives nothing", text: "topic:nowhere build", want: ""},
		{name: "tag filter", text: "tag:#Gotcha", want: "0"},
		{name: "unknown tag", text: "tag:zebra token", want: ""},
		{name: "kind filter", text: "kind:decision login", want: "1"},
		{name: "source by its end", text: "source:token.go", want: "0 2"},
		{name: "source with more before it", text: "source:/home/me/p/src/auth/token.go:99", want: "0 2"},
		{name: "source of another folder", text: "source:lib/auth/token.go", want: "2"},
		{name: "excluded topic", text: "build -topic:build", want: ""},
		{name: "since", text: "since:2026-06-16", want: "0 4"},
		{name: "until", text: "until:2026-06-01", want: "3"},
		{name: "week", text: "since:week", want: "0 1 4"},
		{name: "filter of the caller", text: "cache", filter: view.Filter{Until: now.AddDate(0, 0, -20)}, want: "3"},
		{name: "project by its name", text: "project:shop", want: "0 2 3"},
		{name: "project by the end of its path", text: "project:me/shop", want: "0 2"},
		{name: "project by its path", text: "project:/home/maya/shop/", want: "3"},
		{name: "not a part of its name", text: "project:hop", want: ""},
		{name: "of no project", text: "project:none", want: "4"},
		{name: "excluded project", text: "-project:me/shop", want: "1 3 4"},
		{name: "what holds for a project", filter: view.Filter{For: "/home/me/shop"}, want: "0 2 4"},
		{name: "words that hold for a project", text: "cache", filter: view.Filter{For: "/home/maya/shop"}, want: "3"},
		{name: "what holds for all projects", filter: view.Filter{For: view.NoProject}, want: "4"},
		{name: "what holds for one and is another's", text: "project:web", filter: view.Filter{For: "/home/me/shop"}, want: ""},
		{name: "what holds for one and is nobody's", text: "project:none", filter: view.Filter{For: "/home/me/shop"}, want: "4"},
		{name: "two filters that exclude each other", text: "topic:build", filter: view.Filter{Topic: "auth"}, want: ""},
		{name: "hidden", text: "forgotten", want: ""},
		{name: "hidden asked for", text: "forgotten", filter: view.Filter{Hidden: true}, want: "5"},
		{name: "everything", text: "", want: "0 1 2 3 4"},
		{name: "no filter: an address", text: "localhost:8080 retry", want: "3", fallback: true},
		{name: "no filter: C++", text: "std::retry", want: "3", fallback: true},
		{name: "no filter: a word and a colon", text: "decision: login", want: "1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for name, dir := range map[string]string{"without an index": bare, "with an index": indexed} {
				v := open(t, dir)
				res, err := v.Search(view.Query{Text: tc.text, Any: tc.any, Filter: tc.filter})
				if err != nil {
					t.Fatal(err)
				}
				var ids []string
				for _, h := range res.Hits {
					ids = append(ids, strings.TrimPrefix(h.Entry.ID, "mem_"))
				}
				slices.Sort(ids)
				if got := strings.Join(ids, " "); got != tc.want || res.Fallback != tc.fallback {
					t.Errorf("%s: found %q, fallback %v; want %q, %v", name, got, res.Fallback, tc.want, tc.fallback)
				}
				m, err := v.Matches(view.Query{Text: tc.text, Any: tc.any, Filter: tc.filter})
				if err != nil || m.Total != len(ids) {
					t.Errorf("%s: %d matches, %v", name, m.Total, err)
				}
			}
		})
	}
}

func TestPlain(t *testing.T) {
	t.Parallel()
	v := open(t, memory(t, sample()...))
	res, err := v.Search(view.Query{Text: `nobody:knows "retry -the topic:x`, Plain: true, Any: true})
	if err != nil || len(res.Hits) != 1 {
		t.Errorf("%d hits, %v", len(res.Hits), err)
	}
	for _, text := range []string{"", " ", "?!", "—"} {
		q := view.Query{Text: text, Plain: true, Any: true}
		res, err := v.Search(q)
		m, err2 := v.Matches(q)
		if len(res.Hits)+m.Total != 0 || err != nil || err2 != nil {
			t.Errorf("%q: %d hits, %d matches, %v, %v", text, len(res.Hits), m.Total, err, err2)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	v := open(t, memory(t, sample()...))
	for _, tc := range []struct {
		names  []string
		except string
		want   string
	}{
		{[]string{"HTTPServer", "CachedSession"}, "", "1 2"},
		{[]string{"http_server"}, "", "2"},
		{[]string{"ServerName", "Caching"}, "", "3"}, // not "cache", and no server
		{[]string{"HTTPServer", "CachedSession"}, "mem_2", "1"},
		{[]string{"-:"}, "", ""}, // no name at all
	} {
		res, err := v.Search(view.Query{Names: tc.names, Filter: view.Filter{Except: leads(t, v, tc.except)}})
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, h := range res.Hits {
			ids = append(ids, strings.TrimPrefix(h.Entry.ID, "mem_"))
		}
		slices.Sort(ids)
		if got := strings.Join(ids, " "); got != tc.want {
			t.Errorf("%v: %q, want %q", tc.names, got, tc.want)
		}
	}
	res, err := v.Search(view.Query{Text: "token", Any: true, Exclude: []view.Filter{{Source: "/x/y/src/auth/token.go"}}})
	if err != nil || len(res.Hits) != 0 {
		t.Errorf("excluded source: %+v, %v", res.Hits, err)
	}
}

// leads gives the leads of all entries with an id.
func leads(t *testing.T, v *view.View, id string) (out []view.Lead) {
	t.Helper()
	all, err := v.NewestLeads(10_000, view.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range all {
		e, ok, err := v.Follow(l)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		if e.ID == id {
			out = append(out, l)
		}
	}
	return out
}

func TestRefusedQueries(t *testing.T) {
	t.Parallel()
	v := open(t, memory(t, sample()...))
	for _, text := range []string{"author:maya x", "kind:thing", "since:someday", "&&", `"?" -`, "-since:today x", "-project:none x"} {
		if _, err := v.Search(view.Query{Text: text}); !errors.Is(err, view.ErrQuery) {
			t.Errorf("%s: %v", text, err)
		}
		if _, err := v.Matches(view.Query{Text: text}); !errors.Is(err, view.ErrQuery) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := v.Search(view.Query{Filter: view.Filter{Kind: "thing"}}); !errors.Is(err, view.ErrQuery) {
		t.Errorf("filter: %v", err)
	}
}

// TestStale: of two equal entries the one whose file has changed goes down in rank
// and says so.
func TestStale(t *testing.T) {
	t.Parallel()
	var es []entry.Entry
	for _, name := range []string{"changed.go", "same.go"} {
		e := entry.New("t", "golden words", now)
		e.Source.Path = name
		es = append(es, e)
	}
	es[1].Confidence = 0.9 // so it would be the second
	dir := memory(t, es...)
	ask := func() view.Stale {
		return func(path, _ string, _ time.Time) bool { return path == "changed.go" }
	}
	res, err := open(t, dir, view.WithStale(ask)).Search(view.Query{Text: "words"})
	if err != nil || len(res.Hits) != 2 || res.Hits[0].Stale || !res.Hits[1].Stale {
		t.Fatalf("%+v, %v", res.Hits, err)
	}
	res, err = open(t, dir).Search(view.Query{Text: "words"})
	if err != nil || res.Hits[0].Entry.Source.Path != "changed.go" || res.Hits[0].Stale {
		t.Fatalf("%+v, %v", res.Hits, err)
	}
}

// TestOwnProject: of two entries that fit alike, that of the own project is the first,
// and what fits another project's much better still comes before both.
func TestSourced(t *testing.T) {
	t.Parallel()
	var all []entry.Entry
	for i, path := range []string{"", "/a/b.go", "a/b.go", "a/./b.go", "/", ".", "https://example.org/x", "", "b.go", "gone.go"} {
		e := entry.New("t", "text", now)
		e.ID, e.Source.Path = fmt.Sprint("mem_", i), path
		if path == "gone.go" {
			e.DeletedAt = now
		}
		all = append(all, e)
	}
	v := open(t, memory(t, all...))
	var got []string
	for e, err := range v.Sourced() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e.ID)
	}
	if want := []string{"mem_1", "mem_2", "mem_3", "mem_4", "mem_5", "mem_6", "mem_8"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for e := range open(t, memory(t, all[0])).Sourced() {
		t.Errorf("of nothing: %s", e.ID)
	}
}

func TestOwnProject(t *testing.T) {
	t.Parallel()
	var es []entry.Entry
	for i, project := range []string{"/own", "", "/other", "/other"} {
		e := entry.New("t", "golden words", now.Add(time.Duration(i)*time.Second))
		e.Project = project
		es = append(es, e)
	}
	es[3].Topic = "golden words"
	dir := memory(t, es...)
	for _, tt := range []struct{ home, want string }{
		{"", "3 2 1 0"}, {"/own", "3 1 0 2"}, {"/other", "3 2 1 0"}, {"/third", "3 1 2 0"},
	} {
		res, err := open(t, dir, view.WithProject(tt.home, nil)).Search(view.Query{Text: "golden words"})
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, h := range res.Hits {
			ids = append(ids, strings.TrimPrefix(h.Entry.ID, "mem_"))
		}
		if got := strings.Join(ids, " "); got != tt.want {
			t.Errorf("in %q: %s, want %s", tt.home, got, tt.want)
		}
	}
}

// TestCrowd: however many newer entries others have, those that hold for the project
// are found, also by one who has no time.
func TestCrowd(t *testing.T) {
	t.Parallel()
	var es []entry.Entry
	for i := range 800 {
		e := entry.New("t", "retry the build", now.Add(time.Duration(i)*time.Second))
		e.Source.Path, e.Kind, e.Project = "main.go", entry.Decision, fmt.Sprintf("/other/%d", i%7)
		switch i {
		case 3:
			e.Project = "/own"
		case 5:
			e.Project = ""
		}
		es = append(es, e)
	}
	bare, indexed := memory(t, es...), memory(t, es...)
	if _, err := upkeep.CatchUp(context.Background(), indexed, upkeep.Options{}); err != nil {
		t.Fatal(err)
	}
	for name, dir := range map[string]string{"without an index": bare, "with an index": indexed} {
		v := open(t, dir)
		for what, ask := range map[string]func() ([]entry.Entry, error){
			"words": func() ([]entry.Entry, error) {
				res, err := v.Search(view.Query{Text: "retry build", Any: true, Limit: 2, Filter: view.Filter{For: "/own", Quick: true}})
				var all []entry.Entry
				for _, h := range res.Hits {
					all = append(all, h.Entry)
				}
				return all, err
			},
			"source": func() ([]entry.Entry, error) {
				return v.Newest(2, view.Filter{Source: "main.go", For: "/own", Quick: true})
			},
			"kind": func() ([]entry.Entry, error) { return v.Newest(2, view.Filter{Kind: "decision", For: "/own"}) },
		} {
			got, err := ask()
			if err != nil || len(got) != 2 || got[0].ID != "mem_5" || got[1].ID != "mem_3" {
				t.Errorf("%s, %s: %d, %v", name, what, len(got), err)
			}
		}
		projects, err := v.Projects()
		if err != nil || len(projects) != 8 || projects[0] != (view.Count{Name: "/other/0", Entries: 115}) {
			t.Errorf("%s: %v, %v", name, projects, err)
		}
	}
}

func TestReopen(t *testing.T) {
	t.Parallel()
	dir := memory(t, sample()...)
	v := open(t, dir)
	if _, err := v.Reopen(); !errors.Is(err, view.ErrUnchanged) {
		t.Fatal(err)
	}
	l := log.Open(dir)
	defer l.Close()
	e := entry.New("new", "unheard of", now)
	e.ID = "mem_new"
	put(t, l, log.Put(e))
	w, err := v.Reopen()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.Get("mem_new"); err != nil {
		t.Error(err)
	}
	if _, err := v.Get("mem_new"); !errors.Is(err, view.ErrNotFound) {
		t.Errorf("the old view: %v", err)
	}
}

func TestBehind(t *testing.T) {
	t.Parallel()
	dir := memory(t, sample()...)
	if _, err := view.Open(dir, view.WithMaxTail(100)); !errors.Is(err, view.ErrBehind) {
		t.Errorf("%v", err)
	}
	if _, err := upkeep.CatchUp(context.Background(), dir, upkeep.Options{}); err != nil {
		t.Fatal(err)
	}
	v := open(t, dir, view.WithMaxTail(100))
	if v.Behind() != 0 || v.Len() != 5 {
		t.Errorf("behind %d, %d entries", v.Behind(), v.Len())
	}
}

// TestLeadOfDamagedIndex: a lead from an index that turns out to be damaged leads to no
// other entry.
func TestLeadOfDamagedIndex(t *testing.T) {
	t.Parallel()
	dir := memory(t, sample()...)
	if _, err := upkeep.CatchUp(context.Background(), dir, upkeep.Options{}); err != nil {
		t.Fatal(err)
	}
	v := open(t, dir)
	found, _, err := v.Leads(view.Query{Text: "token"})
	if err != nil || len(found) == 0 {
		t.Fatal(found, err)
	}
	if e, ok, err := v.Follow(found[0]); err != nil || !ok || !strings.Contains(strings.ToLower(e.Text), "token") {
		t.Fatal(e, ok, err)
	}
	segments, err := filepath.Glob(filepath.Join(dir, view.IndexDir, "*.seg"))
	if err != nil || len(segments) != 1 {
		t.Fatal(segments, err)
	}
	f, err := os.OpenFile(segments[0], os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	st, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteAt(bytes.Repeat([]byte{0xff}, int(st.Size())-512), 512)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	again, _, err := v.Leads(view.Query{Text: "token"})
	if err != nil || len(again) != len(found) || !v.Broken() {
		t.Fatalf("%d of %d, %v", len(again), len(found), err)
	}
	if e, ok, err := v.Follow(found[0]); !errors.Is(err, view.ErrLead) {
		t.Errorf("followed to %+v, %v, %v", e, ok, err)
	}
	if e, ok, err := v.Follow(again[0]); err != nil || !ok {
		t.Error(e, ok, err)
	}
}

// TestDamagedIndex flips bytes of every file of an index in turn, all of them or
// evenly spread. Whatever that does, answers stay right or the damage is said, and
// after CatchUp all is well.
func TestDamagedIndex(t *testing.T) {
	t.Parallel()
	dir := memory(t, sample()...)
	if _, err := upkeep.CatchUp(context.Background(), dir, upkeep.Options{}); err != nil {
		t.Fatal(err)
	}
	for i := 0; ; i++ {
		// Names change with each rebuild.
		files, err := filepath.Glob(filepath.Join(dir, view.IndexDir, "[m0]*"))
		if err != nil {
			t.Fatal(err)
		}
		if i == len(files) {
			break
		}
		name := files[i]
		good, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(good); i += 1 + len(good)/1500 {
			bad := slices.Clone(good)
			bad[i] ^= 0x41
			if err := os.WriteFile(name, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			v, err := view.Open(dir, view.WithClock(clock))
			if err != nil {
				t.Fatalf("%s, byte %d: %v", name, i, err)
			}
			res, err := v.Search(view.Query{Text: "token retry the build", Any: true})
			if err != nil {
				t.Fatalf("%s, byte %d: %v", name, i, err)
			}
			for _, h := range res.Hits {
				if !strings.HasPrefix(h.Entry.ID, "mem_") {
					t.Fatalf("%s, byte %d: %+v", name, i, h)
				}
			}
			_, err1 := v.Topics()
			_, err2 := v.Tags()
			_, err3 := v.Newest(3, view.Filter{})
			if err := errors.Join(err1, err2, err3, v.Close()); err != nil {
				t.Fatalf("%s, byte %d: %v", name, i, err)
			}
		}
		if err := os.WriteFile(name, good[:len(good)/2], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := upkeep.CatchUp(context.Background(), dir, upkeep.Options{}); err != nil {
			t.Fatal(err)
		}
		if v := open(t, dir); v.Behind() != 0 || v.Len() != 5 {
			t.Fatalf("%s cut short: behind %d, %d entries", name, v.Behind(), v.Len())
		}
	}
}

func TestParseTime(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("", 3600)
	at := now.In(zone)
	for _, tc := range []struct{ in, want string }{
		{"2026-06-01", "2026-05-31T23:00:00Z"},
		{"2026-06-01T10:00:00Z", "2026-06-01T10:00:00Z"},
		{"today", "2026-06-17T23:00:00Z"},
		{"yesterday", "2026-06-16T23:00:00Z"},
		{"week", "2026-06-10T23:00:00Z"},
		{"this_month", "2026-05-18T23:00:00Z"},
		{"12h", "2026-06-17T22:00:00Z"},
		{"7d", "2026-06-11T10:00:00Z"},
		{"2w", "2026-06-04T10:00:00Z"},
	} {
		got, err := view.ParseTime(tc.in, at)
		if err != nil || got.UTC().Format(time.RFC3339) != tc.want {
			t.Errorf("%s: %s, %v; want %s", tc.in, got.UTC().Format(time.RFC3339), err, tc.want)
		}
	}
	for _, in := range []string{"", "h", "soon", "-3d", "99999999999h", "2026-13-01"} {
		if _, err := view.ParseTime(in, at); !errors.Is(err, view.ErrQuery) {
			t.Errorf("%q: %v", in, err)
		}
	}
}

// FuzzQuery: no query does harm.
func FuzzQuery(f *testing.F) {
	for _, s := range []string{"", `"`, `-"a b`, "topic:", "topic:\"x y\" -tag:z", "project:\"/a b\" -project:c/d project:none", "a:b:c", "日本 -語", "since:1h", "-", "--x", "\x00\xff"} {
		f.Add(s)
	}
	dir := f.TempDir()
	l := log.Open(dir)
	for i, e := range sample() {
		e.ID = fmt.Sprintf("mem_%d", i)
		put(f, l, log.Put(e))
	}
	if err := l.Close(); err != nil {
		f.Fatal(err)
	}
	v, err := view.Open(dir, view.WithClock(clock))
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { v.Close() })
	f.Fuzz(func(t *testing.T, s string) {
		for _, plain := range []bool{false, true} {
			res, err := v.Search(view.Query{Text: s, Plain: plain})
			if err != nil && (plain || !errors.Is(err, view.ErrQuery)) {
				t.Fatal(err)
			}
			if !slices.IsSortedFunc(res.Hits, func(a, b view.Hit) int { return cmp.Compare(b.Score, a.Score) }) {
				t.Fatal("not in order")
			}
		}
	})
}

// TestOnce: a process that asks once, which reads a large index instead of mapping it
// and has texts share memory, is told the same as any other.
func TestOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := log.Open(dir)
	defer l.Close()
	const n = 6000
	var ops []log.Op
	for i := range n {
		e := entry.New(fmt.Sprintf("topic %d", i%7), fmt.Sprintf("word%d other%d common %s", i%50, i%1000, strings.Repeat(fmt.Sprintf("filler%d ", i), 1+i%9)), now.Add(time.Duration(i)*time.Minute))
		if i%500 == 0 {
			e.Text += strings.Repeat("long ", 8000)
		}
		e.ID, e.Tags = fmt.Sprintf("mem_%d", i), []string{fmt.Sprintf("tag%d", i%3)}
		e.Source.Path = fmt.Sprintf("src/dir%d/file%d.go", i%11, i%101)
		ops = append(ops, log.Put(e))
	}
	put(t, l, ops...)
	if _, err := upkeep.CatchUp(context.Background(), dir, upkeep.Options{}); err != nil {
		t.Fatal(err)
	}
	once, usual := open(t, dir, view.Once()), open(t, dir)
	if size := usual.Stats().Bytes; size < 1<<20 || usual.Stats().Segments != 1 {
		t.Fatalf("an index of %d bytes is not read sparsely", size)
	}
	except, exceptOnce := leads(t, usual, "mem_5998"), leads(t, once, "mem_5998")
	for i := range 60 {
		f := view.Filter{Quick: i%2 == 0}
		switch i % 5 {
		case 0:
			f.Topic = fmt.Sprintf("topic %d", i%9)
		case 1:
			f.Source = fmt.Sprintf("dir%d/file%d.go", i%11, i%101)
		case 2:
			f.Tag, f.Except = "tag1", except
		}
		g := f // for the other one
		if f.Except != nil {
			g.Except = exceptOnce
		}
		want, err := usual.Newest(9, f)
		got, gotErr := once.Newest(9, g)
		if diff := gocmp.Diff(want, got); diff != "" || err != nil || gotErr != nil {
			t.Fatalf("%+v: %v, %v\n%s", f, err, gotErr, diff)
		}
		for _, q := range []view.Query{
			{Text: fmt.Sprintf("word%d common", i), Limit: 7, Filter: f},
			{Text: fmt.Sprintf("other%d long", i*17), Any: true, Filter: f},
			{Names: []string{"common", fmt.Sprintf("filler%d", i*50), "nowhere"}, Limit: 5, Filter: f},
		} {
			want, err := usual.Search(q)
			q.Filter = g
			got, gotErr := once.Search(q)
			if diff := gocmp.Diff(want, got); diff != "" || err != nil || gotErr != nil {
				t.Fatalf("%+v: %v, %v\n%s", q, err, gotErr, diff)
			}
		}
	}
}
