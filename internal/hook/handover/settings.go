package handover

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"helix/internal/kb/rawfile"
)

// Settings are what a hook has to know of config.yaml. The zero value but for
// MinFiles is that of a user who has set nothing.
type Settings struct {
	AutoInit  bool // projects are set up without being asked about
	MinFiles  int  // that have at least so many tracked files
	AutoStart bool // a server is started where none runs
}

// maxSettings bytes are read of a file of settings.
const maxSettings = 1 << 10

func (s Settings) text() string {
	return "auto_init.enabled " + strconv.FormatBool(s.AutoInit) +
		"\nauto_init.min_files " + strconv.Itoa(s.MinFiles) +
		"\nserve.auto_start " + strconv.FormatBool(s.AutoStart) + "\n"
}

// parse reads lines of a name and a value. A line that it does not understand
// changes nothing: another version of helix may have written it.
func (s *Settings) parse(text string) {
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch name {
		case "auto_init.enabled":
			s.AutoInit = value == "true"
		case "auto_init.min_files":
			if n, err := strconv.Atoi(value); err == nil && n >= 0 {
				s.MinFiles = n
			}
		case "serve.auto_start":
			s.AutoStart = value == "true"
		}
	}
}

func settingsFile(dir, project string) string {
	if project != "" {
		return filepath.Join(Folder(dir), project+".settings")
	}
	return filepath.Join(Folder(dir), "settings")
}

// ReadSettings are those of the project, else those of the user. What is missing or
// cannot be read has not been set.
func ReadSettings(dir, project string) Settings {
	var s Settings
	for _, p := range []string{project, ""} {
		if text, err := rawfile.ReadAll(settingsFile(dir, p), maxSettings); err == nil {
			s.parse(string(text))
			break
		}
	}
	return s
}

// WriteSettings leaves settings for the hooks: those of a project, or the user's for
// "". plain says that nothing has been set, for which no file has to be there.
func WriteSettings(dir, project string, s Settings, plain bool) error {
	path := settingsFile(dir, project)
	if plain {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if old, err := rawfile.ReadAll(path, maxSettings); err == nil && string(old) == s.text() {
		return nil
	}
	return Replace(path, []byte(s.text()))
}

// Replace writes a file in one step, for this user only, and makes its folder.
func Replace(path string, data []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "new-*") // with mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
