package kb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"helix/internal/kb/entry"
	"helix/internal/kb/index"
	"helix/internal/kb/log"
)

func TestSpool(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		s := spool{dir: dir, most: rapid.IntRange(1, 4000).Draw(t, "most")}
		defer s.close()
		var want []spooled
		var places []int64
		for range rapid.IntRange(0, 9).Draw(t, "entries") {
			r := spooled{
				line: rapid.IntRange(1, 1<<40).Draw(t, "line"), id: rapid.StringN(0, entry.MaxID, entry.MaxID).Draw(t, "id"),
				named: rapid.Bool().Draw(t, "named"), created: rapid.Int64().Draw(t, "created"),
				topic: rapid.StringN(0, -1, entry.MaxTopic).Draw(t, "topic"),
				body:  strings.Repeat(rapid.String().Draw(t, "body"), rapid.SampledFrom([]int{1, 100}).Draw(t, "times")),
			}
			want, places = append(want, r), append(places, s.size())
			if err := s.write(r.append(nil)); err != nil {
				t.Fatal(err)
			}
		}
		from := 0
		if len(want) > 0 {
			from = rapid.IntRange(0, len(want)-1).Draw(t, "from")
		}
		at := append(places, s.size())[from]
		r := s.reader(at, rapid.SampledFrom([]int{16, spoolTogether}).Draw(t, "together"))
		for i, w := range want[from:] {
			got, err := r.next()
			if err != nil || got != w || r.at != append(places, s.size())[from+i+1] {
				t.Fatalf("entry %d: line %d, want %d, at %d, %v", from+i, got.line, w.line, r.at, err)
			}
		}
		if _, err := r.next(); !errors.Is(err, io.EOF) {
			t.Fatalf("behind the last one: %v", err)
		}
	})
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("files are left: %v, %v", left, err)
	}
}

