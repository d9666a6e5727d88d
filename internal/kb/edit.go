package kb

// EditRequest changes what is stored. Which entry is meant is said by ID, or by
// Topic and Index (from 0; negative from the end) or Match (text that exactly one
// entry has); with a topic alone it is the last one.
type EditRequest struct {
	Action string   `json:"action"` // append, revise, delete, tag, rename, merge
	ID     string   `json:"id,omitempty"`
	Topic  string   `json:"topic,omitempty"`
	Index  *int     `json:"index,omitempty"`
	Match  string   `json:"match,omitempty"`
	Text   string   `json:"text,omitempty"`   // append, revise
	Tags   []string `json:"tags,omitempty"`   // tag: to add
	Remove []string `json:"remove,omitempty"` // tag: to take away
	All    bool     `json:"all,omitempty"`    // delete: the whole topic
	Into   string   `json:"into,omitempty"`   // rename, merge: the topic that takes the entries

	AllowSecrets bool `json:"allow_secrets,omitempty"`
}

// Edited says what an edit did.
type Edited struct {
	Action   string   `json:"action"`
	Topic    string   `json:"topic"`
	Into     string   `json:"into,omitempty"`
	IDs      []string `json:"ids"` // of the entries that were changed
	Tags     []string `json:"tags,omitempty"`
	Redacted int      `json:"redacted,omitempty"`
}
