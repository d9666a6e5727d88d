package gate

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func TestDetect(t *testing.T) {
	t.Parallel()
	const test = `{"scripts":{"test":"jest"}}`
	const needs = `{"scripts":{"test":"jest"},"devDependencies":{"jest":"1"}}`
	for _, tc := range []struct {
		name  string
		files map[string]string
		want  string // commands
	}{
		{"nothing", map[string]string{"README.md": ""}, ""},
		{"go", map[string]string{"go.mod": "module x"}, "go build -o /dev/null ./... && go test ./..."},
		{"go workspace", map[string]string{"go.work": "go 1.26"}, "go list -m -f '{{.Dir}}/...' | xargs go test"},
		{"npm", map[string]string{"package.json": test}, "npm test"},
		{"npm, modules needed", map[string]string{"package.json": needs, "package-lock.json": "{}"}, "npm ci && npm test"},
		{"npm, modules needed, no lock file", map[string]string{"package.json": needs}, "npm install --no-package-lock && npm test"},
		{"npm, modules there", map[string]string{"package.json": needs, "package-lock.json": "{}", "node_modules/jest/x": ""}, "npm test"},
		{"npm placeholder", map[string]string{"package.json": `{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}`}, ""},
		{"npm without tests", map[string]string{"package.json": `{"scripts":{"build":"tsc"}}`}, ""},
		{"package.json that is none", map[string]string{"package.json": `{"scripts":`}, ""},
		{"package.json with other types", map[string]string{"package.json": `{"scripts":["test"]}`}, ""},
		{"pnpm", map[string]string{"package.json": needs, "pnpm-lock.yaml": ""}, "pnpm install --frozen-lockfile && pnpm test"},
		{"pnpm by name", map[string]string{"package.json": `{"scripts":{"test":"x"},"packageManager":"pnpm@9.1.0"}`}, "pnpm test"},
		{"yarn 1", map[string]string{"package.json": needs, "yarn.lock": ""}, "yarn install --frozen-lockfile && yarn test"},
		{"yarn 4", map[string]string{"package.json": needs, "yarn.lock": "", ".yarnrc.yml": ""}, "yarn install --immutable && yarn test"},
		{"bun", map[string]string{"package.json": needs, "bun.lock": ""}, "bun install --frozen-lockfile && bun run test"},
		{"cargo", map[string]string{"Cargo.toml": "[package]"}, "cargo test --workspace"},
		{"pytest.ini", map[string]string{"pytest.ini": ""}, "pytest"},
		{"pytest in pyproject", map[string]string{"pyproject.toml": "[tool.pytest.ini_options]"}, "pytest"},
		{"pyproject without tests", map[string]string{"pyproject.toml": "[project]"}, ""},
		{"pyproject with tests", map[string]string{"pyproject.toml": "[project]", "tests/unit/test_a.py": ""}, "pytest"},
		{"tests folder of something else", map[string]string{"tests/test_a.py": ""}, ""},
		{"uv", map[string]string{"pyproject.toml": "[tool.pytest.ini_options]", "uv.lock": ""}, "uv run pytest"},
		{"poetry", map[string]string{"pytest.ini": "", "poetry.lock": ""}, "poetry run pytest"},
		{"maven wrapper", map[string]string{"pom.xml": "", "mvnw": ""}, "./mvnw -B -q test"},
		{"gradle", map[string]string{"build.gradle.kts": ""}, "gradle test"},
		{"mix", map[string]string{"mix.exs": ""}, "mix test"},
		{"make test", map[string]string{"Makefile": ".PHONY: test\ncheck: lint\n\ntest: build\n\tgo test\n"}, "make test"},
		{"make check", map[string]string{"makefile": "check:\n\ttrue\n"}, "make check"},
		{"make with a variable", map[string]string{"Makefile": "test := 1\ntest = 2\ntest ::= 3\ntesting: x\n latest: y\n"}, ""},
		{"make double colon", map[string]string{"Makefile": "test:: x\n"}, "make test"},
		{"lefthook", map[string]string{".lefthook.yaml": "pre-commit:\n"}, lefthookRun},
		{"lefthook for something else", map[string]string{"lefthook.yml": "pre-push:\n"}, ""},
		{"several", map[string]string{"go.mod": "", "package.json": test, "Makefile": "test:\n"}, "go build -o /dev/null ./... && go test ./...|npm test|make test"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tree := fstest.MapFS{}
			for name, text := range tc.files {
				tree[name] = &fstest.MapFile{Data: []byte(text)}
			}
			gates, missing := Detect(tree, func(string) bool { return true })
			if diff := cmp.Diff(tc.want, commands(gates)); diff != "" || len(missing) > 0 {
				t.Error(diff, missing)
			}
			for _, g := range gates {
				if g.Name == "" || g.Staged != (g.Name == "lefthook") {
					t.Errorf("got %+v", g)
				}
			}
			// Without any program, each gate is named as missing instead.
			none, missing := Detect(tree, func(string) bool { return false })
			if len(none)+len(missing) != len(gates) {
				t.Errorf("%d of %d gates are told of", len(none)+len(missing), len(gates))
			}
		})
	}
}

func commands(specs []Spec) string {
	var out []string
	for _, s := range specs {
		out = append(out, s.Command)
	}
	return strings.Join(out, "|")
}

func FuzzDetect(f *testing.F) {
	f.Add(`{"scripts":{"test":"x"},"workspaces":["a"]}`, "test:\n\tx\n", "[tool.pytest]")
	f.Fuzz(func(t *testing.T, pkg, mk, py string) {
		tree := fstest.MapFS{"package.json": {Data: []byte(pkg)}, "Makefile": {Data: []byte(mk)}, "pyproject.toml": {Data: []byte(py)}}
		gates, _ := Detect(tree, func(string) bool { return true })
		for _, g := range gates {
			if g.Command == "" || g.Name == "" || strings.Contains(g.Command, "\n") {
				t.Errorf("got %+v", g)
			}
		}
	})
}
