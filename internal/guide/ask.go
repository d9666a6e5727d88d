package guide

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"helix/internal/ask"
	"helix/internal/checkout"
	"helix/internal/codetree"
	"helix/internal/kb/text"
	"helix/internal/kb/view"
)

const (
	askLimit    = 20
	maxAskLimit = 200
)

// AskRequest is a question about the project.
type AskRequest struct {
	Question string `json:"question"`
	Limit    int    `json:"limit,omitempty"` // 0: 20
}

// AskResult is what was found, the best first.
type AskResult struct {
	Question string  `json:"question"`
	Intent   string  `json:"intent"` // structural, positional, semantic, hybrid
	Found    []Found `json:"found"`
	More     bool    `json:"more,omitempty"`
}

// Found is a place in the code, or an entry of the memory.
type Found struct {
	Path  string `json:"path,omitempty"`
	Line  int    `json:"line,omitempty"`
	ID    string `json:"id,omitempty"` // of an entry
	Topic string `json:"topic,omitempty"`
	// Project is that of an entry which belongs to another one than this.
	Project string  `json:"project,omitempty"`
	What    string  `json:"what"`
	Score   float64 `json:"score"`
}

// Text gives a line for each: path:line for code, the topic and the id for a
// memory.
func (r AskResult) Text() string {
	if len(r.Found) == 0 {
		return fmt.Sprintf("nothing found for %q (a %s question)\n", r.Question, r.Intent)
	}
	var b strings.Builder
	for _, f := range r.Found {
		switch {
		case f.Project != "":
			fmt.Fprintf(&b, "[%s] @%s %s (%s)\n", f.Topic, filepath.Base(f.Project), f.What, f.ID)
		case f.ID != "":
			fmt.Fprintf(&b, "[%s] %s (%s)\n", f.Topic, f.What, f.ID)
		case f.Line > 0:
			fmt.Fprintf(&b, "%s:%d: %s\n", codetree.Shown(f.Path), f.Line, f.What)
		default:
			fmt.Fprintf(&b, "%s: %s\n", codetree.Shown(f.Path), f.What)
		}
	}
	if r.More {
		b.WriteString("there are more: raise the limit\n")
	}
	return b.String()
}

// Ask answers a question from the code tree, the memory, or both. What both rank is
// joined by reciprocal rank; a structural question that the tree answers stands
// before what the memory has to say.
func (g *Guide) Ask(ctx context.Context, r AskRequest) (_ AskResult, err error) {
	switch {
	case strings.TrimSpace(r.Question) == "":
		return AskResult{}, refuse(`ask: the question is missing, such as "what calls Open"`)
	case r.Limit < 0 || r.Limit > maxAskLimit:
		return AskResult{}, refuse("ask: limit %d: give 1 to %d", r.Limit, maxAskLimit)
	case r.Limit == 0:
		r.Limit = askLimit
	}
	intent := ask.Classify(r.Question)
	treeWeight, textWeight := ask.Weights(intent)
	found := map[string]Found{}
	code, err := g.fromTree(ctx, r, intent, found)
	if err != nil {
		return AskResult{}, err
	}
	memory, err := g.fromMemory(r, len(code) > 0 && intent != ask.Semantic, found)
	if err != nil {
		return AskResult{}, err
	}
	out := AskResult{Question: r.Question, Intent: intent.String(), Found: []Found{}}
	fused := ask.Fuse(ask.Ranked{Keys: code, Weight: treeWeight}, ask.Ranked{Keys: memory, Weight: textWeight})
	for _, f := range fused[:min(r.Limit, len(fused))] {
		hit := found[f.Key]
		hit.Score = f.Score
		out.Found = append(out.Found, hit)
	}
	out.More = len(fused) > r.Limit
	return out, nil
}

func (g *Guide) fromTree(ctx context.Context, r AskRequest, intent ask.Intent, found map[string]Found) (keys []string, err error) {
	tree, err := g.tree(ctx)
	if err != nil || tree == nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, tree.Close()) }()
	answers, ok := tree.Answer(r.Question)
	if !ok && intent != ask.Semantic {
		answers = tree.Resemble(text.Words(r.Question), r.Limit)
	}
	for _, a := range answers {
		key := fmt.Sprintf("%s:%d", a.Path, a.Line)
		if _, twice := found[key]; !twice {
			found[key] = Found{Path: a.Path, Line: a.Line, What: a.What}
			keys = append(keys, key)
		}
	}
	return keys, nil
}

// relevant is the share of the best score that an entry must have which has only
// some of the words: a search for any of many words finds something in every memory.
const relevant = 0.5

// fromMemory searches the memory. Where the code has an answer already, only entries
// with all words of the question count.
func (g *Guide) fromMemory(r AskRequest, answered bool, found map[string]Found) (keys []string, err error) {
	if g.Memory == nil {
		return nil, nil
	}
	v, err := g.Memory.View()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	res, err := v.Search(view.Query{Text: r.Question, Plain: true, Limit: r.Limit})
	if err != nil {
		return nil, err
	}
	if res.Fallback && answered {
		return nil, nil
	}
	mark := text.NewMarker(res.Words)
	project := checkout.Of(g.Root)
	for _, h := range res.Hits {
		if res.Fallback && h.Score < relevant*res.Hits[0].Score {
			break
		}
		e := &h.Entry
		f := Found{
			ID: e.ID, Topic: e.Topic, Path: e.Source.Path, Line: e.Source.Line,
			What: strings.Join(mark.Snippet(e.Text, 1, 160), ""),
		}
		if e.Project != project {
			f.Project = e.Project
		}
		found[e.ID] = f
		keys = append(keys, e.ID)
	}
	return keys, nil
}
