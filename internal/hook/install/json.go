package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// document is the bytes of a JSON file. Its edits change only what they are about:
// every other byte, and so the order and layout that the person chose, stays.
type document struct {
	text []byte
	unit string // of indentation; "" for a file of one line
}

// span is a value in a document: text[from:to].
type span struct{ from, to int }

// member is a key of an object and its value.
type member struct {
	key   string
	at    int // of the key
	value span
}

// parse reads a file that must hold one JSON object. An empty one is a new one.
func parse(text []byte) (*document, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return &document{[]byte("{}\n"), "  "}, nil
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(text, &object); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			line := 1 + bytes.Count(text[:min(int(syntax.Offset), len(text))], []byte("\n"))
			return nil, fmt.Errorf("not valid JSON at byte %d (line %d): %w", syntax.Offset, line, err)
		}
		return nil, errors.New("the file does not hold a JSON object")
	}
	if object == nil {
		return nil, errors.New("the file does not hold a JSON object")
	}
	return &document{text, unit(text)}, nil
}

// unit is what the file is indented by: what its first indented line begins with.
func unit(text []byte) string {
	if bytes.Count(bytes.TrimSpace(text), []byte("\n")) == 0 {
		if len(bytes.Trim(text, " \t\r\n{}")) == 0 {
			return "  "
		}
		return ""
	}
	for l := range strings.Lines(string(text)) {
		if body := strings.TrimLeft(l, " \t"); len(body) < len(l) && strings.TrimSpace(body) != "" {
			return l[:len(l)-len(body)]
		}
	}
	return "  "
}

func (d *document) skip(i int) int {
	for i < len(d.text) && strings.IndexByte(" \t\r\n", d.text[i]) >= 0 {
		i++
	}
	return i
}

// end is where the value that begins at i ends. The text is valid.
func (d *document) end(i int) int {
	depth := 0
	for ; i < len(d.text); i++ {
		switch c := d.text[i]; c {
		case '"':
			for i++; d.text[i] != '"'; i++ {
				if d.text[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		default:
			if depth > 0 || i+1 < len(d.text) && strings.IndexByte(" \t\r\n,]}", d.text[i+1]) < 0 {
				continue
			}
		}
		if depth <= 0 {
			return i + 1
		}
	}
	return i
}

func (d *document) root() span {
	i := d.skip(0)
	return span{i, d.end(i)}
}

func (d *document) kind(s span) byte { return d.text[s.from] }

func (d *document) members(object span) []member {
	var all []member
	for i := d.skip(object.from + 1); d.text[i] != '}'; {
		m := member{at: i}
		i = d.end(i)
		_ = json.Unmarshal(d.text[m.at:i], &m.key) // it is valid
		m.value.from = d.skip(d.skip(i) + 1)
		m.value.to = d.end(m.value.from)
		all = append(all, m)
		if i = d.skip(m.value.to); d.text[i] == ',' {
			i = d.skip(i + 1)
		}
	}
	return all
}

func (d *document) elements(array span) []span {
	var all []span
	for i := d.skip(array.from + 1); d.text[i] != ']'; {
		s := span{i, d.end(i)}
		all = append(all, s)
		if i = d.skip(s.to); d.text[i] == ',' {
			i = d.skip(i + 1)
		}
	}
	return all
}

// find goes down from the root by keys. The last of equal keys counts, as for the
// clients.
func (d *document) find(keys ...string) (at span, ok bool) {
	at = d.root()
	for _, key := range keys {
		if at, ok = d.in(at, key); !ok {
			return span{}, false
		}
	}
	return at, true
}

func (d *document) splice(from, to int, text string) {
	d.text = append(d.text[:from:from], append([]byte(text), d.text[to:]...)...)
}

// insert adds a value at the end of an object, under key, or of an array. The
// container lies depth levels below the root.
func (d *document) insert(container span, depth int, key string, value any) {
	var items []span
	if d.kind(container) == '{' {
		items = whole(d.members(container))
	} else {
		items = d.elements(container)
	}
	inside := d.text[container.from:container.to]
	flat := d.unit == "" || len(items) > 0 && !bytes.Contains(inside, []byte("\n"))
	outer := strings.Repeat(d.unit, depth)
	item := encode(value, outer+d.unit, d.unit, flat)
	if d.kind(container) == '{' {
		colon := ": "
		if flat && !bytes.Contains(inside, []byte(`": `)) {
			colon = ":"
		}
		item = encode(key, "", "", true) + colon + item
	}
	before, after := "\n"+outer+d.unit, "\n"+outer
	if flat {
		before, after = "", ""
	}
	if len(items) > 0 {
		last := items[len(items)-1].to
		d.splice(last, last, ","+before+item)
		return
	}
	d.splice(container.from+1, container.to-1, before+item+after)
}

// encode writes a value as JSON on one line, or indented.
func encode(value any, prefix, unit string, flat bool) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if !flat {
		enc.SetIndent(prefix, unit)
	}
	if err := enc.Encode(value); err != nil {
		panic(err) // the values are this package's own, of strings and numbers
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// remove takes the i-th of the items away that span from start to end each.
func (d *document) remove(container span, items []span, i int) {
	switch {
	case len(items) == 1:
		d.splice(container.from+1, container.to-1, "")
	case i > 0:
		d.splice(items[i-1].to, items[i].to, "")
	default:
		d.splice(items[0].from, items[1].from, "")
	}
}

// whole are the members as items for remove.
func whole(members []member) []span {
	items := make([]span, len(members))
	for i, m := range members {
		items[i] = span{m.at, m.value.to}
	}
	return items
}

// broken tells whether a value stands on several lines.
func (d *document) broken(s span) bool { return bytes.Contains(d.text[s.from:s.to], []byte("\n")) }

// in is the member of an object, if it is one and has it.
func (d *document) in(object span, key string) (value span, ok bool) {
	if d.kind(object) != '{' {
		return span{}, false
	}
	for _, m := range d.members(object) {
		if m.key == key {
			value, ok = m.value, true
		}
	}
	return value, ok
}

// str is a member that is a string, "" otherwise.
func (d *document) str(object span, key string) string {
	var s string
	if at, ok := d.in(object, key); ok {
		_ = json.Unmarshal(d.text[at.from:at.to], &s) // another type is no string
	}
	return s
}

// strs is a member that is a list of strings, nil otherwise.
func (d *document) strs(object span, key string) []string {
	var s []string
	if at, ok := d.in(object, key); !ok || json.Unmarshal(d.text[at.from:at.to], &s) != nil {
		return nil
	}
	return s
}
