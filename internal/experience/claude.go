package experience

import (
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// claude reads a line of a session file, or of stream-json output, which has the
// same messages with other names around them.
func (p *parser) claude(v gjson.Result) {
	if id := str(v, "sessionId") + str(v, "session_id"); id != "" && p.t.Session == "" {
		p.t.Session = id
	}
	if p.t.Dir == "" {
		p.t.Dir = str(v, "cwd")
	}
	if p.t.Agent == "" {
		p.t.Agent = str(v, "agentId")
	}
	at := timeOf(v)
	switch v.Get("type").String() {
	case "assistant":
		if v.Get("isApiErrorMessage").Bool() || v.Get("is_api_error_message").Bool() {
			p.t.End = Failed
			return
		}
		p.t.End = Open
		p.claudeBlocks(v, Said, at)
	case "user":
		if !v.Get("isMeta").Bool() && !v.Get("isCompactSummary").Bool() {
			p.claudeBlocks(v, Asked, at)
		}
	case "result":
		p.claudeResult(v, at)
	}
}

func (p *parser) claudeBlocks(v gjson.Result, kind Kind, at time.Time) {
	content := v.Get("message.content")
	if content.Type == gjson.String {
		p.words(kind, content.Str, at)
		return
	}
	content.ForEach(func(_, block gjson.Result) bool {
		switch block.Get("type").String() {
		case "text":
			p.words(kind, str(block, "text"), at)
		case "tool_use":
			p.add(claudeCall(block, at))
		case "tool_result":
			p.add(claudeToolResult(block, v, at))
		}
		return true
	})
}

func (p *parser) words(kind Kind, text string, at time.Time) {
	if strings.TrimSpace(text) == "" {
		return
	}
	if kind == Asked {
		if strings.HasPrefix(text, "[Request interrupted by user") {
			p.t.End = Interrupted
			return
		}
		p.t.End = Open
	}
	p.add(Step{Kind: kind, Text: text, Time: at})
}

func claudeCall(block gjson.Result, at time.Time) Step {
	s := Step{Kind: Call, Tool: str(block, "name"), ID: str(block, "id"), Time: at}
	input := block.Get("input")
	switch s.Tool {
	case "Edit", "MultiEdit", "Write", "NotebookEdit":
		s.Files = fileOf(str(input, "file_path")+str(input, "notebook_path"), true)
	case "Read":
		s.Files = fileOf(str(input, "file_path"), false)
	case "Bash":
		s.Command = str(input, "command")
	}
	return s
}

func fileOf(path string, changed bool) []File {
	if path == "" || len(path) > maxPath {
		return nil
	}
	return []File{{Path: path, Changed: changed}}
}

// maxPath is what a path may have in bytes.
const maxPath = 1 << 10

func claudeToolResult(block, line gjson.Result, at time.Time) Step {
	s := Step{Kind: Result, ID: str(block, "tool_use_id"), Failed: block.Get("is_error").Bool(), Time: at}
	content := block.Get("content")
	if content.Type == gjson.String {
		s.Text = content.Str
	} else {
		var all []string
		content.ForEach(func(_, part gjson.Result) bool {
			all = append(all, str(part, "text"))
			return true
		})
		s.Text = strings.Join(all, "\n")
	}
	about := line.Get("toolUseResult")
	if !about.IsObject() {
		about = line.Get("tool_use_result")
	}
	if start := about.Get("structuredPatch.0.newStart").Int(); start > 0 && start < 1<<30 {
		if files := fileOf(str(about, "filePath"), true); files != nil {
			files[0].Line = int(start) + contextLines(about.Get("structuredPatch.0.lines"))
			s.Files = files
		}
	}
	return s
}

// contextLines is how many lines of a hunk come before its first change.
func contextLines(lines gjson.Result) int {
	n := 0
	lines.ForEach(func(_, l gjson.Result) bool {
		if !strings.HasPrefix(l.String(), " ") {
			return false
		}
		n++
		return true
	})
	return n
}

// claudeResult is the last line of stream-json output. Its text is the last
// message once more.
func (p *parser) claudeResult(v gjson.Result, at time.Time) {
	text := str(v, "result")
	switch {
	case v.Get("terminal_reason").String() == "aborted_tools":
		p.t.End = Interrupted
		return
	case v.Get("is_error").Bool():
		p.t.End = Failed
		return
	}
	p.t.End = Open
	for _, s := range slices.Backward(p.t.Steps) {
		if s.Kind == Said && strings.TrimSpace(s.Text) == strings.TrimSpace(text) {
			return
		}
	}
	p.words(Said, text, at)
}
