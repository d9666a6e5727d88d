package log

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"helix/internal/kb/entry"
)

// history remembers what was written and what of it was acknowledged, to judge
// what is there after a crash.
type history struct {
	seq    int
	writes map[string][]write // by id, in the order of writing
	groups []group
}

// write is one state of an id: its text, or gone.
type write struct {
	text  string
	gone  bool
	acked bool
}

// group is a batch: id to text.
type group struct {
	texts map[string]string
	acked bool
}

func newHistory() *history { return &history{writes: map[string][]write{}} }

// next gives a text that was never written before.
func (h *history) next() string {
	h.seq++
	return fmt.Sprintf("text %d %s", h.seq, strings.Repeat("x", h.seq%7*100))
}

// note records a write; the result marks it as acknowledged.
func (h *history) note(id, text string, gone bool) func() {
	h.writes[id] = append(h.writes[id], write{text: text, gone: gone})
	i := len(h.writes[id]) - 1
	return func() { h.writes[id][i].acked = true }
}

// check compares the live entries with the history: each id is in the state of
// its last acknowledged write or a later one, and a batch is there as a whole or
// not at all.
func (h *history) check(t failer, got map[string]string) {
	t.Helper()
	for id := range got {
		if h.writes[id] == nil {
			t.Fatalf("%s was never written", id)
		}
	}
	for id, writes := range h.writes {
		first := 0
		for i, w := range writes {
			if w.acked {
				first = i
			}
		}
		text, there := got[id]
		ok := !there && !writes[first].acked // nothing acknowledged at all
		for _, w := range writes[first:] {
			ok = ok || w.gone == !there && (w.gone || w.text == text)
		}
		if !ok {
			t.Fatalf("%s is %.10q (%v), which is none of %.10v", id, text, there, writes[first:])
		}
	}
	for _, g := range h.groups {
		var in, out []string
		for id, text := range g.texts {
			if h.lastText(id) != text {
				continue // written again later
			}
			if got[id] == text {
				in = append(in, id)
			} else {
				out = append(out, id)
			}
		}
		if len(in) > 0 && len(out) > 0 {
			t.Fatalf("half of a batch: %v are there, %v are not", in, out)
		}
	}
}

func (h *history) lastText(id string) string {
	w := h.writes[id]
	return w[len(w)-1].text
}

// settle forgets what can no longer come to be: after a restart, what is there
// now is what counts.
func (h *history) settle(got map[string]string) {
	for id := range h.writes {
		text, there := got[id]
		h.writes[id] = []write{{text: text, gone: !there, acked: true}}
	}
	h.groups = nil
}

// failer is what rapid.T and testing.T share.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// liveOf reads the live entries through a view.
func liveOf(t failer, r *Reader) map[string]string {
	t.Helper()
	got := map[string]string{}
	_, err := r.Entries(func(e entry.Entry, _ int64) error {
		got[e.ID] = e.Text
		return nil
	})
	if err != nil {
		t.Fatalf("read the entries: %v", err)
	}
	return got
}

// view is what an index would be: texts up to a watermark.
type view struct {
	texts map[string]string
	upTo  Pos
}

// follow applies the records behind the watermark.
func (v *view) follow(t failer, r *Reader) {
	t.Helper()
	scanned, err := r.Scan(v.upTo, func(rec *Record) error {
		id, err := rec.ID()
		if err != nil {
			return err
		}
		switch rec.Type {
		case TypeEntry:
			e, err := rec.Entry()
			if err != nil {
				return err
			}
			v.texts[id] = e.Text
		case TypeDelete:
			delete(v.texts, id)
		}
		return nil
	})
	if err != nil {
		t.Fatalf("follow the log: %v", err)
	}
	v.upTo = scanned.End
}

// world is a few processes on one file system, and what they were told.
type world struct {
	fs    *memFS
	lock  memLock
	procs []*Log
	rnd   *rand.Rand
	hist  *history
	views []*view
	fails bool // syncs may fail, so that damage in the middle is possible
}

func newWorld(seed uint64) *world {
	w := &world{fs: newMemFS(), lock: newMemLock(), rnd: rand.New(rand.NewPCG(seed, 1)), hist: newHistory()}
	w.start()
	return w
}

func (w *world) start() {
	w.procs = nil
	for range 3 {
		w.procs = append(w.procs, w.fs.process(w.lock))
	}
}

func (w *world) proc() *Log { return w.procs[w.rnd.IntN(len(w.procs))] }

func (w *world) id() string { return fmt.Sprintf("mem_%d", w.rnd.IntN(12)) }

