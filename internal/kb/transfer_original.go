package kb

import (
	"encoding/json"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"helix/internal/kb/entry"
)

// original reads the JSON that the original program exports: an object of
// topics, each a list of {"ts", "body"}. A topic may be there several times.
type original struct {
	p    *parcel
	data string
	dec  *json.Decoder

	line, upTo int // the number of the line at this offset
	seen       map[entry.V1]int64
}

func readOriginal(data string, p *parcel) error {
	o := &original{p: p, data: data, dec: json.NewDecoder(strings.NewReader(data)), line: 1, seen: map[entry.V1]int64{}}
	o.dec.DisallowUnknownFields()
	err := o.topics()
	if err != nil {
		return at(lineNo(o.lineAt()), err)
	}
	return nil
}

// lineAt is the number of the line up to which the data was read.
func (o *original) lineAt() int {
	if end := min(int(o.dec.InputOffset()), len(o.data)); end > o.upTo {
		o.line += strings.Count(o.data[o.upTo:end], "\n")
		o.upTo = end
	}
	return o.line
}

func (o *original) topics() error {
	if !utf8.ValidString(o.data) {
		return refuse("it is not valid UTF-8")
	}
	if err := o.expect(json.Delim('{'), "an object of topics"); err != nil {
		return err
	}
	for o.dec.More() {
		token, err := o.dec.Token()
		if err != nil {
			return jsonRefusal(err)
		}
		if err := o.topic(token.(string)); err != nil {
			return err
		}
	}
	if err := o.expect(json.Delim('}'), "the end of the topics"); err != nil {
		return err
	}
	if _, err := o.dec.Token(); err != io.EOF {
		return refuse("there is something behind the object of topics")
	}
	return nil
}

func (o *original) topic(topic string) error {
	if err := o.expect(json.Delim('['), "a list of entries under the topic"); err != nil {
		return err
	}
	for o.dec.More() {
		var one struct {
			TS   json.RawMessage `json:"ts"`
			Body string          `json:"body"`
		}
		if err := o.dec.Decode(&one); err != nil {
			return jsonRefusal(err)
		}
		if err := o.entry(topic, one.TS, one.Body); err != nil {
			return err
		}
	}
	return o.expect(json.Delim(']'), "the end of the list")
}

func (o *original) expect(want json.Delim, what string) error {
	token, err := o.dec.Token()
	if err != nil {
		return jsonRefusal(err)
	}
	if token != want {
		return refuse("it should be %s here (%s)", what, want)
	}
	return nil
}

// entry reads one entry as it would be read from the original's log. Its id
// depends on what it says, so that it is the same each time it is imported; equal
// ones are told apart by their number.
func (o *original) entry(topic string, ts json.RawMessage, body string) error {
	zone := o.p.now.Location()
	minutes, err := wallClock(ts, zone)
	if err != nil {
		return err
	}
	v1 := entry.V1{Topic: topic, Body: body, Minutes: minutes}
	o.seen[v1]++
	v1.Offset = o.seen[v1] - 1
	e := entry.DecodeV1(v1, zone)
	if e.Text == "" {
		o.p.empty++
		return nil
	}
	o.p.add(o.lineAt(), e)
	return nil
}

// wallClock reads a time as minutes of the clock since 1970, which is how the
// original counts: as such a number, or as a date with a time of day.
func wallClock(ts json.RawMessage, zone *time.Location) (int32, error) {
	var minutes int32
	if len(ts) > 0 && ts[0] != 'n' && json.Unmarshal(ts, &minutes) == nil {
		return minutes, nil
	}
	var s string
	if json.Unmarshal(ts, &s) == nil {
		for _, layout := range []string{"2006-01-02 15:04", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02"} {
			if t, err := time.Parse(layout, s); err == nil {
				return int32(t.Unix() / 60), nil
			}
		}
		if t, err := time.Parse(time.RFC3339, s); err == nil {
			_, offset := t.In(zone).Zone()
			return int32((t.Unix() + int64(offset)) / 60), nil
		}
	}
	return 0, refuse("the time %s is neither minutes since 1970 nor a date like \"2026-06-18 09:30\"", cut(string(ts), 60))
}
