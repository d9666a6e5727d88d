package remember

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"helix/internal/kb"
	"helix/internal/kb/entry"
	"helix/internal/kb/view"
	"helix/internal/lazyregexp"
	"helix/internal/run"
	"helix/internal/run/prompt"
)

const (
	mostEntries = 12   // that an agent is shown
	mostBytes   = 6000 // that they may take
	mostText    = 700  // of the text of each
	mostFound   = 48   // looked at for each question
	mostPaths   = 8    // that a bead names and that are looked up
	rankOffset  = 60   // of reciprocal rank fusion
	// leastScore is the share of the best score that an entry must have to be shown: a
	// search for any of many words finds something in every memory.
	leastScore = 0.35
)

// Recall implements run.Memory. What it shows is the same for the same memory.
func (m *Memory) Recall(ctx context.Context, t run.Task) (run.Recalled, error) {
	if len(t.Beads) == 0 {
		return run.Recalled{}, nil
	}
	v, err := m.KB.View()
	if err != nil {
		return run.Recalled{}, err
	}
	defer v.Close()
	found, err := m.choose(v, t)
	if err != nil {
		return run.Recalled{}, err
	}
	r := show(found, m.now())
	if m.Surround == nil || t.Action != prompt.Implementation {
		return r, nil
	}
	around, err := m.Surround(ctx, t.Beads[0])
	if err != nil { // no reason to keep back what is remembered
		around = "The project around the task could not be looked at: " + err.Error()
	}
	r.Text = strings.Trim(r.Text+"\n"+around, "\n")
	return r, nil
}

// hit is an entry on its way into a prompt.
type hit struct {
	entry entry.Entry
	stale bool
	score float64
}

// choose asks three questions and fuses the answers by their ranks: what past work
// on these beads and those before them left, what is known about the files that they
// name, and what resembles their words. What belongs to another project is no answer.
func (m *Memory) choose(v *view.View, t run.Task) ([]hit, error) {
	project := cmp.Or(m.KB.Project(), kb.NoProject)
	fused := map[string]*hit{}
	news := func(hits []view.Hit) []view.Hit {
		return slices.DeleteFunc(hits, func(h view.Hit) bool { return known(t, &h.Entry) })
	}
	add := func(weight float64, hits []view.Hit) {
		for rank, h := range hits {
			if fused[h.Entry.ID] == nil {
				fused[h.Entry.ID] = &hit{entry: h.Entry}
			}
			f := fused[h.Entry.ID]
			f.stale = f.stale || h.Stale
			f.score += weight / float64(rankOffset+rank+1)
		}
	}
	past, err := pastWork(v, t, project)
	if err != nil {
		return nil, err
	}
	add(1, news(past))
	files, err := aboutFiles(v, t, project)
	if err != nil {
		return nil, err
	}
	add(1, news(files))
	alike, err := resembling(v, t, project)
	if err != nil {
		return nil, err
	}
	add(1.5, relevant(news(alike)))
	out := make([]hit, 0, len(fused))
	for _, h := range fused {
		out = append(out, *h)
	}
	slices.SortFunc(out, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.entry.ID, b.entry.ID))
	})
	return out, nil
}

// known tells whether the prompt has it anyway: the earlier attempts of this run at
// the same bead.
func known(t run.Task, e *entry.Entry) bool {
	return t.Action == prompt.Implementation && e.Kind == entry.Episode && strings.HasPrefix(e.Session, t.Run+"/") &&
		slices.Contains(e.Tags, beadTag(t.Beads[0].ID))
}

// pastWork is what was recorded for the beads themselves, for what they waited for,
// and for their parents.
func pastWork(v *view.View, t run.Task, project string) ([]view.Hit, error) {
	var ids []string
	add := func(id string) {
		if id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	for _, b := range t.Beads {
		add(b.ID)
		for _, d := range b.Dependencies {
			add(d.DependsOnID)
		}
		add(b.Parent)
	}
	var hits []view.Hit
	for _, id := range ids {
		some, err := v.Newest(mostEntries, view.Filter{Tag: beadTag(id), For: project})
		if err != nil {
			return nil, err
		}
		hits = append(hits, asHits(some)...)
	}
	return hits, nil
}

// aboutFiles is what is known about the files that the beads name.
func aboutFiles(v *view.View, t run.Task, project string) ([]view.Hit, error) {
	var hits []view.Hit
	for _, b := range t.Beads {
		for _, path := range pathsIn(words(b), mostPaths) {
			path, _, _ = strings.Cut(path, ":")
			some, err := v.Newest(mostEntries, view.Filter{Source: path, For: project})
			if err != nil {
				return nil, err
			}
			hits = append(hits, asHits(some)...)
		}
	}
	return hits, nil
}

func asHits(entries []entry.Entry) []view.Hit {
	hits := make([]view.Hit, len(entries))
	for i, e := range entries {
		hits[i].Entry = e
	}
	return hits
}

// ending is that of a file's name: a word like any other for a search, and one that
// says nothing.
var ending = lazyregexp.New(`(\w)\.[A-Za-z]{1,4}\b`)

// resembling is what has the words of the beads.
func resembling(v *view.View, t run.Task, project string) ([]view.Hit, error) {
	var text []string
	for _, b := range t.Beads {
		text = append(text, ending.ReplaceAllString(words(b), "$1"))
	}
	res, err := v.Search(view.Query{
		Text: strings.Join(text, "\n"), Plain: true, Any: true, Limit: mostFound, Filter: view.Filter{For: project},
	})
	if err != nil {
		return nil, err
	}
	return res.Hits, nil
}

// relevant leaves out what resembles much less than the best.
func relevant(hits []view.Hit) []view.Hit {
	for i, h := range hits {
		if h.Score < leastScore*hits[0].Score {
			return hits[:i]
		}
	}
	return hits
}

// show writes the best entries, each with its id and age, as far as they fit.
func show(hits []hit, now time.Time) run.Recalled {
	var w strings.Builder
	var r run.Recalled
	for _, h := range hits {
		one := written(h, now)
		if len(r.IDs) == mostEntries {
			break
		}
		if w.Len()+len(one) > mostBytes {
			continue
		}
		if w.Len() > 0 {
			w.WriteByte('\n')
		}
		w.WriteString(one)
		r.IDs = append(r.IDs, h.entry.ID)
	}
	r.Text = w.String()
	return r
}

func written(h hit, now time.Time) string {
	e := &h.entry
	var w strings.Builder
	fmt.Fprintf(&w, "[%s] %s, %s", e.ID, e.Kind, age(now.Sub(e.Created)))
	if e.Source.Path != "" {
		fmt.Fprintf(&w, ", about %s", e.Source.Path)
		if e.Source.Line > 0 {
			fmt.Fprintf(&w, ":%d", e.Source.Line)
		}
		if h.stale {
			w.WriteString(", which has changed since")
		}
	}
	text := strings.TrimSpace(e.Text)
	if kept := head(text, mostText); kept != text {
		text = kept + "…"
	}
	fmt.Fprintf(&w, "\n%s\n", text)
	return w.String()
}

// age is in words that stay the same for a day.
func age(d time.Duration) string {
	switch days := int(d.Hours() / 24); {
	case days < 1:
		return "from today"
	case days == 1:
		return "1 day old"
	default:
		return fmt.Sprintf("%d days old", days)
	}
}
