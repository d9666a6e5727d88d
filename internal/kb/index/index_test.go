package index

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"helix/internal/kb/crc"
	"helix/internal/kb/entry"

	"pgregory.net/rapid"
)

var epoch = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// world is what an index should be equal to: the entries that are alive.
type world struct {
	docs map[string]Doc
	next int64
}

func genEntry(t *rapid.T, id string) *entry.Entry {
	word := rapid.SampledFrom([]string{"cache", "caching", "cached", "retry", "token", "HTTPServer", "get_file_name", "the", "of", "é", "日本語", "zebra", "q9"})
	e := entry.New(rapid.SampledFrom([]string{"auth", "auth/login", "build", "cache"}).Draw(t, "topic"),
		strings.Join(rapid.SliceOfN(word, 1, 12).Draw(t, "text"), " "),
		epoch.Add(time.Duration(rapid.IntRange(0, 200).Draw(t, "hour"))*time.Hour))
	e.ID = id
	e.Tags = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"gotcha", "decision", "api"}), 0, 2, rapid.ID[string]).Draw(t, "tags")
	e.Confidence = float64(rapid.IntRange(0, 4).Draw(t, "conf")) / 4
	e.Kind = rapid.SampledFrom([]entry.Kind{entry.Fact, entry.Decision}).Draw(t, "kind")
	if rapid.Bool().Draw(t, "sourced") {
		e.Source.Path = rapid.SampledFrom([]string{"src/cache.go", "cache.go", "src/auth/auth.go"}).Draw(t, "source")
	}
	switch rapid.IntRange(0, 7).Draw(t, "life") {
	case 0:
		e.DeletedAt = epoch
	case 1:
		e.ExpiresAt = epoch.Add(time.Duration(rapid.IntRange(0, 300).Draw(t, "expires")) * time.Hour)
	case 2:
		e.Helped = rapid.IntRange(0, 9).Draw(t, "helped")
	}
	return &e
}

// score is the score of a document by the formulas of score.go, computed from the
// entry alone. df and the lengths are those of the index, which counts deleted
// documents until they are merged away.
func (w *world) score(s *Snapshot, d Doc, words []string, now time.Time) (score float32, all bool) {
	b := NewBuilder()
	b.Add(d)
	seg, err := Load(b.Segment())
	if err != nil {
		panic(err)
	}
	weigh := newWeigher(average(s.words, s.docs))
	freq := func(key string) float32 {
		t, ok := seg.lookup(key)
		if !ok {
			return 0
		}
		var p postings
		p.open(seg, t)
		p.seek(0)
		return weigh.freq(p.code(), p.length())
	}
	all = true
	for _, word := range words {
		stem, plain := wordKeys(word)
		if stem == "" {
			stem, plain = plain, ""
		}
		tf := freq(stem)
		all = all && tf > 0
		score += idf(s.docs, s.frequency(stem)) * saturate(tf)
		if plain != "" {
			score += bonus * idf(s.docs, s.frequency(plain)) * saturate(freq(plain))
		}
	}
	return score * quality(getNorm(seg.norm(0)), int(dayOf(now.UnixMilli())), new(fades)), all
}

func (w *world) search(s *Snapshot, words []string, and bool, pass func(*entry.Entry) bool, now time.Time) []string {
	type hit struct {
		id      string
		score   float32
		created time.Time
	}
	var hits []hit
	for id, d := range w.docs {
		score, all := w.score(s, d, words, now)
		if d.Entry.Active(now) && pass(d.Entry) && (and && all || !and && score > 0 || len(words) == 0) {
			hits = append(hits, hit{id, score, d.Entry.Created})
		}
	}
	slices.SortFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.score, a.score), b.created.Compare(a.created), cmp.Compare(w.docs[b.id].Offset, w.docs[a.id].Offset))
	})
	var out []string
	for _, h := range hits {
		out = append(out, fmt.Sprintf("%s %.3f", h.id, h.score))
	}
	return out
}

