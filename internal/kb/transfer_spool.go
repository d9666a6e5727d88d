package kb

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"helix/internal/kb/entry"
)

// spoolMemory is how much of an import's spool is in memory.
const spoolMemory = 8 << 20

// spoolTogether is how much is read together by one who goes through a spool.
const spoolTogether = 256 << 10

// spool keeps the entries of an import until all are known to be right: in memory, and
// those of a long one in a file without a name, which is gone with the process.
type spool struct {
	dir   string   // of the file; "" is that of the system
	most  int      // bytes in tail
	file  *os.File // nil while everything is in tail
	filed int64    // bytes in file
	tail  []byte   // what comes after these
}

func (s *spool) size() int64 { return s.filed + int64(len(s.tail)) }

func (s *spool) write(b []byte) error {
	if s.tail == nil {
		s.tail = make([]byte, 0, s.most+s.most/8)
	}
	s.tail = append(s.tail, b...)
	if len(s.tail) < s.most {
		return nil
	}
	if s.file == nil {
		f, err := os.CreateTemp(s.dir, "import-*")
		if err != nil {
			return fmt.Errorf("kb: keep what is to be imported: %w", err)
		}
		s.file = f
		if err := os.Remove(f.Name()); err != nil {
			return fmt.Errorf("kb: keep what is to be imported: %w", err)
		}
	}
	if _, err := s.file.WriteAt(s.tail, s.filed); err != nil {
		return fmt.Errorf("kb: keep what is to be imported: %w", err)
	}
	s.filed += int64(len(s.tail))
	s.tail = s.tail[:0]
	return nil
}

// ReadAt implements io.ReaderAt.
func (s *spool) ReadAt(b []byte, off int64) (n int, err error) {
	if off < s.filed {
		if n, err = s.file.ReadAt(b[:min(int64(len(b)), s.filed-off)], off); err != nil {
			return n, err
		}
	}
	if n < len(b) {
		n += copy(b[n:], s.tail[min(int64(len(s.tail)), off+int64(n)-s.filed):])
	}
	if n < len(b) {
		err = io.EOF
	}
	return n, err
}

func (s *spool) close() {
	if s.file != nil {
		_ = s.file.Close() // it goes with it
	}
}

// spooled is an entry as it lies in a spool.
type spooled struct {
	line    int
	id      string // or, of one that has none yet, entry.IDName
	named   bool   // id is such a name
	created int64  // ms
	topic   string
	body    string // as stored, without the line of the id
}

// spooledHead is the size of what comes before the texts.
const spooledHead = 8 + 8 + 1 + 1 + 2 + 4

func (r *spooled) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(r.line))
	b = binary.LittleEndian.AppendUint64(b, uint64(r.created))
	named := byte(0)
	if r.named {
		named = 1
	}
	b = append(b, named, byte(len(r.id)))
	b = binary.LittleEndian.AppendUint16(b, uint16(len(r.topic)))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(r.body)))
	return append(append(append(b, r.id...), r.topic...), r.body...)
}

// spoolReader reads entries one after the other. at is where the next one begins.
type spoolReader struct {
	r  *bufio.Reader
	at int64
}

// reader begins at a place, and reads so many bytes together.
func (s *spool) reader(at int64, together int) *spoolReader {
	return &spoolReader{bufio.NewReaderSize(io.NewSectionReader(s, at, s.size()-at), together), at}
}

// next gives io.EOF at the end.
func (r *spoolReader) next() (spooled, error) {
	var head [spooledHead]byte
	if _, err := io.ReadFull(r.r, head[:]); err != nil {
		if !errors.Is(err, io.EOF) {
			err = fmt.Errorf("kb: read what is to be imported: %w", err)
		}
		return spooled{}, err
	}
	idN, topicN := int(head[17]), int(binary.LittleEndian.Uint16(head[18:]))
	texts := make([]byte, idN+topicN+int(binary.LittleEndian.Uint32(head[20:])))
	if _, err := io.ReadFull(r.r, texts); err != nil {
		return spooled{}, fmt.Errorf("kb: read what is to be imported: %w", err)
	}
	r.at += int64(len(head) + len(texts))
	all := string(texts)
	return spooled{
		line:    int(binary.LittleEndian.Uint64(head[:])),
		created: int64(binary.LittleEndian.Uint64(head[8:])),
		named:   head[16] == 1,
		id:      all[:idN],
		topic:   all[idN : idN+topicN],
		body:    all[idN+topicN:],
	}, nil
}

// spoolOf gives the form of an entry in a spool.
func spoolOf(line int, e *entry.Entry) spooled {
	r := spooled{line: line, id: e.ID, created: e.Created.UnixMilli()}
	if r.id == "" {
		r.id, r.named = entry.IDName(e), true
	}
	anonymous := *e
	anonymous.ID = ""
	r.topic, r.body = entry.Encode(&anonymous)
	return r
}

func (r *spooled) when() time.Time { return time.UnixMilli(r.created).UTC() }

// bodyWith is the body of the entry with an id.
func (r *spooled) bodyWith(id string) (string, error) {
	line, err := entry.EncodeRef(id)
	return line + r.body, err
}

// newID is entry.NewID.
func (r *spooled) newID(taken func(id string) bool) (string, error) {
	if id := entry.FreeID(r.id, taken); id != "" {
		return id, nil
	}
	body, err := r.bodyWith("new")
	if err != nil {
		return "", err
	}
	e, err := entry.Decode(r.topic, body, r.when())
	if err != nil {
		return "", err
	}
	return entry.NewID(&e, taken), nil
}

// same reports whether e is stored alike, whatever the ids.
func (r *spooled) same(e *entry.Entry) bool {
	o := spoolOf(0, e)
	return r.topic == o.topic && r.body == o.body && r.created == o.created
}
