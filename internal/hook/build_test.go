package hook

import (
	"slices"
	"strings"
	"testing"
)

func TestBuilds(t *testing.T) {
	t.Parallel()
	for _, c := range []string{
		"go build ./...", "go test -race ./x", "go -C sub vet ./...", "CGO_ENABLED=0 go build", "cd x && go test ./...", "go test ./... 2>&1 | tail -5",
		"make", "make -j8 all", "/usr/bin/make test", "time make", "sudo -E make install", "cargo build --release", "cargo +nightly test", "npm test", "npm run build",
		"npm --prefix web run build:prod", "yarn build", "pnpm -C web test", "npx tsc -p .", "swift build", "swiftc a.swift", "xcodebuild -scheme A build",
		"./gradlew assemble", "gradle test", "mvn -q verify", "cmake --build out", "python3 -m pytest -x", "uv run pytest", "pytest", "bash -c 'go test ./...'",
		"sh -ec \"make\"", "if ! make; then echo no; fi", "(cd a; cargo check)", "x=$(go build ./...)", "timeout 60 go test ./...", "docker build .", "dotnet test",
		"echo start\ngo vet ./...\n", "git pull; make # now", "{ make; }", "env A=b make", "go test > log 2>&1", "make &> log", "bundle exec rspec",
	} {
		if !builds(c) {
			t.Errorf("not seen as a build: %s", c)
		}
	}
	for _, c := range []string{
		"", "cat cargo/build.rs", "ls go/build", "echo go build", "echo 'make'", "grep -r 'go test' .", "vim Makefile", "cd /src/make", "cargo fmt", "cargo new build",
		"go env", "go doc test", "git commit -m 'go build works'", "npm install", "npm run start", "make --version", "make -n", "swift package init", "cmake -S . -B build",
		"# make", "echo x # make", "cat <<EOF\nmake\ngo build\nEOF", "cat <<'E' > f\nmake\nE\nls", "rm -rf build", "docker ps", "python3 build.py", "./maker", "which make",
		"git log --grep build", "echo \"$x; make\"", "printf '%s\\n' make", "bash", "bash script.sh", "ls 2>&1", `echo \; make`,
	} {
		if builds(c) {
			t.Errorf("seen as a build: %s", c)
		}
	}
}

func TestCommands(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a b":                           "a b",
		`a "b c" 'd;e' f\ g ''`:         "a,b c,d;e,f g,",
		"a|b&&c;d&e":                    "a/b/c/d/e",
		"a $(b c) `d`":                  "a/b c/d",
		"a 2>&1 >x &>y":                 "a 2>&1 >x &>y",
		"a \\\n b":                      "a b",
		"cat <<A <<-B\nx\nA\ny\n\tB\nc": "cat/c",
		"cat <<< word\nb":               "cat word/b",
		"'":                             "",
		"cat <<E":                       "cat",
	} {
		sep := " "
		if strings.Contains(want, ",") {
			sep = ","
		}
		var got []string
		for _, words := range commands(in) {
			got = append(got, strings.Join(words, sep))
		}
		if strings.Join(got, "/") != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestFailed(t *testing.T) {
	t.Parallel()
	for _, out := range []string{
		"--- FAIL: TestX (0.00s)\nFAIL\nFAIL\thelix/x\t0.01s", "error[E0425]: cannot find value", "make: *** [Makefile:3: all] Error 1", "make[2]: *** [x] Error 2",
		"npm ERR! code 1", "BUILD FAILED in 3s", "main.c:3:5: error: expected ';'", "./a.go:3:5: undefined: x", "src/a.ts(3,5): error TS2304: x", "test result: FAILED. 1 passed; 1 failed",
		"panic: runtime error: index out of range", "** BUILD FAILED **",
	} {
		if !failed(out) {
			t.Errorf("not seen as a failure: %s", out)
		}
	}
	for _, out := range []string{
		"", "ok  \thelix/x\t0.1s", "0 errors, 0 warnings", "test error_is_reported ... ok", "=== RUN TestFAIL", "PASS: it handles errors: error: x", "compiling failed.rs",
		"10:20:30: starting", "2026-01-02: error: x in the log", "no FAIL here", "test result: ok. 3 passed; 0 failed",
	} {
		if failed(out) {
			t.Errorf("seen as a failure: %s", out)
		}
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	got := words("Why does the Login-flow of auth_token fail with 404 for the login?", 6)
	if want := []string{"login", "flow", "auth_token", "fail"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
