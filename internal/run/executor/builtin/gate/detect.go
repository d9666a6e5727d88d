package gate

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Spec is a gate before it has run.
type Spec struct {
	Name    string
	Command string // for Shell
	Shell   string // "bash"; empty: "sh"
	// Staged: the command looks at what is staged, as before a commit. It must
	// run with the change staged and not committed.
	Staged bool
	// Bead is whose acceptance this is; empty for a gate of the project.
	Bead string
}

// Configured are the gates that a project's configuration lists.
func Configured(commands []string) []Spec {
	specs := make([]Spec, len(commands))
	for i, c := range commands {
		specs[i] = Spec{Name: oneLine(c), Command: c}
	}
	return specs
}

// Detect finds a project's gates by the files at its top. A gate whose program
// is not installed is left out and named in missing.
func Detect(files fs.FS, installed func(program string) bool) (gates []Spec, missing []string) {
	p := project{files}
	for _, find := range []func(project) (Spec, string, bool){
		goTests, goWorkspace, npm, cargo, python, maven, gradle, mix, makefile, lefthook,
	} {
		spec, program, ok := find(p)
		switch {
		case !ok:
		case strings.HasPrefix(program, "./") || installed(program):
			gates = append(gates, spec)
		default:
			missing = append(missing, fmt.Sprintf("gate %q was left out: %s is not installed", spec.Name, program))
		}
	}
	return gates, missing
}

// project is a project's top folder.
type project struct{ fs.FS }

func (p project) has(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		_, err := fs.Stat(p, name)
		return err == nil
	})
}

// text is the content of the first of the files that exists, "" when none does.
func (p project) text(names ...string) string {
	for _, name := range names {
		if data, err := fs.ReadFile(p, name); err == nil {
			return string(data)
		}
	}
	return ""
}

func goTests(p project) (Spec, string, bool) {
	// Without -o a module of one command would leave its binary in the tree.
	return Spec{Name: "go", Command: "go build -o /dev/null ./... && go test ./..."}, "go", p.has("go.mod")
}

func goWorkspace(p project) (Spec, string, bool) {
	const modules = `go list -m -f '{{.Dir}}/...' | xargs `
	return Spec{Name: "go", Command: modules + "go test"}, "go", p.has("go.work") && !p.has("go.mod")
}

// npmPlaceholder is in the test script that npm init writes.
const npmPlaceholder = "no test specified"

func npm(p project) (Spec, string, bool) {
	var pkg struct {
		Scripts         map[string]string
		Dependencies    map[string]any
		DevDependencies map[string]any
		Workspaces      any
		PackageManager  string
	}
	if json.Unmarshal([]byte(p.text("package.json")), &pkg) != nil {
		return Spec{}, "", false
	}
	test := pkg.Scripts["test"]
	if strings.TrimSpace(test) == "" || strings.Contains(test, npmPlaceholder) {
		return Spec{}, "", false
	}
	manager, _, _ := strings.Cut(pkg.PackageManager, "@")
	install, run := "", ""
	switch {
	case manager == "pnpm" || p.has("pnpm-lock.yaml"):
		manager, install, run = "pnpm", "pnpm install --frozen-lockfile", "pnpm test"
	case manager == "yarn" || p.has("yarn.lock"):
		manager, install, run = "yarn", "yarn install --frozen-lockfile", "yarn test"
		if p.has(".yarnrc.yml") { // yarn 2 and later
			install = "yarn install --immutable"
		}
	case manager == "bun" || p.has("bun.lock", "bun.lockb"):
		manager, install, run = "bun", "bun install --frozen-lockfile", "bun run test"
	case p.has("package-lock.json", "npm-shrinkwrap.json"):
		manager, install, run = "npm", "npm ci", "npm test"
	default:
		manager, install, run = "npm", "npm install --no-package-lock", "npm test"
	}
	// A fresh work tree has no modules unless the agent installed them.
	needs := len(pkg.Dependencies)+len(pkg.DevDependencies) > 0 || pkg.Workspaces != nil
	if needs && !p.has("node_modules", ".pnp.cjs") {
		run = install + " && " + run
	}
	return Spec{Name: manager + " test", Command: run}, manager, true
}

func cargo(p project) (Spec, string, bool) {
	return Spec{Name: "cargo test", Command: "cargo test --workspace"}, "cargo", p.has("Cargo.toml")
}

func python(p project) (Spec, string, bool) {
	configured := p.has("pytest.ini", "conftest.py") ||
		strings.Contains(p.text("pyproject.toml"), "[tool.pytest") ||
		strings.Contains(p.text("setup.cfg"), "[tool:pytest]") ||
		strings.Contains(p.text("tox.ini"), "[pytest]")
	if !configured {
		marked := p.has("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt")
		if !marked || !p.hasPythonTests() {
			return Spec{}, "", false
		}
	}
	switch {
	case p.has("uv.lock"):
		return Spec{Name: "pytest", Command: "uv run pytest"}, "uv", true
	case p.has("poetry.lock"):
		return Spec{Name: "pytest", Command: "poetry run pytest"}, "poetry", true
	}
	return Spec{Name: "pytest", Command: "pytest"}, "pytest", true
}

func (p project) hasPythonTests() bool {
	for _, pattern := range []string{"test_*.py", "*_test.py", "tests/test_*.py", "tests/*_test.py", "tests/*/test_*.py", "test/test_*.py"} {
		if found, _ := fs.Glob(p, pattern); len(found) > 0 {
			return true
		}
	}
	return false
}

func maven(p project) (Spec, string, bool) {
	program := "mvn"
	if p.has("mvnw") {
		program = "./mvnw"
	}
	return Spec{Name: "maven test", Command: program + " -B -q test"}, program, p.has("pom.xml")
}

func gradle(p project) (Spec, string, bool) {
	program := "gradle"
	if p.has("gradlew") {
		program = "./gradlew"
	}
	return Spec{Name: "gradle test", Command: program + " test"}, program, p.has("build.gradle", "build.gradle.kts")
}

func mix(p project) (Spec, string, bool) {
	return Spec{Name: "mix test", Command: "mix test"}, "mix", p.has("mix.exs")
}

func makefile(p project) (Spec, string, bool) {
	text := p.text("GNUmakefile", "makefile", "Makefile") // in make's order
	for _, target := range []string{"test", "check"} {
		// "test := x" and "test ::= x" assign a variable.
		if regexp.MustCompile(`(?m)^` + target + `[ \t]*::?([^:=]|$)`).MatchString(text) {
			return Spec{Name: "make " + target, Command: "make " + target}, "make", true
		}
	}
	return Spec{}, "", false
}

// lefthookRun keeps lefthook from installing hooks in the person's repository,
// where its version has a flag for that.
const lefthookRun = `lefthook run pre-commit $(lefthook run --help 2>&1 | grep -o -m 1 -e --no-auto-install)`

func lefthook(p project) (Spec, string, bool) {
	for _, stem := range []string{"lefthook", ".lefthook", path.Join(".config", "lefthook")} {
		for _, ext := range []string{".yml", ".yaml", ".toml", ".json"} {
			if strings.Contains(p.text(stem+ext), "pre-commit") {
				return Spec{Name: "lefthook", Command: lefthookRun, Staged: true}, "lefthook", true
			}
		}
	}
	return Spec{}, "", false
}

// oneLine is the first line of a command, short enough to be a name.
func oneLine(command string) string {
	line, rest, _ := strings.Cut(strings.TrimSpace(command), "\n")
	const longest = 80
	if runes := []rune(line); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	if rest != "" {
		return line + " …"
	}
	return line
}
