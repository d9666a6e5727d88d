package tracker

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Format is a way to write beads as JSON lines.
type Format string

const (
	Auto  Format = "auto"  // find out (import only)
	DDX   Format = "ddx"   // the rows of beads.jsonl
	BD    Format = "bd"    // the export of bd and br
	Plain Format = "jsonl" // flat rows: anything with a title, the older helix tracker too
)

// ParseFormat reads the name of a format.
func ParseFormat(text string) (Format, error) {
	switch f := Format(text); f {
	case Auto, DDX, BD, Plain:
		return f, nil
	case "br":
		return BD, nil
	case "plain":
		return Plain, nil
	}
	return "", invalid("unknown format %q: use ddx, bd or jsonl", text)
}

// keyLinks holds relations between beads that do not block: in a row of ddx
// every dependency blocks, so they cannot be dependencies. Each keeps the form
// that bd gives it, and an export for bd puts it back.
const keyLinks = "links"

const (
	keyBDStatus    = "bd-status" // the status that bd had for it, where ours says less
	keyBDOwner     = "bd-owner"  // bd knows an owner beside the assignee
	typeParent     = "parent-child"
	fromBDReason   = "blocked in the tracker that it was imported from"
	keyCloseReason = "close_reason"
)

// blockingTypes are the relations of bd that keep a bead from being ready.
var blockingTypes = []string{"", "blocks", "conditional-blocks", "waits-for", "depends_on", "depends-on"}

// foreignStatus maps the statuses of other trackers. A status that says more
// than ours is kept under keyBDStatus.
var foreignStatus = map[string]Status{
	"": Open, "todo": Open, "new": Open, "ready": Open, "reopened": Open,
	"in-progress": InProgress, "wip": InProgress, "doing": InProgress, "started": InProgress, "hooked": InProgress,
	"done": Closed, "complete": Closed, "completed": Closed, "resolved": Closed, "fixed": Closed, "finished": Closed,
	"deferred": Proposed, "pinned": Proposed, "draft": Proposed, "backlog": Proposed,
	"canceled": Cancelled, "tombstone": Cancelled, "wontfix": Cancelled, "deleted": Cancelled,
}

// bdSigns are keys that only bd and br write.
var bdSigns = []string{
	"acceptance_criteria", "assignee", "closed_at", "close_reason", "estimated_minutes", "external_ref",
	"content_hash", "source_repo", "comments", "compaction_level", "original_size", "deleted_at", "issue_title",
}

// detect tells the format of a file from all its rows.
func detect(rows []map[string]json.RawMessage) Format {
	has := func(row map[string]json.RawMessage, keys ...string) bool {
		return slices.ContainsFunc(keys, func(k string) bool { _, ok := row[k]; return ok })
	}
	format := DDX
	for _, row := range rows {
		switch {
		case has(row, "schema_version"):
			return DDX
		case has(row, "type", "deps", "created", "depends_on") || !has(row, "issue_type"):
			format = Plain
		case format == DDX && (has(row, bdSigns...) || hasLooseRelation(row)):
			format = BD
		}
	}
	return format
}

func hasLooseRelation(row map[string]json.RawMessage) bool {
	var deps []Dependency
	if json.Unmarshal(row["dependencies"], &deps) != nil {
		return false
	}
	return slices.ContainsFunc(deps, func(d Dependency) bool { return !slices.Contains(blockingTypes, d.Type) })
}

// fromDDX takes a row as it is, once it is known to be a sound one.
func fromDDX(line []byte) (*Bead, error) {
	if err := (&rowParser{}).parse(line, &row{}); err != nil {
		return nil, err
	}
	b, err := decode(line)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(statuses, b.Status) {
		return nil, invalid("status %q is unknown: use %s", b.Status, listStatuses(statuses))
	}
	return b, checkImported(b)
}

// checkImported refuses what no format may bring in.
func checkImported(b *Bead) error {
	switch {
	case strings.TrimSpace(b.Title) == "":
		return invalid("it has no title")
	case b.Priority < 0 || b.Priority > LowestPriority:
		return invalid("priority %d: use 0 to %d", b.Priority, LowestPriority)
	case b.ID == "":
		return nil
	}
	return checkID(b.ID)
}

