package hook

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"time"

	"helix/internal/kb/entry"
	"helix/internal/kb/view"
)

// Memory is what a hook reads of the memory. *view.View is one.
type Memory interface {
	Empty() bool
	Len() int
	TopTopics(n int) (top []view.Count, all int, err error)
	NewestLeads(n int, f view.Filter) ([]view.Lead, error)
	Leads(q view.Query) (found []view.Lead, fallback bool, err error)
	Follow(l view.Lead) (e entry.Entry, readable bool, err error)
	Close() error
}

// Env is where a hook finds things. The zero value of each field but Getenv has a
// meaning.
type Env struct {
	Getenv   func(string) string
	Dir      string                           // folder of the memory; "" is the default one
	Open     func(dir string) (Memory, error) // nil is view.Open
	CacheDir func() string                    // keeps the symbols of files; nil keeps none
	Debug    io.Writer                        // nil: silence
	Now      func() time.Time                 // nil is time.Now
	// Start starts helix with these arguments in the folder dir, "" for this one,
	// and does not wait for it; nil starts nothing.
	Start func(args []string, dir string) error
	Last  bool // the process ends after this: what is open may stay so
}

// maxTail is how many bytes of the log a hook goes through that the index lacks.
// Beyond that it keeps silent: the next command that may write brings the index up.
const maxTail = 1 << 20

// Run answers one event. event is a short name (session, ambient, …) or the
// client's own (SessionStart, PreToolUse, …). Nothing is written where there is
// nothing to say, and nothing that goes wrong gets out.
func Run(event string, in io.Reader, out io.Writer, env Env) {
	if env.Now == nil {
		env.Now = time.Now
	}
	if env.Open == nil {
		env.Open = func(dir string) (Memory, error) { return view.Open(dir, view.WithMaxTail(maxTail), view.Once()) }
	}
	text, err := guarded(event, in, env)
	if err != nil && env.Debug != nil {
		fmt.Fprintf(env.Debug, "helix hook: %s: %v\n", event, err)
	}
	if err == nil && len(text) > 0 {
		_, _ = out.Write(text)
	}
}

// guarded is answer with what goes wrong as an error.
func guarded(event string, in io.Reader, env Env) (text []byte, err error) {
	// A file that another process cuts while it is mapped faults at the read.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			text, err = nil, fmt.Errorf("panic: %v", p)
		}
	}()
	return answer(event, in, env)
}

// handler is what answers an event, and the client's name of it.
func handler(event string) (name string, f func(*request) (reply, error)) {
	switch event {
	case "session", "SessionStart":
		return "SessionStart", session
	case "prompt", "UserPromptSubmit":
		return "UserPromptSubmit", prompt
	case "ambient", "PreToolUse":
		return "PreToolUse", beforeTool
	case "post-build", "PostToolUse":
		return "PostToolUse", postBuild
	case "error-context", "PostToolUseFailure":
		return "PostToolUseFailure", errorContext
	case "pre-compact", "PreCompact":
		return "PreCompact", preCompact
	case "stop", "Stop":
		return "Stop", stop
	case "subagent", "SubagentStart":
		return "SubagentStart", subagent
	case "subagent-stop", "SubagentStop":
		return "SubagentStop", subagentStop
	case "session-end", "SessionEnd":
		return "SessionEnd", sessionEnd
	case "approve-mcp", "PermissionRequest":
		return "PermissionRequest", approve
	}
	return "", nil
}

func answer(event string, in io.Reader, env Env) ([]byte, error) {
	name, f := handler(event)
	if f == nil {
		return nil, errors.New("no such event")
	}
	input, err := readInput(in)
	if err != nil {
		return nil, err
	}
	if asked := str(input, "hook_event_name"); asked != "" && asked != name {
		return nil, fmt.Errorf("the client asks about %s", asked)
	}
	q := &request{input: input, env: env}
	if !env.Last {
		defer q.close()
	}
	r, err := f(q)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.Grow((len(r.context)+len(r.message))*9/8 + 256) // line ends and quotes have two bytes in JSON
	r.write(&b, name)
	return b.Bytes(), nil
}
