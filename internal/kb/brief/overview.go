package brief

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"helix/internal/kb/entry"
)

// TopicState sums up one topic of the memory.
type TopicState struct {
	Topic   string
	Entries int
	Last    time.Time
}

// Survey is what is known about the whole memory.
type Survey struct {
	Topics []TopicState
	Tags   []Topic       // the name of a tag, and how many entries have it
	Recent []entry.Entry // the newest entries, as far back as WindowLong
	Cut    bool          // there are more recent entries than Recent has
	Since  time.Time     // zero, or topics that were quiet since then are left out
}

// The windows over which velocity is measured.
const (
	WindowShort = 7 * 24 * time.Hour
	WindowLong  = 30 * 24 * time.Hour
)

// Overview is the briefing about a whole memory.
type Overview struct {
	Entries  int        `json:"entries"`
	Topics   int        `json:"topics"`
	Active   []Activity `json:"active,omitempty"`
	PerDay7  float64    `json:"per_day_7"`          // entries a day over the last 7 days
	PerDay30 float64    `json:"per_day_30"`         // over the last 30
	AtLeast  bool       `json:"at_least,omitempty"` // there were too many to count; the true figures are higher
	Themes   []Theme    `json:"themes,omitempty"`
}

// Activity is a topic, weighed by what was written to it lately.
type Activity struct {
	Topic   string    `json:"topic"`
	Entries int       `json:"entries"`
	Recent  int       `json:"recent"` // written in the last 30 days
	Weight  float64   `json:"weight"` // each recent entry counts 1, and half after each HalfLife
	Last    time.Time `json:"last"`
}

// Theme is a tag and its share of all entries.
type Theme struct {
	Tag     string  `json:"tag"`
	Entries int     `json:"entries"`
	Share   float64 `json:"share"` // 0..1
}

const maxThemes = 10

// activeMax is how many topics each detail shows.
func activeMax(detail string) int {
	switch detail {
	case Scan:
		return 20
	case Full:
		return 50
	}
	return 8
}

// Build makes the briefing about the memory.
func (s Survey) Build(o Options) Result {
	res := Result{Detail: cmp.Or(o.Detail, Summary), compact: o.Compact, now: o.Now}
	v := &Overview{Topics: len(s.Topics), AtLeast: s.Cut}
	for _, t := range s.Topics {
		v.Entries += t.Entries
	}
	v.PerDay7, v.PerDay30 = s.perDay(o.Now, WindowShort), s.perDay(o.Now, WindowLong)
	v.Active = s.active(o.Now)
	v.Active = v.Active[:min(activeMax(res.Detail), len(v.Active))]
	v.Themes = s.themes(v.Entries)
	res.Entries, res.Kept, res.Overview = v.Entries, v.Entries, v
	return res
}

// perDay is rounded to hundredths.
func (s Survey) perDay(now time.Time, window time.Duration) float64 {
	n := 0
	for i := range s.Recent {
		if now.Sub(s.Recent[i].Created) <= window {
			n++
		}
	}
	return math.Round(100*float64(n)/window.Hours()*24) / 100
}

func (s Survey) active(now time.Time) []Activity {
	byTopic := map[string]*Activity{}
	for _, t := range s.Topics {
		if t.Last.Before(s.Since) {
			continue
		}
		byTopic[t.Topic] = &Activity{Topic: t.Topic, Entries: t.Entries, Last: t.Last}
	}
	for i := range s.Recent {
		age := now.Sub(s.Recent[i].Created)
		if a := byTopic[s.Recent[i].Topic]; a != nil && age <= WindowLong {
			a.Recent++
			a.Weight += math.Exp2(-float64(max(age, 0)) / float64(HalfLife))
		}
	}
	out := make([]Activity, 0, len(byTopic))
	for _, a := range byTopic {
		a.Weight = math.Round(1000*a.Weight) / 1000
		out = append(out, *a)
	}
	slices.SortFunc(out, func(a, b Activity) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), b.Last.Compare(a.Last), cmp.Compare(b.Entries, a.Entries), cmp.Compare(a.Topic, b.Topic))
	})
	return out
}

func (s Survey) themes(entries int) []Theme {
	if entries == 0 {
		return nil
	}
	tags := slices.Clone(s.Tags)
	slices.SortFunc(tags, func(a, b Topic) int {
		return cmp.Or(cmp.Compare(b.Entries, a.Entries), cmp.Compare(a.Topic, b.Topic))
	})
	var out []Theme
	for _, t := range tags[:min(maxThemes, len(tags))] {
		out = append(out, Theme{t.Topic, t.Entries, float64(t.Entries) / float64(entries)})
	}
	return out
}

func (v *Overview) write(w io.Writer, r Result) {
	if v.Entries == 0 {
		fmt.Fprintln(w, "the memory is empty")
		fmt.Fprintln(w, "next: store what you find out, a topic and a text")
		return
	}
	fmt.Fprintf(w, "=== memory === %s, %s\n", count(v.Entries, "entry", "entries"), count(v.Topics, "topic", "topics"))
	v.writeActive(w, r)
	least := ""
	if v.AtLeast {
		least = "at least "
	}
	fmt.Fprintf(w, "VELOCITY: %s%.2f entries a day over 7 days, %.2f over 30 days\n", least, v.PerDay7, v.PerDay30)
	if len(v.Themes) > 0 {
		var parts []string
		for _, t := range v.Themes {
			parts = append(parts, fmt.Sprintf("%s %d (%.0f%%)", printable(t.Tag), t.Entries, 100*t.Share))
		}
		fmt.Fprintf(w, "THEMES: %s\n", strings.Join(parts, ", "))
	}
}

func (v *Overview) writeActive(w io.Writer, r Result) {
	if len(v.Active) == 0 {
		fmt.Fprintln(w, "no topic was written to in that time")
		return
	}
	fmt.Fprintln(w, "ACTIVE TOPICS:")
	for _, a := range v.Active {
		last := freshMark(a.Last, r.now)
		if last == "" {
			last = a.Last.In(r.now.Location()).Format(time.DateOnly)
		}
		if r.compact {
			fmt.Fprintf(w, "  %s: %d [%s]\n", printable(a.Topic), a.Entries, last)
			continue
		}
		fmt.Fprintf(w, "  %s: %s, %d in 30 days, last [%s]\n", printable(a.Topic), count(a.Entries, "entry", "entries"), a.Recent, last)
	}
}
