package remember

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"helix/internal/kb"
	"helix/internal/kb/credit"
	"helix/internal/kb/entry"
	"helix/internal/run"
	"helix/internal/run/executor"
)

// Credit implements run.Memory.
func (m *Memory) Credit(ctx context.Context, u run.Use) ([]string, error) {
	entries, err := m.shown(u.Shown)
	if err != nil {
		return nil, err
	}
	r := kb.CreditRequest{
		Run: u.Run, Cycle: u.Cycle, Attempt: u.Attempt, Outcome: credit.Outcome(u.Verdict), Shown: u.Shown,
		Used: used(entries, u.Answer, m.transcript(u.Evidence), u.Files),
	}
	if len(u.Beads) > 0 {
		r.Bead = u.Beads[0].ID
	}
	done, err := m.KB.Credit(ctx, r)
	return append(done.Helped, done.Harmed...), err
}

// shown reads the entries that are still there.
func (m *Memory) shown(ids []string) ([]entry.Entry, error) {
	v, err := m.KB.View()
	if err != nil {
		return nil, err
	}
	defer v.Close()
	var entries []entry.Entry
	for _, id := range ids {
		e, err := v.Get(id)
		if errors.Is(err, kb.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// used are the entries that an agent made something of: it named them in its answer
// or in a call of a tool, or it changed the file that they are about.
func used(entries []entry.Entry, answer string, transcript []byte, files []string) []string {
	said := answer + "\n" + ownWords(transcript)
	var ids []string
	for _, e := range entries {
		if strings.Contains(said, e.ID) || e.Source.Path != "" && slices.Contains(files, e.Source.Path) {
			ids = append(ids, e.ID)
		}
	}
	return ids
}

// ownWords is what an agent itself wrote, in the transcripts of Claude Code and
// Codex: its messages and the calls that it made. What tools answered may name any
// entry, so it does not count.
func ownWords(transcript []byte) string {
	var w strings.Builder
	for line := range bytes.Lines(transcript) {
		if line = bytes.TrimSpace(line); len(line) == 0 || line[0] != '{' {
			continue
		}
		switch kind := gjson.GetBytes(line, "type").String(); kind {
		case "assistant":
			w.WriteString(gjson.GetBytes(line, "message.content").Raw)
		case "item.started", "item.completed":
			for _, part := range []string{"item.text", "item.command", "item.arguments"} {
				w.WriteString(gjson.GetBytes(line, part).Raw)
			}
		default:
			continue
		}
		w.WriteByte('\n')
	}
	return w.String()
}

// mostTranscript is how much of an agent's output is looked through, its end.
const mostTranscript = 16 << 20

// transcript is what the agent printed. Without it the answer alone counts.
func (m *Memory) transcript(evidence string) []byte {
	if evidence == "" {
		return nil
	}
	if !filepath.IsAbs(evidence) {
		evidence = filepath.Join(m.Root, evidence)
	}
	return executor.AgentOutput(evidence, mostTranscript)
}
