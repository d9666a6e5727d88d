package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"helix/internal/tracker"
)

func (a *App) beadCreateCmd() *cobra.Command {
	var n tracker.New
	var priority, spec, design string
	var set []string
	var asJSON bool
	cmd := &cobra.Command{
		Use: "create TITLE", Short: "File a bead and print its id", Args: oneTitle,
		Example: `  helix bead create "Fix the login" --labels area:auth --acceptance "the login test passes"
  helix bead create "Use the new client" --depends-on hx-1a2b3c4d --priority 1`,
		RunE: a.beadRun(func(ctx context.Context, b *beads, args []string) (err error) {
			n.Title = args[0]
			if n.Priority, err = parsePriority(priority); err != nil {
				return err
			}
			if n.Set, err = parseSet(set); err != nil {
				return err
			}
			for key, value := range map[string]string{"spec-id": spec, "design": design} {
				if value != "" {
					n.Set[key] = value
				}
			}
			if n.Status, err = parseStatusFlag(string(n.Status)); err != nil {
				return err
			}
			if err := b.resolveRefs(ctx, &n); err != nil {
				return err
			}
			made, err := b.store.Create(ctx, n)
			if err != nil {
				return err
			}
			if !asJSON {
				_, err = fmt.Fprintln(a.Stdout, made.ID)
				return err
			}
			rows, err := rowsOf([]*tracker.Bead{made})
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(a.Stdout, "%s\n", rows[0])
			return err
		}),
	}
	fl := cmd.Flags()
	fl.StringVar(&n.Type, "type", "task", "task, bug, feature, chore, epic or any word")
	fl.StringVar(&priority, "priority", strconv.Itoa(tracker.DefaultPriority), "0, most urgent, to 4")
	fl.StringVar((*string)(&n.Status), "status", string(tracker.Open), "status to begin with")
	fl.StringSliceVar(&n.Labels, "labels", nil, "labels, separated by commas")
	fl.StringVar(&n.Acceptance, "acceptance", "", "what is true when it is done")
	fl.StringVar(&n.Description, "description", "", "what is to be done and why")
	fl.StringVar(&n.Notes, "notes", "", "anything else")
	fl.StringVar(&design, "design", "", "how it is to be done")
	fl.StringVar(&spec, "spec-id", "", "document that governs it")
	fl.StringVar(&n.Parent, "parent", "", "bead that it is part of")
	fl.StringVar(&n.Owner, "assignee", "", "whose it is to be (this is no claim)")
	fl.StringVar(&n.CreatedBy, "created-by", "", "who files it")
	fl.StringSliceVar(&n.DependsOn, "depends-on", nil, "beads that must be closed first, separated by commas")
	fl.StringVar(&n.External, "external-blocker-reason", "", "what it waits for outside the queue, with --status blocked")
	fl.StringArrayVar(&set, "set", nil, "store `key=value` in the row; true and false become booleans; repeatable")
	fl.BoolVar(&asJSON, "json", false, "print the row instead of the id")
	return cmd
}

func oneTitle(_ *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return errors.New(`bead create: a title is missing: helix bead create "Fix the login"`)
	case len(args) > 1:
		return fmt.Errorf("bead create: %d titles were given; put one title into quotes", len(args))
	}
	return nil
}

// resolveRefs replaces shortened ids. The queue is only searched when there are
// any to look up.
func (b *beads) resolveRefs(ctx context.Context, n *tracker.New) error {
	if n.Parent == "" && len(n.DependsOn) == 0 {
		return nil
	}
	q, err := b.load(ctx)
	if err != nil {
		return err
	}
	if n.Parent != "" {
		if n.Parent, err = b.ref(ctx, q, "--parent", n.Parent); err != nil {
			return err
		}
	}
	for i := range n.DependsOn {
		if n.DependsOn[i], err = b.ref(ctx, q, "--depends-on", n.DependsOn[i]); err != nil {
			return err
		}
	}
	return nil
}

// ref is the full id of a bead that a flag names; archived ones count.
func (b *beads) ref(ctx context.Context, q *tracker.Queue, flag, ref string) (string, error) {
	bead, err := b.find(ctx, q, ref)
	if err != nil {
		return "", fmt.Errorf("%s: %w", flag, err)
	}
	return bead.ID, nil
}

func parsePriority(text string) (int, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(strings.ToUpper(text), "P"))
	if err != nil || n < 0 || n > tracker.LowestPriority {
		return 0, fmt.Errorf("--priority %s: use 0 (most urgent) to %d", text, tracker.LowestPriority)
	}
	return n, nil
}

func parseStatusFlag(text string) (tracker.Status, error) {
	s, err := tracker.ParseStatus(text)
	if err != nil {
		return "", fmt.Errorf("--status: %w", err)
	}
	return s, nil
}

// fieldFlags are the keys of a row that --set must not touch, and what to use.
var fieldFlags = map[string]string{
	"id": "", "created_at": "", "updated_at": "", "created_by": "",
	"title": "--title", "status": "--status", "priority": "--priority", "issue_type": "--type", "owner": "--assignee",
	"labels": "--labels", "parent": "--parent", "description": "--description", "acceptance": "--acceptance",
	"notes": "--notes", "dependencies": "helix bead dep",
}

func checkKey(flag, key string) error {
	instead, isField := fieldFlags[key]
	switch {
	case key == "":
		return fmt.Errorf("%s: the key is empty", flag)
	case isField && instead == "":
		return fmt.Errorf("%s %s: this field cannot be changed", flag, key)
	case isField:
		return fmt.Errorf("%s %s: use %s", flag, key, instead)
	}
	return nil
}

func parseSet(pairs []string) (map[string]string, error) {
	set := map[string]string{}
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		if !ok {
			return nil, fmt.Errorf("--set %s: give it as key=value", pair)
		}
		if err := checkKey("--set", key); err != nil {
			return nil, err
		}
		set[key] = value
	}
	return set, nil
}
