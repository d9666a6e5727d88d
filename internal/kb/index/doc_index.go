package index

import (
	"math"
	"path"
	"strings"
	"time"

	"helix/internal/kb/entry"
)

// Doc is an entry as it goes into the index.
type Doc struct {
	Entry  *entry.Entry // with its changes applied
	Offset int64        // of its record in the log
	Change string       // what was changed after that record, encoded; "" for nothing
}

// HashID identifies an entry within the index.
func HashID(id string) uint64 { return hashKey(id) }

// millis is a time as the index has it: 0 for none.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func docMeta(d *Doc) meta {
	e := d.Entry
	m := meta{
		id:       HashID(e.ID),
		offset:   d.Offset,
		created:  millis(e.Created),
		from:     millis(e.ValidFrom),
		until:    millis(e.ValidTo),
		helped:   uint16(min(e.Helped, math.MaxUint16)),
		harmed:   uint16(min(e.Harmed, math.MaxUint16)),
		salience: uint8(e.Salience*255 + 0.5),
	}
	if x := millis(e.ExpiresAt); x != 0 && (m.until == 0 || x < m.until) {
		m.until = x
	}
	return m
}

func docNorm(e *entry.Entry, m *meta, words int) norm {
	n := norm{
		length: lengthCode(words), kind: kindCode(e.Kind), conf: uint8(e.Confidence*255 + 0.5),
		credit: creditCode(e.Helped, e.Harmed), day: dayOf(m.created),
	}
	if !e.DeletedAt.IsZero() || !e.IsLatest() {
		n.flags |= flagHidden
	}
	if m.from != 0 || m.until != 0 {
		n.flags |= flagLimited
	}
	return n
}

// kindCode numbers the kinds, 0 for one that this version does not know.
func kindCode(k entry.Kind) uint8 {
	if k == "" {
		k = entry.Fact
	}
	for i, known := range entry.Kinds() {
		if k == known {
			return uint8(i + 1)
		}
	}
	return 0
}

// TopicKey, TagKey and SourceKey name the lists of documents that have a topic, a
// tag, or a source. They serve as Query.Require and Query.Exclude.
func TopicKey(topic string) string { return keyTopic + topic }

// TagKey is without regard to case.
func TagKey(tag string) string { return keyTag + strings.ToLower(tag) }

// SourceKey names documents by the end of their source's path.
func SourceKey(p string) string {
	parts := strings.Split(path.Clean(strings.ReplaceAll(p, "\\", "/")), "/")
	var b strings.Builder
	b.WriteString(keySource)
	for i := len(parts) - 1; i >= 0; i-- {
		if parts[i] != "" {
			b.WriteString(parts[i])
			b.WriteByte('/')
		}
	}
	return b.String()
}

// sourcePath is the path of a SourceKey, without a leading slash.
func sourcePath(key string) string {
	parts := strings.Split(strings.TrimSuffix(key[len(keySource):], "/"), "/")
	for i, j := 0, len(parts)-1; i < j; i, j = i+1, j-1 {
		parts[i], parts[j] = parts[j], parts[i]
	}
	return strings.Join(parts, "/")
}

// WordKey names the documents that have a folded word in any inflection. It serves
// as Filter.Exclude.
func WordKey(word string) string {
	stem, plain := wordKeys(word)
	if stem == "" {
		return plain
	}
	return stem
}