// TestGatherTwice: what comes twice is found also when it lies in the file of the spool,
// and when two ids have one hash.
func TestGatherTwice(t *testing.T) {
	t.Parallel()
	m := openIn(t, t.TempDir())
	line := func(i int, text string) string {
		return fmt.Sprintf(`{"id":"id-%d","topic":"t","created":"2026-06-18T09:00:00Z","text":"%s"}`+"\n", i, text)
	}
	var b strings.Builder
	long := strings.Repeat("x", spoolMemory/6)
	for i := range 10 {
		b.WriteString(line(i, long))
	}
	p, err := gathered(m, ImportRequest{Data: b.String() + b.String()})
	if err != nil || len(p.entries) != 10 || p.entries[9].entry.ID != "id-9" {
		t.Fatalf("%v", err)
	}
	_, err = m.Import(t.Context(), ImportRequest{Data: b.String() + line(2, "other")})
	checkRefusal(t, err, ErrRefused, "line 11: the id id-2 is also on line 3, with other content")
	if left, err := os.ReadDir(m.Dir()); err != nil || len(left) > 0 {
		t.Errorf("files are left: %v, %v", left, err)
	}

	s := &shipment{spool: spool{most: spoolMemory}, first: map[uint64]int64{}, odd: map[string]int64{}}
	for i, want := range []string{"", "", "a", "b"} {
		id := string("abab"[i])
		s.first[index.HashID("b")] = 0 // as if the hashes were one
		before, err := s.before(id)
		if err != nil || before == nil != (want == "") || before != nil && before.id != want {
			t.Fatalf("%d: %v, %v", i, before, err)
		}
		if before == nil {
			r := spooled{line: i, id: id, topic: "t", body: "x"}
			if err := s.spool.write(r.append(nil)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestGatherEnds: an import whose input does not come ends when it is told to, and at once
// with what is wrong in what has come.
func TestGatherEnds(t *testing.T) {
	t.Parallel()
	m := openIn(t, t.TempDir())
	for _, format := range []string{"jsonl", "markdown"} {
		in, out := io.Pipe()
		defer out.Close()
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			fmt.Fprintln(out, `{"topic":"t","text":"x"}`)
			cancel()
		}()
		if _, err := m.Import(ctx, ImportRequest{Format: format, Reader: in}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", format, err)
		}
	}
	in, out := io.Pipe()
	defer out.Close()
	go func() {
		fmt.Fprint(out, strings.Repeat("\n", pieceBytes-1)+"{")
		fmt.Fprint(out, "\n"+strings.Repeat(" ", pieceBytes))
	}()
	_, err := m.Import(t.Context(), ImportRequest{Reader: in})
	checkRefusal(t, err, ErrRefused, fmt.Sprintf("line %d: the JSON value ends too early", pieceBytes))
	if left, err := os.ReadDir(m.Dir()); err != nil || len(left) > 0 {
		t.Errorf("files are left: %v, %v", left, err)
	}
}

// TestNewIDs: entries that are alike get different ids, the same as ever.
func TestNewIDs(t *testing.T) {
	t.Parallel()
	e := entry.New("t", "said often", newClock().Now())
	r := spoolOf(1, &e)
	want, got := map[string]bool{}, map[string]bool{}
	for range 11 {
		want[entry.NewID(&e, func(id string) bool { return want[id] })] = true
		id, err := r.newID(func(id string) bool { return got[id] })
		if err != nil {
			t.Fatal(err)
		}
		got[id] = true
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// asImporter has TestImportKilled import a file as another process.
const asImporter = "HELIX_TEST_IMPORT"

// TestImportKilled kills an import at moments spread over its work, and does it again.
func TestImportKilled(t *testing.T) {
	t.Parallel()
	if where := os.Getenv(asImporter); where != "" {
		dir, file, _ := strings.Cut(where, "\n")
		in, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		m := Open(dir)
		if _, err := m.Import(t.Context(), ImportRequest{Reader: in}); err != nil {
			t.Error(err)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
		return
	}
	if testing.Short() {
		t.Skip("starts processes")
	}
	const n = 3 * indexEvery
	var b strings.Builder
	for i := range n {
		id := ""
		if i%3 == 0 {
			id = fmt.Sprintf(`"id":"id-%d",`, i)
		}
		fmt.Fprintf(&b, `{%s"topic":"t%d","created":"2026-06-18T09:00:00Z","text":"entry number %d, %s"}`+"\n", id, i%7, i, strings.Repeat("x", 200))
	}
	base := t.TempDir()
	file := filepath.Join(base, "entries.jsonl")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(base, "kb")
	for i := range 10 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestImportKilled$")
		cmd.Env = append(os.Environ(), asImporter+"="+dir+"\n"+file)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(i) * 60 * time.Millisecond) // the moment is what varies; nothing waits for it
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if i%3 == 0 {
			continue
		}
		v := mustView(t, openIn(t, dir))
		if got := v.Len(); got > n {
			t.Fatalf("%d entries of %d", got, n)
		}
	}
	m := openIn(t, dir)
	in, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := m.Import(t.Context(), ImportRequest{Reader: in})
	if err != nil || out.Entries+out.Same != n {
		t.Fatalf("%+v, %v", out, err)
	}
	texts := map[string]bool{}
	all := entries(t, dir)
	for id, e := range all {
		texts[e.Text] = true
		if strings.HasPrefix(id, "id-") != strings.HasPrefix(e.Text, "entry number "+strings.TrimPrefix(id, "id-")+",") {
			t.Fatalf("%s is %q", id, cut(e.Text, 40))
		}
	}
	if len(all) != n || len(texts) != n {
		t.Errorf("%d entries with %d texts, want %d", len(all), len(texts), n)
	}
	v := mustView(t, m)
	if v.Len() != n || v.Behind() > 0 || v.VerifyIndex() != nil {
		t.Errorf("the index has %d, lacks %d, %v", v.Len(), v.Behind(), v.VerifyIndex())
	}
	if left, err := filepath.Glob(filepath.Join(dir, "import-*")); err != nil || len(left) > 0 {
		t.Errorf("files are left: %v, %v", left, err)
	}
}

// TestImportIDTakenMeanwhile: another writer takes the id that an entry would have got,
// after the import has seen that it was free.
func TestImportIDTakenMeanwhile(t *testing.T) {
	t.Parallel()
	for _, before := range []int{0, 1} { // entries in the memory
		dir := filepath.Join(t.TempDir(), "kb")
		m, other := openIn(t, dir), openIn(t, dir)
		for range before {
			mustStore(t, m, "earlier", "was there")
		}
		created := newClock().Now()
		last := entry.New("t", "the last one", created)
		theirs := entry.New("mine", "meanwhile", created)
		theirs.ID = entry.ShortID(entry.IDName(&last))
		var b strings.Builder
		for i := range importChunk {
			fmt.Fprintf(&b, `{"id":"id-%d","topic":"t","text":"x"}`+"\n", i)
		}
		fmt.Fprintf(&b, `{"topic":"t","text":"the last one","created":%q}`+"\n", created.Format(time.RFC3339))
		wrote := false
		telling := WithProgress(t.Context(), func(int, int) {
			if !wrote {
				wrote = true
				if _, err := other.log.Append(t.Context(), log.Put(theirs)); err != nil {
					t.Error(err)
				}
			}
		})
		if _, err := m.Import(telling, ImportRequest{Data: b.String()}); err != nil {
			t.Fatal(err)
		}
		all := entries(t, dir)
		if len(all) != before+importChunk+2 || all[theirs.ID].Text != "meanwhile" {
			t.Errorf("%d entries, %q is theirs", len(all), all[theirs.ID].Text)
		}
	}
}

// TestImportIDGivenElsewhere: an entry without an id does not get that which another of
// the same import came with, however far away it is.
func TestImportIDGivenElsewhere(t *testing.T) {
	t.Parallel()
	created := newClock().Now()
	e := entry.New("t", "the same text", created)
	id := entry.ShortID(entry.IDName(&e))
	line := func(id, tag string) string {
		return fmt.Sprintf(`{%s"topic":"t","text":"the same text","created":%q,"tags":[%q]}`+"\n", id, created.Format(time.RFC3339), tag)
	}
	with, without := line(fmt.Sprintf(`"id":%q,`, id), "with"), line("", "without")
	var b strings.Builder
	for i := range importChunk {
		fmt.Fprintf(&b, `{"id":"id-%d","topic":"t","text":"x"}`+"\n", i)
	}
	for name, data := range map[string]string{
		"after": with + b.String() + without, "before": without + b.String() + with, "beside": without + with + b.String(),
	} {
		dir := t.TempDir()
		for round, want := range []int{importChunk + 2, 0} {
			out, err := openIn(t, dir).Import(t.Context(), ImportRequest{Data: data})
			if err != nil || out.Entries != want {
				t.Fatalf("%s, round %d: %+v, %v", name, round, out, err)
			}
			all := entries(t, dir)
			if len(all) != importChunk+2 || all[id].Tags[0] != "with" {
				t.Errorf("%s, round %d: %d entries, %v has the id", name, round, len(all), all[id].Tags)
			}
		}
	}
}
