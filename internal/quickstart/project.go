package quickstart

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"helix/internal/git"
	"helix/internal/tracker"
)

//go:embed project recording
var files embed.FS

// MemoryDir is the folder of the project's own memory, below its top: a try leaves
// nothing in the user's.
const MemoryDir = ".helix-kb"

// recordingKey is the key of a bead that names the recorded change for it.
const recordingKey = "quickstart-recording"

// seed is a bead before it has an id.
type seed struct {
	name         string // by which others refer to it
	parent, need string
	recorded     string
	new          tracker.New
}

var seeds = []seed{
	{name: "greet", recorded: "greet", new: tracker.New{
		Title: "Greet somebody by name", Priority: 0,
		Description: "Add func Greet(name string) string to package main, with a test. Greet(\"Ada\") is \"Hello, Ada!\".",
		Acceptance:  "Greet exists and has a test.\n- `go test -run TestGreet .` passes",
	}},
	{name: "epic", new: tracker.New{
		Title: "Greet in more languages", Type: "epic", Priority: 1, Set: map[string]string{"spec-id": "languages"},
		Acceptance: "German and French greetings exist.",
	}},
	{name: "german", parent: "epic", need: "greet", recorded: "german", new: tracker.New{
		Title: "Greet in German", Priority: 1,
		Description: "Add func Gruessen(name string) string in german.go, with a test. Gruessen(\"Ada\") is \"Hallo, Ada!\".",
		Acceptance:  "- `go test -run TestGruessen .` passes",
	}},
	{name: "french", parent: "epic", need: "greet", recorded: "french", new: tracker.New{
		Title: "Greet in French", Priority: 1,
		Description: "Add func Saluer(name string) string in french.go, with a test. Saluer(\"Ada\") is \"Bonjour, Ada !\".",
		Acceptance:  "- `go test -run TestSaluer .` passes",
	}},
	{name: "price", recorded: "price", new: tracker.New{
		Title: "Turn prices into cents", Priority: 2,
		Description: "Add func Cents(price float64) int in price.go. Cents(1.15) is 115.",
		Acceptance:  "- `go test -run TestCents .` passes",
	}},
	{name: "log", recorded: "log", new: tracker.New{
		Title: "Log every greeting", Priority: 3, Set: map[string]string{"spec-id": "logging-v1"},
		Description: "Add func LogGreeting(name string) in log.go that logs whom it greeted.",
		Acceptance:  "- `go vet ./...` passes",
	}},
}

// Create makes the project in dir, which must be empty or not exist yet, with
// settings as its .helix/config.yaml. Recorded beads carry the name of their
// recording.
func Create(ctx context.Context, dir, settings string, recorded bool) error {
	if err := emptyDir(dir); err != nil {
		return err
	}
	if err := copyOut("project", dir); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("/"+MemoryDir+"/\n"), 0o644); err != nil {
		return fmt.Errorf("quickstart: make the project: %w", err)
	}
	path := filepath.Join(dir, ".helix", "config.yaml")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("quickstart: make the project: %w", err)
	}
	if err := os.WriteFile(path, []byte(settings), 0o644); err != nil {
		return fmt.Errorf("quickstart: make the project: %w", err)
	}
	repo := &git.Repo{Dir: dir}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"},
		{"config", "user.name", "helix quickstart"}, {"config", "user.email", "quickstart@example.com"},
		{"add", "-A"}, {"commit", "-q", "-m", "A greeter that knows one word"},
	} {
		if _, err := repo.Run(ctx, args...); err != nil {
			return fmt.Errorf("quickstart: make the project: %w", err)
		}
	}
	return fillQueue(ctx, filepath.Join(dir, ".ddx"), recorded)
}

func emptyDir(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return os.MkdirAll(dir, 0o755)
	}
	if err != nil {
		return fmt.Errorf("quickstart: %w", err)
	}
	if len(entries) > 0 {
		return fmt.Errorf("quickstart: %s is not empty; name a new folder with --dir", dir)
	}
	return nil
}

// copyOut writes an embedded folder to dir. The files are stored with .txt at
// their end, so that the Go ones are not taken for a part of helix.
func copyOut(name, dir string) error {
	return fs.WalkDir(files, name, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := files.ReadFile(path)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, strings.TrimSuffix(strings.TrimPrefix(path, name+"/"), ".txt"))
		return os.WriteFile(to, data, 0o644)
	})
}

func fillQueue(ctx context.Context, dir string, recorded bool) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("quickstart: make the queue: %w", err)
	}
	store := tracker.OpenStore(dir, tracker.WithPrefix("qs"))
	ids := map[string]string{}
	for _, s := range seeds {
		n := s.new
		n.Parent = ids[s.parent]
		if s.need != "" {
			n.DependsOn = []string{ids[s.need]}
		}
		set := map[string]string{}
		for k, v := range s.new.Set {
			set[k] = v
		}
		if recorded && s.recorded != "" {
			set[recordingKey] = s.recorded
		}
		n.Set = set
		made, err := store.Create(ctx, n)
		if err != nil {
			return fmt.Errorf("quickstart: file %q: %w", n.Title, err)
		}
		ids[s.name] = made.ID
	}
	return nil
}
