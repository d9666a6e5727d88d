package checkout

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// git runs git in dir, without anybody's settings.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// folder is a new one, without links in its path.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestProject: whatever kind of checkout it is, made by git itself, and wherever one
// stands in it.
func TestProject(t *testing.T) {
	t.Parallel()
	base := folder(t)
	at := func(name string) string { return filepath.Join(base, name) }
	for _, name := range []string{"main/src/deep", "part", "plain"} {
		if err := os.MkdirAll(at(name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"main", "part"} {
		git(t, at(name), "init", "-q", "-b", "main")
		git(t, at(name), "commit", "-q", "--allow-empty", "-m", "start")
	}
	git(t, at("main"), "worktree", "add", "-q", "--detach", at("linked"))
	git(t, at("main"), "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", at("part"), "part")
	git(t, base, "clone", "-q", "--bare", "main", "bare.git")
	git(t, at("bare.git"), "worktree", "add", "-q", "--detach", at("of-bare"))
	if err := os.Symlink(at("main"), at("link")); err != nil {
		t.Fatal(err)
	}
	write(t, at("moved/.git"), "gitdir: "+at("nowhere")+"/.git/worktrees/moved\n")
	write(t, at("rubbish/.git"), "rubbish\n")
	for _, tt := range []struct{ dir, root, project string }{
		{"main", "main", "main"},
		{"main/src/deep", "main", "main"},
		{"main/src/not/there", "main", "main"},
		{"linked", "linked", "main"},
		{"main/part", "main/part", "main/part"},
		{"link/src", "link", "main"},
		{"of-bare", "of-bare", "bare.git"},
		{"moved", "moved", "moved"},
		{"rubbish", "rubbish", "rubbish"},
	} {
		if got := Root(at(tt.dir)); got != at(tt.root) {
			t.Errorf("root of %s: %s", tt.dir, got)
		}
		if got := Of(at(tt.dir)); got != at(tt.project) {
			t.Errorf("project of %s: %s, want %s", tt.dir, got, at(tt.project))
		}
	}
	// The same as what git says of a checkout that is none of the linked ones.
	if top := git(t, at("main/src"), "rev-parse", "--show-toplevel"); Of(at("link/src")) != top {
		t.Errorf("git says %s", top)
	}
}

func TestNone(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{folder(t), "", "relative", "/a\x00b"} {
		if root, project := Root(dir), Of(dir); root != "" || project != "" {
			t.Errorf("%q: %q, %q", dir, root, project)
		}
	}
}

// FuzzPointer: whatever stands in .git, there is a project, and it can be stored.
func FuzzPointer(f *testing.F) {
	f.Add("gitdir: ../x/.git/worktrees/a\n", "../..\n")
	f.Add("gitdir: \x00\n", "\xff\n")
	f.Add("", "")
	f.Fuzz(func(t *testing.T, git, common string) {
		root := t.TempDir()
		write(t, filepath.Join(root, ".git"), git)
		write(t, filepath.Join(root, "x", "commondir"), common)
		if got := Project(root); got == "" || strings.ToValidUTF8(got, "") != got {
			t.Errorf("%q", got)
		}
	})
}