// foreignRow is a row of bd, or a flat one, on its way to being a bead.
type foreignRow struct {
	left map[string]json.RawMessage // keys that have not been taken yet
	bead *Bead
	err  error
}

// fromForeign maps the names, statuses and relations of bd and of flat rows.
// What has no place in a bead stays as an extra key.
func fromForeign(members map[string]json.RawMessage) (*Bead, error) {
	f := foreignRow{left: maps.Clone(members), bead: &Bead{}}
	b := f.bead
	b.ID = f.text("id")
	b.Title = strings.Join(strings.Fields(f.text("title")), " ")
	b.Type = f.text("issue_type", "type")
	b.Description = f.text("description")
	b.Acceptance = f.lines("acceptance", "acceptance_criteria")
	b.Notes = f.text("notes")
	b.CreatedBy = f.text("created_by")
	b.Parent = f.text("parent")
	b.CreatedAt = f.time("created_at", "created")
	b.UpdatedAt = f.time("updated_at", "updated")
	b.Labels = f.list("labels")
	b.Priority = f.priority()
	f.owner()
	f.status()
	f.relations("dependencies", "depends_on", "deps")
	f.rest()
	if f.err != nil {
		return nil, f.err
	}
	if b.Type == "" {
		b.Type = "task"
	}
	return b, checkImported(b)
}

// take removes the first of the keys that is there and not null; the others
// stay, so that nothing is lost.
func (f *foreignRow) take(keys ...string) (json.RawMessage, bool) {
	for _, k := range keys {
		raw, ok := f.left[k]
		if !ok {
			continue
		}
		if string(raw) == "null" || string(raw) == `""` {
			delete(f.left, k)
			continue
		}
		delete(f.left, k)
		return raw, true
	}
	return nil, false
}

func (f *foreignRow) fail(key, want string) {
	if f.err == nil {
		f.err = &fieldError{key, want}
	}
}

func (f *foreignRow) text(keys ...string) (text string) {
	raw, ok := f.take(keys...)
	if ok && json.Unmarshal(raw, &text) != nil {
		if raw[0] == '{' || raw[0] == '[' {
			f.fail(keys[0], "a string")
			return ""
		}
		return string(raw) // a number used as an id, say
	}
	return text
}

// lines reads a string, or a list of strings as lines.
func (f *foreignRow) lines(keys ...string) string {
	raw, ok := f.take(keys...)
	if !ok {
		return ""
	}
	list, err := stringsOf(raw)
	if err != nil {
		f.fail(keys[0], "a string or a list of strings")
	}
	return strings.Join(list, "\n")
}

// list reads a list of strings, or one string with commas.
func (f *foreignRow) list(keys ...string) []string {
	raw, ok := f.take(keys...)
	if !ok {
		return nil
	}
	list, err := stringsOf(raw)
	if err != nil {
		f.fail(keys[0], "a list of strings")
	}
	if raw[0] == '"' {
		list = strings.Split(list[0], ",")
	}
	var clean []string
	for _, item := range list {
		if item = strings.TrimSpace(item); item != "" && !slices.Contains(clean, item) {
			clean = append(clean, item)
		}
	}
	return clean
}

// stringsOf reads one string or a list of them.
func stringsOf(raw json.RawMessage) (list []string, err error) {
	if raw[0] == '"' {
		list = make([]string, 1)
		return list, json.Unmarshal(raw, &list[0])
	}
	return list, json.Unmarshal(raw, &list)
}

func (f *foreignRow) time(keys ...string) time.Time {
	text := f.text(keys...)
	t := parseTime(text)
	if text != "" && t.IsZero() && !strings.HasPrefix(text, "0001-") {
		f.fail(keys[0], fmt.Sprintf("a time such as 2026-01-31T12:00:00Z, not %q", text))
	}
	return t
}

