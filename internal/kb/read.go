package kb

// ReadRequest asks for entries whole: one by ID, or those of a topic.
type ReadRequest struct {
	ID    string `json:"id,omitempty"`
	Topic string `json:"topic,omitempty"`
	Index *int   `json:"index,omitempty"`
	Limit int    `json:"limit,omitempty"` // 0: 50, the newest; the rest is counted
}

// ReadResult is what was read, the oldest first.
type ReadResult struct {
	Topic   string `json:"topic"`
	Entries int    `json:"entries"` // of the topic
	Items   []Item `json:"items"`
}
