// Command helix-hook answers the hooks of Claude Code and Codex from the memory.
// It is helix hook as a program of its own, because it is started for every step
// of an agent and the whole of helix takes longer to start.
package main

import (
	"os"

	"helix/internal/hook"
	_ "helix/internal/hook/deepstack"
)

func main() {
	hook.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv, func() { os.Exit(0) })
}
