package hook

import (
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"helix/internal/hook/handover"
	"helix/internal/kb/log"
	"helix/internal/kb/rawfile"
)

const (
	// maxCacheAge is how old what a server has left for a project may be.
	maxCacheAge = 24 * time.Hour
	// maxCacheLag is how much newer the memory may be.
	maxCacheLag = 10 * time.Minute
)

// prepared is the context that a server has left for the project, "" when there is
// none that can be relied on: the file is missing or too large, is not whole, speaks
// of another project, was made more than a day ago or in the future, or the memory
// was written more than ten minutes after it.
func (q *request) prepared(p project) string {
	dir, err := q.dir()
	if err != nil {
		return ""
	}
	text, err := rawfile.ReadAll(handover.Context(dir, p.hash), handover.MaxContext+1)
	if err != nil || len(text) > handover.MaxContext {
		return ""
	}
	context, made, ok := readCache(string(text), p.hash)
	if !ok {
		return ""
	}
	now := q.env.Now()
	if age := now.Sub(made); age >= maxCacheAge || age < -time.Minute {
		return ""
	}
	if st, err := rawfile.Stat(filepath.Join(dir, log.FileName)); err == nil && time.Unix(0, st.Mtim.Nano()).Sub(made) > maxCacheLag {
		return ""
	}
	return context
}

// readCache reads the file that package precompute writes.
func readCache(text, project string) (context string, made time.Time, ok bool) {
	v, ok := parse(text)
	if !ok || !v.isObject() || str(v, "project_hash") != project {
		return "", time.Time{}, false
	}
	seconds, err := strconv.ParseInt(string(v.get("timestamp")), 10, 64)
	if err != nil || seconds <= 0 || seconds > 1<<40 {
		return "", time.Time{}, false
	}
	return str(v, "context"), time.Unix(seconds, 0), true
}

// fit is the longest beginning of s, in whole lines, that has at most n bytes when it
// is quoted.
func fit(s string, n int) string {
	end := 0
	for i, r := range s {
		switch {
		case r == '\n' || r == '"' || r == '\\':
			n -= 2
		case r < ' ':
			n -= 6
		default: // a byte that is no UTF-8 becomes a rune of three
			n -= utf8.RuneLen(r)
		}
		if n < 0 {
			return s[:end]
		}
		if r == '\n' {
			end = i + 1
		}
	}
	return s
}

// section is the text below a heading of the second level, up to the next heading of
// the first or second.
func section(context, heading string) string {
	_, rest, ok := strings.Cut("\n"+context, "\n## "+heading+"\n")
	if !ok {
		return ""
	}
	for _, next := range []string{"\n# ", "\n## "} {
		rest, _, _ = strings.Cut(rest, next)
	}
	return strings.TrimSpace(rest)
}

const (
	maxFacts     = 3
	maxFactBytes = 200
)

// facts are lines of the context that have at least two of the words, with the file
// below whose heading they stand. Memories are left out: they are looked up.
func facts(context string, words []string) []string {
	var out []string
	heading, file := "", ""
	for l := range strings.Lines(context) {
		l = strings.TrimSpace(l)
		switch {
		case strings.HasPrefix(l, "### "):
			file, _, _ = strings.Cut(l[len("### "):], " (")
			continue
		case strings.HasPrefix(l, "#"):
			heading, file = strings.TrimLeft(l, "# "), ""
			continue
		case l == "" || strings.HasPrefix(l, "```") || heading == "Recent decisions" || heading == "What is remembered of them":
			continue
		}
		if low := strings.ToLower(file + " " + l); !sharesTwo(low, words) {
			continue
		}
		if file != "" {
			l = file + ": " + l
		}
		if out = append(out, oneLine(l, maxFactBytes)); len(out) == maxFacts {
			break
		}
	}
	return out
}

func sharesTwo(line string, words []string) bool {
	n := 0
	for _, w := range words {
		if hasWord(line, w) {
			if n++; n == 2 {
				return true
			}
		}
	}
	return false
}

// maxRules bytes of the rules are repeated at an edit.
const maxRules = 800

// rules are the project's rules at the first edit of a session: what its start said
// may be far back then.
func (q *request) rules() string {
	switch str(q.input, "tool_name") {
	case "Edit", "MultiEdit", "Write", "NotebookEdit", "apply_patch":
	default:
		return ""
	}
	s, err := q.session()
	if err != nil || q.ofRun() || rawfile.Exists(s.file("rules")) {
		return ""
	}
	p, ok := q.project()
	if !ok {
		return ""
	}
	text := section(q.prepared(p), "Rules")
	if text == "" {
		return ""
	}
	if first, err := s.once("rules"); err != nil || !first {
		return ""
	}
	return "the project's rules:\n" + cut(text, maxRules)
}

// beforeTool is ambient with the rules.
func beforeTool(q *request) (reply, error) {
	r, err := ambient(q)
	if err != nil {
		return reply{}, err
	}
	if rules := q.rules(); rules != "" {
		if r.context != "" {
			rules += "\n"
		}
		r.context = rules + r.context
	}
	return r, nil
}

// withFacts adds to what is remembered about a question what the project's context
// has on it.
func (q *request) withFacts(r reply, words []string) reply {
	if q.ofRun() {
		return r
	}
	p, ok := q.project()
	if !ok {
		return r
	}
	lines := facts(q.prepared(p), words)
	if len(lines) == 0 {
		return r
	}
	if r.context != "" {
		r.context += "\n"
	}
	r.context += "in this project:\n  " + strings.Join(lines, "\n  ")
	return r
}