// act does one random thing. Errors are fine: the history knows that nothing was
// acknowledged.
func (w *world) act() {
	ctx, l := context.Background(), w.proc()
	switch w.rnd.IntN(10) {
	case 0, 1, 2:
		id, text := w.id(), w.hist.next()
		ack := w.hist.note(id, text, false)
		if _, err := l.Append(ctx, Put(note(id, text))); err == nil {
			ack()
		}
	case 3, 4, 5:
		w.batch(l)
	case 6:
		id := w.id()
		ack := w.hist.note(id, "", true)
		if _, err := l.Append(ctx, Delete(id)); err == nil {
			ack()
		}
	case 7:
		_, _ = l.Compact(ctx)
	case 8:
		w.procs[w.rnd.IntN(len(w.procs))] = w.fs.process(w.lock) // a process is replaced
	case 9:
		w.watch()
	}
}

func (w *world) batch(l *Log) {
	g := group{texts: map[string]string{}}
	var ops []Op
	var acks []func()
	for range 2 + w.rnd.IntN(4) {
		id := w.id()
		if g.texts[id] != "" {
			continue
		}
		g.texts[id] = w.hist.next()
		acks = append(acks, w.hist.note(id, g.texts[id], false))
		ops = append(ops, Put(note(id, g.texts[id])))
	}
	_, err := l.Append(context.Background(), ops...)
	g.acked = err == nil
	w.hist.groups = append(w.hist.groups, g)
	if g.acked {
		for _, ack := range acks {
			ack()
		}
	}
}

// watch makes a view of the log as it is, acknowledged or not.
func (w *world) watch() {
	r, err := openReader(w.fs, "/kb/"+FileName, time.UTC)
	if err != nil {
		return
	}
	v := &view{texts: map[string]string{}}
	if _, err := r.Scan(Pos{}, func(*Record) error { return nil }); err != nil {
		return // the power is off
	}
	v.follow(quiet{}, r)
	w.views = append(w.views, v)
}

// quiet is for reads that a fault may interrupt.
type quiet struct{}

func (quiet) Helper()               {}
func (quiet) Fatalf(string, ...any) {}

// restart cuts the power and checks what is left, before and after the first
// write.
func (w *world) restart(t failer) {
	t.Helper()
	w.fs = w.fs.powerCut(w.rnd)
	w.lock = newMemLock()
	w.start()
	w.check(t)
	id, text := w.id(), w.hist.next()
	ack := w.hist.note(id, text, false)
	if _, err := w.proc().Append(context.Background(), Put(note(id, text))); err != nil {
		t.Fatalf("the first write after a crash: %v", err)
	}
	ack()
	w.check(t)
	r, err := openReader(w.fs, "/kb/"+FileName, time.UTC)
	if err != nil {
		t.Fatalf("%v", err)
	}
	rep, err := verify(r)
	if err != nil || rep.Tail != nil || !rep.OK() && !w.fails {
		t.Fatalf("after the first write: damage %v, tail %v, %v", rep.Damage, rep.Tail, err)
	}
	w.hist.settle(liveOf(t, r))
	w.views = nil
}

func (w *world) check(t failer) {
	t.Helper()
	r, err := openReader(w.fs, "/kb/"+FileName, time.UTC)
	if err != nil {
		t.Fatalf("open after a crash: %v", err)
	}
	got := liveOf(t, r)
	w.hist.check(t, got)
	rep, err := verify(r)
	if err != nil {
		t.Fatalf("verify after a crash: %v", err)
	}
	for _, v := range w.views {
		// A view may have seen a record whose sync failed, and which a power cut
		// then took out of the middle of the log. That shows as damage.
		if !r.Holds(v.upTo) || !rep.OK() {
			continue
		}
		v.follow(t, r)
		if a, b := dump(v.texts), dump(got); a != b {
			t.Fatalf("a view that followed the log has\n%s\nnot\n%s", a, b)
		}
	}
}

func dump(texts map[string]string) string {
	var lines []string
	for id, text := range texts {
		lines = append(lines, id+" "+strings.TrimRight(text, "x"))
	}
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}

// The power goes at a random step while three processes write, again and again.
func TestPowerCut(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(rapid.Uint64().Draw(t, "seed"))
		for range rapid.IntRange(1, 4).Draw(t, "crashes") {
			last := w.fs.steps + rapid.IntRange(1, 400).Draw(t, "steps")
			w.fs.fault = func(step int, _, _ string) fault {
				if step < last {
					return fault{}
				}
				return fault{err: errPower, part: w.rnd.Float64()}
			}
			for w.fs.steps < last {
				w.act()
			}
			w.restart(t)
		}
	})
}

// Steps fail now and then, without a crash, and the log goes on; in the end the
// power goes.
func TestFaultsNowAndThen(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(rapid.Uint64().Draw(t, "seed"))
		w.fails = true
		every := rapid.IntRange(5, 60).Draw(t, "every")
		w.fs.fault = func(int, string, string) fault {
			if w.rnd.IntN(every) > 0 {
				return fault{}
			}
			return fault{err: errIO, part: w.rnd.Float64()}
		}
		for range rapid.IntRange(5, 40).Draw(t, "actions") {
			w.act()
		}
		w.fs.fault = nil
		w.check(t)
		w.restart(t)
	})
}
