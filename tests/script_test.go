// Package tests holds the end-to-end cases: each script/*.txtar is a session of
// a user with the real binary, real git and scripted agents.
package tests

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"helix/internal/cli"
	"helix/internal/hook"
	"helix/tests/ddxstandin"
	"helix/tests/scripted"
)

func TestMain(m *testing.M) {
	agent := func() { os.Exit(scripted.Main()) }
	testscript.Main(m, map[string]func(){
		"helix":          func() { os.Exit(cli.Main()) },
		"helix-hook":     func() { hook.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv, func() { os.Exit(0) }) },
		"scripted-agent": agent,
		"claude":         agent,
		"codex":          agent,
		"ddx-standin":    func() { os.Exit(ddxstandin.Main()) },
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "script",
		RequireExplicitExec: true,
		Setup:               setup,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"repo":    repo,
			"waitfor": waitFor,
			"ddx":     ddx,
			"gone":    gone,
		},
	})
}

// setup gives every script a home, a temp folder and a git identity of its own,
// and nothing else of the machine's configuration.
func setup(env *testscript.Env) error {
	for _, dir := range []string{"home", "tmp"} {
		if err := os.MkdirAll(filepath.Join(env.WorkDir, dir), 0o755); err != nil {
			return err
		}
	}
	for name, value := range map[string]string{
		"HOME":                filepath.Join(env.WorkDir, "home"),
		"TMPDIR":              filepath.Join(env.WorkDir, "tmp"),
		"XDG_CACHE_HOME":      filepath.Join(env.WorkDir, "home", ".cache"),
		"XDG_CONFIG_HOME":     filepath.Join(env.WorkDir, "home", ".config"),
		"GIT_CONFIG_NOSYSTEM": "1",
		"GIT_CONFIG_GLOBAL":   os.DevNull,
		"GIT_AUTHOR_NAME":     "Test",
		"GIT_AUTHOR_EMAIL":    "test@example.com",
		"GIT_COMMITTER_NAME":  "Test",
		"GIT_COMMITTER_EMAIL": "test@example.com",
		"HELIX_BACKOFF_SLEEP": "0",
		"GOCACHE":             goCache(),
		"GOFLAGS":             os.Getenv("GOFLAGS"),
		"NO_COLOR":            "1",
		"GORACE":              "atexit_sleep_ms=10", // else every process of a -race build sleeps a second at its end
		"AGENT_SCRIPT":        filepath.Join(env.WorkDir, "agent"),
	} {
		if value != "" {
			env.Setenv(name, value)
		}
	}
	return nil
}

// goCache is the caller's build cache: with one of its own, every script that
// builds would compile the standard library.
var goCache = sync.OnceValue(func() string {
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
})

const settings = `agent: command
command: [scripted-agent]
gates: ["true"]
batch: 1
`

// repo makes the folder into a git repository with one commit of what is in it,
// set up for the scripted agent, and changes into it. A .helix/config.yaml that
// is there is kept.
func repo(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: repo dir")
	}
	dir := ts.MkAbs(args[0])
	config := filepath.Join(dir, ".helix", "config.yaml")
	ts.Check(os.MkdirAll(filepath.Dir(config), 0o755))
	if _, err := os.Stat(config); err != nil {
		ts.Check(os.WriteFile(config, []byte(settings), 0o644))
	}
	ts.Check(ts.Chdir(dir))
	for _, git := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-q", "--allow-empty", "-m", "first"}} {
		ts.Check(ts.Exec("git", git...))
	}
}

// ddx puts the stand-in for one era of ddx on the PATH of this script.
func ddx(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: ddx v06|head")
	}
	dir := ts.MkAbs(filepath.Join(ts.Getenv("WORK"), "ddxbin"))
	ts.Check(os.MkdirAll(dir, 0o755))
	program := fmt.Sprintf("#!/bin/sh\nSTANDIN_ERA=%s exec ddx-standin \"$@\"\n", args[0])
	ts.Check(os.WriteFile(filepath.Join(dir, "ddx"), []byte(program), 0o755))
	ts.Setenv("PATH", dir+string(os.PathListSeparator)+ts.Getenv("PATH"))
}

// waitFor waits until a file exists and, if a text is given, has it.
func waitFor(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: waitfor file [text]")
	}
	path := ts.MkAbs(args[0])
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if text, err := os.ReadFile(path); err == nil && (len(args) == 1 || strings.Contains(string(text), args[1])) {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("%s did not appear", strings.Join(args, " with "))
		}
	}
}

// gone checks that the process whose pid a file holds has ended. One that only
// waits to be reaped has.
func gone(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: [!] gone pidfile")
	}
	pid := strings.TrimSpace(ts.ReadFile(args[0]))
	n, err := strconv.Atoi(pid)
	ts.Check(err)
	ended := syscall.Kill(n, 0) != nil
	if stat, err := os.ReadFile(filepath.Join("/proc", pid, "stat")); err == nil && strings.Contains(string(stat), ") Z ") {
		ended = true
	}
	if ended == neg {
		ts.Fatalf("process %s: ended is %t", pid, ended)
	}
}
