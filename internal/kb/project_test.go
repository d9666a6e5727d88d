package kb

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// repos makes folders with a .git in each, and gives the folder they are in.
func repos(t *testing.T, names ...string) string {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if err := os.MkdirAll(filepath.Join(base, name, ".git"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return base
}

// in opens the memory in dir as one who works in a project does.
func in(t *testing.T, dir, project string) *Memory {
	t.Helper()
	m := Open(dir, WithRoot(project), WithProject(project, project))
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

func projectOf(t *testing.T, m *Memory, id string) string {
	t.Helper()
	r, err := m.Read(t.Context(), ReadRequest{ID: id})
	if err != nil {
		t.Fatal(err)
	}
	return r.Items[0].Project
}

func TestStoreProject(t *testing.T) {
	t.Parallel()
	base := repos(t, "shop", "web", "a/twin", "b/twin")
	at := func(name string) string { return filepath.Join(base, name) }
	dir := filepath.Join(t.TempDir(), "kb")
	m := in(t, dir, at("shop"))
	for _, known := range []string{at("a/twin"), at("b/twin"), "./../web"} {
		if _, err := m.Store(t.Context(), StoreRequest{Topic: "seed", Text: "known " + known, Project: known}); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ said, want string }{
		{"", at("shop")},
		{".", at("shop")},
		{NoProject, ""},
		{at("web"), at("web")},
		{at("web/src/deep"), at("web")},
		{"../web", at("web")},
		{"web", at("web")},
		{"a/twin", at("a/twin")},
	} {
		s, err := m.Store(t.Context(), StoreRequest{Topic: "t", Text: "said " + tt.said, Project: tt.said})
		if err != nil || s.Project != tt.want || projectOf(t, m, s.ID) != tt.want {
			t.Errorf("%q: %+v, %v, want %q", tt.said, s, err, tt.want)
		}
		b, err := m.Batch(t.Context(), BatchRequest{Project: tt.said, Entries: []StoreRequest{
			{Topic: "u", Text: "of the batch"}, {Topic: "u", Text: "its own", Project: NoProject},
		}})
		if err != nil || b.Entries[0].Project != tt.want || b.Entries[1].Project != "" {
			t.Errorf("batch %q: %+v, %v", tt.said, b, err)
		}
	}
	log, err := os.ReadFile(filepath.Join(dir, "data.log"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ said, want string }{
		{"unheard-of", `project "unheard-of" is not known here`},
		{"twin", "may be " + at("a/twin") + " or " + at("b/twin")},
		{base, "is in no git checkout"},
		{"/no/such/folder", "is in no git checkout"},
		{strings.Repeat("x", 5000), "5000 bytes"},
	} {
		_, err := m.Store(t.Context(), StoreRequest{Topic: "t", Text: "x", Project: tt.said})
		_, batch := m.Batch(t.Context(), BatchRequest{Entries: []StoreRequest{{Topic: "t", Text: "x"}, {Topic: "t", Text: "y", Project: tt.said}}})
		for _, err := range []error{err, batch} {
			if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%.20s: %v", tt.said, err)
			}
		}
	}
	if now, err := os.ReadFile(filepath.Join(dir, "data.log")); err != nil || string(now) != string(log) {
		t.Error("a refused entry left something")
	}
}

// TestStoreOutside: outside of any project an entry belongs to none, and old entries
// are of that kind.
func TestStoreOutside(t *testing.T) {
	t.Parallel()
	m := in(t, filepath.Join(t.TempDir(), "kb"), "")
	s, err := m.Store(t.Context(), StoreRequest{Topic: "t", Text: "x"})
	if err != nil || s.Project != "" || projectOf(t, m, s.ID) != "" {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := m.Store(t.Context(), StoreRequest{Topic: "t", Text: "x", Project: "."}); err == nil || !strings.Contains(err.Error(), "no git checkout") {
		t.Error(err)
	}
}

// TestSameInTwoProjects: the same finding is a finding of each project; who stores
// without being asked stores it once in each, and who stores by hand is told.
func TestSameInTwoProjects(t *testing.T) {
	t.Parallel()
	base := repos(t, "shop", "web")
	dir := filepath.Join(t.TempDir(), "kb")
	shop, web := in(t, dir, filepath.Join(base, "shop")), in(t, dir, filepath.Join(base, "web"))
	finding := StoreRequest{Topic: "build", Text: "the linker needs a flag on arm64 or it fails late"}
	store := func(m *Memory) Stored {
		t.Helper()
		s, err := m.StoreNew(t.Context(), finding)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	first := store(shop)
	if again := store(shop); again.ID != "" || again.Duplicate.ID != first.ID || again.Duplicate.Project != "" {
		t.Errorf("twice in one project: %+v", again)
	}
	second := store(web)
	if second.ID == "" || second.ID == first.ID {
		t.Errorf("in another project: %+v", second)
	}
	if again := store(web); again.ID != "" || again.Duplicate.ID != second.ID {
		t.Errorf("again there: %+v", again)
	}
	// A new project is told of another's, an old one of its own.
	third := in(t, dir, filepath.Join(base, "third"))
	s, err := third.Store(t.Context(), finding)
	if err != nil || s.Duplicate == nil || s.Duplicate.Project == "" || !strings.Contains(s.Text(), "of the project web\n") && !strings.Contains(s.Text(), "of the project shop\n") {
		t.Errorf("%+v, %v", s, err)
	}
	if s, err = web.Store(t.Context(), finding); err != nil || s.Duplicate == nil || s.Duplicate.ID != second.ID || !strings.Contains(s.Text(), "revise or delete") {
		t.Errorf("%+v, %v", s, err)
	}
	// What holds for all is compared with by all.
	everywhere := StoreRequest{Topic: "habits", Text: "commit messages are in the present tense", Project: NoProject}
	if _, err := shop.Store(t.Context(), everywhere); err != nil {
		t.Fatal(err)
	}
	everywhere.Project = ""
	if s, err := web.StoreNew(t.Context(), everywhere); err != nil || s.ID != "" {
		t.Errorf("%+v, %v", s, err)
	}
	// In a batch, the same for two projects are two.
	b, err := web.Batch(t.Context(), BatchRequest{Entries: []StoreRequest{finding, {Topic: "build", Text: finding.Text, Project: filepath.Join(base, "shop")}, finding}})
	if err != nil || b.Stored != 2 || b.Skipped != 1 {
		t.Errorf("%+v, %v", b, err)
	}
}

// TestLookByProject: lists and searches show whose an entry is, and can be narrowed.
func TestLookByProject(t *testing.T) {
	t.Parallel()
	base := repos(t, "shop", "web")
	dir := filepath.Join(t.TempDir(), "kb")
	shop, web := in(t, dir, filepath.Join(base, "shop")), in(t, dir, filepath.Join(base, "web"))
	write(t, filepath.Join(base, "web", "main.go"), "package web\n")
	for _, s := range []struct {
		m    *Memory
		text string
		in   string
	}{{shop, "decision: retries have jitter", ""}, {web, "decision: retries are off", ""}, {web, "it is a matter of taste, says everybody who was asked, whether there are retries", NoProject}} {
		if _, err := s.m.Store(t.Context(), StoreRequest{Topic: "net", Text: s.text, Project: s.in, Source: "main.go"}); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		query, project string
		want           string // beginnings of the texts
	}{
		{"retries", "", "decision: retries are off|it is a matter of taste, says everybody who was asked, whether there are retries|decision: retries have jitter"},
		{"retries project:.", "", "decision: retries are off"},
		{"retries project:shop", "", "decision: retries have jitter"},
		{"retries", "shop", "decision: retries have jitter"},
		{"retries", "../shop", "decision: retries have jitter"},
		{"retries", NoProject, "it is a matter of taste, says everybody who was asked, whether there are retries"},
		{"retries -project:.", "", "it is a matter of taste, says everybody who was asked, whether there are retries|decision: retries have jitter"},
		{"", "/gone/for/long", ""},
		{"retries project:unheard-of", "", ""},
	} {
		r, err := web.Search(t.Context(), SearchRequest{Query: tt.query, Project: tt.project})
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, i := range r.Items {
			texts = append(texts, i.Text)
			if other := strings.Contains(i.Text, "jitter"); i.Other != other || strings.Contains(r.Text(), " @shop (") != strings.Contains(tt.want, "jitter") || strings.Contains(r.Text(), "@web") {
				t.Errorf("%q: %+v\n%s", tt.query, i, r.Text())
			}
		}
		if got := strings.Join(texts, "|"); got != tt.want {
			t.Errorf("%q %q: %s, want %s", tt.query, tt.project, got, tt.want)
		}
	}
	for _, tt := range []struct {
		project string
		want    int
	}{{"", 3}, {".", 1}, {"shop", 1}, {NoProject, 1}, {"unheard-of", 0}} {
		recent, err := web.Recent(t.Context(), RecentRequest{Project: tt.project})
		if err != nil || len(recent.Items) != tt.want {
			t.Errorf("recent %q: %+v, %v", tt.project, recent, err)
		}
		entries, err := web.EntriesOf(t.Context(), EntriesRequest{Topic: "net", Project: tt.project})
		if err != nil || entries.Matches != tt.want {
			t.Errorf("entries %q: %+v, %v", tt.project, entries, err)
		}
	}
	topics, err := web.Topics(t.Context(), TopicsRequest{Project: "."})
	if err != nil || topics.Entries != 1 || topics.Text() != "1 topic, 1 entry\n"+"  net: 1, last "+day(topics.Topics[0].Last)+"\n" {
		t.Errorf("%s, %v", topics.Text(), err)
	}
	if topics, err = web.Topics(t.Context(), TopicsRequest{Project: "unheard-of"}); err != nil || !strings.HasPrefix(topics.Text(), "no entry belongs to unheard-of") {
		t.Errorf("%s, %v", topics.Text(), err)
	}
	recent, err := web.Recent(t.Context(), RecentRequest{})
	if err != nil || strings.Count(recent.Text(), "#decision @web") != 1 || strings.Count(recent.Text(), "#decision @shop") != 1 {
		t.Errorf("%s, %v", recent.Text(), err)
	}
	read, err := web.Read(t.Context(), ReadRequest{Topic: "net"})
	if err != nil || strings.Count(read.Text(), "  project: "+base) != 2 {
		t.Errorf("%s, %v", read.Text(), err)
	}
	nowhere := in(t, dir, "")
	for _, err := range []error{
		func() error { _, err := nowhere.Recent(t.Context(), RecentRequest{Project: "."}); return err }(),
		func() error {
			_, err := nowhere.EntriesOf(t.Context(), EntriesRequest{Topic: "net", Project: "."})
			return err
		}(),
		func() error { _, err := nowhere.Search(t.Context(), SearchRequest{Project: "."}); return err }(),
		func() error { _, err := nowhere.Topics(t.Context(), TopicsRequest{Project: "."}); return err }(),
		func() error { _, err := nowhere.Search(t.Context(), SearchRequest{Query: "project:."}); return err }(),
	} {
		if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "no git checkout") {
			t.Error(err)
		}
	}

	// A file of the same name in another project says nothing about its entries.
	write(t, filepath.Join(base, "web", "main.go"), "package changed\n")
	for _, m := range []*Memory{web, shop} {
		read, err := m.Read(t.Context(), ReadRequest{Topic: "net"})
		if err != nil {
			t.Fatal(err)
		}
		if stale := read.Items[1].Stale; stale != (m == web) {
			t.Errorf("%s: stale %v", m.Project(), stale)
		}
	}
}

// TestEditOfProjects: who names nothing but a topic changes no entry of another
// project; whoever names the entry can.
func TestEditOfProjects(t *testing.T) {
	t.Parallel()
	base := repos(t, "shop", "web")
	dir := filepath.Join(t.TempDir(), "kb")
	shop, web := in(t, dir, filepath.Join(base, "shop")), in(t, dir, filepath.Join(base, "web"))
	stored := map[*Memory]string{}
	for _, m := range []*Memory{shop, web} {
		s, err := m.Store(t.Context(), StoreRequest{Topic: "net", Text: "of " + m.Project(), Force: true})
		if err != nil {
			t.Fatal(err)
		}
		if stored[m] = s.ID; !strings.Contains(s.Text(), "  project: "+m.Project()+"\n") {
			t.Error(s.Text())
		}
	}
	if _, err := web.Store(t.Context(), StoreRequest{Topic: "web", Text: "x"}); err != nil {
		t.Fatal(err)
	}
	if e, err := shop.Edit(t.Context(), EditRequest{Action: "append", Topic: "net", Text: "more"}); err != nil || e.IDs[0] != stored[shop] {
		t.Errorf("%+v, %v", e, err)
	}
	if _, err := shop.Edit(t.Context(), EditRequest{Action: "delete", Topic: "web"}); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "only entries of other projects") {
		t.Error(err)
	}
	if e, err := shop.Edit(t.Context(), EditRequest{Action: "revise", ID: stored[web], Text: "changed"}); err != nil || projectOf(t, web, e.IDs[0]) != web.Project() {
		t.Errorf("%+v, %v", e, err)
	}
	outside := in(t, dir, "")
	if e, err := outside.Edit(t.Context(), EditRequest{Action: "append", Topic: "net", Text: "more"}); err != nil || e.IDs[0] != stored[web] {
		t.Errorf("%+v, %v", e, err)
	}
}

// TestBriefOfProjects: what holds for one project does not replace what holds for
// another, and says whose it is.
func TestBriefOfProjects(t *testing.T) {
	t.Parallel()
	base := repos(t, "shop", "web")
	dir := filepath.Join(t.TempDir(), "kb")
	shop, web := in(t, dir, filepath.Join(base, "shop")), in(t, dir, filepath.Join(base, "web"))
	for _, m := range []*Memory{shop, web} {
		if _, err := m.Store(t.Context(), StoreRequest{Topic: "net", Text: "decision: retries have jitter and a limit of five", Force: true}); err != nil {
			t.Fatal(err)
		}
	}
	r, err := shop.Brief(t.Context(), BriefRequest{Query: "net"})
	if err != nil || r.Kept != 2 || strings.Count(r.Text(), "@web") != 1 || strings.Contains(r.Text(), "@shop") || r.Hot[0].Other {
		t.Errorf("%v\n%s", err, r.Text())
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
