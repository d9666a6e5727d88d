package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"helix/internal/git"
	"helix/internal/proc"
	"helix/internal/run/agent"
	"helix/internal/run/prompt"
)

// oldestGit is the first release with everything that helix asks git for
// (git worktree, git merge-tree and for-each-ref as they are used here).
var oldestGit = [2]int{2, 30}

func (d *doctor) checkGit(ctx context.Context) bool {
	out, err := (&git.Repo{Dir: d.app.Dir}).Run(ctx, "version")
	if err != nil {
		d.fail("git", "install git", "%v", err)
		return false
	}
	version, ok := gitVersion(out)
	switch {
	case !ok:
		d.warn("git", "", "its version cannot be read from %q", out)
	case version[0] < oldestGit[0] || version[0] == oldestGit[0] && version[1] < oldestGit[1]:
		d.fail("git", fmt.Sprintf("install git %d.%d or newer", oldestGit[0], oldestGit[1]), "version %d.%d is too old", version[0], version[1])
	default:
		d.ok("git", "version %d.%d", version[0], version[1])
	}
	return true
}

var gitVersionText = regexp.MustCompile(`^git version (\d{1,4})\.(\d{1,4})`)

// gitVersion reads the first two numbers of what git version prints.
func gitVersion(text string) (version [2]int, ok bool) {
	m := gitVersionText.FindStringSubmatch(text)
	if m == nil {
		return version, false
	}
	version[0], _ = strconv.Atoi(m[1])
	version[1], _ = strconv.Atoi(m[2])
	return version, true
}

func (d *doctor) checkRepository(ctx context.Context, repo *git.Repo) bool {
	before := len(d.findings)
	branch, err := repo.Branch(ctx)
	if err != nil {
		d.fail("repository", "check a branch out with: git switch <branch>", "HEAD is detached, so work has no branch to land on")
	}
	if _, err := repo.Head(ctx); err != nil {
		d.fail("repository", "make the first commit", "it has no commits yet")
	}
	if dir, err := repo.GitDir(ctx); err != nil {
		d.fail("repository", "", "%v", err)
	} else if op := git.OperationIn(dir); op.Name != "" {
		d.fail("repository", "finish or abort it", "a %s is not finished", op.Name)
	}
	if err := repo.CheckIdentity(ctx); err != nil {
		d.fail("repository", "", "%v", err)
	}
	if len(d.findings) > before {
		return false
	}
	d.ok("repository", "%s, on branch %s", repo.Dir, branch)
	return true
}

// versionTimeout bounds how long an agent may take to name its version.
const versionTimeout = 10 * time.Second

func (d *doctor) checkAgents(ctx context.Context) {
	installed := agent.System{}.Installed()
	for _, k := range installed {
		version, err := versionOf(ctx, string(k))
		if err != nil {
			d.warn("agents", "run it by hand: "+string(k)+" --version", "%s is installed, but does not start: %v", k, err)
			continue
		}
		d.ok("agents", "%s: %s", k, version)
	}
	cfg := d.project.config
	switch kind := agent.Kind(cfg.Agent); {
	case kind == agent.Command && len(cfg.Command) == 0:
		d.fail("agents", "set command: [program, argument, …] in .helix/config.yaml", "the agent is \"command\", but no command is set")
	case kind == agent.Command:
		d.checkCommand(cfg.Command[0])
	case kind != "" && !slices.Contains(installed, kind):
		d.fail("agents", "install it, or choose another with the setting agent", "%s does the work, but is not on PATH", kind)
	case len(installed) == 0:
		d.fail("agents", "install Claude Code or Codex, or set agent: command", "neither claude nor codex is on PATH")
	}
	if r := agent.Kind(cfg.ReviewAgent); r != "" && r != agent.Command && !slices.Contains(installed, r) {
		d.fail("agents", "install it, or choose another with the setting review_agent", "%s reviews, but is not on PATH", r)
	}
}

func (d *doctor) checkCommand(program string) {
	path := program
	if strings.Contains(program, "/") && !filepath.IsAbs(program) {
		path = filepath.Join(d.project.repo.Dir, program) // it is started in a work tree of the project
	}
	if _, err := exec.LookPath(path); err != nil {
		d.fail("agents", "correct the setting command", "%s does the work, but cannot be started: %v", program, errors.Unwrap(err))
		return
	}
	d.ok("agents", "command: %s", program)
}

// versionOf is the first line that PROGRAM --version prints.
func versionOf(ctx context.Context, program string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, versionTimeout)
	defer cancel()
	var out bytes.Buffer
	cmd := exec.Command(program, "--version")
	cmd.Stdout = &out
	if err := proc.Run(ctx, cmd, proc.Options{Grace: time.Second}); err != nil {
		return "", err
	}
	first, _, _ := strings.Cut(strings.TrimSpace(out.String()), "\n")
	if first == "" {
		return "", errors.New("it printed nothing")
	}
	return first, nil
}

