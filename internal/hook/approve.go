package hook

import "strings"

// toolPrefix begins the name of each tool of the memory server, as clients call it.
const toolPrefix = "mcp__helix__"

// approve permits the tools of the memory and says nothing about any other. A
// server that somebody calls "helix__x" has the same beginning; no tool of the
// memory has two underscores in its name.
func approve(q *request) (reply, error) {
	tool, ours := strings.CutPrefix(str(q.input, "tool_name"), toolPrefix)
	if !ours || tool == "" || strings.Contains(tool, "__") {
		return reply{}, nil
	}
	if server := q.input.get("mcp_server.name"); server != "" && server.string() != "helix" {
		return reply{}, nil
	}
	return reply{allow: true}, nil
}
