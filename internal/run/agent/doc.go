// Package agent runs a coding agent headlessly, once, with a prompt, and says
// what came of it: the text, the tokens and money it took, and whether a failure
// was the agent's or its provider's.
//
// Three kinds are known: Claude Code, Codex, and any command that reads a prompt
// on standard input. Each runs in a process group of its own, so that a timeout
// or a signal ends everything that it started. The rules for judging a run
// (result object first, exit code second) are in result parsing of each kind.
package agent
