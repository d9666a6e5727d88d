package hook

import "strings"

// postBuild speaks up after a build or a test run. Claude Code sends a command
// that failed as an event of its own; Codex does not, and a command such as
// "make | tail" hides its failure from both. So the output is read for it.
func postBuild(q *request) (reply, error) {
	if str(q.input, "tool_name") != "Bash" || !builds(str(q.input, "tool_input.command")) {
		return reply{}, nil
	}
	output, known := toolOutput(q.input.get("tool_response"))
	if !known {
		return reply{}, nil
	}
	if !failed(output) {
		return reply{context: "helix: the build went through. If it took finding something out, store it with mcp__helix__store."}, nil
	}
	r := reply{context: "helix: the build failed. Look for the error with mcp__helix__search; once the cause is known, store it with mcp__helix__store."}
	found, err := q.aboutError(output)
	if err == nil && found.context != "" {
		r.context += "\n" + found.context
	}
	return r, nil // what is wrong with the memory does not change how the build went
}

// toolOutput is what a command printed: a text (Codex) or an object (Claude Code).
// It is not known of one that was interrupted or still runs.
func toolOutput(r value) (string, bool) {
	switch {
	case r.isString():
		return r.string(), true
	case !r.isObject() || yes(r, "interrupted") || str(r, "backgroundTaskId") != "":
		return "", false
	}
	return str(r, "stdout") + "\n" + str(r, "stderr"), true
}

// failed looks for lines that builds print only when they fail. A test that is
// about errors prints the word too, so the word alone is no sign.
func failed(output string) bool {
	for l := range strings.Lines(output) {
		l = strings.TrimSpace(l)
		for _, begin := range []string{
			"FAIL\t", "--- FAIL:", "error[E", "error: could not compile", "npm ERR!", "npm error", "BUILD FAILED", "** BUILD FAILED **",
			"** TEST FAILED **", "FAILURE: Build failed", "[ERROR] BUILD FAILURE", "[INFO] BUILD FAILURE", "make: ***", "gmake: ***",
			"ninja: build stopped", "error: fatalError", "test result: FAILED", "panic: ", "fatal error: ", "error: aborting due to",
		} {
			if strings.HasPrefix(l, begin) {
				return true
			}
		}
		if l == "FAIL" || strings.HasPrefix(l, "make[") && strings.Contains(l, "]: *** ") || compilerError(l) {
			return true
		}
	}
	return false
}

// compilerError tells "main.c:3:5: error: …", "a.swift:1:2: error: …",
// "src/a.ts(3,5): error TS2304: …" and "./a.go:3:5: undefined: x".
func compilerError(l string) bool {
	place, rest, ok := strings.Cut(l, ": ")
	if !ok || strings.ContainsAny(place, " \t") {
		return false
	}
	if strings.HasSuffix(place, ")") && strings.Contains(place, "(") && strings.HasPrefix(rest, "error TS") {
		return true
	}
	file, numbers, ok := strings.Cut(place, ":")
	if !ok || numbers == "" || strings.Trim(numbers, "0123456789:") != "" || !strings.Contains(file, ".") {
		return false
	}
	return strings.HasPrefix(rest, "error:") || strings.HasPrefix(rest, "fatal error:") || strings.HasSuffix(file, ".go") && strings.Contains(numbers, ":")
}

// builds tells whether a shell command builds or tests something: whether one of
// the commands that it consists of is a build, whatever paths and texts it names.
func builds(command string) bool {
	for _, words := range commands(command) {
		if buildWords(words) {
			return true
		}
	}
	return false
}

func buildWords(words []string) bool {
	words = program(words)
	if len(words) == 0 {
		return false
	}
	name := words[0][strings.LastIndexByte(words[0], '/')+1:]
	if name == "bash" || name == "sh" || name == "zsh" {
		for i, w := range words[1:] {
			if strings.HasPrefix(w, "-") && strings.HasSuffix(w, "c") && i+2 < len(words) {
				return builds(words[i+2])
			}
		}
		return false
	}
	verb := ""
	for i := 1; i < len(words); i++ {
		w := words[i]
		if takesValue(name, w) {
			i++
		} else if !strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "+") {
			verb = w
			break
		}
	}
	switch name {
	case "make", "gmake", "ninja", "xcodebuild", "swiftc", "rustc", "gcc", "g++", "clang", "clang++", "cc", "javac", "kotlinc",
		"tsc", "webpack", "pytest", "tox", "nox", "jest", "vitest", "gradle", "gradlew", "mvn", "mvnw", "rspec", "ctest", "phpunit":
		return !asksOnly(words[1:])
	case "go":
		return oneOf(verb, "build", "test", "vet", "install", "generate")
	case "cargo":
		return oneOf(verb, "build", "b", "test", "t", "check", "c", "clippy", "bench", "nextest", "doc")
	case "npm", "pnpm", "yarn", "bun":
		if verb == "run" || verb == "run-script" {
			verb = after(words, verb)
		}
		verb, _, _ = strings.Cut(verb, ":")
		return oneOf(verb, "build", "test", "t", "tst", "compile", "typecheck", "lint")
	case "swift", "dotnet", "mix", "bazel", "bazelisk", "stack", "cabal", "dune", "zig", "deno", "meson", "flutter":
		return oneOf(verb, "build", "test", "compile", "check", "publish")
	case "cmake":
		return oneOf("--build", words...)
	case "docker", "podman":
		return verb == "build" || verb == "buildx" || verb == "compose" && after(words, verb) == "build"
	case "python", "python3", "uv", "poetry":
		return oneOf("pytest", words...) || oneOf("unittest", words...)
	case "rake", "bundle":
		return oneOf("test", words...) || oneOf("rspec", words...) || oneOf("spec", words...)
	}
	return false
}

// takesValue tells flags before the verb whose value is a word of its own.
func takesValue(name, flag string) bool {
	switch name {
	case "go":
		return flag == "-C"
	case "npm", "pnpm", "yarn", "bun":
		return oneOf(flag, "--prefix", "-C", "--dir", "--cwd", "-w", "--workspace", "--filter", "-F")
	case "cargo":
		return oneOf(flag, "--config", "-C", "--color", "-Z")
	}
	return false
}

// asksOnly tells a call that only prints something about the tool.
func asksOnly(args []string) bool {
	return len(args) > 0 && oneOf(args[0], "--version", "-version", "-v", "--help", "-h", "-n", "--dry-run")
}

func after(words []string, word string) string {
	for i, w := range words[:len(words)-1] {
		if w == word {
			return words[i+1]
		}
	}
	return ""
}

func oneOf(w string, all ...string) bool {
	for _, a := range all {
		if a == w {
			return true
		}
	}
	return false
}
