package kb

// SearchRequest looks for entries.
type SearchRequest struct {
	Query  string `json:"query"`
	Detail string `json:"detail,omitempty"` // full, medium (default), brief, count, topics, grouped
	Limit  int    `json:"limit,omitempty"`  // 0: 20
	Mode   string `json:"mode,omitempty"`   // and (default), or
	Topic  string `json:"topic,omitempty"`
	Tag    string `json:"tag,omitempty"`
	Source string `json:"source,omitempty"`
	Kind   string `json:"kind,omitempty"`
	After  string `json:"after,omitempty"`  // YYYY-MM-DD, RFC 3339, today, yesterday, week, month
	Before string `json:"before,omitempty"` // the same
	Days   int    `json:"days,omitempty"`
	Hours  int    `json:"hours,omitempty"` // overrides days
}

// SearchResult is what was found.
type SearchResult struct {
	Query    string       `json:"query"`
	Detail   string       `json:"detail"`
	Matches  int          `json:"matches"` // all of them for count, topics and grouped; else the items below
	More     bool         `json:"more,omitempty"`
	Fallback bool         `json:"fallback,omitempty"` // no entry has all words; these have some
	Items    []Item       `json:"items,omitempty"`
	Topics   []TopicCount `json:"topics,omitempty"`

	words []string
}

// TopicCount says how many entries a topic has, or a search found in it.
type TopicCount struct {
	Topic   string `json:"topic"`
	Entries int    `json:"entries"`
}
