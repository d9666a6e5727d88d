package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"golang.org/x/term"

	"helix/internal/config"
	"helix/internal/git"
	"helix/internal/tracker"
)

// App is one invocation of helix: where it reads, writes and stands.
type App struct {
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	Dir    string // the working folder
	Getenv func(string) string

	memory string // folder of the memory that was opened, "" for none
}

// Main runs helix on the process's own arguments and returns its exit code.
func Main() int {
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintf(os.Stderr, "helix: the working folder cannot be read: %v\n", err)
		return ExitError
	}
	app := &App{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Dir: dir, Getenv: os.Getenv}
	return app.Run(context.Background(), os.Args[1:])
}

// Run executes one command line and returns its exit code. SIGINT and SIGTERM
// cancel the command's context; a command that reports them itself (run) says
// which by its exit code.
func (a *App) Run(ctx context.Context, args []string) int {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := a.rootCmd()
	root.SetArgs(args)
	root.SetIn(a.Stdin)
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	err := root.ExecuteContext(ctx)
	if err != nil {
		var e *exitError
		if !errors.As(err, &e) || e.err != nil {
			fmt.Fprintf(a.Stderr, "helix: %v%s\n", err, a.remedy(err))
		}
	}
	return exitCode(err)
}

// repo is the checkout that the working folder lies in.
func (a *App) repo(ctx context.Context) (*git.Repo, error) {
	repo, err := git.Open(ctx, a.Dir)
	if errors.Is(err, git.ErrNotRepo) {
		return nil, fmt.Errorf("%s is not in a git repository; run helix inside one, or start one with: git init", a.Dir)
	}
	return repo, err
}

// project is what most commands need: the checkout, its settings, its queue.
type project struct {
	repo   *git.Repo
	config config.Config
	store  *tracker.Store
}

func (a *App) project(ctx context.Context) (*project, error) {
	repo, err := a.repo(ctx)
	if err != nil {
		return nil, err
	}
	cfg, err := config.Load(repo.Dir, a.Getenv)
	if err != nil {
		return nil, err
	}
	return &project{repo: repo, config: cfg, store: a.openStore(repo.Dir)}, nil
}

// trackerDir is the folder of beads.jsonl: DDX_BEAD_DIR, else
// HELIX_TRACKER_DIR, else .ddx of the checkout.
func (a *App) trackerDir(root string) string {
	for _, name := range []string{"DDX_BEAD_DIR", "HELIX_TRACKER_DIR"} {
		if dir := a.Getenv(name); dir != "" {
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(root, dir)
			}
			return dir
		}
	}
	return filepath.Join(root, ".ddx")
}

// printJSON writes one indented JSON value and a newline to standard output.
func (a *App) printJSON(v any) error {
	enc := json.NewEncoder(a.Stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// colour tells whether w is a terminal that should get colour: never when
// NO_COLOR is set (https://no-color.org) or TERM is dumb.
func (a *App) colour(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && a.Getenv("NO_COLOR") == "" && a.Getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd()))
}
