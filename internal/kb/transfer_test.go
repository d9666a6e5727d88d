package kb

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"helix/internal/kb/entry"
	"helix/internal/kb/log"
)

func export(t testing.TB, m *Memory, r ExportRequest) string {
	t.Helper()
	var b bytes.Buffer
	if _, err := m.Export(t.Context(), r, &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestNothingGoesRound(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"jsonl", "markdown"} {
		from, to := open(t), open(t)
		data := export(t, from, ExportRequest{Format: format})
		for _, read := range []string{data, "\n", "\ufeff"} {
			if got, err := to.Import(t.Context(), ImportRequest{Format: format, Data: read}); err != nil || got != (Imported{}) {
				t.Errorf("%s %q: %+v, %v", format, read, got, err)
			}
		}
		for _, m := range []*Memory{from, to} {
			if got := snapshot(t, m.Dir()); got != nil {
				t.Errorf("%s: the folder was made: %v", format, got)
			}
		}
	}
}

// someEntry draws an entry that can be stored, with every field.
func someEntry() *rapid.Generator[entry.Entry] {
	id := rapid.StringMatching(`[a-zA-Z0-9][a-zA-Z0-9_.:@-]{0,20}`)
	word := rapid.StringMatching(`[^\s,\pC\pZ]{1,12}`)
	few := func(g *rapid.Generator[string]) *rapid.Generator[[]string] {
		return rapid.Map(rapid.SliceOfN(g, 0, 3), some)
	}
	maybe := rapid.OneOf(rapid.Just(""), someText())
	moment := rapid.Custom(func(t *rapid.T) time.Time {
		last := time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC).UnixMilli()
		return time.UnixMilli(rapid.Int64Range(-62135510400000, last).Draw(t, "ms")).UTC()
	})
	maybeWhen := rapid.OneOf(rapid.Just(time.Time{}), moment)
	share := rapid.OneOf(rapid.SampledFrom([]float64{0, 0.5, 1}), rapid.Float64Range(0, 1))
	return rapid.Custom(func(t *rapid.T) entry.Entry {
		e := entry.Entry{
			ID:           id.Draw(t, "id"),
			Topic:        rapid.OneOf(rapid.SampledFrom([]string{"a", "b/c", "# x", " p "}), rapid.StringMatching(`[^\pC]{0,9}x`)).Draw(t, "topic"),
			Text:         someText().Draw(t, "text"),
			Kind:         rapid.SampledFrom(entry.Kinds()).Draw(t, "kind"),
			Tags:         few(word).Draw(t, "tags"),
			Confidence:   share.Draw(t, "confidence"),
			Links:        few(word).Draw(t, "links"),
			Key:          maybe.Draw(t, "key"),
			Tenant:       maybe.Draw(t, "tenant"),
			User:         maybe.Draw(t, "user"),
			Project:      maybe.Draw(t, "project"),
			Session:      maybe.Draw(t, "session"),
			Created:      moment.Draw(t, "created"),
			Modified:     maybeWhen.Draw(t, "modified"),
			ValidFrom:    maybeWhen.Draw(t, "valid from"),
			ValidTo:      maybeWhen.Draw(t, "valid to"),
			ExpiresAt:    maybeWhen.Draw(t, "expires"),
			DeletedAt:    maybeWhen.Draw(t, "deleted"),
			Supersedes:   few(id).Draw(t, "supersedes"),
			SupersededBy: rapid.OneOf(rapid.Just(""), id).Draw(t, "superseded by"),
			EventStart:   maybeWhen.Draw(t, "event start"),
			EventEnd:     maybeWhen.Draw(t, "event end"),
			TemporalText: maybe.Draw(t, "when"),
			Salience:     share.Draw(t, "salience"),
			AccessCount:  rapid.IntRange(0, 1<<40).Draw(t, "accessed"),
			LastAccess:   maybeWhen.Draw(t, "last access"),
			Helped:       rapid.IntRange(0, 9).Draw(t, "helped"),
			Harmed:       rapid.IntRange(0, 9).Draw(t, "harmed"),
			Extra:        few(rapid.SampledFrom([]string{"[mood: fine]", "[tier: hot, warm]", "[x y: [z]]"})).Draw(t, "extra"),
		}
		if rapid.Bool().Draw(t, "sourced") {
			e.Source = entry.Source{
				Path: rapid.OneOf(rapid.Just("a/b.go:7"), someText()).Draw(t, "path"),
				Line: rapid.IntRange(0, 9).Draw(t, "line"), Hash: maybe.Draw(t, "hash"),
			}
		}
		return e
	})
}

