// Package experience turns what an agent did and said into memories.
//
//	t, err := experience.Read(file, experience.Auto)        // any client's transcript
//	found := experience.Extract(t)                          // pure: the same for the same input
//	result, err := experience.Graft(ctx, memory, dir, experience.Origin{Bead: "hx-1"}, found)
//
// Read (transcript.go, claude.go, codex.go) brings the clients' formats into one
// sequence of steps: words, tool calls, results. Extract (extract.go) goes through
// it: the list below FINDINGS: that the agent wrote for this purpose comes first,
// then the rules over its sentences (sentence.go, rules.go) find decisions, causes,
// gotchas, procedures and what was tried in vain, then commands that worked after others had failed (procedure.go),
// then what came of the whole (outcome.go). Graft (graft.go) stores what the memory
// does not know yet, and appends it to experience.jsonl beside the memory.
//
// A rule looks at a sentence and at what stands around it: the heading or label above
// (frame.go), what was done about it and whether it is more than a step on the way
// (evidence.go), and what is said later. What the agent or the person takes back is
// not remembered (retract.go), as far as one reading of the transcript reaches: what a
// hook has stored after an earlier turn stays.
//
// The rules prefer silence: an agent says far more than is worth keeping, and a
// wrong memory costs more than a missing one. testdata/held-out.txt is the set on
// which they are measured and never mended; precision_test.go has the figures. The
// other sets are those that they were written on.
//
// Since (since.go) reads only what a transcript has gained since the last time, for
// the hooks that graft while a session goes on.
package experience
