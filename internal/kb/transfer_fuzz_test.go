package kb

import (
	"bytes"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
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
		p, err := m.unpack(ImportRequest{Format: format, Data: data})
		if err == nil {
			err = p.clean(m.cleaner(true), &Imported{})
		}
		return p, err
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
