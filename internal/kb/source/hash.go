package source

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// MaxSize is the largest file, in bytes, whose content is compared.
const MaxSize = 8 << 20

// hashLen is the length of a recorded hash in hex digits.
const hashLen = 16

var (
	// ErrNotRegular: a folder, a pipe, a device.
	ErrNotRegular = errors.New("not a regular file")
	// ErrTooLarge: more than MaxSize bytes.
	ErrTooLarge = errors.New("too large to compare")
)

// Hash identifies the content of a file: the first 16 hex digits of its SHA-256.
func Hash(path string) (string, error) {
	sum, err := hash(path)
	if err != nil {
		return "", fmt.Errorf("source: hash %s: %w", path, err)
	}
	return sum, nil
}

func hash(path string) (string, error) {
	// Not blocking: the path may name a pipe that nobody writes to.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", bare(err)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return "", bare(err)
	case !info.Mode().IsRegular():
		return "", ErrNotRegular
	case info.Size() > MaxSize:
		return "", ErrTooLarge
	}
	h := sha256.New()
	// The file may grow while it is read.
	n, err := io.Copy(h, io.LimitReader(f, MaxSize+1))
	switch {
	case err != nil:
		return "", bare(err)
	case n > MaxSize:
		return "", ErrTooLarge
	}
	return hex.EncodeToString(h.Sum(nil))[:hashLen], nil
}

// bare drops the path that the os package puts into its errors.
func bare(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}
