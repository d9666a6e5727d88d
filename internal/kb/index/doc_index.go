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
	_, m.project = projectCode(e.Project)
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
	n.project, _ = projectCode(e.Project)
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

// projectCode stands for a project, in one byte and in four; 0 for none.
func projectCode(project string) (short uint8, long uint32) {
	if project == "" {
		return 0, 0
	}
	h := hashKey(project)
	return uint8(1 + (h>>32)%255), uint32(h)
}

// TopicKey, TagKey, SourceKey and ProjectKey name the lists of documents that have a
// topic, a tag, a source, or a project. They serve as Query.Require and Query.Exclude.
func TopicKey(topic string) string { return keyTopic + topic }

// TagKey is without regard to case.
func TagKey(tag string) string { return keyTag + strings.ToLower(tag) }

// SourceKey names documents by the end of their source's path.
func SourceKey(p string) string { return reversed(keySource, p) }

// ProjectKey names documents by the end of their project's path.
func ProjectKey(p string) string { return reversed(keyProject, p) }

// reversed is a key of a path whose end is the beginning of the key.
func reversed(prefix, p string) string {
	parts := strings.Split(path.Clean(strings.ReplaceAll(p, "\\", "/")), "/")
	var b strings.Builder
	b.WriteString(prefix)
	for i := len(parts) - 1; i >= 0; i-- {
		if parts[i] != "" {
			b.WriteString(parts[i])
			b.WriteByte('/')
		}
	}
	return b.String()
}

// keyPath is the path of a SourceKey or ProjectKey, without a leading slash.
func keyPath(key string) string {
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
