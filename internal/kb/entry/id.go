package entry

import (
	"encoding/binary"
	"strings"
	"time"
)

const maxSlug = 40 // bytes of the topic that go into an id

// NewID gives an id that people can read and cite: the day of creation (UTC), the
// topic, and a short hash, as in mem_2026-06-18_auth-retry_a1b2. taken tells
// which ids exist; the hash gets longer until the id is free. The same entry
// gives the same id as long as nothing else has it. taken must be answered under
// the writer lock when several processes write.
func NewID(e *Entry, taken func(id string) bool) string {
	for round := uint64(0); ; round++ {
		if id := FreeID(idName(e, round), taken); id != "" {
			return id
		}
	}
}

// IDName is the longest of the ids that NewID tries first.
func IDName(e *Entry) string { return idName(e, 0) }

// FreeID gives the shortest id that a name of IDName stands for and nothing has, ""
// when all are taken: NewID knows others.
func FreeID(name string, taken func(id string) bool) string {
	for left := 12; left >= 0; left -= 4 {
		if id := name[:len(name)-left]; !taken(id) {
			return id
		}
	}
	return ""
}

// ShortID is the id that FreeID tries first.
func ShortID(name string) string { return name[:len(name)-12] }

func idName(e *Entry, round uint64) string {
	return idPrefix(clean(e.Created), e.Topic) + idHash(e, round)[:16]
}

func idHash(e *Entry, round uint64) string {
	h := newDigest()
	var n [16]byte
	binary.LittleEndian.PutUint64(n[:], uint64(clean(e.Created).UnixMilli()))
	binary.LittleEndian.PutUint64(n[8:], round)
	h.Write(n[:])
	for _, part := range []string{e.Topic, e.Tenant, e.User, e.Project, e.Session, e.Text} {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	return h.hex()
}

// TextHash identifies a text, so that a vector can name what it was made of. 16
// hex digits.
func TextHash(text string) string {
	h := newDigest()
	h.Write([]byte(text))
	return h.hex()[:16]
}

func idPrefix(day time.Time, topic string) string {
	return "mem_" + day.Format("2006-01-02") + "_" + slug(topic) + "_"
}

// slug makes a topic fit into ids, URLs and file names: small ASCII letters,
// digits and single hyphens. A topic without any of these becomes "entry".
func slug(topic string) string {
	var b strings.Builder
	gap := false
	for i := 0; i < len(topic); i++ {
		c := topic[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			gap = true
			continue
		}
		if b.Len() >= maxSlug {
			break
		}
		if gap && b.Len() > 0 {
			b.WriteByte('-')
		}
		gap = false
		b.WriteByte(c)
	}
	if b.Len() == 0 {
		return "entry"
	}
	return b.String()
}

// EncodeRef gives the stored form of a reference to something by its id, which
// PeekID reads back.
func EncodeRef(id string) (string, error) {
	if err := checkID("id", id); err != nil {
		return "", err
	}
	return "[id: " + id + "]\n", nil
}
