package kb

import (
	"cmp"
	"strings"
	"time"
	"unicode"

	"helix/internal/kb/entry"
	"helix/internal/kb/log"
)

// draft is an entry that was checked and lacks only what depends on the rest of
// the memory: its links as ids, and its own id.
type draft struct {
	entry    entry.Entry
	links    []string // as they were given
	redacted int
}

// drafter turns requests into drafts. Each source is hashed once.
type drafter struct {
	m      *Memory
	now    time.Time
	hashes map[string]string // by path
	meant  map[string]string // projects, by what requests say
}

func (m *Memory) drafter() *drafter {
	return &drafter{m: m, now: m.now(), hashes: map[string]string{}, meant: map[string]string{}}
}

func (d *drafter) draft(r StoreRequest) (draft, error) {
	if err := checkSizes(&r); err != nil {
		return draft{}, err
	}
	c := d.m.cleaner(r.AllowSecrets)
	c.request(&r)

	created := r.Created
	if created.IsZero() {
		created = d.now
	}
	tag, kind := classify(r.Text)
	e := entry.New(strings.TrimSpace(r.Topic), r.Text, created)
	if e.Kind = entry.Kind(r.Kind); r.Kind == "" {
		e.Kind = kind
	}
	if e.Tags = normalTags(r.Tags); r.Tags == nil && tag != "" {
		e.Tags = []string{tag}
	}
	if r.Confidence != nil {
		e.Confidence = *r.Confidence
	}
	e.Session = cmp.Or(r.Session, d.m.sessionID)
	var err error
	if e.Project, err = d.project(r.Project); err != nil {
		return draft{}, err
	}
	if e.Source, err = d.source(c, r.Source); err != nil {
		return draft{}, err
	}
	if err := checkNew(e); err != nil {
		return draft{}, err
	}
	return draft{e, r.Links, c.found}, nil
}

// checkSizes refuses what is too big before anything looks at it closely.
func checkSizes(r *StoreRequest) error {
	switch {
	case strings.TrimSpace(r.Topic) == "":
		return refuse("the topic is empty: say what the entry is about")
	case strings.TrimSpace(r.Text) == "":
		return refuse("the text is empty: say what is to be remembered")
	case len(r.Text) > entry.MaxText:
		return refuse("the text has %d bytes, at most %d are allowed: split it", len(r.Text), entry.MaxText)
	case len(r.Topic) > entry.MaxTopic:
		return refuse("the topic has %d bytes, at most %d are allowed", len(r.Topic), entry.MaxTopic)
	case len(r.Links) > entry.MaxLinks:
		return refuse("it has %d links, at most %d are allowed", len(r.Links), entry.MaxLinks)
	case len(r.Source) > entry.MaxPath:
		return refuse("the source has %d bytes, at most %d are allowed", len(r.Source), entry.MaxPath)
	case strings.ContainsFunc(strings.TrimSpace(r.Source), unicode.IsControl):
		return refuse("the source contains a control character: give path:line")
	}
	return checkTags(r.Tags)
}

// checkNew refuses an entry that could not be stored whatever its id is.
func checkNew(e entry.Entry) error {
	e.ID = "new"
	return check(&e)
}

func (d *drafter) project(s string) (string, error) {
	meant, ok := d.meant[s]
	if !ok {
		var err error
		if meant, err = d.m.projectToStore(s); err != nil {
			return "", err
		}
		d.meant[s] = meant
	}
	return meant, nil
}

func (d *drafter) source(c *cleaner, s string) (entry.Source, error) {
	src, err := parseSource(s)
	if err != nil || src.Path == "" {
		return src, err
	}
	src.Path = projectPath(d.m.root, src.Path)
	c.text(&src.Path)
	hash, ok := d.hashes[src.Path]
	if !ok {
		hash = sourceHash(d.m.root, src.Path)
		d.hashes[src.Path] = hash
	}
	src.Hash = hash
	return src, nil
}

// put gives the entry its id and the op that writes it.
func put(e entry.Entry, taken func(string) bool) (id string, op log.Op) {
	e.ID = entry.NewID(&e, taken)
	return e.ID, log.Put(e)
}

// cleaner replaces secrets and counts them.
type cleaner struct {
	redact func(string) (string, int)
	found  int
}

func (m *Memory) cleaner(allowSecrets bool) *cleaner {
	if allowSecrets {
		return &cleaner{}
	}
	return &cleaner{redact: m.redact}
}

func (c *cleaner) text(s *string) {
	if c.redact == nil || *s == "" {
		return
	}
	clean, found := c.redact(*s)
	*s = clean
	c.found += found
}

// list does not touch the slice that it was given.
func (c *cleaner) list(list *[]string) {
	if c.redact == nil || *list == nil {
		return
	}
	clean := append(make([]string, 0, len(*list)), *list...)
	for i := range clean {
		c.text(&clean[i])
	}
	*list = clean
}

func (c *cleaner) request(r *StoreRequest) {
	c.text(&r.Topic)
	c.text(&r.Text)
	c.list((*[]string)(&r.Tags))
	c.list((*[]string)(&r.Links))
}