func (w *world) ids(s *Snapshot, hits []Hit) []string {
	names := map[uint64]string{}
	for id := range w.docs {
		names[HashID(id)] = id
	}
	var out []string
	for _, h := range hits {
		out = append(out, fmt.Sprintf("%s %.3f", names[s.Place(h.Ref).ID], h.Score))
	}
	return out
}

// TestModel writes, replaces and deletes at random, merges at random, and compares
// every kind of question with the answer worked out from the entries themselves.
func TestModel(t *testing.T) {
	t.Parallel()
	dirs := 0
	base := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		dirs++
		dir := fmt.Sprintf("%s/%d", base, dirs)
		w := &world{docs: map[string]Doc{}}
		wr, err := OpenWriter(context.Background(), dir, false)
		if err != nil {
			t.Fatal(err)
		}
		wr.small = rapid.SampledFrom([]int{1, 4, defaultSmall}).Draw(t, "small")
		steps := rapid.IntRange(1, 12).Draw(t, "steps")
		for range steps {
			segments, gone := w.segments(t)
			if err := wr.AddAll(segments, gone, fmt.Sprint(w.next)); err != nil {
				t.Fatal(err)
			}
			if n := rapid.IntRange(0, 7).Draw(t, "merge"); n < 2 {
				if _, err := wr.merge(context.Background(), 1<<30, []int{fanOut, 2}[n]); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := wr.Close(); err != nil {
			t.Fatal(err)
		}
		// 0 and 1: mapped, and read sparsely.
		s, err := open(dir, nil, rapid.Int64Range(0, 1).Draw(t, "sparse"))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if s.Watermark() != fmt.Sprint(w.next) {
			t.Fatalf("watermark %q, want %d", s.Watermark(), w.next)
		}
		w.check(t, s)

		b, gone := w.batch(t)
		tail, err := Load(b.Segment())
		if err != nil {
			t.Fatal(err)
		}
		w.check(t, s.With(tail, gone))
	})
}

// TestReset: a builder that made other segments before makes the same one as a new one.
func TestReset(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		used := NewBuilder()
		for range rapid.IntRange(1, 4).Draw(t, "segments") {
			used.Reset()
			fresh := NewBuilder()
			for n := range rapid.IntRange(0, 12).Draw(t, "documents") {
				d := Doc{Entry: genEntry(t, fmt.Sprintf("mem_%d", n)), Offset: int64(n)}
				used.Add(d)
				fresh.Add(d)
			}
			if !bytes.Equal(used.Segment(), fresh.Segment()) {
				t.Fatal("the segments differ")
			}
		}
	})
}

// segments makes up to three segments of different documents, as AddAll wants them.
func (w *world) segments(t *rapid.T) (segments [][]byte, gone map[uint64]struct{}) {
	gone = map[uint64]struct{}{}
	builders := []*Builder{NewBuilder(), NewBuilder(), NewBuilder()}
	w.draw(t, gone, func(d Doc) { rapid.SampledFrom(builders).Draw(t, "builder").Add(d) })
	for _, b := range builders {
		segments = append(segments, b.Segment())
	}
	return segments, gone
}

// batch makes a segment and a set of deleted ids, and applies both to the world.
func (w *world) batch(t *rapid.T) (*Builder, map[uint64]struct{}) {
	b, gone := NewBuilder(), map[uint64]struct{}{}
	w.draw(t, gone, b.Add)
	return b, gone
}

// draw makes documents and deletes some.
func (w *world) draw(t *rapid.T, gone map[uint64]struct{}, add func(Doc)) {
	ids := rapid.SliceOfNDistinct(rapid.IntRange(0, 60), 0, 30, rapid.ID[int]).Draw(t, "ids")
	for _, n := range ids {
		id := fmt.Sprintf("mem_%d", n)
		gone[HashID(id)] = struct{}{}
		if rapid.IntRange(0, 5).Draw(t, "delete") == 0 {
			delete(w.docs, id)
			continue
		}
		w.next++
		d := Doc{Entry: genEntry(t, id), Offset: w.next}
		if rapid.Bool().Draw(t, "changed") {
			d.Change = "change of " + id
		}
		w.docs[id] = d
		add(d)
	}
}

