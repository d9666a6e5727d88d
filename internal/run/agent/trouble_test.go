package agent

import (
	"testing"
	"time"
)

func TestTrouble(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		f    failure
		want Trouble
	}{
		{failure{status: 429}, RateLimit},
		{failure{status: 529}, Overload},
		{failure{status: 502}, Overload},
		{failure{status: 401}, Auth},
		{failure{status: 403}, Auth},
		{failure{status: 407}, Network},
		{failure{status: 400}, NoTrouble},
		{failure{status: 400, kind: "billing_error"}, RateLimit},
		{failure{status: 429, kind: "unknown"}, RateLimit},
		{failure{kind: "invalid_request", text: "network of tokens too long"}, NoTrouble},
		{failure{text: "HTTP 503"}, Overload},
		{failure{text: "error code: 429"}, RateLimit},
		{failure{text: "You've hit your weekly limit · resets Mon"}, RateLimit},
		{failure{text: "Please run /login"}, Auth},
		{failure{text: "OAuth token has expired"}, Auth},
		{failure{text: "getaddrinfo ENOTFOUND api.example"}, Network},
		{failure{text: "dns error: failed to lookup address"}, Network},
		{failure{text: "The model `x` does not exist"}, Setup},
		{failure{text: "We're currently experiencing high demand"}, Overload},
		{failure{text: "the answer is 4290"}, NoTrouble},
		{failure{text: "I fixed 500 lines"}, NoTrouble},
		{failure{}, NoTrouble},
	} {
		if got := c.f.trouble(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.f, got, c.want)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for text, want := range map[string]time.Duration{
		"Please try again in 20s.":                    20 * time.Second,
		"Please try again in 1.5s":                    1500 * time.Millisecond,
		"try again in 250ms":                          250 * time.Millisecond,
		"Try again in 1m30s.":                         90 * time.Second,
		"try again in 2h5m":                           125 * time.Minute,
		"or try again in 3 days 2 hours 5 minutes.":   3*day + 2*time.Hour + 5*time.Minute,
		"Try again in 6 minutes and 10 seconds":       6*time.Minute + 10*time.Second,
		"limit resets in 4 hours":                     4 * time.Hour,
		"retry-after: 120":                            2 * time.Minute,
		"usage limit reached|1795239000":              time.Unix(1795239000, 0).Sub(testNow),
		"credits or try again at 6:40 AM.":            130 * time.Minute,
		"try again at Nov 24th, 2026 4:00 PM.":        3*day + 11*time.Hour + 30*time.Minute,
		"You've hit your limit · resets 3pm (UTC)":    10*time.Hour + 30*time.Minute,
		"You've hit your limit · resets 3:45am (UTC)": 0, // it has just been reset
		"You've hit your limit · resets 1am (UTC)":    20*time.Hour + 30*time.Minute,
		"resets at 8am (Europe/Berlin)":               2*time.Hour + 30*time.Minute,
		"resets 8am (Nowhere/Atall)":                  3*time.Hour + 30*time.Minute,
		"resets Nov 22, 2026, 4:30am (UTC)":           day,
		"resets Nov 22 at 4:30am (UTC)":               day,
		"resets November 22, 4am (UTC)":               day - 30*time.Minute,
		"resets Jan 2, 2030, 4am (UTC)":               maxAdvice,
		"try again in 99999999999999999999 days":      maxAdvice,
		"retry-after: 99999999999999999999":           maxAdvice,
		"try again later":                             0,
		"resets 25pm":                                 0,
		"try again at Nov 20th, 2026 4:00 PM":         0,
		"":                                            0,
	} {
		if got := retryAfter(text, testNow); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	// Around New Year a date without a year is the next one.
	eve := time.Date(2026, 12, 31, 23, 0, 0, 0, time.UTC)
	if got := retryAfter("resets Jan 1 at 1am (UTC)", eve); got != 2*time.Hour {
		t.Errorf("over New Year: %s", got)
	}
}
