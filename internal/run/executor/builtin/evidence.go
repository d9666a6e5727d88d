package builtin

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/google/renameio/v2"

	"helix/internal/run/agent"
	"helix/internal/run/executor"
)

// evidence is the folder .ddx/executions/<attempt> in which an attempt can be
// looked up afterwards (contracts/ddx.md, 4.4). After it was made, nothing that
// goes wrong with it disturbs the attempt; it is reported at the end.
type evidence struct {
	dir string // absolute
	rel string // as results name it

	mu  sync.Mutex
	err error // the first
}

const (
	promptFile   = "prompt.md"
	memoryFile   = "memory.md"
	manifestFile = "manifest.json"
	resultFile   = "result.json"
	usageFile    = "usage.json"
	agentLog     = "agent.log"
	gatesLog     = "gates.log"
	droppedFile  = "dropped.patch"
)

// openEvidence makes the folder. On an error nothing is left of it.
func openEvidence(root, trackerDir, attempt string) (*evidence, error) {
	parent := filepath.Join(trackerDir, "executions")
	if err := os.MkdirAll(trackerDir, 0o755); err != nil {
		return nil, fmt.Errorf("make the evidence folder: %w", err)
	}
	if err := os.Mkdir(parent, 0o755); err == nil {
		if err := os.WriteFile(filepath.Join(parent, ".gitignore"), []byte("*\n"), 0o644); err != nil {
			return nil, errors.Join(fmt.Errorf("make the evidence folder: %w", err), os.RemoveAll(parent))
		}
	}
	dir := filepath.Join(parent, attempt)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make the evidence folder: %w", err)
	}
	rel, err := filepath.Rel(root, dir)
	if err != nil {
		rel = dir
	}
	return &evidence{dir: dir, rel: rel}, nil
}

func (v *evidence) path(name string) string { return filepath.Join(v.dir, name) }

func (v *evidence) note(err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.err == nil {
		v.err = err
	}
}

func (v *evidence) write(name string, data []byte) {
	v.note(renameio.WriteFile(v.path(name), data, 0o644, renameio.WithTempDir(v.dir)))
}

func (v *evidence) writeJSON(name string, value any) {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		v.note(err)
		return
	}
	v.write(name, append(data, '\n'))
}

// logFile is a log of the folder, whose writes never fail: what is logged must
// not end because a disk is full.
type logFile struct {
	v *evidence
	f *os.File
}

func (v *evidence) openLog(name string) *logFile {
	f, err := os.OpenFile(v.path(name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	v.note(err)
	return &logFile{v, f}
}

func (l *logFile) Write(p []byte) (int, error) {
	if l.f != nil {
		_, err := l.f.Write(p)
		l.v.note(err)
	}
	return len(p), nil
}

func (l *logFile) Close() {
	if l.f != nil {
		l.v.note(l.f.Close())
	}
}

type requested struct {
	Harness string `json:"harness"`
	Model   string `json:"model,omitempty"`
	Effort  string `json:"effort,omitempty"`
	Prompt  string `json:"prompt"`
}

type manifest struct {
	AttemptID string            `json:"attempt_id"`
	BeadID    string            `json:"bead_id"`
	BeadIDs   []string          `json:"bead_ids"`
	Attempt   int               `json:"attempt"`
	RunID     string            `json:"run_id,omitempty"`
	Executor  string            `json:"executor"`
	BaseRev   string            `json:"base_rev"`
	Branch    string            `json:"branch"`
	CreatedAt time.Time         `json:"created_at"`
	Requested requested         `json:"requested"`
	Beads     []json.RawMessage `json:"beads"` // the rows, as they were when the attempt began
	Paths     map[string]string `json:"paths"`
	PromptSHA string            `json:"prompt_sha"` // SHA-256
}

func (v *evidence) begin(m manifest, req executor.Request, worktree string) error {
	beads, prompt := req.Beads, req.Prompt
	for _, b := range beads {
		m.BeadIDs = append(m.BeadIDs, b.ID)
		row, err := b.JSON()
		if err != nil {
			return fmt.Errorf("write the manifest: %w", err)
		}
		m.Beads = append(m.Beads, row)
	}
	sum := sha256.Sum256([]byte(prompt))
	m.PromptSHA = hex.EncodeToString(sum[:])
	m.Requested.Prompt = promptFile
	m.Paths = map[string]string{
		"dir": v.rel, "prompt": promptFile, "manifest": manifestFile, "result": resultFile,
		"usage": usageFile, "agent_log": agentLog, "gates_log": gatesLog, "worktree": worktree,
	}
	v.write(promptFile, []byte(prompt))
	if req.Memory != "" {
		m.Paths["memory"] = memoryFile
		v.write(memoryFile, []byte(req.Memory))
	}
	v.writeJSON(manifestFile, m)
	return v.err
}

type result struct {
	AttemptID   string            `json:"attempt_id"`
	BeadID      string            `json:"bead_id"`
	Outcome     executor.Outcome  `json:"outcome"`
	Landed      []string          `json:"landed,omitempty"`
	Reason      string            `json:"reason,omitempty"`
	Trouble     agent.Trouble     `json:"trouble,omitempty"`
	BaseRev     string            `json:"base_rev"`
	ResultRev   string            `json:"result_rev,omitempty"` // the work, landed or not
	LandedRev   string            `json:"landed_rev,omitempty"`
	PreserveRef string            `json:"preserve_ref,omitempty"`
	Commits     map[string]string `json:"commits,omitempty"`
	Gates       []executor.Gate   `json:"gate_results,omitempty"`
	Warnings    []string          `json:"warnings,omitempty"`
	Harness     string            `json:"harness"`
	Model       string            `json:"model,omitempty"`
	SessionID   string            `json:"session_id,omitempty"`
	AgentOK     bool              `json:"agent_ok"`
	AgentReason string            `json:"agent_reason,omitempty"`
	ExitCode    int               `json:"exit_code"`
	TimedOut    bool              `json:"timed_out,omitempty"`
	Tokens      int64             `json:"tokens"`
	CostUSD     float64           `json:"cost_usd"`
	StartedAt   time.Time         `json:"started_at"`
	FinishedAt  time.Time         `json:"finished_at"`
	DurationMS  int64             `json:"duration_ms"`
}

type usage struct {
	AttemptID string `json:"attempt_id"`
	Harness   string `json:"harness"`
	Model     string `json:"model,omitempty"`
	Tokens    int64  `json:"tokens"`
	agent.Usage
}
