package tracker

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/goccy/go-yaml"
)

const (
	fallbackPrefix = "bx"
	longestID      = 64
	tailLength     = 8 // hex digits of a new id
)

// newID is an id that neither the queue nor the archive holds.
func (d *draft) newID() (string, error) {
	prefix, err := d.store.idPrefix()
	if err != nil {
		return "", err
	}
	archive, err := os.ReadFile(filepath.Join(d.store.dir, archiveName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("read the archive: %w", err)
	}
	for {
		tail := make([]byte, tailLength/2)
		rand.Read(tail) // never fails
		id := prefix + "-" + hex.EncodeToString(tail)
		_, taken := d.queue.at(id)
		_, mine := d.rows[id]
		if !taken && !mine && !bytes.Contains(archive, []byte(`"`+id+`"`)) {
			return id, nil
		}
	}
}

// idPrefix is the beginning of new ids: as set for this store, else
// bead.id_prefix of config.yaml in the tracker folder, else the name of the
// repository's folder, else "bx".
func (s *Store) idPrefix() (string, error) {
	if s.prefix != "" {
		return s.prefix, nil
	}
	prefix, err := configPrefix(filepath.Join(s.dir, "config.yaml"))
	if err != nil || prefix != "" {
		return prefix, err
	}
	if top := repositoryTop(s.dir); top != "" {
		return cleanPrefix(filepath.Base(top)), nil
	}
	return fallbackPrefix, nil
}

// configPrefix reads bead.id_prefix; "" when it is not set.
func configPrefix(path string) (string, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read %s: %w", path, bare(err))
	}
	var config struct {
		Bead struct {
			Prefix string `yaml:"id_prefix"`
		} `yaml:"bead"`
	}
	if err := yaml.Unmarshal(text, &config); err != nil {
		first, _, _ := strings.Cut(yaml.FormatError(err, false, false), "\n")
		return "", invalid("%s: bead.id_prefix cannot be read: %s", path, first)
	}
	if config.Bead.Prefix == "" {
		return "", nil
	}
	return cleanPrefix(config.Bead.Prefix), nil
}

// repositoryTop is the nearest folder at or above dir that git works in.
func repositoryTop(dir string) string {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// cleanPrefix makes a name fit to begin an id.
func cleanPrefix(name string) string {
	clean := strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(name))
	for strings.Contains(clean, "--") {
		clean = strings.ReplaceAll(clean, "--", "-")
	}
	clean = strings.Trim(clean[:min(len(clean), longestID-tailLength-1)], "-")
	if clean == "" {
		return fallbackPrefix
	}
	return clean
}

// checkID refuses what is no id. Ids of other trackers, such as bd-a3f8.1, are
// accepted; helix's own are <prefix>-<8 hex>.
func checkID(id string) error {
	ok := id != "" && len(id) <= longestID && isWord(id[0])
	for k := 0; ok && k < len(id); k++ {
		ok = isWord(id[k]) || strings.IndexByte("-._", id[k]) >= 0
	}
	if !ok {
		return invalid("%q is no bead id: 1 to %d letters, digits, dashes, dots and underscores", id, longestID)
	}
	return nil
}

func isWord(c byte) bool {
	return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'z'
}