func someEdge() *rapid.Generator[entry.Edge] {
	return rapid.Custom(func(t *rapid.T) entry.Edge {
		return entry.Edge{
			From: someText().Draw(t, "from"), Rel: rapid.StringMatching(`[a-z_]{1,9}`).Draw(t, "rel"), To: someText().Draw(t, "to"),
			Tenant: rapid.SampledFrom([]string{"", "t"}).Draw(t, "tenant"),
			Weight: rapid.SampledFrom([]float64{0, 0.3, 1}).Draw(t, "weight"),
			Key:    rapid.SampledFrom([]string{"", "k"}).Draw(t, "key"),
		}
	})
}

// Whatever is in a memory comes back exactly from an export, in both formats.
func TestExportImportExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "helix-transfer")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		from := Open(filepath.Join(dir, "from"))
		defer from.Close()
		var ops []log.Op
		for _, e := range rapid.SliceOfNDistinct(someEntry(), 0, 4, func(e entry.Entry) string { return e.ID }).Draw(t, "entries") {
			ops = append(ops, log.Put(e))
		}
		for _, e := range rapid.SliceOfN(someEdge(), 0, 3).Draw(t, "edges") {
			ops = append(ops, log.Relate(e))
		}
		if _, err := from.log.Append(t.Context(), ops...); err != nil {
			t.Fatal(err)
		}
		for _, format := range []string{"jsonl", "markdown"} {
			compareTransfer(t, from, Open(filepath.Join(dir, format)), format)
		}
	})
}

func compareTransfer(t *rapid.T, from, to *Memory, format string) {
	defer to.Close()
	ctx := t.Context()
	var b, again bytes.Buffer
	if _, err := from.Export(ctx, ExportRequest{Format: format}, &b); err != nil {
		t.Fatal(err)
	}
	r := ImportRequest{Format: format, Data: b.String(), AllowSecrets: true}
	if _, err := to.Import(ctx, r); err != nil {
		t.Fatalf("%s: %v\n%s", format, err, b.String())
	}
	want, got := all(t, from.Dir()), all(t, to.Dir())
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%s: %s\n%s", format, diff, b.String())
	}
	out, err := to.Import(ctx, r)
	if err != nil || out.Entries+out.Edges != 0 || out.Same != len(want.entries)+len(want.edges) {
		t.Fatalf("%s again: %+v, %v", format, out, err)
	}
	if _, err := to.Export(ctx, ExportRequest{Format: format}, &again); err != nil || again.String() != b.String() {
		t.Fatalf("%s: the second export differs (%v):\n%s\n%s", format, err, b.String(), again.String())
	}
}

type contents struct {
	entries map[string]entry.Entry
	edges   map[string]entry.Edge
}

func (c contents) Equal(o contents) bool {
	return cmp.Equal(c.entries, o.entries) && cmp.Equal(c.edges, o.edges)
}

