package ddx

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"helix/internal/run/agent"
)

// report is what ddx says about one attempt.
type report struct {
	Bead, Attempt        string
	Status, Outcome      string
	Detail, FailureMode  string
	PreserveRef          string
	Base, Result, Landed string // commits
	Implementation       string // the agent's own commit
	RetryAfter           time.Time
	Usage                agent.Usage
	DirtyPaths           []string
}

var errUnreadable = errors.New("ddx said nothing that can be read")

// parse reads ddx's standard output: JSON after any number of lines of noise, or
// the "key: value" lines of ddx try.
func parse(out, want string) (report, error) {
	if at := jsonStart(out); at >= 0 {
		if doc := gjson.Parse(out[at:]); doc.IsObject() {
			return fromJSON(doc, want)
		}
	}
	if r := fromText(out); r.Status != "" {
		return r, nil
	}
	return report{}, fmt.Errorf("%w: %s", errUnreadable, firstLine(out))
}

// jsonStart is where the first line that begins with a brace begins, -1 when
// there is none.
func jsonStart(out string) int {
	if strings.HasPrefix(out, "{") {
		return 0
	}
	if i := strings.Index(out, "\n{"); i >= 0 {
		return i + 1
	}
	return -1
}

func fromJSON(doc gjson.Result, want string) (report, error) {
	row := doc
	if results := doc.Get("results"); results.Exists() || doc.Get("attempts").Exists() {
		row = results.Get("0")
		for _, r := range results.Array() {
			if r.Get("bead_id").String() == want {
				row = r
			}
		}
	}
	r := fromRow(row)
	if attention := doc.Get("operator_attention"); attention.IsObject() {
		r.Status, r.Detail = "operator_attention", attention.Get("reason").String()+" "+attention.Get("message").String()
		for _, path := range attention.Get("dirty_paths").Array() {
			r.DirtyPaths = append(r.DirtyPaths, path.String())
		}
	}
	if doc.Get("no_ready_work").Bool() && r.Status == "" {
		r.Status, r.Detail = "no_ready_work", "ddx found no bead that is ready"
		r.RetryAfter = timeOf(doc.Get("no_ready_work_detail.next_retry_after"))
	}
	if r.Status == "" {
		return r, fmt.Errorf("%w: the JSON has no status", errUnreadable)
	}
	return r, nil
}

func fromRow(row gjson.Result) report {
	text := func(keys ...string) string {
		for _, k := range keys {
			if v := row.Get(k).String(); v != "" {
				return v
			}
		}
		return ""
	}
	return report{
		Bead: text("bead_id"), Attempt: text("attempt_id"), Status: text("status"), Outcome: text("outcome"),
		Detail: text("detail", "reason", "error"), FailureMode: text("failure_mode", "failure_class"), PreserveRef: text("preserve_ref"),
		Base: text("base_rev"), Result: text("result_rev"), Landed: text("landed_rev"), Implementation: text("implementation_rev"),
		RetryAfter: timeOf(row.Get("retry_after")),
		Usage:      agent.Usage{Input: max(row.Get("tokens").Int(), 0), CostUSD: max(row.Get("cost_usd").Float(), 0)},
	}
}

func timeOf(v gjson.Result) time.Time {
	t, _ := time.Parse(time.RFC3339Nano, v.String())
	if t.Year() <= 1 { // ddx writes Go's zero time
		return time.Time{}
	}
	return t
}

// fromText reads the lines that ddx try ends with.
func fromText(out string) report {
	got := map[string]string{}
	for line := range strings.Lines(out) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			got[key] = strings.TrimSpace(value)
		}
	}
	return report{
		Bead: got["bead"], Status: got["status"], Detail: got["detail"], PreserveRef: got["preserve_ref"],
		Result: got["result_rev"], Implementation: got["implementation_rev"], Landed: got["landed_rev"],
	}
}

// completeFromEvidence fills in what ddx wrote to its execution folder and did
// not print: ddx try names no attempt, and rows carry no tokens. It returns the
// folder, from the root of the repository.
func (r *report) completeFromEvidence(root, bead string, since time.Time) string {
	dir := r.Attempt
	if dir == "" || !filepath.IsLocal(dir) {
		dir = newestExecution(root, bead, since)
	}
	if dir == "" {
		return ""
	}
	rel := filepath.Join(".ddx", "executions", dir)
	read := func(name string) gjson.Result {
		data, err := os.ReadFile(filepath.Join(root, rel, name))
		if err != nil || !gjson.ValidBytes(data) {
			return gjson.Result{}
		}
		return gjson.ParseBytes(data)
	}
	e := fromRow(read("result.json"))
	for _, f := range []struct{ to, from *string }{
		{&r.Base, &e.Base}, {&r.Result, &e.Result}, {&r.Landed, &e.Landed}, {&r.Implementation, &e.Implementation},
		{&r.PreserveRef, &e.PreserveRef}, {&r.FailureMode, &e.FailureMode}, {&r.Detail, &e.Detail},
	} {
		if *f.to == "" {
			*f.to = *f.from
		}
	}
	r.Attempt = dir
	usage := read("usage.json")
	if in, out := usage.Get("input_tokens").Int(), usage.Get("output_tokens").Int(); in+out > 0 {
		r.Usage.Input, r.Usage.Output, r.Usage.Cached = in, out, usage.Get("cached_tokens").Int()
	} else if n := usage.Get("tokens").Int(); n > 0 {
		r.Usage.Input = n
	}
	if r.Usage.CostUSD == 0 {
		r.Usage.CostUSD = e.Usage.CostUSD
	}
	if r.Usage.CostUSD > 0 {
		r.Usage.CostSource = "agent"
	}
	if _, err := os.Stat(filepath.Join(root, rel)); err != nil {
		return ""
	}
	return rel
}

// newestExecution is the name of the newest execution folder of a bead that is
// not older than since.
func newestExecution(root, bead string, since time.Time) string {
	entries, err := os.ReadDir(filepath.Join(root, ".ddx", "executions"))
	if err != nil {
		return ""
	}
	newest := ""
	for _, e := range entries {
		path := filepath.Join(root, ".ddx", "executions", e.Name(), "manifest.json")
		info, err := os.Stat(path)
		if err != nil || info.ModTime().Before(since.Add(-2*time.Second)) { // folders are named to the second
			continue
		}
		data, err := os.ReadFile(path)
		if err == nil && gjson.GetBytes(data, "bead_id").String() == bead && e.Name() > newest {
			newest = e.Name()
		}
	}
	return newest
}

func firstLine(text string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if first == "" {
		return "no output"
	}
	return first
}
