// Package workflows holds the action documents that helix gives to agents. They
// are built into the binary; README.md says how a project overrides them.
package workflows

import "embed"

// Files are the documents by their path below this folder.
//
//go:embed README.md actions/*.md
var Files embed.FS
