package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"helix/internal/config"
	"helix/internal/git"
)

const doctorLong = `Examine everything that a run depends on: git, the repository, the queue, the
settings, the agents, the executor, leftovers of runs that died, and disk space.
Each line says what was found and, where something is wrong, what to do.

--fix mends what can be mended without losing anything: damaged lines of the queue
(a copy of the file stays), agents of a run that died, claims of helix processes that
are gone, however young, work trees of attempts with nothing in them to lose, missing
ignore lines, and a pid file without a process. The exit code is 1 when a failure is
left.`

// level says how much a finding matters.
type level string

const (
	levelOK   level = "ok"
	levelWarn level = "warn" // runs work, but somebody should know
	levelFail level = "fail" // runs do not work, or not as they should
)

// finding is one line of the doctor's answer.
type finding struct {
	Level  level  `json:"level"`
	Check  string `json:"check"`
	Detail string `json:"detail"`
	Advice string `json:"advice,omitempty"`
	Fixed  bool   `json:"fixed,omitempty"`
}

func (a *App) doctorCmd() *cobra.Command {
	var fix, asJSON bool
	cmd := &cobra.Command{
		Use: "doctor", Short: "Examine what runs depend on, and mend it", Long: doctorLong, GroupID: "setup", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			d := doctor{app: a, fix: fix}
			d.examine(cmd.Context())
			if err := cmd.Context().Err(); err != nil {
				return &exitError{ExitInterrupted, fmt.Errorf("doctor: %w", err)}
			}
			if asJSON {
				if err := a.printJSON(map[string]any{"findings": d.findings, "healthy": !d.sick()}); err != nil {
					return err
				}
			} else {
				d.print(a.Stdout)
			}
			if d.sick() {
				return &exitError{code: ExitError}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&fix, "fix", false, "mend what can be mended without losing anything")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// doctor collects findings; the checks are in doctor_checks.go.
type doctor struct {
	app      *App
	fix      bool
	project  *project
	findings []finding
}

func (d *doctor) ok(check, format string, args ...any) {
	d.findings = append(d.findings, finding{Level: levelOK, Check: check, Detail: fmt.Sprintf(format, args...)})
}

func (d *doctor) warn(check, advice, format string, args ...any) {
	d.findings = append(d.findings, finding{Level: levelWarn, Check: check, Detail: fmt.Sprintf(format, args...), Advice: advice})
}

func (d *doctor) fail(check, advice, format string, args ...any) {
	d.findings = append(d.findings, finding{Level: levelFail, Check: check, Detail: fmt.Sprintf(format, args...), Advice: advice})
}

func (d *doctor) fixed(check, format string, args ...any) {
	d.findings = append(d.findings, finding{Level: levelOK, Check: check, Detail: fmt.Sprintf(format, args...), Fixed: true})
}

func (d *doctor) sick() bool {
	return slices.ContainsFunc(d.findings, func(f finding) bool { return f.Level == levelFail })
}

// examine runs the checks in the order in which one depends on another.
func (d *doctor) examine(ctx context.Context) {
	if !d.checkGit(ctx) {
		return
	}
	repo, err := d.app.repo(ctx)
	if err != nil {
		d.fail("repository", "", "%v", err)
		return
	}
	d.project = &project{repo: repo, store: d.app.openStore(repo.Dir)}
	usable := d.checkRepository(ctx, repo)
	usable = d.checkSettings(repo) && usable
	d.checkTracker(ctx)
	d.checkAgents(ctx)
	d.checkExecutor(ctx, usable)
	d.checkDocuments()
	d.checkIgnored()
	d.checkRun(ctx)
	d.checkClaims(ctx)
	d.checkPidFile()
	d.checkWorktrees(ctx)
	d.checkPreserved(ctx)
	d.checkMemory()
	d.checkDisk()
}

// checkSettings falls back on the defaults, so that the other checks can go on.
func (d *doctor) checkSettings(repo *git.Repo) bool {
	cfg, err := config.Load(repo.Dir, d.app.Getenv)
	if err != nil {
		d.project.config = config.Default()
		d.fail("settings", "", "%s", d.short(err.Error()))
		return false
	}
	d.project.config = cfg
	set := 0
	for _, origin := range cfg.Origins {
		if origin != "default" {
			set++
		}
	}
	d.ok("settings", "%d of %d set, the others at their defaults", set, len(cfg.Origins))
	return true
}

// short writes paths as seen from the repository's top.
func (d *doctor) short(text string) string {
	return strings.ReplaceAll(text, d.project.repo.Dir+"/", "")
}

func (d *doctor) print(w io.Writer) {
	for _, f := range d.findings {
		line := fmt.Sprintf("%-4s  %-10s  %s", f.Level, f.Check, plain(f.Detail))
		if f.Fixed {
			line += " (mended)"
		}
		if f.Advice != "" {
			line += "  — " + f.Advice
		}
		fmt.Fprintln(w, line)
	}
}
