package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"helix/internal/checkout"
	"helix/internal/kb"
)

const kbLong = `Store, search and change what helix remembers across runs and sessions: findings,
decisions, gotchas, how things are done, each under a topic. The memory lies in
one folder: --kb, else HELIX_KB, else .helix-kb in the home folder. The same memory
serves agents through: helix serve. What is stored in a git checkout belongs to its project,
and does not bind others; --project none is for what holds everywhere.

  helix kb store auth "gotcha: tokens live 15 minutes" --source auth.go:42
  helix kb search token lifetime
  helix kb brief auth`

// kbFlags are the flags of every kb command.
type kbFlags struct {
	dir  string
	json bool
}

func (a *App) kbCmd() *cobra.Command {
	var f kbFlags
	cmd := &cobra.Command{
		Use: "kb", Short: "Store, search and change what is remembered", Long: kbLong, GroupID: "work",
		Args: noSuchCommand, RunE: showHelp,
	}
	cmd.PersistentFlags().StringVar(&f.dir, "kb", "", "`folder` of the memory (HELIX_KB)")
	cmd.PersistentFlags().BoolVar(&f.json, "json", false, "print the result as JSON")
	cmd.AddCommand(
		a.kbStoreCmd(&f), a.kbBatchCmd(&f),
		a.kbSearchCmd(&f), a.kbBriefCmd(&f), a.kbReadCmd(&f),
		a.kbAppendCmd(&f), a.kbReviseCmd(&f), a.kbDeleteCmd(&f), a.kbTagCmd(&f), a.kbRenameCmd(&f), a.kbMergeCmd(&f),
		a.kbTopicsCmd(&f), a.kbRecentCmd(&f), a.kbEntriesCmd(&f), a.kbStatsCmd(&f), a.kbXrefCmd(&f), a.kbGraphCmd(&f),
		a.kbStaleCmd(&f), a.kbWhyCmd(&f), a.kbPruneCmd(&f), a.kbSessionCmd(&f),
		a.kbGraftCmd(&f), a.kbImportCmd(&f), a.kbExportCmd(&f),
		a.kbCompactCmd(&f), a.kbReindexCmd(&f), a.kbVerifyCmd(&f), a.kbRecoverCmd(&f),
	)
	return cmd
}

// storeProject is the help of the flag that says to which project something belongs.
const storeProject = "`project` that it belongs to: a path in its checkout, its name, or none for all (default that of the current folder)"

// onlyProject is that of the flag that lists the entries of one project.
const onlyProject = "only entries of this `project`: a path in its checkout (. is here), its name, or none for those of none"

// kbResult is what every method of the memory gives.
type kbResult interface{ Text() string }

// kbDo is the part of a kb command that differs.
type kbDo func(ctx context.Context, m *kb.Memory, args []string) (kbResult, error)

// kbRun makes a command function that opens the memory and prints what do gives.
func (a *App) kbRun(f *kbFlags, do kbDo) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) (err error) {
		m, err := a.openMemory(f.dir)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, m.Close()) }()
		result, err := do(kb.WithProgress(cmd.Context(), a.progress(cmd.Name())), m, args)
		var printed *exitError // what the result says is bad, and its exit code says so too
		if err != nil && !errors.As(err, &printed) {
			return err
		}
		return errors.Join(a.printKB(f, result), err)
	}
}

// openMemory opens the memory in dir, or the default one. Relative sources are
// files of the repository, or of the working folder outside of any.
func (a *App) openMemory(dir string) (*kb.Memory, error) {
	if dir == "" {
		var err error
		if dir, err = kb.DefaultDir(a.Getenv); err != nil {
			return nil, err
		}
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(a.Dir, dir)
	}
	if err := checkPlace(dir, "--kb or HELIX_KB"); err != nil {
		return nil, err
	}
	a.memory = filepath.Clean(dir)
	return kb.Open(dir, kb.WithRoot(a.workRoot()), kb.WithSession(a.sessionID()), kb.WithProject(checkout.Of(a.Dir), a.Dir)), nil
}

// sessionID is the session of an agent in which this process runs, "" for none.
func (a *App) sessionID() string {
	return cmp.Or(a.Getenv("HELIX_SESSION"), a.Getenv("CLAUDE_CODE_SESSION_ID"))
}

// progress shows a person how far long work is, on one line that is written over.
// Anyone else is not told.
func (a *App) progress(what string) func(done, total int) {
	f, ok := a.Stderr.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return func(int, int) {}
	}
	start, last, shown := time.Now(), time.Now(), false
	return func(done, total int) {
		now := time.Now()
		switch finished := done >= total; {
		case finished && shown:
			fmt.Fprint(f, "\r\x1b[K")
			shown = false
		case !finished && now.Sub(start) > time.Second && now.Sub(last) > 200*time.Millisecond:
			fmt.Fprintf(f, "\r%s: %d %%\x1b[K", what, int64(done)*100/int64(max(1, total)))
			last, shown = now, true
		}
	}
}

func (a *App) printKB(f *kbFlags, result kbResult) error {
	if result == nil {
		return nil
	}
	if f.json {
		return a.printJSON(result)
	}
	_, err := io.WriteString(a.Stdout, harmless(result.Text()))
	return err
}

// harmless takes out what would steer a terminal; line ends and tabs stay.
func harmless(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
}

// maxInput bounds what is read as text or as a list of entries, in bytes.
const maxInput = 256 << 20

// textOf is the text that a command is given: the rest of its arguments, or
// standard input for "-" and for nothing.
func (a *App) textOf(args []string) (string, error) {
	switch {
	case len(args) == 1 && args[0] == "-", len(args) == 0 && !a.atTerminal():
		text, err := readAll(a.Stdin, "standard input")
		return strings.TrimRight(text, "\r\n"), err
	case len(args) == 0:
		return "", errors.New("the text is missing: give it as an argument, or - to read it from standard input")
	}
	return strings.Join(args, " "), nil
}

func (a *App) atTerminal() bool {
	f, ok := a.Stdin.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// fileOf reads the file that a command is given, or standard input.
func (a *App) fileOf(args []string) (text, name string, err error) {
	if len(args) == 0 && a.atTerminal() {
		return "", "", errors.New("the file is missing: name it, or - to read standard input")
	}
	if len(args) == 0 || args[0] == "-" {
		text, err = readAll(a.Stdin, "standard input")
		return text, "standard input", err
	}
	file, err := os.Open(a.kbPath(args[0]))
	if err != nil {
		return "", "", err
	}
	defer file.Close()
	text, err = readAll(file, args[0])
	return text, args[0], err
}

func (a *App) kbPath(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(a.Dir, name)
}

func readAll(r io.Reader, name string) (string, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("%s: %w", name, err)
	case len(text) > maxInput:
		return "", fmt.Errorf("%s is longer than %d MB; split it", name, maxInput>>20)
	case !utf8.Valid(text):
		return "", fmt.Errorf("%s is not valid UTF-8 text", name)
	}
	return string(text), nil
}

// topicAnd is what a command gets that takes a topic first and then something.
func topicAnd(use string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return fmt.Errorf("%s: the topic is missing: helix kb %s", cmd.Name(), use)
		}
		return nil
	}
}
