package agent

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// sane is what holds of every judgement, whatever the program printed.
func sane(t *testing.T, r Result, e ending) {
	t.Helper()
	if r.OK && (r.Reason != "" || r.Trouble != NoTrouble || (e.code != 0 && !e.cut)) {
		t.Errorf("OK in spite of exit code %d: %+v", e.code, r)
	}
	if !r.OK && !e.cut && r.Reason == "" {
		t.Errorf("no reason: %+v", r)
	}
	if !utf8.ValidString(r.Text) || !utf8.ValidString(r.Reason) || strings.ContainsAny(r.Reason, "\n\r\x1b") || utf8.RuneCountInString(r.Reason) > 300 {
		t.Errorf("text %q, reason %q", r.Text, r.Reason)
	}
	u := r.Usage
	if u.Input < 0 || u.Cached < 0 || u.Output < 0 || u.Total() < 0 || !(u.CostUSD >= 0) {
		t.Errorf("usage %+v", u)
	}
	if r.RetryAfter < 0 || r.RetryAfter > maxAdvice {
		t.Errorf("retry after %s", r.RetryAfter)
	}
}

func fuzz(f *testing.F, make func(notice func(string)) transcript, seeds ...string) {
	for _, s := range seeds {
		for _, code := range []int{0, 1, -1} {
			f.Add(s, "ERROR: something\n", code, false)
		}
		f.Add(s, "", 143, true)
	}
	f.Fuzz(func(t *testing.T, out, errOut string, code int, cut bool) {
		tr := make(func(line string) {
			if strings.ContainsAny(line, "\n\x1b") {
				t.Errorf("notice %q", line)
			}
		})
		e := ending{name: "x", code: code, cut: cut, errOut: clean(errOut)}
		sane(t, play(tr, out, e), e)
	})
}

func FuzzClaude(f *testing.F) {
	fuzz(f, func(n func(string)) transcript { return &claudeTranscript{notice: n} },
		ccInit+ccText+ccTool+ccBack+ccDone, ccInit+ccRetry+ccWait,
		ccFailed("rate_limit", "429", "slow", ""), ccError("error_max_turns", "max_turns", "x"),
		`{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1795239000},"session_id":"s"}`+"\n"+ccFailed("", "null", "x", ""),
		"", "text\ntokens used\n1,234\n", "\xff\xfe{\"type\":")
}

func FuzzCodex(f *testing.F) {
	fuzz(f, func(n func(string)) transcript { return &codexTranscript{notice: n} },
		cxStart+cxWork+cxSaid+cxDone, cxStart+cxRetry+cxWait, cxFailed("try again in 3s"),
		"", "text\ntokens used\n1,234\n", "\xff\xfe{\"type\":")
}

func FuzzCommand(f *testing.F) {
	fuzz(f, func(n func(string)) transcript {
		return &textTranscript{claude: claudeTranscript{notice: n}, codex: codexTranscript{notice: n}}
	}, "plain", ccInit+ccDone, cxStart+cxSaid+cxDone, `{"type":"error"}`)
}

func FuzzRetryAfter(f *testing.F) {
	for _, s := range []string{
		"try again in 3 days 2h5m1.5s", "retry-after: 10", "limit reached|1795239000",
		"resets 3pm (Europe/Berlin)", "try again at Nov 24th, 2026 4:00 PM", "resets 12am (../etc)",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if d := retryAfter(s, testNow); d < 0 || d > maxAdvice {
			t.Errorf("%q: %s", s, d)
		}
	})
}
