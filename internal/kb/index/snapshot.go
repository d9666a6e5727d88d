package index

import (
	"time"
)

// Snapshot is a list of segments with what has been deleted from them: the whole
// index as it was at one moment. It is safe for concurrent use.
type Snapshot struct {
	parts []*part
	mark  string
	words uint64 // of all texts
	docs  int
	spare spare
}

// part is a segment within a snapshot.
type part struct {
	seg      *Segment
	name     string              // of its file, "" in memory
	goneName string              // of the file of gone, noFile for none
	gone     []byte              // a bit for each document that is deleted, nil for none
	dead     int                 // set bits of gone
	hide     map[uint64]struct{} // ids that something later replaced or deleted
}

// Ref names a document within a Snapshot.
type Ref struct {
	part int
	doc  uint32
}

// Watermark is what the index was told at its last update: how far it goes.
func (s *Snapshot) Watermark() string { return s.mark }

// With gives a snapshot that has a segment more, newer than all others. Documents
// of s whose id is in gone count as deleted.
func (s *Snapshot) With(seg *Segment, gone map[uint64]struct{}) *Snapshot {
	out := &Snapshot{mark: s.mark}
	for _, p := range s.parts {
		q := *p
		if len(gone) > 0 {
			q.hide = gone
		}
		out.add(&q)
	}
	if seg != nil && seg.docs > 0 {
		out.add(&part{seg: seg})
	}
	return out
}

func (s *Snapshot) add(p *part) {
	s.parts = append(s.parts, p)
	s.docs += p.seg.docs
	s.words += p.seg.head.words
}

// Empty reports whether there is no document, not even a deleted one.
func (s *Snapshot) Empty() bool { return s.docs == 0 }

// Docs is the number of documents that are not deleted, hidden ones too.
func (s *Snapshot) Docs() int {
	n := 0
	for _, p := range s.parts {
		n += p.seg.docs - p.deleted()
	}
	return n
}

// deleted counts the documents that are deleted.
func (p *part) deleted() int {
	n := p.dead
	for id := range p.hide {
		if doc, ok := p.seg.find(id); ok && !p.isGone(doc) {
			n++
		}
	}
	return n
}

func (p *part) isGone(doc uint32) bool {
	return p.gone != nil && p.gone[doc>>3]&(1<<(doc&7)) != 0
}

// alive reports whether doc is not deleted.
func (p *part) alive(doc uint32) bool {
	if p.isGone(doc) {
		return false
	}
	if len(p.hide) == 0 {
		return true
	}
	_, hidden := p.hide[le.Uint64(p.seg.section(secMeta)[int(doc)*metaSize:])]
	return !hidden
}

// whole reports whether every document counts, so that the sums of the segment do.
func (p *part) whole() bool {
	return p.seg.head.special == 0 && p.deleted() == 0
}

// Find looks up the document of an entry's id, hidden or not.
func (s *Snapshot) Find(id string) (Ref, bool) {
	h := HashID(id)
	for i := len(s.parts) - 1; i >= 0; i-- {
		if doc, ok := s.parts[i].seg.find(h); ok && s.parts[i].alive(doc) {
			return Ref{i, doc}, true
		}
	}
	return Ref{}, false
}

// Place says where the log has an entry.
type Place struct {
	ID      uint64 // HashID of its id
	Offset  int64  // of its record
	Change  string // to be applied to it, encoded; "" for nothing
	Created time.Time
}

// Place gives the place of a document.
func (s *Snapshot) Place(r Ref) Place {
	seg := s.parts[r.part].seg
	m := seg.meta(r.doc)
	return Place{m.id, m.offset, seg.change(m), time.UnixMilli(m.created).UTC()}
}

// Topic gives the topic of a document.
func (s *Snapshot) Topic(r Ref) string {
	seg := s.parts[r.part].seg
	name, _ := seg.topic(int(seg.meta(r.doc).topic))
	return string(name)
}

// Verify reads all segments and compares their checksums.
func (s *Snapshot) Verify() error {
	for _, p := range s.parts {
		if err := p.seg.Verify(); err != nil {
			return err
		}
	}
	return nil
}