// priority reads 0 to 4, "P0" to "P4", or a word.
func (f *foreignRow) priority() int {
	text := strings.ToLower(f.text("priority"))
	words := map[string]int{"": DefaultPriority, "critical": 0, "highest": 0, "urgent": 0, "high": 1, "medium": 2, "normal": 2, "low": 3, "lowest": 4}
	if n, ok := words[text]; ok {
		return n
	}
	n, err := strconv.Atoi(strings.TrimPrefix(text, "p"))
	if err != nil {
		f.fail("priority", "0 to 4")
	}
	return n
}

func (f *foreignRow) owner() {
	f.bead.Owner = f.text("assignee")
	owner := f.text("owner")
	switch {
	case f.bead.Owner == "":
		f.bead.Owner = owner
	case owner != "" && owner != f.bead.Owner:
		f.bead.Set(keyBDOwner, owner)
	}
}

func (f *foreignRow) status() {
	text := f.text("status")
	if s := Status(text); slices.Contains(statuses, s) {
		f.bead.Status = s
	} else if s, ok := foreignStatus[strings.ToLower(text)]; ok {
		f.bead.Status = s
		f.bead.Set(keyBDStatus, text)
	} else {
		f.fail("status", fmt.Sprintf("%s, not %q", listStatuses(statuses), text))
	}
	if f.bead.Status == Blocked && f.left[keyExternal] == nil {
		f.bead.Set(keyExternal, fromBDReason)
	}
}

// relations sorts what bd calls dependencies: blocking ones stay dependencies
// with their type, the parent becomes the parent, the others become links.
func (f *foreignRow) relations(keys ...string) {
	var links []json.RawMessage
	for _, key := range keys {
		raw, ok := f.take(key)
		if !ok {
			continue
		}
		var elements []json.RawMessage
		if json.Unmarshal(raw, &elements) != nil {
			f.fail(key, "a list")
			return
		}
		for _, e := range elements {
			d, ok := relation(e)
			switch {
			case !ok:
				f.fail(key, "a list of ids, or of objects with a depends_on_id")
				return
			case slices.Contains(blockingTypes, d.Type):
				f.block(d)
			case d.Type == typeParent && (f.bead.Parent == "" || f.bead.Parent == d.DependsOnID):
				f.bead.Parent = d.DependsOnID
			default:
				links = append(links, e)
			}
		}
	}
	if len(links) > 0 {
		f.bead.setRaw(keyLinks, slices.Concat([]byte("["), bytes.Join(rawBytes(links), []byte(",")), []byte("]")))
	}
}

func rawBytes(list []json.RawMessage) [][]byte {
	out := make([][]byte, len(list))
	for i, raw := range list {
		out[i] = raw
	}
	return out
}

// block adds a dependency once.
func (f *foreignRow) block(d Dependency) {
	if d.Type == "" {
		d.Type = "blocks"
	}
	d.IssueID = f.bead.ID
	if !slices.ContainsFunc(f.bead.Dependencies, func(x Dependency) bool { return x.DependsOnID == d.DependsOnID && x.Type == d.Type }) {
		f.bead.Dependencies = append(f.bead.Dependencies, d)
	}
}

// relation reads one dependency: an id, bd's row, or the bead itself as
// `bd show --json` prints it.
func relation(raw json.RawMessage) (d Dependency, ok bool) {
	if raw[0] == '"' {
		err := json.Unmarshal(raw, &d.DependsOnID)
		return d, err == nil && d.DependsOnID != ""
	}
	if json.Unmarshal(raw, &d) != nil {
		return d, false
	}
	if d.DependsOnID == "" {
		var nested struct {
			ID   string `json:"id"`
			Type string `json:"dependency_type"`
		}
		if json.Unmarshal(raw, &nested) != nil {
			return d, false
		}
		d = Dependency{DependsOnID: nested.ID, Type: nested.Type}
	}
	return d, d.DependsOnID != ""
}

// rest keeps every key that has no place of its own. Those that would shadow a
// field of a bead get a name that does not.
func (f *foreignRow) rest() {
	for key, raw := range f.left {
		if slices.Contains(knownKeys, key) || key == "assignee" {
			key = "imported-" + key
		}
		if key == "" || string(raw) == "null" {
			continue
		}
		f.bead.setRaw(key, raw)
	}
}
