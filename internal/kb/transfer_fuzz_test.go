package kb

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"helix/internal/kb/entry"
)

// What an importer accepts is written in both formats and read back as it was.
func fuzzImport(f *testing.F, format string, seeds ...string) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	m := Open("")
	m.redact = nil
	read := func(format, data string) (*parcel, error) {
		m.now = newClock().Now
		return gathered(m, ImportRequest{Format: format, Data: data, AllowSecrets: true})
	}
	f.Fuzz(func(t *testing.T, data string) {
		p, err := read(format, data)
		if err != nil {
			checkRefusal(t, err, ErrRefused, "")
			return
		}
		for _, format := range []string{"jsonl", "markdown"} {
			written := render(t, p, format)
			again, err := read(format, written)
			if err != nil && len(p.entries)+len(p.edges) > 0 {
				t.Fatalf("%s: %v\n%s", format, err, written)
			}
			if err == nil && !sameParcel(p, again) {
				t.Fatalf("%s: %+v became %+v\n%s", format, p, again, written)
			}
		}
	})
}

// gathered gives what an import brings as it was read.
func gathered(m *Memory, r ImportRequest) (*parcel, error) {
	s, err := m.gather(context.Background(), r)
	if err != nil {
		return nil, err
	}
	defer s.spool.close()
	p := &parcel{edges: s.edges}
	for in := s.spool.reader(0, spoolTogether); len(p.entries) < s.entries; {
		one, err := in.next()
		if err != nil {
			return nil, err
		}
		body, err := one.bodyWith("new")
		if err != nil {
			return nil, err
		}
		e, err := entry.Decode(one.topic, body, one.when())
		if err != nil {
			return nil, err
		}
		if e.ID = one.id; one.named {
			e.ID = ""
		}
		p.add(one.line, e)
	}
	return p, nil
}

func sameParcel(a, b *parcel) bool {
	return slices.EqualFunc(a.entries, b.entries, func(a, b *parcelEntry) bool { return cmp.Equal(a.entry, b.entry) }) &&
		slices.EqualFunc(a.edges, b.edges, func(a, b parcelEdge) bool { return a.edge == b.edge })
}

func render(t *testing.T, p *parcel, format string) string {
	var b bytes.Buffer
	x, err := newExporter(format, &b)
	if err != nil {
		t.Fatal(err)
	}
	for i := range p.entries {
		if err := x.entry(&p.entries[i].entry); err != nil {
			t.Fatal(err)
		}
		x.result.Entries++
	}
	for i := range p.edges {
		if err := x.edge(&p.edges[i].edge); err != nil {
			t.Fatal(err)
		}
		x.result.Edges++
	}
	if err := x.w.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func FuzzImportJSONL(f *testing.F) {
	fuzzImport(f, "jsonl",
		`{"id":"a","topic":"t","text":"x"}`,
		`{"type":"entry","topic":"t","text":"x","tags":["a"],"extra":["[tier: hot]"],"salience":0}`+"\n"+`{"type":"edge","from":"a","rel":"b","to":"c"}`,
		`{"topic":"t","text":"\ud800","created":"2026-06-18T09:00:00+02:00"}`)
}

func FuzzImportMarkdown(f *testing.F) {
	fuzzImport(f, "markdown",
		"# t\n\n## a\n\n- tags: a, b\n- created: 2026-06-18T09:00:00Z\n\n```text\nx\n```\n",
		"# t\n##\n- tags: [\"a\"]\n- when: \"\\n\"\n````\n```\n````\n---\n- edge: {\"from\":\"a\",\"rel\":\"b\",\"to\":\"c\"}\n")
}

func FuzzImportOriginal(f *testing.F) {
	fuzzImport(f, "original-json",
		`{"t":[{"ts":1,"body":"[tags: a]\nx"}],"t":[{"ts":"2026-06-18 09:00","body":"x"}]}`,
		`{"t":[{"ts":"2026-06-18T09:00:00Z","body":"x"},{"ts":-5,"body":""}]}`)
}

// What is read quickly is read as decodeJSON reads it.
func FuzzQuickRecord(f *testing.F) {
	for _, seed := range []string{
		`{"type":"entry","id":"mem_1","topic":"t","text":"a \"quoted\" line\nand another","tags":["a","b"],"created":"2026-06-18T10:00:00.5Z"}`,
		`{"topic":"t","text":"x","source":"a.go","source_line":12,"confidence":0.25,"links":[],"extra":["k: v"]}`,
		`{"topic":"t","text":"x","source_line":1.0}`, `{"topic":"t","text":"x","source_line":-1}`, `{"topic":"t","confidence":1e400}`,
		`{"Topic":"t","text":"x"}`, `{"topic":"t","text":null}`, `{"topic":"t","text":"\ud800"}`, `{"topic":"t\u0000","text":"\u003cb\u003E \\u00e9 \u20ac \\\u0041"}`, `{"topic":"\uD83D\uDE00"}`, `{"topic":"t","tags":["a",1]}`, `{"topic":"t","tags":"a, b"}`,
		`{"topic":"t","topic":"u","text":"x","tags":["a","b"],"tags":["c"]}`, `{"topic":"t"} {}`, ` {"topic":"t"}` + "\r", `{"topic":"t",}`, `{"topic":"t","created":"yesterday"}`,
		`{"topic":"t","helped":3}`, `{"type":"edge","from":"a","rel":"r","to":"b"}`, `["topic"]`, `{"topic":"a` + "\x01" + `b"}`, `{"topic":"` + "\xff" + `"}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		var quick, strict record
		if !quickRecord(line, &quick) {
			return
		}
		if err := decodeJSON(line, &strict); err != nil {
			t.Fatalf("%q is refused: %v", line, err)
		}
		if diff := cmp.Diff(strict, quick); diff != "" {
			t.Fatalf("%q: %s", line, diff)
		}
	})
}
