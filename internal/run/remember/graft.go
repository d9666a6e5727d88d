package remember

import (
	"bytes"
	"context"

	"helix/internal/experience"
	"helix/internal/run"
	"helix/internal/run/executor"
)

// graft stores what the output of an attempt shows beside the findings in its
// answer: decisions, causes, gotchas, commands that worked.
func (m *Memory) graft(ctx context.Context, d run.Deed) ([]string, error) {
	found, err := experience.OfAttempt(bytes.NewReader(m.transcript(d.Evidence)), d.Files)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	// Where the findings are, so that nothing is there twice.
	topic := topicOf(d)
	for i := range found {
		found[i].Topic = topic
	}
	origin := experience.Origin{Session: session(d), Commit: d.Commit, Outcome: experience.Failure, Now: m.now()}
	if len(d.Beads) > 0 {
		origin.Bead = d.Beads[0].ID
	}
	if d.Outcome == executor.Landed {
		origin.Outcome = experience.Success
	}
	grafted, err := experience.Graft(ctx, m.KB, m.KB.Dir(), origin, found)
	var ids []string
	for _, g := range grafted.Stored {
		ids = append(ids, g.ID)
	}
	return ids, err
}
