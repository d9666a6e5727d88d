package kb

import "time"

// Item is an entry as it is shown.
type Item struct {
	ID         string    `json:"id"`
	Topic      string    `json:"topic"`
	Index      *int      `json:"index,omitempty"` // place in its topic, from 0, where it is known
	Kind       string    `json:"kind"`
	Tags       []string  `json:"tags,omitempty"`
	Source     string    `json:"source,omitempty"` // path:line
	Stale      bool      `json:"stale,omitempty"`  // the source has changed since
	Confidence float64   `json:"confidence"`       // after the decay of a stale source
	Links      []string  `json:"links,omitempty"`
	Project    string    `json:"project,omitempty"`       // path; of none, it holds for all
	Other      bool      `json:"other_project,omitempty"` // than that at hand
	Created    time.Time `json:"created"`
	Modified   time.Time `json:"modified,omitzero"`
	Score      float64   `json:"score,omitempty"`
	Text       string    `json:"text"` // whole, or what the detail asked for
	// Matching says which lines of a whole text, from 1, have words of the search.
	Matching []int `json:"matching_lines,omitempty"`
}
