// Package agent runs a coding agent headlessly, once, with a prompt, and says
// what came of it: the text, the tokens and money it took, and whether a failure
// was the agent's or its provider's.
//
// Three kinds are known: Claude Code, Codex, and any command that reads a prompt
// on standard input. Each runs as a process group of its own, which ends as a
// whole on a timeout, on cancellation, and when the agent itself has ended.
//
// System.Run starts the program and feeds its standard output line by line to a
// transcript (claude.go, codex.go, text.go). When the program has ended, the
// transcript judges: first by what the agent said in its own final object, then
// by the exit code. A provider's or the machine's failure becomes a Trouble
// (trouble.go), so that no bead is blamed for it.
package agent