func all(t *rapid.T, dir string) contents {
	r, err := log.OpenReader(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	fold, _, err := r.Fold()
	if err != nil {
		t.Fatal(err)
	}
	c := contents{map[string]entry.Entry{}, map[string]entry.Edge{}}
	for live := range fold.All() {
		if c.entries[live.ID], err = r.Load(live); err != nil {
			t.Fatal(err)
		}
	}
	for e := range fold.Edges() {
		c.edges[e.ID()] = e
	}
	return c
}

func TestExportShapes(t *testing.T) {
	t.Parallel()
	m := open(t)
	a, err := m.Store(t.Context(), StoreRequest{Topic: "auth", Text: "decision: use ```\nretry", Tags: []string{"client", "retry"}, Source: "a.go:3"})
	if err != nil {
		t.Fatal(err)
	}
	b := mustStore(t, m, "queue", "one at a time")
	edge := entry.Edge{From: a.ID, Rel: "refines", To: b.ID, Weight: 1}
	if _, err := m.log.Append(t.Context(), log.Relate(edge)); err != nil {
		t.Fatal(err)
	}
	want := "# auth\n\n## " + a.ID + "\n\n" +
		"- kind: decision\n- tags: client, retry\n- source: a.go\n- source_line: 3\n- created: 2026-06-18T09:00:01Z\n\n" +
		"````text\ndecision: use ```\nretry\n````\n\n" +
		"# queue\n\n## " + b.ID + "\n\n- created: 2026-06-18T09:00:02Z\n\n```text\none at a time\n```\n\n" +
		"---\n\n- edge: {\"from\":\"" + a.ID + "\",\"rel\":\"refines\",\"to\":\"" + b.ID + "\"}\n"
	if diff := cmp.Diff(want, export(t, m, ExportRequest{Format: "markdown"})); diff != "" {
		t.Error(diff)
	}
	want = `{"type":"entry","id":"` + b.ID + `","topic":"queue","kind":"fact","created":"2026-06-18T09:00:02Z","text":"one at a time"}` + "\n" +
		`{"type":"edge","from":"` + a.ID + `","rel":"refines","to":"` + b.ID + `"}` + "\n"
	if diff := cmp.Diff(want, export(t, m, ExportRequest{Topic: "queue"})); diff != "" {
		t.Error(diff)
	}
	_, err = m.Export(t.Context(), ExportRequest{Topic: "queues"}, &bytes.Buffer{})
	checkRefusal(t, err, ErrNotFound, "did you mean 'queue'?")
	_, err = m.Export(t.Context(), ExportRequest{Format: "xml"}, &bytes.Buffer{})
	checkRefusal(t, err, ErrRefused, `"xml"`)
}

// An export of a damaged log says that something is missing.
func TestExportOfDamagedLog(t *testing.T) {
	t.Parallel()
	m := open(t)
	for i := range 3 {
		mustStore(t, m, "t", fmt.Sprint("number ", i))
	}
	path := filepath.Join(m.Dir(), log.FileName)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[bytes.Index(b, []byte("number 1"))]++
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := m.Export(t.Context(), ExportRequest{}, &bytes.Buffer{})
	if err != nil || out != (Exported{Entries: 2, Damaged: 1}) {
		t.Errorf("%+v, %v", out, err)
	}
	if got := out.Text(); !strings.Contains(got, "incomplete: the log is damaged in 1 place;") {
		t.Errorf("text %q", got)
	}
}

// A person can write what is imported; what is left out has its default.
func TestImportByHand(t *testing.T) {
	t.Parallel()
	for format, data := range map[string]string{
		"jsonl":    `{"topic":"auth","text":"retries","tags":["a","b"],"confidence":0.5}` + "\n\n",
		"markdown": "# auth\n##\n- tags: a,  b\n- confidence: 0.5\n```\nretries\n```",
	} {
		m := open(t)
		out, err := m.Import(t.Context(), ImportRequest{Format: format, Reader: strings.NewReader(data)})
		if err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		if got := out.Text(); got != "imported 1 entry\n" {
			t.Errorf("text %q", got)
		}
		for id, got := range entries(t, m.Dir()) {
			want := entry.New("auth", "retries", got.Created)
			want.ID, want.Tags, want.Confidence = id, []string{"a", "b"}, 0.5
			if diff := cmp.Diff(want, got); diff != "" || !strings.HasPrefix(id, "mem_2026-06-18_auth_") {
				t.Errorf("%s %s: %s", format, id, diff)
			}
		}
	}
}

// By hand a source is path:line, as everywhere. What was exported has the line apart, so
// that a path which ends like one stays.
func TestImportSource(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]entry.Source{
		`"source":"a.go:42"`:                                  {Path: "a.go", Line: 42},
		`"type":"entry","source":"a.go:42"`:                   {Path: "a.go", Line: 42},
		`"source":"a.go:42","source_line":7`:                  {Path: "a.go:42", Line: 7},
		`"source":"a.go"`:                                     {Path: "a.go"},
		`"source":"a.go:42","source_hash":"f"`:                {Path: "a.go", Line: 42, Hash: "f"},
		`"source":"https://x.y/z"`:                            {Path: "https://x.y/z"},
		`"id":"x","source":"a.go:42"`:                         {Path: "a.go:42"},
		`"type":"entry","id":"x","source":"a.go:42"`:          {Path: "a.go:42"},
		`"id":"x","source":"a.go:42","source_line":7`:         {Path: "a.go:42", Line: 7},
		`"id":"x","source":"a.go","source_line":7,"links":[]`: {Path: "a.go", Line: 7},
	} {
		m, again := open(t), open(t)
		if _, err := m.Import(t.Context(), ImportRequest{Data: `{"topic":"t","text":"x",` + line + `}`}); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		for _, format := range []string{"jsonl", "markdown"} {
			if _, err := again.Import(t.Context(), ImportRequest{Format: format, Data: export(t, m, ExportRequest{Format: format})}); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
		}
		for _, m := range []*Memory{m, again} {
			all := entries(t, m.Dir())
			for _, e := range all {
				if e.Source != want || len(all) != 1 {
					t.Errorf("%s: %+v, want %+v", line, e.Source, want)
				}
			}
		}
	}
}

