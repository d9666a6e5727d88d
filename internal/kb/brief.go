package kb

// BriefRequest asks for a briefing.
type BriefRequest struct {
	Query   string   `json:"query,omitempty"`   // topic, pattern with *, or words; empty: about the whole memory
	Detail  string   `json:"detail,omitempty"`  // summary (default), scan, full
	Since   int      `json:"since,omitempty"`   // hours
	Focus   []string `json:"focus,omitempty"`   // categories to show, as gotchas, decisions
	Compact bool     `json:"compact,omitempty"` // shorter lines
}
