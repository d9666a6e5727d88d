package experience

import (
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"helix/internal/lazyregexp"
)

// codex reads a line of codex exec --json (thread, turn and item events) or of a
// session file (everything in a payload).
func (p *parser) codex(v gjson.Result) {
	at := timeOf(v)
	payload := v.Get("payload")
	switch typ := v.Get("type").String(); typ {
	case "thread.started":
		p.t.Session = str(v, "thread_id")
	case "turn.started", "turn.completed":
		p.t.End = Open
	case "turn.failed":
		p.t.End = Failed
	case "item.completed":
		p.codexItem(v.Get("item"), at)
	case "session_meta":
		if p.t.Session == "" {
			p.t.Session = str(payload, "id")
		}
		if p.t.Dir == "" {
			p.t.Dir = str(payload, "cwd")
		}
	case "turn_context":
		if p.t.Dir == "" {
			p.t.Dir = str(payload, "cwd")
		}
	case "response_item":
		p.codexResponse(payload, at)
	case "event_msg":
		switch str(payload, "type") {
		case "turn_aborted":
			p.t.End = Interrupted
		case "error", "stream_error":
			p.t.End = Failed
		case "task_complete", "task_started", "turn_started", "turn_complete":
			p.t.End = Open
		}
	}
}

func (p *parser) codexItem(item gjson.Result, at time.Time) {
	id := str(item, "id")
	status := str(item, "status")
	switch str(item, "type") {
	case "agent_message":
		p.words(Said, str(item, "text"), at)
	case "command_execution":
		command := bareCommand(str(item, "command"))
		exit := item.Get("exit_code")
		p.add(Step{Kind: Call, Tool: "shell", ID: id, Command: command, Files: patchedFiles(command), Time: at})
		p.add(Step{Kind: Result, ID: id, Text: str(item, "aggregated_output"), Time: at,
			Failed: status == "failed" || status == "declined" || exit.Type == gjson.Number && exit.Int() != 0})
	case "file_change":
		var files []File
		item.Get("changes").ForEach(func(_, c gjson.Result) bool {
			files = append(files, fileOf(str(c, "path"), true)...)
			return len(files) < maxFiles
		})
		p.add(Step{Kind: Call, Tool: "apply_patch", ID: id, Files: files, Time: at})
		p.add(Step{Kind: Result, ID: id, Failed: status == "failed" || status == "declined", Time: at})
	case "mcp_tool_call":
		p.add(Step{Kind: Call, Tool: str(item, "server") + "." + str(item, "tool"), ID: id, Time: at})
		p.add(Step{Kind: Result, ID: id, Failed: status == "failed", Text: str(item, "error.message"), Time: at})
	}
}

// codexResponse reads an item of a session file.
func (p *parser) codexResponse(item gjson.Result, at time.Time) {
	id := str(item, "call_id")
	switch str(item, "type") {
	case "message":
		kind := Asked
		if str(item, "role") == "assistant" {
			kind = Said
		}
		item.Get("content").ForEach(func(_, c gjson.Result) bool {
			p.words(kind, str(c, "text"), at)
			return true
		})
	case "function_call":
		s := Step{Kind: Call, Tool: str(item, "name"), ID: id, Time: at}
		if args := str(item, "arguments"); depth([]byte(args)) <= maxDepth && gjson.Valid(args) {
			s.Command = commandOf(gjson.Parse(args))
		}
		s.Files = patchedFiles(s.Command)
		p.add(s)
	case "local_shell_call":
		s := Step{Kind: Call, Tool: "shell", ID: id, Command: commandOf(item.Get("action")), Time: at}
		s.Files = patchedFiles(s.Command)
		p.add(s)
	case "custom_tool_call":
		input := str(item, "input")
		p.add(Step{Kind: Call, Tool: str(item, "name"), ID: id, Files: patchedFiles(input), Time: at})
	case "function_call_output", "custom_tool_call_output":
		text, failed := codexOutput(item.Get("output"))
		p.add(Step{Kind: Result, ID: id, Text: text, Failed: failed, Time: at})
	}
}

// commandOf is the shell command of a call: a string, or a list of words that
// often is a shell with one argument.
func commandOf(args gjson.Result) string {
	for _, key := range []string{"cmd", "command"} {
		switch c := args.Get(key); {
		case c.Type == gjson.String:
			return bareCommand(c.Str)
		case c.IsArray():
			var words []string
			for _, w := range c.Array() {
				words = append(words, w.String())
			}
			if len(words) == 3 && strings.HasPrefix(words[1], "-") && strings.HasSuffix(words[1], "c") {
				return words[2]
			}
			return strings.Join(words, " ")
		}
	}
	return ""
}

// shellCall is how Codex starts a command line.
var shellCall = lazyregexp.New(`^\S*(?:ba|z|da)?sh -l?c `)

func bareCommand(command string) string {
	prefix := shellCall.FindString(command)
	if prefix == "" {
		return command
	}
	rest := command[len(prefix):]
	if n := len(rest); n >= 2 && (rest[0] == '\'' || rest[0] == '"') && rest[n-1] == rest[0] {
		return rest[1 : n-1]
	}
	return rest
}

var exitCode = lazyregexp.New(`(?m)^(?:Process exited with code|Exit code:) (\d{1,3})\b`)

// codexOutput reads what a tool gave: text that begins with the exit code, or
// JSON around it.
func codexOutput(v gjson.Result) (text string, failed bool) {
	switch {
	case v.IsObject():
		text = str(v, "content")
		success := v.Get("success")
		return text, success.Type == gjson.False
	case v.Type != gjson.String:
		return "", false
	}
	text = v.Str
	if strings.HasPrefix(text, "{") && depth([]byte(text)) <= maxDepth && gjson.Valid(text) {
		in := gjson.Parse(text)
		if in.Get("output").Type == gjson.String {
			return str(in, "output"), in.Get("metadata.exit_code").Int() != 0
		}
	}
	if m := exitCode.FindStringSubmatch(text[:min(len(text), 400)]); m != nil {
		code, _ := strconv.Atoi(m[1]) // three digits
		failed = code != 0
	}
	return text, failed
}

const maxFiles = 200 // of a call, and of a transcript

var patchFile = lazyregexp.New(`(?m)^\*\*\* (?:Update|Add|Delete) File: (.+?)[ \t\r]*$`)

// patchedFiles are the files of a patch in Codex's form.
func patchedFiles(patch string) []File {
	if !strings.Contains(patch, "*** Begin Patch") {
		return nil
	}
	var files []File
	for _, m := range patchFile.FindAllStringSubmatch(patch, maxFiles) {
		files = append(files, fileOf(m[1], true)...)
	}
	return files
}