func TestImportRefuses(t *testing.T) {
	t.Parallel()
	const good = `{"id":"a","topic":"t","text":"x"}` + "\n"
	const md = "# t\n\n## a\n\n"
	for _, c := range []struct{ format, data, want string }{
		{"xml", good, `"xml"`},
		{"markdown", "# a topic\n", "there is no entry in it"},
		{"original-json", "{}", "there is no entry in it"},
		{"jsonl", good + "\n{", "line 3: the JSON value ends too early"},
		{"jsonl", good + `{"topic":"t","text":"x","mood":"fine"}`, `line 2: unknown key "mood"`},
		{"jsonl", good + `{"type":"edge","from":"a","rel":"b","to":"c","mood":1}`, `line 2: unknown key "mood"`},
		{"jsonl", `{"type":"node"}`, `line 1: the type "node"`},
		{"jsonl", good + `{"type":"edge","from":"a","rel":"B","to":"c"}`, "line 2: the relation"},
		{"jsonl", good + good + `{"topic":" ","text":"x"}`, "line 3: the topic is empty"},
		{"jsonl", good + `{"id":"a","topic":"t","text":"y"}`, "line 2: the id a is also on line 1"},
		{"jsonl", good + `{"id":"a b","topic":"t","text":"y"}`, `line 2: the id "a b"`},
		{"jsonl", "{\"topic\":\"t\",\"text\":\"\xff\"}", "line 1: it is not valid UTF-8"},
		{"jsonl", `{"topic":"t","text":"x"} true`, "line 1: there is something behind"},
		{"jsonl", `{"topic":"t","text":"x","created":"yesterday"}`, "line 1: "},
		{"jsonl", `{"topic":"t","text":"x","confidence":2}`, "line 1: the confidence 2"},
		{"jsonl", `{"topic":"t","text":"x","kind":"rumour"}`, `line 1: kind "rumour"`},
		{"markdown", "hello", `line 1: "hello" is neither`},
		{"markdown", "## a", "line 1: the entry stands under no topic"},
		{"markdown", md, "line 3: the entry has no text"},
		{"markdown", md + "text", "line 5: an entry continues"},
		{"markdown", md + "- mood: fine\n", `line 5: unknown key "mood"`},
		{"markdown", md + "- id: b\n", `line 5: the key "id"`},
		{"markdown", md + "- kind\n", "line 5: it is not of the form"},
		{"markdown", md + "- kind: fact\n- kind: fact\n", "line 6: the key \"kind\" is there twice"},
		{"markdown", md + "- confidence: high\n", "line 5: "},
		{"markdown", md + "- tags: [\"a\"\n", "line 5: "},
		{"markdown", md + "```go\nx\n```\n", "line 5: the fence of a text"},
		{"markdown", md + "```text\nx\n````\n", "never closed"},
		{"markdown", md + "```text\n```\n", "line 3: the text is empty"},
		{"markdown", "# t\n\xff\n", "line 2: it is not valid UTF-8"},
		{"markdown", "- edge: {}", "line 1: "},
		{"markdown", "---\n- edge: {\"from\":\"a\"", "line 2: the JSON value ends too early"},
		{"original-json", "[]", "line 1: it should be an object of topics"},
		{"original-json", "{\n\"t\":\n{}}", "line 3: it should be a list"},
		{"original-json", "{\"t\":[\n{\"ts\":1,\"body\":\"x\",\"mood\":1}]}", `line 2: unknown key "mood"`},
		{"original-json", "{\"t\":[\n\n{\"ts\":\"noon\",\"body\":\"x\"}]}", "line 3: the time \"noon\""},
		{"original-json", "{\"t\":[{\"body\":\"x\"}]}", "line 1: the time"},
		{"original-json", "{\"t\":[", "line 1: "},
		{"original-json", "{} {}", "line 1: there is something behind"},
		{"original-json", "{\"t\":[\n{\"ts\":1,\"body\":\"\xff\"}]}", "UTF-8"},
		{"original-json", "{\"\":[\n{\"ts\":1,\"body\":\"x\"}]}", "line 2: the topic is empty"},
	} {
		m := open(t)
		_, err := m.Import(t.Context(), ImportRequest{Format: c.format, Data: c.data})
		t.Run(c.format+" "+c.want, func(t *testing.T) { checkRefusal(t, err, ErrRefused, c.want) })
		if got := snapshot(t, m.Dir()); got != nil {
			t.Errorf("%q: the folder was made: %v", c.data, got)
		}
	}
}

