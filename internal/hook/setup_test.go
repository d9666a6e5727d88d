package hook

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"helix/internal/hook/handover"
)

const (
	toldOfInit  = "This project has no helix queue."
	initStarted = "helix init --auto was started"
)

// index writes the beginning of git's index of n files.
func index(t *testing.T, root string, n int) {
	t.Helper()
	head := append([]byte("DIRC"), 0, 0, 0, 2)
	write(t, filepath.Join(root, ".git", "index"), string(binary.BigEndian.AppendUint32(head, uint32(n))))
}

func TestSetUp(t *testing.T) {
	t.Parallel()
	on := handover.Settings{AutoInit: true, MinFiles: 10}
	for name, tt := range map[string]struct {
		settings, own *handover.Settings // the user's, the project's
		prepare       func(t *testing.T, root string)
		env           map[string]string
		want          string
	}{
		"nothing set":       {want: toldOfInit},
		"a queue":           {prepare: func(t *testing.T, root string) { os.Mkdir(filepath.Join(root, ".ddx"), 0o755) }},
		"a queue elsewhere": {env: map[string]string{"DDX_BEAD_DIR": "/queue"}},
		"a run":             {env: map[string]string{"HELIX_AGENT_SESSION": "1"}},
		"no repository":     {prepare: func(t *testing.T, root string) { os.RemoveAll(filepath.Join(root, ".git")) }},
		"enabled":           {settings: &on, prepare: func(t *testing.T, root string) { index(t, root, 10) }, want: initStarted},
		"too small":         {settings: &on, prepare: func(t *testing.T, root string) { index(t, root, 9) }},
		"no index":          {settings: &on},
		"a broken index":    {settings: &on, prepare: func(t *testing.T, root string) { write(t, filepath.Join(root, ".git", "index"), "DIR") }},
		"a linked tree": {settings: &on, want: initStarted, prepare: func(t *testing.T, root string) {
			os.RemoveAll(filepath.Join(root, ".git"))
			write(t, filepath.Join(root, ".git"), "gitdir: /elsewhere\n")
		}},
		"enabled by the project": {own: &on, want: initStarted, prepare: func(t *testing.T, root string) {
			index(t, root, 10)
			write(t, filepath.Join(root, ".helix", "config.yaml"), "auto_init: {enabled: true}\n")
		}},
		"switched off by the project": {settings: &on, own: &handover.Settings{MinFiles: 10}, prepare: func(t *testing.T, root string) {
			index(t, root, 10)
			write(t, filepath.Join(root, ".helix", "config.yaml"), "auto_init: {enabled: false}\n")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root, below := repo(t)
			os.Remove(filepath.Join(root, ".ddx"))
			dir := t.TempDir()
			for project, s := range map[string]*handover.Settings{"": tt.settings, handover.Project(root): tt.own} {
				if s != nil {
					if err := handover.WriteSettings(dir, project, *s, false); err != nil {
						t.Fatal(err)
					}
				}
			}
			if tt.prepare != nil {
				tt.prepare(t, root)
			}
			a := &asker{dir: dir, cwd: below, env: tt.env, now: time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)}
			speak := func() string {
				_, told, _ := strings.Cut(a.ask(t, "SessionStart", ""), "\n")
				return told
			}
			if got := speak(); !strings.HasPrefix(got, tt.want) || tt.want == "" && got != "" || strings.Contains(got, "\n") {
				t.Errorf("told %q", got)
			}
			var want [][]string
			if tt.want == initStarted {
				want = [][]string{{root, "init", "--auto"}}
			}
			if diff := cmp.Diff(want, a.started); diff != "" {
				t.Error(diff)
			}
			if got := speak(); got != "" {
				t.Errorf("told %q again on the same day", got)
			}
			a.now = a.now.Add(24 * time.Hour)
			if got := speak(); !strings.HasPrefix(got, tt.want) {
				t.Errorf("told %q on the next day", got)
			}
		})
	}
}

// TestServerIsStarted: only where that is set, and the memory is there.
func TestServerIsStarted(t *testing.T) {
	t.Parallel()
	root, below := repo(t)
	for _, tt := range []struct {
		on   bool
		want int
	}{{false, 0}, {true, 1}} {
		dir := t.TempDir()
		if err := handover.WriteSettings(dir, "", handover.Settings{AutoStart: tt.on}, false); err != nil {
			t.Fatal(err)
		}
		a := &asker{dir: dir, cwd: below}
		a.ask(t, "SessionStart", "")
		var want [][]string
		if tt.want == 1 {
			want = [][]string{{root, "serve", "--background", "--kb=" + dir}}
		}
		if diff := cmp.Diff(want, a.started); diff != "" {
			t.Error(diff)
		}
	}
}