func (w *world) check(t *rapid.T, s *Snapshot) {
	now := epoch.Add(250 * time.Hour)
	if err := Guard(func() error {
		w.checkPlaces(t, s)
		w.checkSearch(t, s, now)
		w.checkLists(t, s, now)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

func (w *world) checkPlaces(t *rapid.T, s *Snapshot) {
	if s.Docs() != len(w.docs) {
		t.Fatalf("%d documents, want %d", s.Docs(), len(w.docs))
	}
	for n := range 61 {
		id := fmt.Sprintf("mem_%d", n)
		d, want := w.docs[id]
		ref, ok := s.Find(id)
		if ok != want {
			t.Fatalf("find %s: %v, want %v", id, ok, want)
		}
		if !ok {
			continue
		}
		p := s.Place(ref)
		if p.Offset != d.Offset || p.Change != d.Change || !p.Created.Equal(d.Entry.Created) || s.Topic(ref) != d.Entry.Topic {
			t.Fatalf("%s is at %+v in %s, want offset %d", id, p, s.Topic(ref), d.Offset)
		}
	}
}

func (w *world) checkSearch(t *rapid.T, s *Snapshot, now time.Time) {
	words := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"cache", "caching", "retry", "http", "httpserver", "file", "the", "日本", "zebra", "auth", "gotcha", "nothing"}), 0, 4, rapid.ID[string]).Draw(t, "words")
	q := &Query{Limit: rapid.IntRange(1, 70).Draw(t, "limit"), Filter: Filter{Now: now}}
	and := rapid.Bool().Draw(t, "and")
	for _, word := range words {
		if and {
			q.Must = append(q.Must, Word{Text: word})
		} else {
			q.Should = append(q.Should, Word{Text: word})
		}
	}
	pass := w.drawFilter(t, q)
	want := w.search(s, words, and, pass, now)
	got := w.ids(s, s.Search(q))
	if len(words) == 0 { // scores are all 0: only the order by time counts
		for i := range want {
			want[i], _, _ = strings.Cut(want[i], " ")
		}
		for i := range got {
			got[i], _, _ = strings.Cut(got[i], " ")
		}
	}
	if more := want[:min(len(want), q.Limit)]; !slices.Equal(got, more) {
		t.Fatalf("%v and=%v limit %d filter %+v:\n got %q\nwant %q", words, and, q.Limit, q.Filter, got, more)
	}
	n := 0
	s.Each(q, func(Ref) bool { n++; return true })
	if n != len(want) {
		t.Fatalf("%v: each gives %d, want %d", words, n, len(want))
	}
	newest := s.Newest(q.Limit, &q.Filter)
	plain := w.search(s, nil, false, pass, now)
	slices.SortFunc(plain, func(a, b string) int { return w.newer(a, b) })
	for i := range newest {
		id, _, _ := strings.Cut(plain[i], " ")
		if s.Place(newest[i]).ID != HashID(id) {
			t.Fatalf("newest %d is not %s", i, id)
		}
	}
	if len(newest) != min(q.Limit, len(plain)) {
		t.Fatalf("newest gives %d of %d", len(newest), len(plain))
	}
}

func (w *world) newer(a, b string) int {
	a, _, _ = strings.Cut(a, " ")
	b, _, _ = strings.Cut(b, " ")
	return cmp.Or(w.docs[b].Entry.Created.Compare(w.docs[a].Entry.Created), cmp.Compare(w.docs[b].Offset, w.docs[a].Offset))
}