func TestImportOverExisting(t *testing.T) {
	t.Parallel()
	m := open(t)
	const one = `{"id":"a","topic":"t","created":"2026-06-18T09:00:00Z","text":"old"}` + "\n" +
		`{"type":"edge","from":"a","rel":"refines","to":"b"}` + "\n"
	two := strings.ReplaceAll(one, "old", "new")
	if _, err := m.Import(t.Context(), ImportRequest{Data: one}); err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, m.Dir())
	_, err := m.Import(t.Context(), ImportRequest{Data: `{"topic":"t","text":"first"}` + "\n" + two})
	checkRefusal(t, err, ErrRefused, "line 2: the entry a is there with other content")
	_, err = m.Import(t.Context(), ImportRequest{Data: `{"type":"edge","from":"a","rel":"refines","to":"b","weight":0.5}`})
	checkRefusal(t, err, ErrRefused, "line 1: the edge ")
	if diff := cmp.Diff(before, snapshot(t, m.Dir())); diff != "" {
		t.Error(diff)
	}
	out, err := m.Import(t.Context(), ImportRequest{Data: two, Replace: true})
	if err != nil || out != (Imported{Entries: 1, Replaced: 1, Same: 1}) {
		t.Errorf("%+v, %v", out, err)
	}
	if got := entries(t, m.Dir())["a"].Text; got != "new" {
		t.Errorf("text %q", got)
	}
	if got, want := out.Text(), "imported 1 entry\n  1 replaced an older one\n  1 already there\n"; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
}

// TestImportAgain: an import without ids that was broken off is completed by doing it
// again, if its entries say when they were made.
func TestImportAgain(t *testing.T) {
	t.Parallel()
	m := open(t)
	line := func(i int) string {
		return fmt.Sprintf(`{"topic":"t","text":"entry number %d","tags":["a"],"created":"2026-06-18T09:00:0%dZ"}`+"\n", i, i)
	}
	for _, step := range []struct {
		data         string
		stored, same int
	}{
		{line(1) + line(2), 2, 0},
		{line(1) + line(2) + line(3), 1, 2},
		{line(2) + strings.Replace(line(3), "number", "numeral", 1), 1, 1},
		{`{"topic":"t","text":"of now"}`, 1, 0},
	} {
		out, err := m.Import(t.Context(), ImportRequest{Data: step.data})
		if err != nil || out.Entries != step.stored || out.Same != step.same {
			t.Errorf("%s: %+v, %v", step.data, out, err)
		}
	}
}