// checkExecutor names the executor that a run would take. Whether that can work
// here is asked only where the repository has no failure of its own.
func (d *doctor) checkExecutor(ctx context.Context, usable bool) {
	exec, err := d.app.executor(ctx, d.project, agent.System{}, "doctor")
	if err != nil {
		d.fail("executor", "", "%s", d.short(err.Error()))
		return
	}
	name := exec.Capabilities().Name
	if checker, ok := exec.(interface{ Check(context.Context) error }); ok && usable {
		if err := checker.Check(ctx); err != nil {
			d.fail("executor", "", "%s: %s", name, d.short(err.Error()))
			return
		}
	}
	d.ok("executor", "%s (the setting is %s)", name, d.project.config.Executor)
	if !exec.Capabilities().OwnPrompt || d.project.config.Memory == "off" {
		return
	}
	who, err := d.app.agents(d.project.config, "")
	if err != nil {
		return // checkAgents has said it
	}
	if why := d.app.unheard(d.project, who.choose(prompt.Implementation).Kind); why != "" {
		d.warn("executor", "set them up with: "+installHooksCommand, "%s", why)
	}
}

func (d *doctor) checkDocuments() {
	root := d.project.repo.Dir
	library, err := prompt.OpenLibrary(root, d.project.config.LibraryRoot)
	if err != nil {
		d.fail("documents", "", "%v", err)
		return
	}
	var own []string
	for _, action := range prompt.Actions() {
		_, from, err := library.Document(action)
		switch {
		case err != nil:
			d.fail("documents", "correct or remove the file", "%s", d.short(err.Error()))
			return
		case from != prompt.BuiltIn:
			own = append(own, filepath.Base(from))
		}
	}
	if len(own) == 0 {
		d.ok("documents", "all built in")
		return
	}
	d.ok("documents", "%s overridden in %s", strings.Join(own, ", "), library.Dir())
}

// checkIgnored looks for run-time files that git would offer to commit.
func (d *doctor) checkIgnored() {
	dir := filepath.Dir(d.project.store.Path())
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return // checkTracker has said it
	}
	path := filepath.Join(dir, ".gitignore")
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.warn("ignored", "", "%v", err)
		return
	}
	missing := missingLines(string(old), ignoredRuntime)
	switch {
	case len(missing) == 0:
		d.ok("ignored", "run-time files are kept out of git")
	case !d.fix:
		d.warn("ignored", "helix doctor --fix", "%s lacks %s", d.short(path), strings.Join(missing, ", "))
	default:
		if _, err := ensureFile(path, "", ignoredRuntime); err != nil {
			d.warn("ignored", "", "%v", err)
			return
		}
		d.fixed("ignored", "%s lacked %s", d.short(path), strings.Join(missing, ", "))
	}
}

// missingLines are the lines that text lacks.
func missingLines(text string, lines []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool {
		return strings.Contains("\n"+text+"\n", "\n"+line+"\n")
	})
}

// Disk space below which a run is unwise, and below which it fails, in bytes.
const (
	littleSpace = 1 << 30
	noSpace     = 100 << 20
)

func (d *doctor) checkDisk() {
	places := []struct{ what, dir string }{{"repository", d.project.repo.Dir}}
	if dir := d.worktreeFolder(); dir != "" {
		places = append(places, struct{ what, dir string }{"work trees", dir})
	}
	for _, p := range places {
		free, err := freeSpace(existing(p.dir))
		if err != nil {
			d.warn("disk", "", "free space of %s cannot be read: %v", p.dir, err)
			continue
		}
		f := judgeSpace(free)
		f.Check, f.Detail = "disk", fmt.Sprintf("%s: %s free in %s", p.what, sizeText(free), p.dir)
		d.findings = append(d.findings, f)
	}
}

// worktreeFolder is where the builtin executor makes work trees, or a folder on
// the same disk.
func (d *doctor) worktreeFolder() string {
	if dir := d.project.config.WorkDir; dir != "" {
		return dir
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return os.TempDir()
	}
	return dir
}

// existing is the nearest folder at or above dir that exists.
func existing(dir string) string {
	for {
		if _, err := os.Stat(dir); err == nil || dir == filepath.Dir(dir) {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}

// freeSpace is what a user may still write, in bytes.
func freeSpace(dir string) (uint64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, err
	}
	return uint64(st.Bavail) * uint64(st.Bsize), nil
}

func judgeSpace(free uint64) finding {
	switch {
	case free < noSpace:
		return finding{Level: levelFail, Advice: "free some space"}
	case free < littleSpace:
		return finding{Level: levelWarn, Advice: "free some space: work trees and builds need it"}
	}
	return finding{Level: levelOK}
}

func sizeText(n uint64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d KiB", n>>10)
}

// checkMemory says what is wrong with the memory; nothing otherwise, for one may do
// without.
func (d *doctor) checkMemory() {
	if d.project.config.Memory == "off" {
		return
	}
	m, err := d.app.openMemory("")
	if err != nil {
		d.warn("memory", "", "%v", err)
		return
	}
	moved, err := m.Moved()
	if err = errors.Join(err, m.Close()); err != nil {
		d.warn("memory", "", "%v%s", err, d.app.remedy(err))
	} else if moved != nil {
		d.warn("memory", moved.Remedy, "%s", moved)
	}
}
