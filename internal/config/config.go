package config

import "time"

// Config is every setting of helix after all layers are applied.
type Config struct {
	Agent        string   // claude, codex or command
	Command      []string // program and arguments when Agent is command
	Model        string
	Effort       string
	ReviewAgent  string        // empty: the other installed agent, else the same
	AgentTimeout time.Duration // HELIX_AGENT_TIMEOUT, default 45 min
	Executor     string        // auto, ddx or builtin
	Gates        []string      // nil: detect
	GateTimeout  time.Duration // default 20 min
	LibraryRoot  string        // HELIX_LIBRARY_ROOT
	AutoAlign    bool          // HELIX_AUTO_ALIGN
	OrphanAge    time.Duration // HELIX_ORPHAN_THRESHOLD, default 2 h
	BackoffSleep time.Duration // HELIX_BACKOFF_SLEEP; replaces every back-off when BackoffFixed
	BackoffFixed bool
	MaxCycles    int           // completed cycles; 0: no limit
	MaxAttempts  int           // per bead; default 4
	MaxDuration  time.Duration // default 12 h; 0: no limit
	MaxTokens    int64         // 0: no limit
	MaxCostUSD   float64       // 0: no limit
	ReviewEvery  int           // completed cycles between alignments, default 15
	ReviewLines  int           // smallest change that is reviewed, default 100 lines
}

// Load reads the settings that hold for the repository at root. A file that
// cannot be understood is an error that names its file, line and key.
func Load(root string, getenv func(string) string) (Config, error) {
	return Config{}, nil
}
