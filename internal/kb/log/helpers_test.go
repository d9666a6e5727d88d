package log

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
)

func readLog(t *testing.T, dir string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, FileName))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func writeLog(t *testing.T, dir string, b []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, FileName), b, 0o600); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// putFrameLen changes the payload length of a record header and makes its
// checksum agree.
func putFrameLen(b []byte, n uint32) {
	binary.LittleEndian.PutUint32(b[36:], n)
	binary.LittleEndian.PutUint32(b[44:], checksum(b[:44]))
}
