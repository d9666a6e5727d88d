package entry

import (
	"encoding/binary"
	"strings"
	"time"
)

// V1 is an entry record of a version 1 log.
type V1 struct {
	Topic   string
	Body    string
	Minutes int32 // of the local wall clock since 1970-01-01 00:00 on that clock
	Offset  int64 // where the record starts in its file
}

// DecodeV1 reads a version 1 record by the original's rules: a metadata line in
// its exact form counts wherever it stands in the body, and the last one of a
// kind wins. Those lines leave the text; everything else stays in it.
//
// Version 1 did not record a zone: Minutes are read as wall clock of zone. The id
// does not depend on that choice. It is derived from the record's content and
// place, so that two equal records are two entries, and a log that is not
// rewritten gives the same ids at every read.
func DecodeV1(r V1, zone *time.Location) Entry {
	e := New(r.Topic, "", V1Time(r.Minutes, zone))
	e.ID = v1ID(r)

	var kept []string
	for rest, more := r.Body, true; more; {
		var line string
		line, rest, more = strings.Cut(rest, "\n")
		if !e.setV1(line, zone) {
			kept = append(kept, line)
		}
	}
	e.Text = strings.Join(kept, "\n")
	return e
}

// setV1 takes over one line of a version 1 body; false means that it is text.
func (e *Entry) setV1(line string, zone *time.Location) bool {
	key, value, ok := splitMeta(line)
	if !ok {
		return false
	}
	value = strings.TrimSpace(value)
	switch key {
	case "tags":
		e.Tags = splitTags(value)
	case "source":
		e.Source.Path, e.Source.Line = parseSource(value)
	case "confidence":
		return set(&e.Confidence, value, parseShare) || e.keep(line)
	case "links":
		e.Links = strings.Fields(value)
	case "modified":
		t, ok := parseV1Time(value, zone)
		if !ok {
			return e.keep(line)
		}
		e.Modified = t
	case "type":
		kind := Kind(value)
		if !kind.Known() {
			return e.keep(line)
		}
		e.Kind = kind
	case "tier", "linked from":
		return e.keep(line)
	default:
		return false
	}
	return true
}

// keep stores a line in Extra unless Decode would read it differently there.
func (e *Entry) keep(line string) bool {
	if !wellFormedExtra(line) {
		return false
	}
	e.Extra = append(e.Extra, line)
	return true
}

func splitTags(value string) []string {
	var tags []string
	for _, tag := range strings.Split(value, ",") {
		if tag = strings.TrimSpace(tag); tag != "" {
			tags = append(tags, tag)
		}
	}
	return tags
}

func parseV1Time(value string, zone *time.Location) (time.Time, bool) {
	for _, layout := range []string{"2006-01-02 15:04", "2006-01-02 15:04:05", "2006-01-02"} {
		if t, err := time.ParseInLocation(layout, value, zone); err == nil {
			return clean(t), true
		}
	}
	return parseTime(value)
}

// V1Time is the moment at which a clock in zone showed the given minutes.
func V1Time(minutes int32, zone *time.Location) time.Time {
	wall := clockFace(minutes)
	y, m, d := wall.Date()
	return time.Date(y, m, d, wall.Hour(), wall.Minute(), 0, 0, zone).UTC()
}

// clockFace is what the clock showed, as if it had been in UTC.
func clockFace(minutes int32) time.Time { return time.Unix(int64(minutes)*60, 0).UTC() }

func v1ID(r V1) string {
	h := newDigest()
	var n [12]byte
	binary.LittleEndian.PutUint64(n[:], uint64(r.Offset))
	binary.LittleEndian.PutUint32(n[8:], uint32(r.Minutes))
	h.Write(n[:])
	h.Write([]byte(r.Topic))
	h.Write([]byte{0})
	h.Write([]byte(r.Body))
	return idPrefix(clockFace(r.Minutes), r.Topic) + h.hex()[:12]
}
