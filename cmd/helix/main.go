// Command helix drains a queue of coding work with Claude Code or Codex, and
// remembers what it learns on the way.
package main

import (
	"os"

	"helix/internal/cli"
)

func main() { os.Exit(cli.Main()) }
