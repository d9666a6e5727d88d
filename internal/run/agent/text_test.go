package agent

import (
	"testing"
	"unicode/utf8"
)

func TestSplitFooter(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in, text string
		tokens   int64
	}{
		"none":          {"an answer\n", "an answer", 0},
		"plain":         {"an answer\ntokens used\n568\n", "an answer", 568},
		"with commas":   {"an answer\ntokens used\n1,234,567", "an answer", 1234567},
		"CRLF":          {"an answer\r\ntokens used\r\n12\r\n", "an answer", 12},
		"between":       {"a\ntokens used\n5\nb", "a\nb", 5},
		"the last":      {"quoted\ntokens used\n5\nreal\ntokens used\n70\n", "quoted\nreal", 70},
		"no figure":     {"tokens used\nmany", "tokens used\nmany", 0},
		"within a line": {"I saw tokens used\n7 times", "I saw tokens used\n7 times", 0},
		"beyond":        {"tokens used\n99999999999999999999", "", 0},
	} {
		text, tokens := splitFooter(c.in)
		if text != c.text || tokens != c.tokens {
			t.Errorf("%s: %q %d, want %q %d", name, text, tokens, c.text, c.tokens)
		}
	}
}

func TestCommandIsJudgedByItsExitCode(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		out  string
		end  ending
		want verdict
	}{
		"success":              {"fine\nNEXT_ACTION: BUILD\n", ending{errOut: "noise\n"}, verdict{OK: true, Text: "fine\nNEXT_ACTION: BUILD"}},
		"silent success":       {"", ending{}, verdict{OK: true}},
		"JSON answer":          {`{"verdict":"pass"}`, ending{}, verdict{OK: true, Text: `{"verdict":"pass"}`}},
		"other events":         {`{"type":"error","message":"quota"}` + "\n" + `{"type":"user"}`, ending{}, verdict{OK: true, Text: `{"type":"error","message":"quota"}` + "\n" + `{"type":"user"}`}},
		"torn JSON":            {`{"a":`, ending{}, verdict{OK: true, Text: `{"a":`}},
		"binary":               {"\x00\xff\xfe\n", ending{}, verdict{OK: true, Text: "\x00\uFFFD"}},
		"footer":               {"fine\ntokens used\n1,234\n", ending{}, verdict{OK: true, Text: "fine", Usage: Usage{Input: 1234}}},
		"footer on errors":     {"fine\n", ending{errOut: "tokens used\n77\n"}, verdict{OK: true, Text: "fine", Usage: Usage{Input: 77}}},
		"failure":              {"half\n", ending{code: 4, errOut: "it broke\n"}, verdict{Reason: "exit code 4: it broke", Text: "half"}},
		"silent failure":       {"", ending{code: 1, errOut: "it broke\n"}, verdict{Reason: "exit code 1: it broke"}},
		"work on rate limits":  {"tests of the 429 rate limit fail\n", ending{code: 1, errOut: "--- FAIL: TestRateLimit: got 429\n"}, verdict{Reason: "exit code 1", Text: "tests of the 429 rate limit fail"}},
		"Codex in text mode":   {"", ending{code: 1, errOut: "codex\nERROR: You’ve hit your usage limit. Try again in 3 days 2 hours.\n"}, verdict{Trouble: RateLimit, Reason: "usage limit", Wait: 74 * 3600e9}},
		"nothing to run":       {"", ending{code: 127, errOut: "sh: claude: not found\n"}, verdict{Trouble: Missing, Reason: "sh: claude: not found"}},
		"signal":               {"", ending{code: -1}, verdict{Reason: "signal"}},
		"cut":                  {"so far\n", ending{code: -1, cut: true}, verdict{Text: "so far"}},
		"wraps Claude Code":    {"starting\n" + ccInit + ccDone, ending{}, verdict{OK: true, Text: "All done.", Usage: Usage{Input: 200, Cached: 100, Output: 80, CostUSD: 0.25, CostSource: "agent"}}},
		"wraps failing Claude": {ccFailed("rate_limit", "429", "too many", ""), ending{}, verdict{Trouble: RateLimit, Reason: "too many", Text: "too many", Usage: Usage{CostSource: "agent"}}},
		"wraps Codex":          {cxStart + cxSaid + cxDone, ending{}, verdict{OK: true, Text: "Done.", Usage: Usage{Input: 518, Cached: 500, Output: 50}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.want.check(t, play(&textTranscript{}, c.out, c.end))
		})
	}
}

func TestAnswer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, output, want string }{
		{"nothing", "", ""},
		{"plain", "I did it.\nFINDINGS:\n- a\n\ntokens used\n1,234\n", "I did it.\nFINDINGS:\n- a"},
		{"another program's JSON", `{"event":"start"}` + "\nwarning: odd\n" + `{"event":"end","text":"x"}` + "\n", "warning: odd"},
		{"claude", `{"type":"system","subtype":"init","session_id":"s"}` + "\nnoise\n" +
			`{"type":"assistant","session_id":"s","message":{"content":[{"type":"text","text":"on it"}]}}` + "\n" +
			`{"type":"result","subtype":"success","is_error":false,"session_id":"s","result":"Done."}` + "\n", "Done."},
		{"claude, cut off", `{"type":"assistant","session_id":"s","message":{"content":[{"type":"text","text":"on it"}]}}` + "\n" + `{"type":"res`, "on it"},
		{"codex", `{"type":"thread.started","thread_id":"t"}` + "\n" + `{"type":"item.completed","item":{"id":"1","type":"agent_message","text":"Done."}}` + "\n", "Done."},
	} {
		if got := Answer([]byte(tt.output)); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add([]byte("plain\n{\"type\":\"result\",\"session_id\":\"s\",\"is_error\":false,\"result\":\"x\"}\n"))
	f.Add([]byte("{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"\xff\"}}"))
	f.Add([]byte("tokens used\n1\n"))
	f.Fuzz(func(t *testing.T, output []byte) {
		if got := Answer(output); !utf8.ValidString(got) || len(got) > maxText+len("[…]")+utf8.UTFMax {
			t.Errorf("%d bytes, valid %t", len(got), utf8.ValidString(got))
		}
	})
}