func (w *world) drawFilter(t *rapid.T, q *Query) func(*entry.Entry) bool {
	f := &q.Filter
	switch rapid.IntRange(0, 6).Draw(t, "filter") {
	case 0:
		f.Require = [][]string{{TopicKey("auth"), TopicKey("build")}}
		return func(e *entry.Entry) bool { return e.Topic == "auth" || e.Topic == "build" }
	case 1:
		f.Require = [][]string{{TagKey("Gotcha")}}
		return func(e *entry.Entry) bool { return slices.Contains(e.Tags, "gotcha") }
	case 2:
		f.Exclude = []string{TagKey("api")}
		return func(e *entry.Entry) bool { return !slices.Contains(e.Tags, "api") }
	case 3:
		f.Kind = entry.Decision
		return func(e *entry.Entry) bool { return e.Kind == entry.Decision }
	case 4:
		f.Since, f.Until = epoch.Add(20*time.Hour), epoch.Add(100*time.Hour)
		return func(e *entry.Entry) bool { return !e.Created.Before(f.Since) && e.Created.Before(f.Until) }
	case 5:
		q.Accept = func(Ref) bool { return true }
		f.Require = [][]string{{SourceKey("src/cache.go")}}
		return func(e *entry.Entry) bool { return e.Source.Path == "src/cache.go" }
	}
	return func(*entry.Entry) bool { return true }
}

func (w *world) checkLists(t *rapid.T, s *Snapshot, now time.Time) {
	topics, tags, sources, active := map[string]int{}, map[string]int{}, map[string]int{}, 0
	for _, d := range w.docs {
		if !d.Entry.Active(now) {
			continue
		}
		active++
		topics[d.Entry.Topic]++
		for _, tag := range d.Entry.Tags {
			tags[tag]++
		}
		if p := d.Entry.Source.Path; p != "" {
			sources[p]++
		}
	}
	if n := s.Active(now); n != active {
		t.Fatalf("%d active, want %d", n, active)
	}
	got := map[string]int{}
	list := s.Topics(now)
	for _, tp := range list {
		got[tp.Name] = tp.Docs
	}
	slices.SortStableFunc(list, func(a, b Topic) int { return cmp.Compare(b.Docs, a.Docs) })
	for n := range 4 {
		top, all := s.TopTopics(n, now)
		var want []Count
		for _, tp := range list[:min(n, len(list))] {
			want = append(want, Count{tp.Name, tp.Docs})
		}
		if all != len(list) || !slices.Equal(top, want) {
			t.Fatalf("top %d of %d: %v, want %v", n, all, top, want)
		}
	}
	same(t, "topics", got, topics)
	same(t, "tags", counted(s.Tags(now)), tags)
	same(t, "sources", counted(s.Sources(now)), sources)
}

func counted(cs []Count) map[string]int {
	out := map[string]int{}
	for _, c := range cs {
		out[c.Name] = c.Docs
	}
	return out
}

func same(t *rapid.T, what string, got, want map[string]int) {
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("%s %v, want %v", what, got, want)
	}
}

