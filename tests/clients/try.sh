#!/usr/bin/env bash
# Tries helix with the real Claude Code and Codex against scripted models on
# loopback: see README.md beside this file.
#
#   tests/clients/try.sh FAKES [claude|codex]
#
# Prints one line for each expectation and ends with 1 when one does not hold.
# NODE_CLIENTS=folder names a folder that has the npm packages already, HELIX_BIN
# one with built programs; KEEP=1 keeps the scratch folder.
set -euo pipefail

case $# in 1 | 2) ;; *) echo "usage: try.sh FAKES [claude|codex]" >&2; exit 2 ;; esac
fakes=$(cd "$1" && pwd)
only=${2:-}
case $only in '' | claude | codex) ;; *) echo "try.sh: $only is not a client; use claude or codex" >&2; exit 2 ;; esac
root=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
fake=
failed=0
finish() {
	[ -z "$fake" ] || kill "$fake" 2>/dev/null || true
	if [ -n "${KEEP:-}" ]; then echo "kept: $scratch"; else rm -rf "$scratch"; fi
}
trap finish EXIT

ok() { echo "ok    $1"; }
bad() {
	echo "FAIL  $1"
	failed=1
}

# expect WHAT FILE TEXT: FILE has a line with TEXT in it (a basic regular expression).
expect() { if grep -q -- "$3" "$2"; then ok "$1"; else bad "$1: no \"$3\" in ${2#"$scratch"/}"; fi; }
refuse() { if grep -q -- "$3" "$2"; then bad "$1: \"$3\" in ${2#"$scratch"/}"; else ok "$1"; fi; }

# ---- what is installed, and the memory that there is

bin="$scratch/a bin" # the commands in the settings must bear a space
home=$scratch/home
project=$scratch/project
mkdir -p "$bin" "$home" "$scratch/tmp"
if [ -n "${HELIX_BIN:-}" ]; then
	cp "$HELIX_BIN/helix" "$HELIX_BIN/helix-hook" "$bin/"
else
	(cd "$root" && CGO_ENABLED=0 go build -o "$bin/" ./cmd/...)
fi

packages=()
[ "$only" = codex ] || packages+=(@anthropic-ai/claude-code@latest)
[ "$only" = claude ] || packages+=(@openai/codex@latest)
clients=${NODE_CLIENTS:-$scratch/clients}
mkdir -p "$clients"
clients=$(cd "$clients" && pwd)
if [ ! -d "$clients/node_modules" ]; then
	npm install --no-fund --no-audit --silent --prefix "$clients" "${packages[@]}"
	if [ -f "$clients/node_modules/@anthropic-ai/claude-code/install.cjs" ]; then
		(cd "$clients/node_modules/@anthropic-ai/claude-code" && node install.cjs)
	fi
fi

# clean runs a command with nothing of the caller's environment but the path.
clean() {
	env -i HOME="$home" PATH="$bin:$clients/node_modules/.bin:$PATH" LANG=C.UTF-8 TERM=dumb TMPDIR="$scratch/tmp" \
		HELIX_KB="$scratch/kb" GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 "$@"
}
helix() { (cd "$project" && clean "$bin/helix" "$@"); }

# fresh makes the project and its memory anew.
fresh() {
	rm -rf "$scratch/kb" "$project"
	mkdir -p "$project/src"
	cat >"$project/src/auth.go" <<'END'
package auth

func refreshToken(user string) string { return user }

func checkToken(user string) bool { return refreshToken(user) != "" }
END
	(cd "$project" && clean git init -q)
	helix kb store auth "gotcha: tokens live 15 minutes and a timer renews them" --source src/auth.go:3 >/dev/null
	helix kb store latency "decision: refreshToken must never block a request" >/dev/null
	helix kb store linker "gotcha: zebra: undefined reference to frobnicate means that cgo is off" >/dev/null
}

# ---- the scripted models