func TestImportOriginal(t *testing.T) {
	t.Parallel()
	const data = `{
  "auth": [
    {"ts": "2026-06-18 09:30", "body": "[tags: retry, client]\n[source: a.go:7]\nretries three times"},
    {"ts": 29696490, "body": "same"}, {"ts": 29696490, "body": "same"}
  ],
  "queue": [{"ts": "2026-06-18 09:31", "body": "one at a time"}],
  "auth": [{"ts": "2026-06-18 09:32", "body": "[tags: nothing]"}, {"ts": 29696490, "body": "later ` + secret + `"}]
}`
	m := open(t)
	r := ImportRequest{Format: "original-json", Data: data}
	out, err := m.Import(t.Context(), r)
	if err != nil || out != (Imported{Entries: 5, Empty: 1, Redacted: 1}) {
		t.Fatalf("%+v, %v", out, err)
	}
	read, err := m.Read(t.Context(), ReadRequest{Topic: "auth"})
	if err != nil || len(read.Items) != 4 {
		t.Fatalf("%+v, %v", read, err)
	}
	first := read.Items[0]
	if !first.Created.Equal(time.Date(2026, 6, 18, 9, 30, 0, 0, time.UTC)) || first.Text != "retries three times" ||
		first.Source != "a.go:7" || strings.Join(first.Tags, " ") != "retry client" {
		t.Errorf("first %+v", first)
	}
	again, err := m.Import(t.Context(), r)
	if err != nil || again.Entries != 0 || again.Same != 5 {
		t.Errorf("again: %+v, %v", again, err)
	}
}

// More than one chunk, and an import that another writer gets in the way of.
func TestImportManyWhileOthersWrite(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "kb")
	m, other := openIn(t, dir), openIn(t, dir)
	var data strings.Builder
	n := importChunk + 100
	for i := range n {
		fmt.Fprintf(&data, `{"id":"id-%d","topic":"t","created":"2026-06-18T09:00:00Z","text":"number %d"}`+"\n", i, i)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		for {
			if _, err := other.log.Append(ctx, log.Change(entry.Change{ID: "id-1", Accessed: 1})); err != nil {
				done <- nil
				return
			}
			if _, err := other.Store(ctx, StoreRequest{Topic: "mine", Text: "meanwhile", Force: true}); err != nil {
				if ctx.Err() != nil {
					err = nil
				}
				done <- err
				return
			}
		}
	}()
	progress := 0
	telling := WithProgress(t.Context(), func(done, total int) {
		if done <= progress || total != n {
			t.Errorf("%d of %d after %d", done, total, progress)
		}
		progress = done
	})
	out, err := m.Import(telling, ImportRequest{Data: data.String()})
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err != nil || out.Entries != n || progress != n {
		t.Fatalf("%+v, %v, progress %d", out, err, progress)
	}
	found := 0
	for id := range entries(t, dir) {
		if strings.HasPrefix(id, "id-") {
			found++
		}
	}
	if found != n {
		t.Errorf("%d entries, want %d", found, n)
	}
}

// TestLongImport: an export that is read in pieces is read as a whole, says the right
// line, and is in the index when the import is done.
func TestLongImport(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	const n = indexEvery + 2000
	for i := range n {
		fmt.Fprintf(&b, `{"topic":"t%d","text":"entry number %d, %s"}`+"\n", i%7, i, strings.Repeat("x", 200))
		if i%1000 == 0 {
			b.WriteByte('\n')
		}
	}
	whole, line := "", 1
	if err := readPieces(iotest.HalfReader(strings.NewReader("\ufeff"+b.String())), func(p piece) bool {
		if p.line != line || p.text == "" || len(whole) > 0 && whole[len(whole)-1] != '\n' {
			t.Fatalf("a piece begins on line %d, want %d", p.line, line)
		}
		line += strings.Count(p.text, "\n")
		whole += p.text
		return true
	}); err != nil || whole != b.String() {
		t.Fatal("the pieces are not the whole", err)
	}
	m := open(t)
	out, err := m.Import(t.Context(), ImportRequest{Data: b.String()})
	if err != nil || out.Entries != n {
		t.Fatalf("%+v, %v", out, err)
	}
	if behind := mustView(t, m).Behind(); behind != 0 {
		t.Errorf("the index lacks %d entries", behind)
	}
	bad := b.String() + "{\"topic\":1}\n"
	if _, err := m.Import(t.Context(), ImportRequest{Data: bad}); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("line %d", strings.Count(bad, "\n"))) {
		t.Errorf("%v", err)
	}
}
