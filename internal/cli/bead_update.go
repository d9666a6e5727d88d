package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"helix/internal/proc"
	"helix/internal/tracker"
)

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