# serve PROGRAM: starts a fake, whose port is then $port.
serve() {
	port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	python3 "$fakes/$1" "$port" "$logs" "$scenarios" &
	fake=$!
	python3 - "$port" <<'END'
import socket, sys, time
for _ in range(500):
    try: socket.create_connection(("127.0.0.1", int(sys.argv[1]))).close(); sys.exit()
    except OSError: time.sleep(0.02)
sys.exit("try.sh: the scripted model does not answer")
END
}
unserve() {
	kill "$fake"
	wait "$fake" 2>/dev/null || true
	fake=
}

# told FILE: writes the requests since the last call, one line for each thing that
# the model was told: ROLE, a colon, and the text with its line ends as " / ".
told() {
	python3 - "$logs" >"$1" <<'END'
import glob, json, os, sys
def text(v):
    if isinstance(v, str): return v
    if isinstance(v, list): return "\n".join(text(x) for x in v)
    if isinstance(v, dict): return text(v.get("text") or v.get("content") or v.get("output") or "")
    return ""
def say(role, t): print(role + ": " + t.replace("\n", " / "))
def tools(list, ns=""):
    for t in list:
        if t.get("tools"): tools(t["tools"], t.get("name", "") + "__")
        else: say("tool", ns + t.get("name", t.get("type", "")))
for f in sorted(glob.glob(sys.argv[1] + "/*.json")):
    b = json.load(open(f)).get("body") or {}
    tools(b.get("tools", []))
    say("system", text(b.get("system", b.get("instructions", ""))))
    for m in b.get("messages", b.get("input", [])):
        role, blocks = m.get("role", m.get("type", "")), m.get("content")
        for c in blocks if isinstance(blocks, list) else [m]:
            say("tool_result" if c.get("type") in ("tool_result", "function_call_output", "custom_tool_call_output") else role, text(c))
    os.remove(f)
END
}

# ---- Claude Code

# claude SCENARIO WORDS [FLAG...]: one run without a person, in the default permission mode.
claude() {
	local name=$1 words=$2
	shift 2
	claude_words "SCENARIO:$name $words" "$@"
}
claude_words() {
	local words=$1
	shift
	(cd "$project" && clean ANTHROPIC_BASE_URL="http://127.0.0.1:$port" ANTHROPIC_API_KEY=sk-ant-dummy \
		CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_AUTOUPDATER=1 DISABLE_TELEMETRY=1 DISABLE_ERROR_REPORTING=1 \
		timeout 120 claude -p "$words" --output-format json "$@" </dev/null)
}

