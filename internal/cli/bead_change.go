package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"helix/internal/proc"
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

// updateFlags are those of helix bead update. A flag that is given applies even
// when its value is empty: that clears the field.
type updateFlags struct {
	claim, unclaim                               bool
	assignee, status, priority                   string
	title, typ, parent                           string
	description, acceptance, notes               string
	design, spec, superseded, replaces, eligible string
	external                                     string
	labels, addLabels, removeLabels              []string
	set, unset                                   []string
}

func (a *App) beadUpdateCmd() *cobra.Command {
	var f updateFlags
	cmd := &cobra.Command{
		Use: "update ID", Short: "Change a bead, claim it or give it back", Args: cobra.ExactArgs(1),
		Long: `Change any field of a bead. An empty value clears the field.

--claim takes an open bead: it becomes in_progress, and the row says who took it.
Exactly one of several claims at once succeeds. The process on record is the one
that started helix: a shell, or an agent.`,
	}
	fl := cmd.Flags()
	f.register(fl)
	cmd.RunE = a.beadRun(func(ctx context.Context, b *beads, args []string) error {
		change, err := f.change(ctx, b, fl)
		if err != nil {
			return err
		}
		return b.withID(ctx, args[0], func(id string) error {
			if f.onlyClaims(fl) {
				return f.applyClaim(ctx, b.store, id)
			}
			_, err := b.store.Edit(ctx, id, change)
			return err
		})
	})
	cmd.MarkFlagsMutuallyExclusive("claim", "unclaim")
	cmd.MarkFlagsMutuallyExclusive("claim", "status")
	cmd.MarkFlagsMutuallyExclusive("unclaim", "status")
	return cmd
}

func (f *updateFlags) register(fl *pflag.FlagSet) {
	fl.BoolVar(&f.claim, "claim", false, "take the bead, for --assignee or helix")
	fl.BoolVar(&f.unclaim, "unclaim", false, "give the bead back, whoever claimed it")
	fl.StringVar(&f.assignee, "assignee", "", "owner of the bead, or of the claim")
	fl.StringVar(&f.status, "status", "", "open, in_progress, closed, blocked, proposed or cancelled")
	fl.StringVar(&f.external, "external-blocker-reason", "", "what it waits for outside the queue, with --status blocked")
	fl.StringVar(&f.priority, "priority", "", "0, most urgent, to 4")
	fl.StringVar(&f.title, "title", "", "title")
	fl.StringVar(&f.typ, "type", "", "type")
	fl.StringVar(&f.parent, "parent", "", "bead that it is part of")
	fl.StringVar(&f.description, "description", "", "what is to be done and why")
	fl.StringVar(&f.acceptance, "acceptance", "", "what is true when it is done")
	fl.StringVar(&f.notes, "notes", "", "anything else")
	fl.StringVar(&f.design, "design", "", "how it is to be done")
	fl.StringVar(&f.spec, "spec-id", "", "document that governs it")
	fl.StringVar(&f.superseded, "superseded-by", "", "bead that takes its place; it is not ready then")
	fl.StringVar(&f.replaces, "replaces", "", "bead whose place it takes")
	fl.StringVar(&f.eligible, "execution-eligible", "", "true, or false to keep it from agents")
	fl.StringSliceVar(&f.labels, "labels", nil, "labels instead of those it has, separated by commas")
	fl.StringSliceVar(&f.addLabels, "add-label", nil, "labels to add")
	fl.StringSliceVar(&f.removeLabels, "remove-label", nil, "labels to remove")
	fl.StringArrayVar(&f.set, "set", nil, "store `key=value` in the row; true and false become booleans; repeatable")
	fl.StringArrayVar(&f.unset, "unset", nil, "remove a `key` that --set stored; repeatable")
}