// TestLongLists compares block-max search with going through everything, on lists
// of many blocks, where skipping matters.
func TestLongLists(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	dir := t.TempDir()
	wr, err := OpenWriter(context.Background(), dir, false)
	if err != nil {
		t.Fatal(err)
	}
	defer wr.Close()
	const n = 6000
	vocab := make([]string, 300)
	for i := range vocab {
		vocab[i] = fmt.Sprintf("w%dx", i)
	}
	b := NewBuilder()
	texts := map[uint64][]string{} // by HashID
	for i := range n {
		var words []string
		for range 1 + rng.IntN(40) {
			words = append(words, vocab[int(math.Pow(rng.Float64(), 3)*float64(len(vocab)))])
		}
		e := entry.New("t", strings.Join(words, " "), epoch.Add(time.Duration(rng.IntN(5000))*time.Hour))
		e.ID = fmt.Sprintf("mem_%d", i)
		if i%50 == 0 {
			e.Tags = []string{words[0]}
		}
		texts[HashID(e.ID)] = words
		b.Add(Doc{Entry: &e, Offset: int64(i)})
		if len(b.metas) == 2500 || i == n-1 {
			if err := wr.Add(b.Segment(), nil, "m"); err != nil {
				t.Fatal(err)
			}
			b = NewBuilder()
		}
	}
	s := wr.Snapshot()
	sparse, err := open(dir, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer sparse.Close()
	for round := range 300 {
		q := &Query{Limit: 1 + rng.IntN(30), Filter: Filter{Now: epoch}}
		for range 1 + rng.IntN(5) {
			w := Word{Text: vocab[int(math.Pow(rng.Float64(), 2)*float64(len(vocab)))]}
			if round%2 == 0 {
				q.Should = append(q.Should, w)
			} else {
				q.Must = append(q.Must, w)
			}
			if round%5 == 0 {
				q.Should = append(q.Should, Word{Text: vocab[rng.IntN(len(vocab))], Weight: 0.5})
			}
		}
		full := *q
		full.Limit = n
		want := s.Search(&full)
		got := s.Search(q)
		if !slices.Equal(got, want[:min(len(want), q.Limit)]) {
			t.Fatalf("round %d: %v\n got %v\nwant %v", round, q, got, want[:min(len(want), q.Limit)])
		}
		lean := *q
		lean.Filter.Budget = 200
		if !slices.Equal(sparse.Search(q), got) {
			t.Fatalf("round %d: read sparsely it gives something else", round)
		}
		scores := map[Ref]float32{}
		for _, h := range want {
			scores[h.Ref] = h.Score
		}
		found := s.Search(&lean)
		if !slices.Equal(sparse.Search(&lean), found) {
			t.Fatalf("round %d: read sparsely it gives something else within a budget", round)
		}
		if len(want) > 0 && len(found) == 0 && round%2 == 0 {
			t.Fatalf("round %d: nothing found within a budget, %d without", round, len(want))
		}
		for _, h := range found {
			if scores[h.Ref] != h.Score {
				t.Fatalf("round %d: within a budget %v scores %v, else %v", round, h.Ref, h.Score, scores[h.Ref])
			}
		}
		lean.Telling, full.Telling = true, true
		telling := slices.DeleteFunc(slices.Clone(want), func(h Hit) bool { return !tells(s, h.Ref, q, texts) })
		if got := s.Search(&full); !slices.Equal(got, telling) {
			t.Fatalf("round %d: %d tell, want %d", round, len(got), len(telling))
		}
		for _, h := range s.Search(&lean) {
			if !tells(s, h.Ref, q, texts) || scores[h.Ref] != h.Score {
				t.Fatalf("round %d: within a budget %v tells nothing", round, h.Ref)
			}
		}
		lean.Telling = false
		lean.Filter.Budget = 1 << 30
		if !slices.Equal(s.Search(&lean), got) {
			t.Fatalf("round %d: a large budget changes the result", round)
		}
		total := 0
		s.Each(q, func(Ref) bool { total++; return true })
		if total != len(want) {
			t.Fatalf("round %d: each gives %d, search %d", round, total, len(want))
		}
	}
}

// TestUntagged: the hash table of a segment that an older program wrote has no tags.
func TestUntagged(t *testing.T) {
	t.Parallel()
	data := smallSegment(200)
	tagged, err := Load(data)
	if err != nil {
		t.Fatal(err)
	}
	old := slices.Clone(data)
	old[17] = 0
	table := old[tagged.head.off[secHash]:][:tagged.head.len[secHash]]
	for i := 0; i < len(table); i += 4 {
		table[i+3] = 0
	}
	sealHeader(old)
	plain, err := Load(old)
	if err != nil {
		t.Fatal(err)
	}
	for i := range tagged.terms {
		want := tagged.term(i)
		key := string(tagged.key(&want))
		for name, s := range map[string]*Segment{"tagged": tagged, "untagged": plain} {
			if got, ok := s.lookup(key); !ok || got != want {
				t.Errorf("%s: %q: %v, %v", name, key, got, ok)
			}
			if _, ok := s.lookup(key + "?"); ok {
				t.Errorf("%s: %q? is there", name, key)
			}
		}
	}
}

// tells is Query.Telling, by the texts.
func tells(s *Snapshot, r Ref, q *Query, texts map[uint64][]string) bool {
	id := s.Place(r).ID
	tagged := s.parts[r.part].seg
	n := 0
	for _, w := range slices.Concat(q.Must, q.Should) {
		if slices.Contains(texts[id], w.Text) {
			n++
		}
		var p postings
		if t, ok := tagged.lookup(TagKey(w.Text)); ok {
			if p.open(tagged, t); align([]docList{&p}, r.doc) == r.doc {
				return true
			}
		}
	}
	return n > 1
}

// A file that another process cuts is damage, also where it is read and not mapped.
func TestSparseFileCutShort(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	wr, err := OpenWriter(context.Background(), dir, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(wr.Add(smallSegment(500), nil, "m"), wr.Close()); err != nil {
		t.Fatal(err)
	}
	s, err := open(dir, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := ask(s); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(dir, s.parts[0].name), headerSize); err != nil {
		t.Fatal(err)
	}
	err = Guard(func() error { s.Find("mem_1"); return nil })
	if !errors.Is(err, ErrCorrupt) {
		t.Errorf("Find in a file that was cut: %v", err)
	}
	err = Guard(func() error { s.parts[0].seg.lookup("cache"); return nil })
	if !errors.Is(err, ErrCorrupt) {
		t.Errorf("lookup in a file that was cut: %v", err)
	}
}

// sealHeader makes the checksum of a header right again.
func sealHeader(b []byte) {
	le.PutUint32(b[headerSize-4:], crc.Checksum(b[:headerSize-4]))
}

// frequency is in how many documents a key is, deleted ones too.
func (s *Snapshot) frequency(key string) (n int) {
	for _, p := range s.parts {
		if t, ok := p.seg.lookup(key); ok {
			n += int(t.docs)
		}
	}
	return n
}

// TestShared: many ask one Snapshot at the same time, and each gets what he would get
// alone.
func TestShared(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	wr, err := OpenWriter(t.Context(), dir, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{140, 300, 260} {
		if err := wr.Add(smallSegment(n), nil, "m"); err != nil {
			t.Fatal(err)
		}
	}
	if err := wr.Close(); err != nil {
		t.Fatal(err)
	}
	for _, sparse := range []int64{0, 1} {
		s, err := open(dir, nil, sparse)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		all := func(i int) (out []any) {
			f := Filter{Now: epoch, Budget: 40 * (i % 3)}
			if i%2 == 0 {
				f.Require = [][]string{{TagKey("api")}}
			}
			words := []Word{{Text: "caching"}, {Text: "retry"}, {Text: string(rune('a' + i))}}
			out = append(out, s.Newest(1+i, &f), s.Search(&Query{Should: words, Limit: 1 + i, Filter: f}),
				s.Search(&Query{Must: words[:2], Should: words[2:], Limit: 40, Filter: f, Telling: i%2 == 1}))
			n := 0
			s.Each(&Query{Must: words[2:], Filter: f}, func(Ref) bool { n++; return true })
			return append(out, n, s.Mentions(&Filter{Now: epoch}).Of([]string{"token"}))
		}
		var wg sync.WaitGroup
		got := make([][]any, 16)
		for i := range got {
			wg.Go(func() {
				if err := Guard(func() error { got[i] = all(i % 8); return nil }); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		for i := range got {
			if want := all(i % 8); !reflect.DeepEqual(got[i], want) {
				t.Errorf("sparse %d, %d:\n got %v\nwant %v", sparse, i, got[i], want)
			}
		}
	}
}

// TestLongNewest compares the newest documents with going through everything, on lists of
// many blocks, in segments that are in order and others that are not.
func TestLongNewest(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	docs, offset := map[uint64]Doc{}, int64(0)
	segment := func(n int, at time.Time, ordered bool) []byte {
		b, here := NewBuilder(), map[string]bool{}
		for range n {
			offset++
			at = at.Add(time.Duration(rng.IntN(3)*rng.IntN(5)) * time.Hour)
			if !ordered {
				at = epoch.Add(time.Duration(rng.IntN(9000)) * time.Hour)
			}
			e := entry.New([]string{"a", "b", "c"}[rng.IntN(3)], "x", at)
			if e.ID = fmt.Sprintf("mem_%d", rng.IntN(20000)); here[e.ID] {
				continue
			}
			here[e.ID] = true
			e.Tags = [][]string{{"often"}, {"often", "half"}, {"half"}, {"seldom"}}[min(rng.IntN(100), 3)]
			if rng.IntN(2) == 0 {
				e.Tags = []string{"often"}
			}
			e.Project = []string{"", "/p", "/q"}[rng.IntN(3)]
			if rng.IntN(9) == 0 {
				e.DeletedAt = at
			}
			docs[HashID(e.ID)] = Doc{Entry: &e, Offset: offset}
			b.Add(docs[HashID(e.ID)])
		}
		return b.Segment()
	}
	dir := t.TempDir()
	wr, err := OpenWriter(t.Context(), dir, false)
	if err != nil {
		t.Fatal(err)
	}
	for i, hours := range []int{0, 4000, 2000, 12000} {
		if err := wr.Add(segment(1500, epoch.Add(time.Duration(hours)*time.Hour), i != 1), nil, "m"); err != nil {
			t.Fatal(err)
		}
	}
	if err := wr.Close(); err != nil {
		t.Fatal(err)
	}
	mapped, err := open(dir, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer mapped.Close()
	sparse, err := open(dir, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer sparse.Close()
	now := epoch.Add(20000 * time.Hour)
	for round := range 300 {
		f := Filter{Now: now, Hidden: rng.IntN(5) == 0, For: []string{"", "/p", NoProject}[rng.IntN(3)]}
		tags := [][]string{nil, {"often"}, {"half"}, {"seldom"}, {"half", "seldom"}}[rng.IntN(5)]
		if tags != nil {
			f.Require = append(f.Require, nil)
			for _, tag := range tags {
				f.Require[0] = append(f.Require[0], TagKey(tag))
			}
		}
		topic := []string{"", "", "a"}[rng.IntN(3)]
		if topic != "" {
			f.Require = append(f.Require, []string{TopicKey(topic)})
		}
		without := []string{"", "", "b"}[rng.IntN(3)]
		if without != "" {
			f.Exclude = []string{TopicKey(without)}
		}
		if rng.IntN(4) == 0 {
			f.Until = epoch.Add(time.Duration(rng.IntN(9000)) * time.Hour)
		}
		var all []Doc
		for _, d := range docs {
			e := d.Entry
			if (f.Hidden || e.Active(now)) && (f.For == "" || e.Project == "" || e.Project == f.For) &&
				(tags == nil || slices.ContainsFunc(tags, func(tag string) bool { return slices.Contains(e.Tags, tag) })) &&
				(topic == "" || e.Topic == topic) && (without == "" || e.Topic != without) && (f.Until.IsZero() || e.Created.Before(f.Until)) {
				all = append(all, d)
			}
		}
		slices.SortFunc(all, func(a, b Doc) int {
			return cmp.Or(b.Entry.Created.Compare(a.Entry.Created), cmp.Compare(b.Offset, a.Offset))
		})
		n := 1 + rng.IntN(40)
		for range rng.IntN(3) {
			if len(all) > 0 {
				i := rng.IntN(min(n, len(all)))
				ref, ok := mapped.Find(all[i].Entry.ID)
				if !ok {
					t.Fatalf("%s is not there", all[i].Entry.ID)
				}
				f.Except = append(f.Except, ref)
				all = slices.Delete(all, i, i+1)
			}
		}
		want := all[:min(n, len(all))]
		for name, s := range map[string]*Snapshot{"mapped": mapped, "sparse": sparse} {
			got := s.Newest(n, &f)
			if len(got) != len(want) {
				t.Fatalf("%s, round %d: %d, want %d", name, round, len(got), len(want))
			}
			for i, ref := range got {
				if s.Place(ref).ID != HashID(want[i].Entry.ID) {
					t.Fatalf("%s, round %d: %d of %d is not %s", name, round, i, len(got), want[i].Entry.ID)
				}
			}
		}
	}
}
