package install

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Program is how the clients start helix, with absolute paths.
type Program struct {
	Helix string // the helix program
	Hook  string // helix-hook, which starts faster; "" where there is none
}

// Find tells how the running helix is started: by the name under which PATH has
// it, which stays when a newer one is installed, else by its own path.
func Find() (Program, error) {
	self, err := os.Executable()
	if err != nil {
		return Program{}, fmt.Errorf("helix does not find itself: %w", err)
	}
	real := self
	if named, err := exec.LookPath("helix"); err == nil && filepath.IsAbs(named) && sameFile(named, self) {
		self = named
	}
	if strings.Contains(self, string(filepath.Separator)+"go-build") {
		return Program{}, errors.New("this helix was built by go run and is gone afterwards; install it first (go install ./cmd/helix ./cmd/helix-hook)")
	}
	p := Program{Helix: self}
	for _, dir := range []string{filepath.Dir(self), filepath.Dir(real)} {
		if hook := filepath.Join(dir, "helix-hook"); p.Hook == "" && runnable(hook) {
			p.Hook = hook
		}
	}
	return p, nil
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

func runnable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}

// oneProcessor is put before helix-hook. A Go program that may use several processors
// moves to another one as it starts, and begins there with empty caches: a tenth of
// the life of a hook process, which has nothing to do for a second one.
const oneProcessor = "GOMAXPROCS=1 "

// command is the shell command that answers an event.
func (p Program) command(event string) string {
	if p.Hook != "" {
		return oneProcessor + quote(p.Hook) + " " + event
	}
	return quote(p.Helix) + " hook " + event
}

// quote makes a word of a shell command.
func quote(word string) string {
	if word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+:@") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// split takes a simple shell command apart into its words.
func split(command string) []string {
	var words []string
	var word strings.Builder
	open, end := false, byte(0)
	for i := 0; i < len(command); i++ {
		c := command[i]
		switch {
		case end != 0 && c == end:
			end = 0
		case c == '\\' && end != '\'' && i+1 < len(command):
			i++
			word.WriteByte(command[i])
			open = true
		case end != 0:
			word.WriteByte(c)
		case c == '\'' || c == '"':
			end, open = c, true
		case c == ' ' || c == '\t' || c == '\n':
			if open {
				words = append(words, word.String())
				word.Reset()
				open = false
			}
		default:
			word.WriteByte(c)
			open = true
		}
	}
	if open {
		words = append(words, word.String())
	}
	return words
}

// ours is the program and the event of a command that helix wrote, ok false for
// one that is somebody else's.
func ours(command string) (program, event string, ok bool) {
	words := split(command)
	for len(words) > 0 {
		name, _, assigns := strings.Cut(words[0], "=")
		if !assigns || strings.Contains(name, "/") {
			break
		}
		words = words[1:] // what the person set before it
	}
	switch {
	case len(words) >= 2 && filepath.Base(words[0]) == "helix-hook":
		return words[0], words[1], true
	case len(words) >= 3 && filepath.Base(words[0]) == "helix" && words[1] == "hook":
		return words[0], words[2], true
	}
	return "", "", false
}
