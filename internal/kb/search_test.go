package kb

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden files anew")

// library fills a memory with what the searches below look for.
func library(t *testing.T) *Memory {
	t.Helper()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "token.go"), []byte("package auth\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	m := open(t, WithRoot(root))
	at := func(days int) time.Time { return time.Date(2026, 6, 18-days, 7, 0, 0, 0, time.UTC) }
	half := 0.5
	for _, r := range []StoreRequest{
		{Topic: "auth", Text: "gotcha: tokens live 15 minutes.\nThe refresh token is rotated at each use.\n\nNothing else.", Created: at(1), Source: "token.go:12"},
		{Topic: "auth", Text: "decision: one token for all services", Created: at(2), Confidence: &half},
		{Topic: "auth/login", Text: "The login form sends no token; the cookie does.", Created: at(3), Tags: []string{"web", "ui"}},
		{Topic: "build", Text: "Builds need a token of the package registry.", Created: at(9)},
		{Topic: "build", Text: "CI retries a failed build once.", Created: at(12)},
	} {
		r.Force = true
		if _, err := m.Store(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 7 {
		mustStore(t, m, "notes", "a note about the weather, number "+string(rune('0'+i)))
	}
	if err := os.WriteFile(filepath.Join(root, "token.go"), []byte("package auth // changed\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestSearchDetails(t *testing.T) {
	local := time.Local
	time.Local = time.UTC
	t.Cleanup(func() { time.Local = local })
	m := library(t)
	for _, tc := range []struct {
		name string
		r    SearchRequest
	}{
		{"medium", SearchRequest{Query: "token"}},
		{"brief", SearchRequest{Query: "token", Detail: "brief"}},
		{"full", SearchRequest{Query: "token", Detail: "full", Limit: 2}},
		{"count", SearchRequest{Query: "token", Detail: "count"}},
		{"topics", SearchRequest{Query: "token", Detail: "topics"}},
		{"grouped", SearchRequest{Query: "note weather", Detail: "grouped"}},
		{"fallback", SearchRequest{Query: "retries zebra"}},
		{"fallback-count", SearchRequest{Query: "retries zebra", Detail: "count"}},
		{"nothing", SearchRequest{Query: "zebra"}},
		{"filters", SearchRequest{Query: "token -cookie", Topic: "auth*", After: "2026-06-15", Mode: "or"}},
		{"days", SearchRequest{Days: 4, Detail: "brief", Tag: "#WEB"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := m.Search(t.Context(), tc.r)
			if err != nil {
				t.Fatal(err)
			}
			for i := range got.Items { // depends on the day the test runs
				got.Items[i].Score = 0
			}
			data, err := json.MarshalIndent(got, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			golden(t, "search-"+tc.name+".txt", got.Text()+"---\n"+string(data)+"\n")
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is\n%s\nwant\n%s", name, got, want)
	}
}

// TestSearchByFilterAlone: what says nothing beside a filter or a word changes nothing.
func TestSearchByFilterAlone(t *testing.T) {
	t.Parallel()
	m := open(t)
	mustStore(t, m, "auth", "tokens live 15 minutes")
	mustStore(t, m, "build", "a deadlock")
	for _, r := range []SearchRequest{{Query: "topic:auth *"}, {Query: "*", Topic: "auth"}, {Query: "tokens &&"}, {Query: "-deadlock"}, {Query: "-topic:build"}, {Query: "since:today -build"}} {
		got, err := m.Search(t.Context(), r)
		if err != nil || got.Matches != 1 || got.Items[0].Topic != "auth" {
			t.Errorf("%+v: %+v, %v", r, got, err)
		}
	}
}

func TestRefusedSearches(t *testing.T) {
	t.Parallel()
	m := open(t)
	mustStore(t, m, "auth", "tokens live 15 minutes")
	for _, tc := range []struct {
		r    SearchRequest
		want string
	}{
		{SearchRequest{}, "say what to look for"},
		{SearchRequest{Query: " "}, "say what to look for"},
		{SearchRequest{Query: "x", Detail: "long"}, `no detail "long"; there are full, medium`},
		{SearchRequest{Query: "x", Mode: "xor"}, `no mode "xor"`},
		{SearchRequest{Query: "x", Limit: -1}, "limit -1"},
		{SearchRequest{Query: "x", Limit: maxLimit + 1}, "limit 2001"},
		{SearchRequest{Query: "x", Days: -1}, "positive number"},
		{SearchRequest{Query: "x", After: "soon"}, `"soon" is no time`},
		{SearchRequest{Query: "x", Before: "later"}, `"later" is no time`},
		{SearchRequest{Query: "x", Kind: "thing"}, `unknown kind "thing": there are fact`},
		{SearchRequest{Query: "&&"}, `nothing in "&&" can be looked for: give words`},
		{SearchRequest{Query: `"" - !?`, Mode: "or"}, "can be looked for"},
		{SearchRequest{Query: "*", Detail: "count"}, "can be looked for"},
		{SearchRequest{Query: "a\xff"}, "the query is not valid UTF-8"},
		{SearchRequest{Query: "author:me x"}, `unknown filter "author:"`},
		{SearchRequest{Query: "author:me x", Detail: "count"}, `unknown filter "author:"`},
	} {
		_, err := m.Search(t.Context(), tc.r)
		if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v, want %q", tc.r, err, tc.want)
		}
	}
}
