package kb

import "time"

// StoreRequest adds one entry.
type StoreRequest struct {
	Topic      string   `json:"topic"`
	Text       string   `json:"text"`
	Kind       string   `json:"kind,omitempty"`       // default fact, or what the first words of the text say
	Tags       []string `json:"tags,omitempty"`       // nil: found from the first words of the text
	Source     string   `json:"source,omitempty"`     // path or path:line
	Confidence *float64 `json:"confidence,omitempty"` // 0..1, default 1
	Links      []string `json:"links,omitempty"`      // ids, or topic:index

	Force        bool `json:"force,omitempty"`         // no check for similar entries
	AllowSecrets bool `json:"allow_secrets,omitempty"` // store text that looks like a secret as it is

	Project string    `json:"-"`
	Session string    `json:"-"`
	Created time.Time `json:"-"` // zero: now
}

// Stored says what became of one entry.
type Stored struct {
	ID         string     `json:"id"`
	Topic      string     `json:"topic"`
	Kind       string     `json:"kind"`
	Tags       []string   `json:"tags,omitempty"`
	Confidence float64    `json:"confidence"`
	Duplicate  *Duplicate `json:"duplicate,omitempty"` // an entry that says nearly the same; the new one is stored all the same
	Redacted   int        `json:"redacted,omitempty"`  // secrets replaced by a marker
	Skipped    string     `json:"skipped,omitempty"`   // of a batch: why it was not stored; ID is then empty
}

// Duplicate is an entry of the same topic whose words are more than 70 % the same.
type Duplicate struct {
	ID         string  `json:"id"`
	Similarity float64 `json:"similarity"` // 0..1
	Preview    string  `json:"preview"`
}

// BatchRequest adds several entries, all or none.
type BatchRequest struct {
	Entries      []StoreRequest `json:"entries"`
	AllowSecrets bool           `json:"allow_secrets,omitempty"`
}

// Batched says what became of a batch, in the order of the request.
type Batched struct {
	Stored  int      `json:"stored"`
	Skipped int      `json:"skipped"`
	Entries []Stored `json:"entries"`
}
