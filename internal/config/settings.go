package config

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Setting is one key of config.yaml and the environment variable that overrides
// it. A key with a dot may also be written as a group, with its second half below
// its first.
type Setting struct {
	Key  string
	Env  string // "" for none
	Help string
	List bool // the file gives a list
	set  func(*Config, value) error
}

// value is what a layer says: text, or a list.
type value struct {
	text string
	list []string
	env  bool // times in the environment are seconds, as the original CLI had them
}

// Settings is the table of all settings, in the order of the documentation.
func Settings() []Setting {
	return []Setting{
		{Key: "agent", Env: "HELIX_AGENT", Help: "who does the work: claude, codex or command (default the installed one)", set: func(c *Config, v value) error {
			return oneOf(&c.Agent, v, "claude", "codex", "command")
		}},
		{Key: "command", List: true, Help: "program and arguments of the agent \"command\"", set: func(c *Config, v value) error {
			if len(v.list) == 0 || v.list[0] == "" {
				return errors.New("must name a program")
			}
			c.Command = v.list
			return nil
		}},
		{Key: "model", Env: "HELIX_MODEL", Help: "model of the agent", set: func(c *Config, v value) error { return text(&c.Model, v) }},
		{Key: "effort", Env: "HELIX_EFFORT", Help: "low, medium, high or max (default by action)", set: func(c *Config, v value) error {
			return oneOf(&c.Effort, v, "low", "medium", "high", "max")
		}},
		{Key: "check_model", Env: "HELIX_CHECK_MODEL", Help: "model for checks", set: func(c *Config, v value) error { return text(&c.CheckModel, v) }},
		{Key: "polish_model", Env: "HELIX_POLISH_MODEL", Help: "model for polish", set: func(c *Config, v value) error { return text(&c.PolishModel, v) }},
		{Key: "alt_agent", Env: "HELIX_ALT_AGENT", Help: "does builds, polish and checks instead of agent: claude, codex, command or none", set: func(c *Config, v value) error {
			return oneOf(&c.AltAgent, v, "claude", "codex", "command", "none")
		}},
		{Key: "review_agent", Env: "HELIX_REVIEW_AGENT", Help: "who reviews (default the other installed agent)", set: func(c *Config, v value) error {
			return oneOf(&c.ReviewAgent, v, "claude", "codex", "command")
		}},
		{Key: "agent_timeout", Env: "HELIX_AGENT_TIMEOUT", Help: "longest run of an agent", set: func(c *Config, v value) error { return span(&c.AgentTimeout, v) }},
		{Key: "executor", Help: "auto, ddx or builtin", set: func(c *Config, v value) error { return oneOf(&c.Executor, v, "auto", "ddx", "builtin") }},
		{Key: "gates", List: true, Help: "commands that must pass before work lands (default detected)", set: func(c *Config, v value) error {
			if slices.Contains(v.list, "") {
				return errors.New("holds an empty command")
			}
			c.Gates = append([]string{}, v.list...)
			return nil
		}},
		{Key: "gate_timeout", Help: "longest run of a gate", set: func(c *Config, v value) error { return span(&c.GateTimeout, v) }},
		{Key: "work_dir", Help: "folder for worktrees (default in the user's cache)", set: func(c *Config, v value) error { return text(&c.WorkDir, v) }},
		{Key: "library_root", Env: "HELIX_LIBRARY_ROOT", Help: "folder whose actions/ override helix's documents", set: func(c *Config, v value) error { return text(&c.LibraryRoot, v) }},
		{Key: "auto_align", Env: "HELIX_AUTO_ALIGN", Help: "run alignments by itself", set: func(c *Config, v value) error { return boolean(&c.AutoAlign, v) }},
		{Key: "review_every", Help: "completed cycles between alignments, 0 for never", set: func(c *Config, v value) error { return number(&c.ReviewEvery, v, 0) }},
		{Key: "review_threshold", Help: "changed lines from which a commit is reviewed", set: func(c *Config, v value) error { return number(&c.ReviewLines, v, 0) }},
		{Key: "memory", Help: "auto: runs recall and record what they learn; off", set: func(c *Config, v value) error {
			return oneOf(&c.Memory, v, "auto", "off")
		}},
		{Key: "orphan_threshold", Env: "HELIX_ORPHAN_THRESHOLD", Help: "age at which a dead claim is freed", set: func(c *Config, v value) error { return span(&c.OrphanAge, v) }},
		{Key: "backoff_sleep", Env: "HELIX_BACKOFF_SLEEP", Help: "replaces every computed back-off", set: func(c *Config, v value) error {
			c.BackoffFixed = true
			return span(&c.BackoffSleep, v)
		}},
		{Key: "batch", Help: "related beads in one attempt at most", set: func(c *Config, v value) error { return number(&c.Batch, v, 1) }},
		{Key: "max_cycles", Help: "completed cycles of a run, 0 for no limit", set: func(c *Config, v value) error { return number(&c.MaxCycles, v, 0) }},
		{Key: "max_attempts", Help: "attempts at one bead in a run", set: func(c *Config, v value) error { return number(&c.MaxAttempts, v, 1) }},
		{Key: "max_duration", Help: "longest run, none for no limit", set: func(c *Config, v value) error {
			if v.text == "none" {
				c.MaxDuration = 0
				return nil
			}
			return span(&c.MaxDuration, v)
		}},
		{Key: "max_tokens", Help: "tokens of a run, none for no limit", set: func(c *Config, v value) error {
			if v.text == "none" {
				c.MaxTokens = 0
				return nil
			}
			n, err := strconv.ParseInt(v.text, 10, 64)
			if err != nil || n < 1 {
				return fmt.Errorf("is %q, not a number above 0, nor none", v.text)
			}
			c.MaxTokens = n
			return nil
		}},
		{Key: "max_cost", Help: "dollars of a run, none for no limit", set: func(c *Config, v value) error {
			if v.text == "none" {
				c.MaxCostUSD = 0
				return nil
			}
			n, err := strconv.ParseFloat(v.text, 64)
			if err != nil || !(n > 0 && n < 1e9) {
				return fmt.Errorf("is %q, not an amount above 0, nor none", v.text)
			}
			c.MaxCostUSD = n
			return nil
		}},
		{Key: "auto_init.enabled", Help: "a session in a project without a queue sets it up", set: func(c *Config, v value) error { return boolean(&c.AutoInit, v) }},
		{Key: "auto_init.min_files", Help: "tracked files that such a project must have", set: func(c *Config, v value) error { return number(&c.AutoInitFiles, v, 0) }},
		{Key: "auto_init.exclude_patterns", List: true, Help: "files that do not count; `**` stands for any folders", set: func(c *Config, v value) error {
			for _, p := range v.list {
				if err := checkPattern(p); err != nil {
					return err
				}
			}
			c.AutoInitExclude = append([]string{}, v.list...)
			return nil
		}},
		{Key: "serve.auto_start", Help: "a session starts `helix serve --background` where no server runs", set: func(c *Config, v value) error { return boolean(&c.AutoServe, v) }},
	}
}

