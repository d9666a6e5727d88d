package kb

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"helix/internal/kb/entry"
)

// Markdown: "# topic", under it each entry as "## id", a list of what is known
// about it, and its text in a fence that is longer than any run of backticks in
// the text. After a rule follow the relations:
//
//	# auth
//
//	## mem_2026-06-18_auth_a1b2
//
//	- kind: decision
//	- tags: client, retry
//	- created: 2026-06-18T09:00:00Z
//
//	```text
//	The client retries three times.
//	```
//
//	---
//
//	- edge: {"from":"mem_2026-06-18_auth_a1b2","rel":"refines","to":"…"}
//
// A value that would not come back as it is stands there as JSON.

var markdownLists = []string{"tags", "links", "supersedes", "extra"}

var markdownNumbers = []string{"source_line", "confidence", "salience", "access_count", "helped", "harmed"}

func (x *exporter) markdownEntry(e *entry.Entry) error {
	if e.Topic != x.topic || x.result.Entries == 0 {
		if err := x.write("# ", e.Topic, "\n\n"); err != nil {
			return err
		}
		x.topic = e.Topic
	}
	r := recordOf(e)
	r.ID, r.Topic, r.Text = "", "", ""
	if r.Kind == string(entry.Fact) {
		r.Kind = ""
	}
	if err := x.write("## ", e.ID, "\n\n"); err != nil {
		return err
	}
	if err := x.markdownFacts(r); err != nil {
		return err
	}
	fence := fenceFor(e.Text)
	return x.write("\n", fence, "text\n", e.Text, "\n", fence, "\n\n")
}

func (x *exporter) markdownFacts(r record) error {
	line, err := encodeJSON(r)
	if err != nil {
		return err
	}
	dec := json.NewDecoder(strings.NewReader(string(line)))
	if _, err := dec.Token(); err != nil {
		return fmt.Errorf("kb: export: %w", err)
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return fmt.Errorf("kb: export: %w", err)
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return fmt.Errorf("kb: export: %w", err)
		}
		if err := x.write("- ", key.(string), ": ", bare(value), "\n"); err != nil {
			return err
		}
	}
	return nil
}

func (x *exporter) markdownEdge(e *entry.Edge) error {
	if x.result.Edges == 0 {
		if err := x.write("---\n\n"); err != nil {
			return err
		}
	}
	line, err := encodeJSON(relationOf(e))
	if err != nil {
		return err
	}
	return x.write("- edge: ", string(line), "\n")
}

