package brief

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"helix/internal/kb/entry"
)

var update = flag.Bool("update", false, "write the golden files anew")

var noon = time.Date(2026, 5, 20, 12, 0, 0, 0, time.UTC)

func hours(n int) time.Time { return noon.Add(-time.Duration(n) * time.Hour) }

func candidate(id, topic, text string, written time.Time, tags ...string) Candidate {
	e := entry.New(topic, text, written)
	e.ID, e.Tags = id, tags
	return Candidate{Entry: e, Relevance: 10, Confidence: 1}
}

// story is a topic after some weeks of work.
func story() []Candidate {
	in := []Candidate{
		candidate("arch", "auth", "Overview of the token service\nIt signs, hands out and revokes.\n\nKeys live in the vault.", hours(24*60), "architecture"),
		candidate("inv", "auth", "invariant: a revoked token is refused within one second", hours(24*40), "invariant"),
		candidate("retry1", "auth", "gotcha: the client retries three times without jitter on 503", hours(24*20), "gotcha"),
		candidate("retry2", "auth", "gotcha: the client retries five times without jitter on 503", hours(24*9), "gotcha"),
		candidate("retry3", "auth", "gotcha: the client retries five times with jitter on 503 and 429", hours(24*3), "gotcha"),
		candidate("dec", "auth", "decision: opaque tokens\nbecause JWT cannot be revoked", hours(30), "decision"),
		candidate("log1", "auth", "moved the session table to postgres", hours(5)),
		candidate("log2", "auth", "renamed package login", hours(4)),
		candidate("log3", "auth", "upgraded argon parameters", hours(3)),
		candidate("copy", "http", "Decision: opaque tokens\nsee the auth topic", hours(200), "decision"),
		candidate("perf", "http", "signing takes 40 µs; latency of a login is 12 ms", hours(100)),
		candidate("odd", "http", "colour of the login page\nesc \x1b[31m here", hours(24*8), "ui"),
	}
	in[2].Links = []string{"arch"}
	in[6].Links = []string{"arch", "inv"}
	in[10].Stale, in[10].Confidence = true, 0.7
	in[10].Entry.Source = entry.Source{Path: "http/login.go", Line: 12}
	in[5].Entry.Text += strings.Repeat("\nand so on", 12)
	return in
}

func TestGolden(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]Result{
		"summary":         Build(story(), Options{Query: "auth", Now: noon}),
		"summary-compact": Build(story(), Options{Query: "auth", Now: noon, Compact: true, More: true}),
		"scan":            Build(story(), Options{Query: "auth", Detail: Scan, Now: noon}),
		"full":            Build(story(), Options{Query: "auth", Detail: Full, Now: noon}),
		"full-focus":      Build(story(), Options{Query: "auth", Detail: Full, Focus: []Category{Gotchas}, Now: noon}),
		"focus-nothing":   Build(story(), Options{Query: "auth", Focus: []Category{Gaps}, Now: noon}),
		"nothing":         Build(nil, Options{Query: "auth", Now: noon}),
		"survey":          survey().Build(Options{Now: noon}),
		"survey-compact":  survey().Build(Options{Now: noon, Compact: true}),
		"survey-nothing":  Survey{}.Build(Options{Now: noon}),
	} {
		t.Run(name, func(t *testing.T) {
			doc, err := json.MarshalIndent(r, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			golden(t, name+".txt", r.Text())
			golden(t, name+".json", string(doc)+"\n")
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func TestSummaryIsShort(t *testing.T) {
	t.Parallel()
	var in []Candidate
	for i := range 200 {
		in = append(in, candidate(fmt.Sprint("e", i), fmt.Sprint("t", i%20), fmt.Sprintf("note %d about part%d and thing%d", i, i, i), hours(60*i)))
	}
	got := Build(in, Options{Query: "t*", Now: noon}).Text()
	if n := strings.Count(got, "\n"); n > 15 {
		t.Errorf("%d lines:\n%s", n, got)
	}
}

func TestFullCapsBodies(t *testing.T) {
	t.Parallel()
	var in []Candidate
	for i := range 30 {
		word := string(rune('a' + i%26))
		text := strings.Repeat(fmt.Sprintf("%s%d%s\n", word, i, word), 20)
		in = append(in, candidate(fmt.Sprint("e", i), "t", text, hours(100*i)))
	}
	r := Build(in, Options{Query: "t", Detail: Full, Now: noon})
	if len(r.Sections) != 1 {
		t.Fatalf("sections: %+v", r.Sections)
	}
	items := r.Sections[0].Items
	if len(items) != fullMax+fullLines {
		t.Fatalf("%d items", len(items))
	}
	for i, want := range []int{10, 8, 8, 5, 5, 0} {
		if got := len(items[i].Body); got != want {
			t.Errorf("item %d has %d lines, want %d", i, got, want)
		}
		if want > 0 && items[i].More != 20-want {
			t.Errorf("item %d says that %d lines are left", i, items[i].More)
		}
	}
	if !strings.Contains(r.Text(), "… 15 more\n") {
		t.Errorf("the rest is not counted:\n%s", r.Text())
	}
}

func survey() Survey {
	var recent []entry.Entry
	for i, at := range []int{1, 20, 30, 24 * 8, 24 * 29, 24 * 31} {
		e := entry.New([]string{"auth", "http"}[i%2], "x", hours(at))
		e.ID = fmt.Sprint("e", i)
		recent = append(recent, e)
	}
	return Survey{
		Topics: []TopicState{
			{"auth", 30, hours(1)}, {"http", 12, hours(20)}, {"old", 50, hours(24 * 90)}, {"older", 60, hours(24 * 100)},
		},
		Tags:   []Topic{{"decision", 3}, {"gotcha", 38}, {"api", 3}},
		Recent: recent,
	}
}

func TestSurvey(t *testing.T) {
	t.Parallel()
	v := survey().Build(Options{Now: noon}).Overview
	if v.PerDay7 != 0.43 || v.PerDay30 != 0.17 { // 3 in 7 days, 5 in 30
		t.Errorf("velocity %v, %v", v.PerDay7, v.PerDay30)
	}
	var order []string
	for _, a := range v.Active {
		order = append(order, fmt.Sprint(a.Topic, " ", a.Recent))
	}
	if want := []string{"auth 3", "http 2", "old 0", "older 0"}; !cmp.Equal(order, want) {
		t.Errorf("activity %q, want %q", order, want)
	}
	if want := "gotcha"; v.Themes[0].Tag != want || v.Themes[0].Share != 38.0/152 {
		t.Errorf("themes %+v", v.Themes)
	}

	s := survey()
	s.Since, s.Cut = hours(48), true
	r := s.Build(Options{Now: noon})
	if len(r.Overview.Active) != 2 {
		t.Errorf("since: %+v", r.Overview.Active)
	}
	if !strings.Contains(r.Text(), "VELOCITY: at least ") {
		t.Errorf("a count that was cut does not say so:\n%s", r.Text())
	}
}
