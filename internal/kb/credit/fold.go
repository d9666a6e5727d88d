package credit

const (
	// mostUses and leastUses are how many uses of an entry a fold leaves in the ledger:
	// as many as helix kb why lists, but fewer where there are many entries.
	mostUses  = 50
	leastUses = 5
	// mostLines is about how many lines a fold leaves, as long as each entry has
	// leastUses. One has some 250 bytes.
	mostLines = 40_000
)

// Fold shortens a ledger. It is shown all lines once (See), and then, in the same
// order, says of each whether it stays (Take). Of an entry the newest uses stay, and its
// last line, which has its evidence: that is the same to the bit as before, and so is
// what it fades to. The uses before become one line with the effect Folded, which counts
// them.
type Fold struct {
	of map[string]*tally
}

type tally struct {
	lines, uses int  // that are still to come
	folded      Line // of those that went
}

// See takes note of a line.
func (f *Fold) See(l Line) {
	if f.of == nil {
		f.of = map[string]*tally{}
	}
	t := f.of[l.ID]
	if t == nil {
		t = &tally{}
		f.of[l.ID] = t
	}
	t.lines++
	if l.use() {
		t.uses++
	}
}

// Take says whether a line stays as it is, and gives the line that counts what went
// before it, nil for none.
func (f *Fold) Take(l Line) (before *Line, stays bool) {
	t := f.of[l.ID]
	if t == nil {
		return nil, false
	}
	t.lines--
	switch {
	case l.Effect == Folded:
		t.fold(l)
	case l.Effect == Faded:
		stays = t.lines == 0
	case t.uses > max(leastUses, min(mostUses, mostLines/len(f.of))):
		t.uses--
		t.fold(l)
	default:
		stays = true
	}
	if (stays || t.lines == 0) && t.folded.ID != "" {
		line := t.folded
		before, t.folded = &line, Line{}
	}
	return before, stays
}

func (t *tally) fold(l Line) {
	shown, used := l.Uses()
	t.folded = Line{ID: l.ID, Effect: Folded, Shown: t.folded.Shown + shown, UsedIn: t.folded.UsedIn + used}
	t.folded.Put(l.Evidence())
}
