package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"helix/internal/run/prompt"
)

const triageLong = `With a title: file a bead that is fit for execution, or say what it lacks. It must
have the label helix and one phase label; a task needs --spec-id, a task and an
epic need --acceptance. HELIX_SKIP_TRIAGE=1 files it as it is.

Without a title: have an agent make the open beads of a scope fit for execution.`

// phases are the labels of which a bead must have one.
var phases = []string{"phase:frame", "phase:design", "phase:test", "phase:build", "phase:deploy", "phase:iterate", "phase:review"}

// triageCmd is bead create with rules, and the triage action.
func (a *App) triageCmd() *cobra.Command {
	cmd := a.beadCreateCmd()
	create := cmd.RunE
	action := actionCmd{action: prompt.Triage}
	var agentF agentFlags
	var args actionArgs
	var quiet, dryRun bool
	cmd.Use, cmd.Short, cmd.Long, cmd.Example = "triage [title]", "File a bead that is fit for execution, or make open ones so", triageLong, ""
	cmd.GroupID, cmd.Args = "actions", cobra.MaximumNArgs(1)
	agentF.register(cmd)
	cmd.Flags().StringVar(&args.kase.Scope, "scope", "repo", "without a title: beads to look at")
	cmd.Flags().BoolVarP(&quiet, "quiet", "q", false, "without a title: do not print what the agent is doing")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "without a title: print the agent's command line and the prompt, and do nothing")
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		if len(words) == 1 {
			if a.Getenv("HELIX_SKIP_TRIAGE") != "1" {
				if err := a.refuseUnfit(cmd); err != nil {
					return err
				}
			}
			return create(cmd, words)
		}
		if err := agentF.validate(); err != nil {
			return err
		}
		p, err := a.project(cmd.Context())
		if err != nil {
			return err
		}
		agentF.override(&p.config)
		return a.act(cmd.Context(), p, action, &args, quiet, dryRun)
	}
	return cmd
}

func (a *App) refuseUnfit(cmd *cobra.Command) error {
	text := func(flag string) string { return cmd.Flag(flag).Value.String() }
	labels, err := cmd.Flags().GetStringSlice("labels")
	if err != nil {
		return err
	}
	var lacks []string
	if !slices.Contains(labels, "helix") {
		lacks = append(lacks, "the label helix")
	}
	if !slices.ContainsFunc(labels, func(l string) bool { return slices.Contains(phases, l) }) {
		lacks = append(lacks, "a phase label ("+strings.Join(phases, ", ")+")")
	}
	if kind := text("type"); kind == "task" && text("spec-id") == "" {
		lacks = append(lacks, "--spec-id")
	}
	if kind := text("type"); (kind == "task" || kind == "epic") && text("acceptance") == "" {
		lacks = append(lacks, "--acceptance")
	}
	if len(lacks) > 0 {
		return errors.New("[triage] issue not created: it lacks " + strings.Join(lacks, "; "))
	}
	if !slices.ContainsFunc(labels, func(l string) bool { return strings.HasPrefix(l, "kind:") }) {
		fmt.Fprintln(a.Stderr, "[triage] warning: consider adding a kind label (kind:build, kind:implementation, …)")
	}
	return nil
}