// change checks the flags and returns what to do to the bead.
func (f *updateFlags) change(ctx context.Context, b *beads, fl *pflag.FlagSet) (func(*tracker.Bead) error, error) {
	if fl.NFlag() == 0 {
		return nil, errors.New("bead update: nothing to change was given; see: helix bead update --help")
	}
	var steps []func(*tracker.Bead) error
	step := func(do func(*tracker.Bead)) {
		steps = append(steps, func(b *tracker.Bead) error { do(b); return nil })
	}
	switch {
	case f.claim:
		steps = append(steps, func(x *tracker.Bead) error { return x.Take(f.claimed(), time.Now()) })
	case f.unclaim:
		steps = append(steps, func(x *tracker.Bead) error { return x.GiveBack(nil) })
	}
	if fl.Changed("assignee") && !f.claim {
		step(func(x *tracker.Bead) { x.Owner = f.assignee })
	}
	for name, field := range map[string]func(*tracker.Bead) *string{
		"title":       func(x *tracker.Bead) *string { return &x.Title },
		"type":        func(x *tracker.Bead) *string { return &x.Type },
		"description": func(x *tracker.Bead) *string { return &x.Description },
		"acceptance":  func(x *tracker.Bead) *string { return &x.Acceptance },
		"notes":       func(x *tracker.Bead) *string { return &x.Notes },
	} {
		if fl.Changed(name) {
			value, _ := fl.GetString(name)
			step(func(x *tracker.Bead) { *field(x) = value })
		}
	}
	for name, key := range map[string]string{
		"design": "design", "spec-id": "spec-id", "external-blocker-reason": "lifecycle-external-blocker-reason",
	} {
		if fl.Changed(name) {
			value, _ := fl.GetString(name)
			step(func(x *tracker.Bead) { x.Set(key, value) })
		}
	}
	more, err := f.checked(ctx, b, fl)
	if err != nil {
		return nil, err
	}
	steps = append(steps, more...)
	return func(x *tracker.Bead) error {
		for _, do := range steps {
			if err := do(x); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// checked are the changes whose values must be understood first.
func (f *updateFlags) checked(ctx context.Context, b *beads, fl *pflag.FlagSet) (steps []func(*tracker.Bead) error, err error) {
	step := func(do func(*tracker.Bead)) {
		steps = append(steps, func(x *tracker.Bead) error { do(x); return nil })
	}
	if fl.Changed("status") {
		status, err := parseStatusFlag(f.status)
		if err != nil {
			return nil, err
		}
		step(func(x *tracker.Bead) { x.Status = status })
	}
	if fl.Changed("priority") {
		priority, err := parsePriority(f.priority)
		if err != nil {
			return nil, err
		}
		step(func(x *tracker.Bead) { x.Priority = priority })
	}
	if fl.Changed("execution-eligible") {
		if f.eligible != "true" && f.eligible != "false" && f.eligible != "" {
			return nil, fmt.Errorf("--execution-eligible %s: use true or false", f.eligible)
		}
		step(func(x *tracker.Bead) { x.Set("execution-eligible", f.eligible) })
	}
	for _, ref := range []struct {
		name  string
		apply func(*tracker.Bead, string)
	}{
		{"parent", func(x *tracker.Bead, id string) { x.Parent = id }},
		{"superseded-by", func(x *tracker.Bead, id string) { x.Set("superseded-by", id) }},
		{"replaces", func(x *tracker.Bead, id string) { x.Set("replaces", id) }},
	} {
		if !fl.Changed(ref.name) {
			continue
		}
		id, _ := fl.GetString(ref.name)
		if id != "" {
			q, err := b.load(ctx)
			if err != nil {
				return nil, err
			}
			if id, err = b.ref(ctx, q, "--"+ref.name, id); err != nil {
				return nil, err
			}
		}
		step(func(x *tracker.Bead) { ref.apply(x, id) })
	}
	f.labelSteps(fl, step)
	return steps, f.keySteps(step)
}

func (f *updateFlags) labelSteps(fl *pflag.FlagSet, step func(func(*tracker.Bead))) {
	if fl.Changed("labels") {
		step(func(x *tracker.Bead) { x.Labels = f.labels })
	}
	step(func(x *tracker.Bead) {
		x.Labels = slices.DeleteFunc(x.Labels, func(l string) bool { return slices.Contains(f.removeLabels, l) })
		for _, l := range f.addLabels {
			if !x.HasLabel(l) {
				x.Labels = append(x.Labels, l)
			}
		}
	})
}

func (f *updateFlags) keySteps(step func(func(*tracker.Bead))) error {
	set, err := parseSet(f.set)
	if err != nil {
		return err
	}
	for _, key := range f.unset {
		if err := checkKey("--unset", key); err != nil {
			return err
		}
	}
	step(func(x *tracker.Bead) {
		for _, key := range f.unset {
			x.Unset(key)
		}
		for key, value := range set {
			x.Set(key, value)
		}
	})
	return nil
}

// onlyClaims tells that nothing but the claim changes: then the project's hook
// is not asked, as for the run loop's own claims.
func (f *updateFlags) onlyClaims(fl *pflag.FlagSet) bool {
	only := f.claim || f.unclaim
	fl.Visit(func(flag *pflag.Flag) {
		only = only && (flag.Name == "claim" || flag.Name == "unclaim" || flag.Name == "assignee" && f.claim)
	})
	return only
}

func (f *updateFlags) applyClaim(ctx context.Context, s *tracker.Store, id string) error {
	if f.unclaim {
		return s.Unclaim(ctx, id, nil)
	}
	_, err := s.Claim(ctx, id, f.claimed())
	return err
}

// claimed is a claim of the process that started this one: this one ends at once.
func (f *updateFlags) claimed() tracker.Claim {
	c := tracker.Claim{Owner: f.assignee, Machine: proc.Machine()}
	if parent := os.Getppid(); parent > 1 {
		if start, err := proc.StartToken(parent); err == nil {
			c.PID, c.Start = parent, start
		}
	}
	return c
}

func (a *App) beadCloseCmd() *cobra.Command {
	var c tracker.Closing
	cmd := &cobra.Command{
		Use: "close ID…", Short: "Close beads", Args: cobra.MinimumNArgs(1),
		RunE: a.beadRun(func(ctx context.Context, b *beads, args []string) error {
			for _, ref := range args {
				if err := b.withID(ctx, ref, func(id string) error { return b.store.Close(ctx, id, c) }); err != nil {
					return err
				}
			}
			return nil
		}),
	}
	cmd.Flags().StringVar(&c.Commit, "commit", "", "commit that holds the work")
	cmd.Flags().StringVar(&c.Session, "session", "", "session that did the work")
	cmd.Flags().StringVar(&c.Reason, "reason", "", "why, for the bead's history")
	return cmd
}

func (a *App) beadReopenCmd() *cobra.Command {
	var reason, notes string
	cmd := &cobra.Command{
		Use: "reopen ID", Short: "Make a bead open again that was closed or set aside", Args: cobra.ExactArgs(1),
		RunE: a.beadRun(func(ctx context.Context, b *beads, args []string) error {
			return b.withID(ctx, args[0], func(id string) error {
				if err := b.store.Reopen(ctx, id, reason); err != nil || notes == "" {
					return err
				}
				_, err := b.store.Edit(ctx, id, func(x *tracker.Bead) error {
					x.Notes = strings.TrimLeft(x.Notes+"\n"+notes, "\n")
					return nil
				})
				return err
			})
		}),
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why, for the bead's history")
	cmd.Flags().StringVar(&notes, "append-notes", "", "text to add to its notes")
	return cmd
}
