package quickstart

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"helix/internal/git"
	"helix/internal/tracker"
)

var (
	promptHead = regexp.MustCompile(`^Execute the following HELIX (.+) action\.`)
	targetLine = regexp.MustCompile(`(?m)^Implementation target: (\S+)$`)
	// remembered is a finding that helix shows: its id, and its text on the next line.
	remembered = regexp.MustCompile(`(?m)^> \[(\S+)\] finding, .*\n> (.+)$`)
)

// Agent answers one prompt as the recorded agent does: dir is its working
// folder, queue the folder of beads.jsonl.
func Agent(ctx context.Context, dir, queue string, stdin io.Reader, stdout io.Writer) error {
	text, err := io.ReadAll(stdin)
	if err != nil {
		return fmt.Errorf("quickstart: read the prompt: %w", err)
	}
	head := promptHead.FindStringSubmatch(string(text))
	if head == nil {
		return errors.New("quickstart: the prompt does not begin with a HELIX action")
	}
	switch head[1] {
	case "implementation":
		return implement(ctx, dir, queue, string(text), stdout)
	case "check":
		fmt.Fprintln(stdout, "NEXT_ACTION: STOP\n\nReason: every bead of this little project was tried.")
	case "fresh-eyes review":
		fmt.Fprintln(stdout, "REVIEW_STATUS: CLEAN\nISSUES_COUNT: 0\nFINDINGS_FILED: 0")
	default:
		return fmt.Errorf("quickstart: nothing is recorded for the %s action", head[1])
	}
	usage(stdout, 400)
	return nil
}

// lesson is what the agent finds out at the first greeting, for those after it.
const lesson = "Greetings are functions from a name to a sentence in a file of their own, greet.go is the model; a test that compares the whole sentence belongs to each."

// implement plays the recordings of the targets, a commit for each when there
// are several.
func implement(ctx context.Context, dir, queue, text string, stdout io.Writer) error {
	targets := targetLine.FindAllStringSubmatch(text, -1)
	if len(targets) == 0 {
		return errors.New("quickstart: the prompt names no target")
	}
	store := tracker.OpenStore(queue)
	q, err := store.Load(ctx)
	if err != nil {
		return err
	}
	repo := &git.Repo{Dir: dir}
	findings := ""
	for _, t := range targets {
		bead, ok := q.Get(t[1])
		if !ok {
			return fmt.Errorf("quickstart: bead %s is not in the queue", t[1])
		}
		name := bead.Str(recordingKey)
		if name == "" {
			return fmt.Errorf("quickstart: nothing is recorded for %s", bead.ID)
		}
		if err := copyOut("recording/"+name, dir); err != nil {
			return fmt.Errorf("quickstart: play the recording %s: %w", name, err)
		}
		if len(targets) > 1 {
			if err := commit(ctx, repo, bead); err != nil {
				return err
			}
		}
		if name == "greet" {
			findings = "FINDINGS:\n- " + lesson + "\n"
		}
		if name == "log" {
			if err := colleague(ctx, store, bead.ID); err != nil {
				return err
			}
		}
		fmt.Fprintf(stdout, "%s: wrote the change and its test.\n", bead.Title)
	}
	for _, m := range remembered.FindAllStringSubmatch(text, -1) {
		fmt.Fprintf(stdout, "I went by [%s]: %s\n", m[1], m[2])
	}
	fmt.Fprintf(stdout, "\nMEASURE_STATUS: PASS\nBEAD_ID: %s\nFOLLOW_ON_CREATED: 0\n", targets[0][1])
	fmt.Fprint(stdout, findings)
	usage(stdout, 1200*len(targets))
	return nil
}

func commit(ctx context.Context, repo *git.Repo, b *tracker.Bead) error {
	if _, err := repo.Run(ctx, "add", "-A"); err != nil {
		return err
	}
	_, err := repo.RunInput(ctx, b.Title+"\n\nBead: "+b.ID+"\n", "commit", "-q", "-F", "-")
	return err
}

// colleague is the person who rewrites the spec while the agent works on it.
func colleague(ctx context.Context, store *tracker.Store, id string) error {
	_, err := store.Edit(ctx, id, func(b *tracker.Bead) error {
		b.Set("spec-id", "logging-v2")
		b.Notes = strings.TrimSpace(b.Notes + "\nA colleague: logging moves to the new spec, hold on.")
		return nil
	})
	return err
}

// usage prints the footer that helix counts tokens by.
func usage(w io.Writer, tokens int) { fmt.Fprintf(w, "\ntokens used\n%d\n", tokens) }
