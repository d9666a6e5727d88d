package install

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"
)

// timeout is after how many seconds a client goes on without an answer.
const timeout = 5

// wanted is a hook that helix installs.
type wanted struct {
	event   string // the client's name
	short   string // helix's
	matcher string // "" for all
	timeout int    // seconds
}

// hooks are those of a client. Codex has no event for a failed tool, and its tools
// for files are its shell and apply_patch. It allows the end of a session 3 seconds
// and complains in every session of a hook that is given more.
func hooks(client string) []wanted {
	all := []wanted{
		{"SessionStart", "session", "", timeout},
		{"UserPromptSubmit", "prompt", "", timeout},
		{"PreToolUse", "ambient", "Read|Edit|Write|MultiEdit|Glob|Grep|NotebookEdit", timeout},
		{"PostToolUse", "post-build", "Bash", timeout},
		{"PostToolUseFailure", "error-context", "Bash", timeout},
		{"PermissionRequest", "approve-mcp", "mcp__helix__.*", timeout},
		{"SubagentStart", "subagent", "", timeout},
		{"SubagentStop", "subagent-stop", "", timeout},
		{"PreCompact", "pre-compact", "", timeout},
		{"Stop", "stop", "", timeout},
		{"SessionEnd", "session-end", "", timeout},
	}
	if client == Codex {
		all[2].matcher = "Bash|apply_patch|Read|Edit|Write"
		all[len(all)-1].timeout = 3
		all = slices.DeleteFunc(all, func(w wanted) bool { return w.event == "PostToolUseFailure" })
	}
	return all
}

// group and hook are the form of the clients' settings.
type group struct {
	Matcher string `json:"matcher,omitempty"`
	Hooks   []hook `json:"hooks"`
}

type hook struct {
	Type    string `json:"type"`
	Command string `json:"command"`
	Timeout int    `json:"timeout,omitempty"`
	Async   bool   `json:"async,omitempty"`
}

// Hooks has the client call helix at each event. Hooks of others stay; older ones
// of helix are replaced.
func Hooks(p Place, program Program) (Change, error) {
	return rewrite(p.Hooks, mode(p), func(old []byte) ([]byte, error) {
		d, err := parse(old)
		if err != nil {
			return nil, err
		}
		if err := d.checkHooks(); err != nil {
			return nil, err
		}
		before := found(d)
		right := func(w wanted) bool {
			mine := slices.DeleteFunc(slices.Clone(before), func(f Found) bool { return f.Event != w.event })
			return len(mine) == 1 && mine[0].is(w, program)
		}
		want := hooks(p.Client)
		keep := map[string]bool{}
		for _, w := range want {
			keep[w.event] = right(w)
		}
		d.dropHooks(func(event string) bool { return !keep[event] })
		for _, w := range want {
			if !keep[w.event] {
				d.addHook(w, program)
			}
		}
		return d.result(old), nil
	})
}

// Unhook takes helix's hooks out and leaves those of others.
func Unhook(p Place) (Change, error) {
	return rewrite(p.Hooks, mode(p), func(old []byte) ([]byte, error) {
		d, err := parse(old)
		if err != nil {
			return nil, err
		}
		d.dropHooks(func(string) bool { return true })
		return d.result(old), nil
	})
}

// mode is that of a new file: the person's own settings are nobody else's.
func mode(p Place) fs.FileMode {
	if p.Scope == Project {
		return 0o644
	}
	return 0o600
}

// result is the text; an empty file to which nothing was done stays one.
func (d *document) result(old []byte) []byte {
	if string(d.text) == "{}\n" && len(bytes.TrimSpace(old)) == 0 {
		return old
	}
	return d.text
}

// checkHooks says whether hooks can be added to the file.
func (d *document) checkHooks() error {
	all, ok := d.find("hooks")
	if !ok {
		return nil
	}
	if d.kind(all) != '{' {
		return fmt.Errorf("its \"hooks\" (byte %d) are not an object", all.from)
	}
	for _, m := range d.members(all) {
		if d.kind(m.value) != '[' {
			return fmt.Errorf("its hooks.%s (byte %d) is not a list", m.key, m.value.from)
		}
	}
	return nil
}

func (d *document) addHook(w wanted, program Program) {
	if _, ok := d.find("hooks"); !ok {
		d.insert(d.root(), 0, "hooks", struct{}{})
	}
	g := group{w.matcher, []hook{{Type: "command", Command: program.command(w.short), Timeout: w.timeout}}}
	if list, ok := d.find("hooks", w.event); ok {
		d.insert(list, 2, "", g)
		return
	}
	all, _ := d.find("hooks")
	d.insert(all, 1, w.event, []group{g})
}

// dropHooks removes helix's hooks of the events, and what is empty then.
func (d *document) dropHooks(of func(event string) bool) {
	gone := false
	for d.dropOne(of) {
		gone = true
	}
	if all, ok := d.find("hooks"); gone && ok && len(d.members(all)) == 0 {
		members := d.members(d.root())
		i := slices.IndexFunc(members, func(m member) bool { return m.value == all })
		d.remove(d.root(), whole(members), i)
	}
}

// dropOne removes one hook: the places of all others move with it.
func (d *document) dropOne(of func(event string) bool) bool {
	all, ok := d.find("hooks")
	if !ok || d.kind(all) != '{' {
		return false
	}
	events := d.members(all)
	for e, event := range events {
		if !of(event.key) || d.kind(event.value) != '[' {
			continue
		}
		groups := d.elements(event.value)
		for g, at := range groups {
			list, ok := d.in(at, "hooks")
			if !ok || d.kind(list) != '[' {
				continue
			}
			hooks := d.elements(list)
			for h, at := range hooks {
				if _, _, mine := ours(d.str(at, "command")); !mine {
					continue
				}
				switch {
				case len(hooks) > 1:
					d.remove(list, hooks, h)
				case len(groups) > 1:
					d.remove(event.value, groups, g)
				default:
					d.remove(all, whole(events), e)
				}
				return true
			}
		}
	}
	return false
}
