package credit

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"time"
)

// Line is one line of the ledger: an entry was shown in a cycle, and what that did
// to it. Helped, Harmed and Source are its evidence from then on, so that the last line
// of an entry has all that is known of it; those before are its history. A line with the
// effect Folded stands for many that are no longer there (Fold).
type Line struct {
	At      time.Time `json:"at"`
	ID      string    `json:"id"`
	Run     string    `json:"run,omitempty"`
	Cycle   int       `json:"cycle,omitempty"`
	Attempt string    `json:"attempt,omitempty"`
	Bead    string    `json:"bead,omitempty"`
	Outcome Outcome   `json:"outcome,omitempty"`
	Used    bool      `json:"used"` // else it was only shown
	Effect  Effect    `json:"effect"`
	Weight  float64   `json:"weight,omitempty"` // of the effect, where it is less than 1
	Helped  float64   `json:"helped"`
	Harmed  float64   `json:"harmed"`
	Source  string    `json:"source,omitempty"` // hash of the file that it is about
	// Shown and UsedIn are, with the effect Folded, how many cycles the line stands for,
	// and how many of them used the entry.
	Shown  int `json:"shown,omitempty"`
	UsedIn int `json:"used_in,omitempty"`
}

// use tells whether the line is of one cycle that was shown the entry.
func (l Line) use() bool { return l.Effect != Faded && l.Effect != Folded }

// Uses are the cycles that the line stands for, and those of them that used the entry.
func (l Line) Uses() (shown, used int) {
	switch {
	case l.Effect == Folded:
		return l.Shown, l.UsedIn
	case l.Effect == Faded:
		return 0, 0
	case l.Used:
		return 1, 1
	}
	return 1, 0
}

// Evidence is what the line says about its entry.
func (l Line) Evidence() Evidence { return Evidence{l.Helped, l.Harmed, l.At, l.Source} }

// Put sets the evidence of the line.
func (l *Line) Put(e Evidence) {
	l.At, l.Helped, l.Harmed, l.Source = e.At.UTC(), e.Helped, e.Harmed, e.Source
}

// Parse reads a line; false: it is none.
func Parse(text []byte) (Line, bool) {
	var l Line
	ok := json.Unmarshal(text, &l) == nil && l.ID != "" && amount(l.Helped) && amount(l.Harmed) && l.Shown >= 0 && l.UsedIn >= 0
	return l, ok
}

func amount(f float64) bool { return f >= 0 && f < math.MaxInt32 }

// Due finds the entries whose counts have gone down by age alone since their last
// line, at most most, those first that were written longest ago.
func Due(last map[string]Line, now time.Time, most int) []string {
	var due []string
	for id, l := range last {
		helped, harmed := l.Evidence().Counts()
		h, m := l.Evidence().Faded(now, "").Counts()
		if h < helped || m < harmed {
			due = append(due, id)
		}
	}
	slices.SortFunc(due, func(a, b string) int {
		return cmp.Or(last[a].At.Compare(last[b].At), cmp.Compare(a, b))
	})
	return due[:min(len(due), most)]
}
