package config

import "time"

// Config is every setting of helix after all layers are applied. The table in
// settings.go says where each may be set.
type Config struct {
	Agent        string   // claude, codex or command; empty: the installed one
	Command      []string // program and arguments when Agent is command
	Model        string
	Effort       string
	CheckModel   string
	PolishModel  string
	AltAgent     string // does builds, polish and checks instead; empty or none: Agent does
	ReviewAgent  string // empty: the other installed agent, else the same
	AgentTimeout time.Duration

	Executor    string   // auto, ddx or builtin
	Gates       []string // nil: detect; empty: none
	GateTimeout time.Duration
	WorkDir     string // folder for worktrees; empty: the user's cache
	LibraryRoot string

	AutoAlign    bool
	ReviewEvery  int // completed cycles between alignments; 0: never
	ReviewLines  int // smallest change that is reviewed
	OrphanAge    time.Duration
	Memory       string        // auto or off
	BackoffSleep time.Duration // replaces every back-off when BackoffFixed
	BackoffFixed bool
	Batch        int // beads in one attempt at most

	MaxCycles   int           // completed cycles; 0: no limit
	MaxAttempts int           // per bead
	MaxDuration time.Duration // 0: no limit
	MaxTokens   int64         // 0: no limit
	MaxCostUSD  float64       // 0: no limit

	AutoInit        bool     // projects without a queue are set up at the start of a session
	AutoInitFiles   int      // that have at least so many tracked files
	AutoInitExclude []string // but those that match a pattern, see Excluded
	AutoServe       bool     // a session starts a server where none runs

	// Origins says which layer set each setting, by its key in the file:
	// "default", a file's path, or "$VARIABLE".
	Origins map[string]string
}

// Default is what holds where nobody says otherwise.
func Default() Config {
	c := Config{
		AgentTimeout: 45 * time.Minute, Executor: "auto", GateTimeout: 20 * time.Minute,
		AutoAlign: true, ReviewEvery: 15, ReviewLines: 100, OrphanAge: 2 * time.Hour, Memory: "auto", Batch: 3,
		MaxAttempts: 4, MaxDuration: 12 * time.Hour, AutoInitFiles: 10,
		AutoInitExclude: []string{"**/node_modules/**", "**/vendor/**"}, Origins: map[string]string{},
	}
	for _, s := range Settings() {
		c.Origins[s.Key] = "default"
	}
	return c
}