func text(to *string, v value) error {
	*to = v.text
	return nil
}

func oneOf(to *string, v value, known ...string) error {
	if !slices.Contains(known, v.text) {
		return fmt.Errorf("is %q; use %s or %s", v.text, strings.Join(known[:len(known)-1], ", "), known[len(known)-1])
	}
	*to = v.text
	return nil
}

func number(to *int, v value, least int) error {
	n, err := strconv.Atoi(v.text)
	if err != nil || n < least {
		return fmt.Errorf("is %q, not a number from %d up", v.text, least)
	}
	*to = n
	return nil
}

func boolean(to *bool, v value) error {
	switch v.text {
	case "true", "1":
		*to = true
	case "false", "0":
		*to = false
	default:
		return fmt.Errorf("is %q; use true or false", v.text)
	}
	return nil
}

// span reads a time: with a unit, and in the environment also plain seconds.
func span(to *time.Duration, v value) error {
	if seconds, err := strconv.ParseFloat(v.text, 64); err == nil && (v.env || seconds == 0) {
		if seconds < 0 || seconds > 1e9 {
			return fmt.Errorf("is %q, not a number of seconds", v.text)
		}
		*to = time.Duration(seconds * float64(time.Second))
		return nil
	}
	d, err := time.ParseDuration(v.text)
	if err != nil || d < 0 {
		return fmt.Errorf("is %q, not a time such as 90s, 45m or 8h", v.text)
	}
	*to = d
	return nil
}
