package builtin

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"helix/internal/git"
	"helix/internal/tracker"
)

// beadTrailer and attemptTrailer mark landed commits. After a crash helix finds
// by them what had landed.
const (
	beadTrailer    = "Bead"
	attemptTrailer = "Helix-Attempt"
)

// chain is the work as commits on top of each other, ready to land.
type chain struct {
	base    string
	commits []beadCommit
}

// beadCommit is the one commit of a bead; of several when the agent's changes to
// them cannot be told apart.
type beadCommit struct {
	beads   []string
	id      string
	message string
}

func (c chain) tip() string {
	if len(c.commits) == 0 {
		return ""
	}
	return c.commits[len(c.commits)-1].id
}

// beads are all beads that have a commit in the chain.
func (c chain) beads() []string {
	var ids []string
	for _, bc := range c.commits {
		ids = append(ids, bc.beads...)
	}
	return ids
}

// unit is one step of the agent's work: one of its commits, or at the end what
// it did not commit.
type unit struct {
	bead    string // of the request
	message string // empty for uncommitted work
	changes []git.Change
}

// group is the units that become one commit.
type group struct {
	beads []string
	units []unit
}

// regroup sorts units by bead, in the order in which the beads first appear.
// Units keep their order where they touch the same path: where sorting would
// change that, the beads share a group.
func regroup(units []unit) []group {
	leader := map[string]string{} // bead -> bead whose group it is in
	var order []string
	for _, u := range units {
		if _, seen := leader[u.bead]; !seen {
			leader[u.bead] = u.bead
			order = append(order, u.bead)
		}
	}
	rank := func(bead string) int { return slices.Index(order, leader[bead]) }
	for again := true; again; {
		again = false
		for i, u := range units {
			for _, v := range units[i+1:] {
				from, to := leader[u.bead], leader[v.bead]
				// v comes after u, but its group would come before u's.
				if from == to || rank(v.bead) > rank(u.bead) || !overlap(u.changes, v.changes) {
					continue
				}
				for bead, l := range leader {
					if l == from {
						leader[bead] = to
					}
				}
				again = true
			}
		}
	}
	var groups []group
	at := map[string]int{}
	for _, bead := range order {
		l := leader[bead]
		if _, ok := at[l]; !ok {
			at[l] = len(groups)
			groups = append(groups, group{})
		}
		groups[at[l]].beads = append(groups[at[l]].beads, bead)
	}
	for _, u := range units {
		g := &groups[at[leader[u.bead]]]
		g.units = append(g.units, u)
	}
	return groups
}

// overlap tells whether two lists of changes touch a path in common, or one a
// file and the other something below it.
func overlap(a, b []git.Change) bool {
	paths := map[string]bool{}
	for _, c := range a {
		paths[c.Path] = true
		for p := c.Path; strings.Contains(p, "/"); {
			p = p[:strings.LastIndexByte(p, '/')]
			paths[p+"/"] = true
		}
	}
	for _, c := range b {
		if paths[c.Path] || paths[c.Path+"/"] {
			return true
		}
		for p := c.Path; strings.Contains(p, "/"); {
			p = p[:strings.LastIndexByte(p, '/')]
			if paths[p] {
				return true
			}
		}
	}
	return false
}

// commit makes the chain of the work. No ref moves.
func (a *attempt) commit(ctx context.Context, w work) (chain, error) {
	if len(w.changes) == 0 {
		return chain{base: w.base}, nil
	}
	if len(a.req.Beads) > 1 {
		units, err := a.units(ctx, w)
		if err != nil {
			return chain{}, err
		}
		if c, tree, err := a.chainOf(ctx, w.base, regroup(units)); err != nil || tree == w.tree {
			return c, err
		}
	}
	// One bead, or commits that do not add up to the work along their first
	// parents: all of it is one commit.
	whole := group{units: []unit{{bead: a.req.Beads[0].ID, changes: w.changes}}}
	for _, ci := range w.commits {
		whole.units = append(whole.units, unit{bead: a.beadOf(ci.Message), message: ci.Message})
	}
	for _, u := range whole.units {
		if !slices.Contains(whole.beads, u.bead) {
			whole.beads = append(whole.beads, u.bead)
		}
	}
	c, tree, err := a.chainOf(ctx, w.base, []group{whole})
	if err == nil && tree != w.tree {
		err = fmt.Errorf("the commit made of the work differs from it (%s, %s)", short(tree), short(w.tree))
	}
	return c, err
}

