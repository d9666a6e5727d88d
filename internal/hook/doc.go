// Package hook answers the hooks of Claude Code and Codex from the memory: what
// is known about the file that is about to be changed, about the error that just
// came up, about the question that was asked.
//
// Run reads the event's JSON and writes one JSON object, or nothing:
//
//	hook.Run("ambient", os.Stdin, os.Stdout, hook.Env{Getenv: os.Getenv})
//
// A hook stands in the way of the person's every step, so three rules come before
// all else. It fails open: whatever is wrong with the input, the memory or the
// disk, the answer is silence and exit code 0 (HELIX_HOOK_DEBUG=1 says on standard
// error what was wrong). It is short: ambient answers stay within 2 KB and all
// others below 9 KB, more of which the clients do not pass on. And it is quick: the
// program around it is started anew for every event, which is why this package
// links neither the command line's nor the server's libraries, and opens the
// memory only once there is something to look up.
//
// One memory serves all projects of a person. What is shown belongs to the project of
// the file at hand, else of the session, or to none: a decision of another project is
// no rule here.
//
// What a server has prepared about the project (packages precompute and handover) is
// read from one file and told at the start of a session, with a question that shares
// words with it, and, of it the rules, at the first edit. At the start a server is also
// asked to bring that file up to date, without waiting for it. An agent that ddx started
// for a run of helix is told instead what the run left for it (briefing.go).
//
// How the clients behave was measured on Claude Code 2.1 and Codex 0.169. They
// reject an answer that names another event than the one they asked about, an
// additionalContext on Stop makes the agent go on for ever, and one on PreCompact
// is not known at all.
package hook
