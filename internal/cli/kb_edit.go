package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"helix/internal/kb"
)

const whichEntry = `The entry is the one with --id, or the one of the topic with --index or --match; else
it is the newest of the topic that belongs to this project or to none.`

// kbEntryCmd makes a command that changes one entry. With --id the topic is not
// given; what follows it is passed to rest.
func (a *App) kbEntryCmd(f *kbFlags, action, use, short string, rest func(r *kb.EditRequest, args []string) error) (*cobra.Command, *kb.EditRequest) {
	r := &kb.EditRequest{Action: action}
	var index int
	cmd := &cobra.Command{
		Use: action + " " + use, Short: short, Long: short + ". " + whichEntry,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.kbRun(f, func(ctx context.Context, m *kb.Memory, args []string) (kbResult, error) {
				if r.ID == "" {
					if len(args) == 0 {
						return nil, fmt.Errorf("%s: the topic is missing: helix kb %s %s", action, action, use)
					}
					r.Topic, args = args[0], args[1:]
				}
				if cmd.Flags().Changed("index") {
					r.Index = &index
				}
				if err := rest(r, args); err != nil {
					return nil, err
				}
				return m.Edit(ctx, *r)
			})(cmd, args)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&r.ID, "id", "", "the entry with this id; leave the topic out then")
	fl.IntVar(&index, "index", 0, "the entry at this place of the topic, from 0; negative from the end")
	fl.StringVar(&r.Match, "match", "", "the entry of the topic with this text")
	return cmd, r
}

func (a *App) kbAppendCmd(f *kbFlags) *cobra.Command {
	return a.kbTextCmd(f, "append", "Add text to an entry")
}

func (a *App) kbReviseCmd(f *kbFlags) *cobra.Command {
	return a.kbTextCmd(f, "revise", "Replace the text of an entry")
}

func (a *App) kbTextCmd(f *kbFlags, action, short string) *cobra.Command {
	cmd, r := a.kbEntryCmd(f, action, "[TOPIC] [TEXT | -]", short, func(r *kb.EditRequest, args []string) (err error) {
		r.Text, err = a.textOf(args)
		return err
	})
	cmd.Flags().BoolVar(&r.AllowSecrets, "allow-secrets", false, "store what looks like a secret as it is")
	return cmd
}

func nothingMore(r *kb.EditRequest, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s: %q is one argument too many", r.Action, args[0])
	}
	return nil
}

func (a *App) kbDeleteCmd(f *kbFlags) *cobra.Command {
	cmd, r := a.kbEntryCmd(f, "delete", "[TOPIC]", "Delete an entry, or with --all a topic", nothingMore)
	cmd.Flags().BoolVar(&r.All, "all", false, "every entry of the topic")
	return cmd
}

func (a *App) kbTagCmd(f *kbFlags) *cobra.Command {
	cmd, r := a.kbEntryCmd(f, "tag", "[TOPIC]", "Add and remove tags of an entry", nothingMore)
	cmd.Flags().StringSliceVar(&r.Tags, "add", nil, "tags to add, separated by commas")
	cmd.Flags().StringSliceVar(&r.Remove, "remove", nil, "tags to take away, separated by commas")
	return cmd
}

func (a *App) kbRenameCmd(f *kbFlags) *cobra.Command {
	return a.kbTopicCmd(f, "rename", "TOPIC NEW", "Give a topic another name")
}

func (a *App) kbMergeCmd(f *kbFlags) *cobra.Command {
	return a.kbTopicCmd(f, "merge", "TOPIC INTO", "Move the entries of a topic into another")
}

func (a *App) kbTopicCmd(f *kbFlags, action, use, short string) *cobra.Command {
	return &cobra.Command{
		Use: action + " " + use, Short: short,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return fmt.Errorf("%s: two topics are needed: helix kb %s %s", action, action, use)
			}
			return nil
		},
		RunE: a.kbRun(f, func(ctx context.Context, m *kb.Memory, args []string) (kbResult, error) {
			return m.Edit(ctx, kb.EditRequest{Action: action, Topic: args[0], Into: args[1]})
		}),
	}
}