try_claude() {
	logs=$scratch/claude-requests scenarios=$scratch/claude-scenarios
	mkdir -p "$logs" "$scenarios" "$home/.claude"
	fresh
	echo "---- claude $(clean claude --version)"

	printf '{\n    "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]},\n    "cleanupPeriodDays": 30\n}\n' >"$home/.claude/settings.json"
	printf '{"numStartups": 3, "mcpServers": {"other": {"command": "true", "args": []}}}\n' >"$home/.claude.json"
	cp "$home/.claude/settings.json" "$scratch/settings.before"
	cp "$home/.claude.json" "$scratch/servers.before"
	helix hooks install --client claude >/dev/null
	helix mcp install --client claude >/dev/null
	helix hooks status --client claude >"$scratch/claude-status"
	expect "claude: all hooks are installed" "$scratch/claude-status" ': 11 of 11 hooks'

	cat >"$scenarios/work.json" <<END
[{"content":[{"tool":"Read","input":{"file_path":"$project/src/auth.go"}}]},
 {"content":[{"tool":"Edit","input":{"file_path":"$project/src/auth.go","old_string":"func refreshToken(user string) string { return user }\n","new_string":""}}]},
 {"content":[{"tool":"Bash","input":{"command":"echo 'zebra: error: undefined reference to frobnicate' >&2; exit 3","description":"link"}}]},
 {"content":[{"tool":"Bash","input":{"command":"true || make; echo all fine","description":"build"}}]},
 {"content":[{"tool":"Bash","input":{"command":"make -f /dev/null frobnicate 2>&1 | tail -1","description":"build again"}}]},
 {"content":[{"tool":"mcp__helix__search","input":{"query":"token lifetime"}}]},
 {"content":[{"tool":"mcp__helix__store","input":{"topic":"quokka","text":"finding: the quokka cache is cleared at midnight","source":"src/auth.go:5"}}]},
 {"content":[{"tool":"mcp__helix__search","input":{"query":"token","nonsense":true}}]},
 {"content":[{"tool":"Agent","input":{"description":"look","prompt":"SCENARIO:child look around","subagent_type":"general-purpose","run_in_background":false}}]},
 {"content":[{"text":"All done."}]}]
END
	echo '[{"content":[{"text":"The child is done."}]}]' >"$scenarios/child.json"
	echo '[{"content":[{"text":"Done."}]}]' >"$scenarios/one.json"
	serve fake_anthropic.py

	claude work "why does the zebra linker complain about frobnicate" --allowedTools Bash,Read,Edit,Agent >"$scratch/claude-result" || bad "claude: exit code $?"
	told "$scratch/claude-work"
	local f=$scratch/claude-work
	expect "claude: the run ends in order" "$scratch/claude-result" '"is_error":false'
	expect "claude: SessionStart" "$f" 'SessionStart hook additional context: HELIX MEMORY: 3 entries in 3 topics'
	expect "claude: UserPromptSubmit" "$f" 'UserPromptSubmit hook additional context: helix memory, relevant to the question: / *\[linker\]'
	expect "claude: PreToolUse of Read" "$f" 'PreToolUse:Read hook additional context: .*source-linked (auth.go): / *\[auth\].*symbol context: / *\[latency\]'
	expect "claude: PreToolUse of Edit" "$f" 'PreToolUse:Edit hook additional context: .*REFACTOR IMPACT (symbols modified: refreshToken.*\[latency\]'
	expect "claude: PostToolUseFailure" "$f" 'PostToolUseFailure:Bash hook additional context: .*relevant to this error: / *\[linker\]'
	expect "claude: PostToolUse of a build" "$f" 'PostToolUse:Bash hook additional context: helix: the build went through'
	expect "claude: PostToolUse of a hidden failure" "$f" 'PostToolUse:Bash hook additional context: helix: the build failed'
	expect "claude: SubagentStart" "$f" 'SubagentStart hook additional context: HELIX MEMORY: you can ask it too'
	expect "claude: instructions of the server" "$f" 'helix remembers what was learned about this project'
	for tool in search store; do expect "claude: $tool is loaded at once" "$f" "^tool: mcp__helix__$tool\$"; done
	for tool in batch brief edit read topics; do expect "claude: $tool is known" "$f" "mcp__helix__$tool"; done
	expect "claude: search is permitted and answered" "$f" '^tool_result: {"query":"token lifetime".*"items":\[{"id":'
	expect "claude: store is permitted and answered" "$f" '^tool_result: {"id":"mem_[^"]*_quokka_'
	expect "claude: a wrong argument is explained" "$f" '^tool_result: .*unknown argument \\*"nonsense'
	if [ "$(grep -c '^assistant: All done' "$f")" -le 1 ]; then ok "claude: Stop does not go on"; else bad "claude: Stop goes on"; fi

	for _ in $(seq 50); do # a process of its own reads the transcript when the session has ended
		helix kb search 'kind:episode' >"$scratch/claude-episode"
		if grep -q 'Changed src/auth.go' "$scratch/claude-episode"; then break; fi
		sleep 0.1
	done
	expect "claude: what the session did is remembered" "$scratch/claude-episode" 'Changed src/auth.go for: '
	helix kb search quokka >"$scratch/claude-search"
	expect "claude: kb search finds what was stored" "$scratch/claude-search" 'the quokka cache is cleared'
	claude one "when is the quokka cache cleared" >"$scratch/claude-result" || bad "claude: exit code $?"
	told "$scratch/claude-next"
	expect "claude: the next session knows what was stored" "$scratch/claude-next" 'UserPromptSubmit hook additional context: .*\[quokka\]'

	local session
	session=$(python3 -c 'import json, sys; print(json.load(sys.stdin)["session_id"])' <"$scratch/claude-result")
	claude one "and then" --resume "$session" >"$scratch/claude-result" || bad "claude: exit code $?"
	told "$scratch/claude-resumed"
	expect "claude: SessionStart of a session that goes on" "$scratch/claude-resumed" 'HELIX MEMORY (the session goes on): 5 entries'
	claude_words /compact --resume "$session" >"$scratch/claude-result" || bad "claude: exit code $?"
	claude one "and at last" --resume "$session" >"$scratch/claude-result" || bad "claude: exit code $?"
	told "$scratch/claude-compacted"
	expect "claude: SessionStart after a compaction" "$scratch/claude-compacted" 'HELIX MEMORY (the conversation was compacted): 5 entries'
	unserve

	helix hooks uninstall --client claude >/dev/null
	if cmp -s "$home/.claude/settings.json" "$scratch/settings.before"; then ok "claude: hooks uninstall leaves the settings as before"; else bad "claude: hooks uninstall leaves other settings"; fi
	helix mcp uninstall --client claude >/dev/null
	refuse "claude: mcp uninstall takes the server out" "$home/.claude.json" '"serve"'
	expect "claude: mcp uninstall leaves other servers" "$home/.claude.json" '"other"'
}