// fenceFor gives more backticks than stand together anywhere in the text.
func fenceFor(text string) string {
	longest, run := 2, 0
	for i := range len(text) {
		if text[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return strings.Repeat("`", longest+1)
}

// bare gives a JSON value as people write it, where unbare gives it back.
func bare(value json.RawMessage) string {
	var s string
	if json.Unmarshal(value, &s) == nil && plain(s) {
		return s
	}
	var list []string
	if json.Unmarshal(value, &list) == nil && len(list) > 0 {
		for _, s := range list {
			if !plain(s) || strings.Contains(s, ",") {
				return string(value)
			}
		}
		return strings.Join(list, ", ")
	}
	return string(value)
}

func plain(s string) bool {
	return s != "" && s == strings.TrimSpace(s) && s[0] != '"' && s[0] != '[' && !strings.ContainsFunc(s, unicode.IsControl)
}

// unbare gives the JSON of a value.
func unbare(key, value string) (string, error) {
	switch {
	case slices.Contains(markdownNumbers, key):
		return value, nil
	case slices.Contains(markdownLists, key) && !strings.HasPrefix(value, "["):
		list := strings.Split(value, ",")
		for i := range list {
			list[i] = strings.TrimSpace(list[i])
		}
		b, err := encodeJSON(list)
		return string(b), err
	case slices.Contains(markdownLists, key), strings.HasPrefix(value, `"`):
		return value, nil
	}
	b, err := encodeJSON(value)
	return string(b), err
}

// markdownReader takes a markdown export apart, line by line.
type markdownReader struct {
	p     *parcel
	rest  string
	n     int // number of the line that was read last
	topic string
	edges bool // behind the rule

	open bool // an entry has begun and waits for its text
	id   string
	from int // line of its heading
	keys map[string]bool
	meta []string // JSON members
}

func readMarkdown(data string, p *parcel) error {
	if !utf8.ValidString(data) {
		n := 1
		for line := range strings.SplitSeq(data, "\n") {
			if !utf8.ValidString(line) {
				break
			}
			n++
		}
		return at(lineNo(n), refuse("it is not valid UTF-8"))
	}
	r := &markdownReader{p: p, rest: data}
	for r.rest != "" {
		if err := r.line(r.next()); err != nil {
			return at(lineNo(r.n), err)
		}
	}
	if r.open {
		return at(lineNo(r.from), refuse("the entry has no text: it stands between two lines of ```"))
	}
	return nil
}

func (r *markdownReader) next() string {
	var line string
	line, r.rest, _ = strings.Cut(r.rest, "\n")
	r.n++
	return line
}

func (r *markdownReader) line(line string) error {
	switch {
	case strings.TrimSpace(line) == "":
		return nil
	case strings.HasPrefix(line, "```") && r.open:
		return r.text(line)
	case r.open && strings.HasPrefix(line, "- "):
		return r.fact(line[2:])
	case r.open:
		return refuse("an entry continues with lines of the form \"- key: value\" and its text between two lines of ```")
	case r.edges && strings.HasPrefix(line, "- edge: "):
		return r.edge(line[len("- edge: "):])
	case line == "---":
		r.edges = true
		return nil
	case strings.HasPrefix(line, "# "):
		r.topic = line[2:]
		return nil
	case strings.HasPrefix(line, "## ") || line == "##":
		if r.topic == "" {
			return refuse("the entry stands under no topic: begin with \"# topic\"")
		}
		r.open, r.from = true, r.n
		r.id, r.keys, r.meta = strings.TrimSpace(line[2:]), map[string]bool{}, nil
		return nil
	}
	return refuse("%q is neither \"# topic\" nor \"## id\"", cut(line, 60))
}

func (r *markdownReader) fact(line string) error {
	key, value, ok := strings.Cut(line, ": ")
	if !ok || value == "" {
		return refuse("it is not of the form \"- key: value\"")
	}
	if slices.Contains([]string{"type", "id", "topic", "text"}, key) {
		return refuse("the key %q does not belong into the list", key)
	}
	if r.keys[key] {
		return refuse("the key %q is there twice", cut(key, 60))
	}
	r.keys[key] = true
	member, err := unbare(key, value)
	if err != nil {
		return err
	}
	quoted, err := encodeJSON(key)
	if err != nil {
		return err
	}
	member = string(quoted) + ":" + member
	// Alone first, so that what is wrong with it has the number of its line.
	if err := decodeJSON("{"+member+"}", &record{}); err != nil {
		return err
	}
	r.meta = append(r.meta, member)
	return nil
}

// text reads up to the line that closes the fence; that ends the entry.
func (r *markdownReader) text(opening string) error {
	fence := opening[:len(opening)-len(strings.TrimLeft(opening, "`"))]
	if info := opening[len(fence):]; info != "" && info != "text" {
		return refuse("the fence of a text is ```text or longer, not %q", cut(opening, 60))
	}
	begin := r.rest
	size := 0
	for {
		if r.rest == "" {
			return refuse("the fence that begins here is never closed")
		}
		line := r.next()
		if line == fence {
			break
		}
		size += len(line) + 1
	}
	rec := record{}
	if err := decodeJSON("{"+strings.Join(r.meta, ",")+"}", &rec); err != nil {
		return err
	}
	rec.ID, rec.Topic, rec.Text = r.id, r.topic, begin[:max(0, size-1)]
	r.p.add(r.from, rec.entry(r.p.now))
	r.open = false
	return nil
}

func (r *markdownReader) edge(value string) error {
	var rel relation
	if err := decodeJSON(value, &rel); err != nil {
		return err
	}
	if rel.Type != "" && rel.Type != "edge" {
		return refuse("the type %q is not edge", cut(rel.Type, 40))
	}
	r.p.edges = append(r.p.edges, parcelEdge{line: r.n, edge: rel.edge()})
	return nil
}