// chainOf commits the groups one after the other and returns the last tree. A
// group that comes to nothing gets no commit.
func (a *attempt) chainOf(ctx context.Context, base string, groups []group) (chain, string, error) {
	c := chain{base: base}
	parent := base
	tree, err := a.root.Run(ctx, "rev-parse", base+"^{tree}")
	for _, g := range groups {
		before := tree
		for _, u := range g.units {
			if err == nil && len(u.changes) > 0 {
				tree, err = a.root.ApplyToTree(ctx, a.ws.index(), tree, u.changes)
			}
		}
		if err != nil {
			return c, "", err
		}
		if tree == before {
			continue
		}
		bc := beadCommit{beads: g.beads, message: a.message(g)}
		if bc.id, err = a.root.CommitTree(ctx, tree, bc.message, parent); err != nil {
			return c, "", err
		}
		parent = bc.id
		c.commits = append(c.commits, bc)
	}
	return c, tree, err
}

// units are the agent's commits, each for the bead that it names, and what it
// did not commit, for the primary bead.
func (a *attempt) units(ctx context.Context, w work) ([]unit, error) {
	var units []unit
	add := func(bead, message, from, to string) error {
		changes, err := a.root.Changes(ctx, from, to)
		if changes, _ = a.house.split(changes); len(changes) > 0 {
			units = append(units, unit{bead: bead, message: message, changes: changes})
		}
		return err
	}
	at := w.base
	for _, ci := range w.commits {
		from := w.base
		if len(ci.Parents) > 0 {
			from = ci.Parents[0]
		}
		if err := add(a.beadOf(ci.Message), ci.Message, from, ci.ID); err != nil {
			return nil, err
		}
		at = ci.ID
	}
	return units, add(a.req.Beads[0].ID, "", at, w.tree)
}

// beadOf is the bead of the request that a commit message names, or the primary.
func (a *attempt) beadOf(message string) string {
	ids := beadIDs(a.req.Beads)
	for _, value := range slices.Backward(git.Trailers(message, beadTrailer)) {
		if word := strings.Trim(value, "`[]() "); slices.Contains(ids, word) {
			return word
		}
	}
	return ids[0]
}

// message is the agent's own when it wrote just one, else the bead's title with
// the agent's subjects below.
func (a *attempt) message(g group) string {
	var own []string
	for _, u := range g.units {
		if u.message != "" {
			own = append(own, u.message)
		}
	}
	text := ""
	if len(own) == 1 {
		text = own[0]
	} else {
		text = a.subject(g.beads[0])
		for i, m := range own {
			if i == 0 {
				text += "\n"
			}
			s, _, _ := strings.Cut(m, "\n")
			text += "\n- " + s
		}
	}
	var trailers []git.Trailer
	for _, id := range g.beads {
		trailers = append(trailers, git.Trailer{Key: beadTrailer, Value: id})
	}
	return git.WithTrailers(text, append(trailers, git.Trailer{Key: attemptTrailer, Value: a.req.AttemptID})...)
}

// subjectLength is where git and its viewers cut a subject.
const subjectLength = 72

func (a *attempt) subject(id string) string {
	i := slices.IndexFunc(a.req.Beads, func(b *tracker.Bead) bool { return b.ID == id })
	title := []rune(strings.Join(strings.Fields(a.req.Beads[i].Title), " "))
	switch {
	case len(title) == 0:
		return "Work on " + id
	case len(title) > subjectLength:
		return strings.TrimSpace(string(title[:subjectLength-1])) + "…"
	}
	return string(title)
}