[ "$only" = codex ] || try_claude

# ---- Codex

# codex SCENARIO WORDS [FLAG...]: one run without a person. What the model was told
# is in codex-work then, what Codex printed in codex-result.
codex() {
	local name=$1 words=$2
	shift 2
	(cd "$project" && clean FAKE_KEY=dummy timeout 120 codex exec --json --skip-git-repo-check -s workspace-write "$@" \
		"SCENARIO:$name $words" </dev/null) >"$scratch/codex-result" 2>"$scratch/codex-errors" || bad "codex: exit code $?"
	told "$scratch/codex-work"
}

try_codex() {
	logs=$scratch/codex-requests scenarios=$scratch/codex-scenarios
	mkdir -p "$logs" "$scenarios" "$home/.codex"
	fresh
	echo "---- $(clean codex --version 2>/dev/null)"
	serve fake_openai.py

	cat >"$home/.codex/config.toml" <<END
model = "gpt-fake"
model_provider = "fake" # a script

[model_providers.fake]
name = "fake"
base_url = "http://127.0.0.1:$port/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
END
	cp "$home/.codex/config.toml" "$scratch/config.before"
	helix hooks install --client codex >/dev/null 2>"$scratch/codex-install"
	expect "codex: install says that the hooks must be trusted" "$scratch/codex-install" 'trusted them'
	helix mcp install --client codex >/dev/null
	helix hooks status --client codex >"$scratch/codex-status"
	expect "codex: all hooks are installed" "$scratch/codex-status" ': 10 of 10 hooks'

	cat >"$scenarios/work.json" <<END
[{"items":[{"call":"exec_command","args":{"cmd":"cat src/auth.go"}}]},
 {"items":[{"call":"exec_command","args":{"cmd":"apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: src/auth.go\n@@\n-func refreshToken(user string) string { return user }\n-\n*** End Patch\nEOF"}}]},
 {"items":[{"call":"exec_command","args":{"cmd":"make -f /dev/null frobnicate-zebra"}}]},
 {"items":[{"call":"search","namespace":"mcp__helix","args":{"query":"token lifetime"}}]},
 {"items":[{"call":"store","namespace":"mcp__helix","args":{"topic":"wombat","text":"finding: the wombat queue holds 40 jobs"}}]},
 {"items":[{"call":"edit","namespace":"mcp__helix","args":{"action":"tag","topic":"wombat","tags":["queue"]}}]},
 {"items":[{"call":"spawn_agent","namespace":"multi_agent_v1","args":{"message":"SCENARIO:one look around"}}]},
 {"items":[{"call":"exec_command","args":{"cmd":"for i in \$(seq 100); do grep -qs 'you can ask it too' $logs/*.json && break; sleep 0.1; done","yield_time_ms":15000}}]},
 {"items":[{"text":"All done."}]}]
END
	cat >"$scenarios/tools.json" <<END
[{"items":[{"call":"search","namespace":"mcp__helix","args":{"query":"token lifetime"}}]},
 {"items":[{"call":"store","namespace":"mcp__helix","args":{"topic":"numbat","text":"finding: the numbat index is rebuilt each night"}}]},
 {"items":[{"call":"edit","namespace":"mcp__helix","args":{"action":"tag","topic":"numbat","index":0,"tags":["nightly"]}}]},
 {"items":[{"text":"All done."}]}]
END
	echo '[{"items":[{"text":"Done."}]}]' >"$scenarios/one.json"

	local f=$scratch/codex-work trust=--dangerously-bypass-hook-trust
	codex work "why does the zebra linker complain about frobnicate" $trust
	refuse "codex: nothing to complain of in the hooks" "$scratch/codex-result" 'clamping'
	expect "codex: SessionStart" "$f" '^developer: HELIX MEMORY: [0-9]* entries'
	expect "codex: UserPromptSubmit" "$f" '^developer: helix memory, relevant to the question: / *\[linker\]'
	expect "codex: PreToolUse of cat" "$f" '^developer: helix memory: / source-linked (auth.go): / *\[auth\].*symbol context: / *\[latency\]'
	expect "codex: PreToolUse of apply_patch" "$f" '^developer: helix memory: .*REFACTOR IMPACT (symbols modified: refreshToken.*\[latency\]'
	expect "codex: PostToolUse of a failed build" "$f" '^developer: helix: the build failed.*\[linker\]'
	expect "codex: SubagentStart" "$f" '^developer: HELIX MEMORY: you can ask it too'
	for tool in batch brief edit read search store topics; do expect "codex: $tool is known" "$f" "^tool: mcp__helix__$tool\$"; done
	expect "codex: search looks into the memory of HELIX_KB" "$f" '^tool_result: .*{"query":"token lifetime".*"items":\[{"id":'
	expect "codex: store is answered" "$f" '^tool_result: .*{"id":"mem_[^"]*_wombat_'
	expect "codex: edit is permitted by the hook" "$f" '^tool_result: .*{"action":"tag","edited":'
	if [ "$(grep -c '"text":"All done."' "$scratch/codex-result")" = 1 ]; then ok "codex: Stop does not go on"; else bad "codex: Stop goes on"; fi
	helix kb search wombat >"$scratch/codex-search"
	expect "codex: kb search finds what was stored" "$scratch/codex-search" 'the wombat queue holds'
	codex one "how many jobs does the wombat queue hold" $trust
	expect "codex: the next session knows what was stored" "$f" '^developer: helix memory, relevant to the question: / *\[wombat\]'

	codex tools "frobnicate the zebra linker"
	refuse "codex: hooks that nobody trusts do not run" "$f" 'HELIX MEMORY'
	expect "codex: without hooks, search runs" "$f" '^tool_result: .*{"query":"token lifetime"'
	expect "codex: without hooks, store runs" "$f" '^tool_result: .*{"id":"mem_[^"]*_numbat_'
	expect "codex: without hooks, edit needs --approve" "$f" '^tool_result: .*requires approval'
	helix mcp install --client codex --approve >/dev/null
	codex tools "frobnicate the zebra linker"
	refuse "codex: with --approve, edit runs" "$f" '^tool_result: .*requires approval'
	unserve

	helix hooks uninstall --client codex >/dev/null
	refuse "codex: hooks uninstall takes the hooks out" "$home/.codex/hooks.json" 'helix'
	helix mcp uninstall --client codex >/dev/null
	diff "$scratch/config.before" "$home/.codex/config.toml" >"$scratch/config.diff" || true
	refuse "codex: mcp uninstall leaves the other settings" "$scratch/config.diff" '^[<>]'
}

[ "$only" = claude ] || try_codex
[ "$failed" = 0 ] || { echo "try.sh: something does not hold; KEEP=1 keeps the requests" >&2; exit 1; }
