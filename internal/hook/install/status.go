package install

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Found is a hook of helix in the settings of a client.
type Found struct {
	Event   string
	Short   string // helix's name of the event
	Matcher string
	Command string
	Program string // the first word of the command
	hook    hook
}

func (f Found) is(w wanted, p Program) bool {
	return f.Event == w.event && f.Matcher == w.matcher && f.hook == hook{Type: "command", Command: p.command(w.short), Timeout: w.timeout}
}

// found are helix's hooks in a file.
func found(d *document) []Found {
	var out []Found
	all, ok := d.find("hooks")
	if !ok || d.kind(all) != '{' {
		return nil
	}
	for _, event := range d.members(all) {
		if d.kind(event.value) != '[' {
			continue
		}
		for _, at := range d.elements(event.value) {
			list, ok := d.in(at, "hooks")
			if !ok || d.kind(list) != '[' {
				continue
			}
			for _, h := range d.elements(list) {
				f := Found{Event: event.key, Matcher: d.str(at, "matcher"), Command: d.str(h, "command")}
				if f.Program, f.Short, ok = ours(f.Command); ok {
					_ = json.Unmarshal(d.text[h.from:h.to], &f.hook) // an odd one is not the wanted one
					out = append(out, f)
				}
			}
		}
	}
	return out
}

// Hook says how one event is set up.
type Hook struct {
	Event   string `json:"event"`
	Matcher string `json:"matcher,omitempty"`
	State   string `json:"state"` // installed, missing, different, twice, "no program" or unknown
	Command string `json:"command,omitempty"`
	Detail  string `json:"detail,omitempty"`
}

// Status is how the hooks of a place are set up.
type Status struct {
	Client string `json:"client"`
	Scope  string `json:"scope"`
	Path   string `json:"path"`
	Hooks  []Hook `json:"hooks"`
	Note   string `json:"note,omitempty"`
}

// Look reads how the hooks of a place are set up, compared with what Hooks would
// write.
func Look(p Place, program Program) (Status, error) {
	s := Status{Client: p.Client, Scope: p.Scope, Path: p.Hooks}
	text, _, err := read(p.Hooks)
	if err != nil {
		return s, err
	}
	_, body := cutMark(text)
	d, err := parse(body)
	if err != nil {
		return s, fmt.Errorf("%s: %w", p.Hooks, err)
	}
	all := found(d)
	for _, w := range hooks(p.Client) {
		s.Hooks = append(s.Hooks, state(w, all, program))
	}
	for _, f := range all {
		if !slices.ContainsFunc(hooks(p.Client), func(w wanted) bool { return w.event == f.Event }) {
			s.Hooks = append(s.Hooks, Hook{Event: f.Event, Matcher: f.Matcher, State: "unknown", Command: f.Command, Detail: "helix does not install a hook for this event"})
		}
	}
	if p.Client == Codex && len(all) > 0 {
		s.Note = "Codex runs none of these, and does not say so, until you have trusted them: start codex and do so."
	}
	return s, nil
}

// Answers tells whether helix answers an event of the client, by its name there, in one
// of the places.
func Answers(places []Place, event string) (bool, error) {
	for _, p := range places {
		s, err := Look(p, Program{})
		if err != nil {
			return false, err
		}
		if slices.ContainsFunc(s.Hooks, func(h Hook) bool { return h.Event == event && h.State != "missing" && h.State != "no program" }) {
			return true, nil
		}
	}
	return false, nil
}

func state(w wanted, all []Found, program Program) Hook {
	h := Hook{Event: w.event, Matcher: w.matcher, State: "missing"}
	n := 0
	for _, f := range all {
		if f.Event != w.event {
			continue
		}
		n++
		h.Matcher, h.Command = f.Matcher, f.Command
		switch {
		case n > 1:
			h.State, h.Detail = "twice", "helix hooks install leaves one of them"
		case !runnable(f.Program):
			h.State, h.Detail = "no program", f.Program+" is not there or cannot be run"
		case !f.is(w, program):
			h.State, h.Detail = "different", "helix hooks install would write: "+program.command(w.short)
		default:
			h.State = "installed"
		}
	}
	return h
}
