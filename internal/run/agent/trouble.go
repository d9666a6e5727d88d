package agent

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// failure is what an agent's program (not the model) says of a failed request.
type failure struct {
	status int    // HTTP status, 0 when unknown
	kind   string // Claude Code's name for it, such as rate_limit
	text   string
}

var kindTroubles = map[string]Trouble{
	"rate_limit":             RateLimit,
	"usage_limit_reached":    RateLimit,
	"billing_error":          RateLimit,
	"overloaded":             Overload,
	"authentication_failed":  Auth,
	"oauth_org_not_allowed":  Auth,
	"account_on_hold":        Auth,
	"verification_required":  Auth,
	"cloud_credential_error": Auth,
	"connection_failed":      Network,
	"model_not_found":        Setup,
	"invalid_request":        NoTrouble, // the conversation's own fault: too long, malformed
	"max_output_tokens":      NoTrouble,
}

// trouble says whose failure it is. NoTrouble means that the request itself was
// at fault or that nothing is known.
func (f failure) trouble() Trouble {
	if t, known := kindTroubles[f.kind]; known {
		return t
	}
	status := f.status
	if status == 0 {
		status = statusIn(f.text)
	}
	switch {
	case status == 429:
		return RateLimit
	case status == 401 || status == 403:
		return Auth
	case status == 407 || status == 408:
		return Network
	case status >= 500 && status <= 599:
		return Overload
	}
	return troubleIn(f.text)
}

// statusText finds an HTTP status in the messages of both clients: "API Error:
// 529 …", "Request rejected (429)", "unexpected status 401 Unauthorized", "last
// status: 429".
var statusText = regexp.MustCompile(`(?i)(?:api error:?|status:?|http|error code:?) *\(?([45]\d\d)\b|rejected \(([45]\d\d)\)`)

func statusIn(text string) int {
	m := statusText.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	status, _ := strconv.Atoi(m[1] + m[2])
	return status
}

// The words by which a message without a status is told. The order matters: a
// message about a limit may also speak of the login or the network.
var troubleWords = []struct {
	trouble Trouble
	words   *regexp.Regexp
}{
	{RateLimit, regexp.MustCompile(`(?i)rate.?limit|usage limit|hit your\b.*\blimit|limit reached|too many requests|quota|credit balance|spend(ing)? limit|insufficient.funds`)},
	{Auth, regexp.MustCompile(`(?i)unauthori[sz]ed|forbidden|not logged in|log ?in (required|again)|run /login|codex login|api key|authenticat|oauth token|token (has )?expired|credentials`)},
	{Setup, regexp.MustCompile(`(?i)missing environment variable|model\b.*\b(does not exist|not found|not supported)|root/sudo privileges`)},
	{Network, regexp.MustCompile(`(?i)ECONN|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|connection (was )?(refused|reset|closed|failed|error|aborted)|timed? ?out|\bDNS\b|network|stream disconnected|error sending request|socket hang up|can't reach|(unable|failed) to (connect|resolve)|certificate|\bproxy\b|terminated mid`)},
	{Overload, regexp.MustCompile(`(?i)overloaded|internal server error|bad gateway|service unavailable|gateway time-?out|at capacity|high demand|server.?error`)},
}

func troubleIn(text string) Trouble {
	for _, t := range troubleWords {
		if t.words.MatchString(text) {
			return t.trouble
		}
	}
	return NoTrouble
}

// maxAdvice bounds a provider's advice to wait; the longest known limit is weekly.
const maxAdvice = 8 * 24 * time.Hour

var (
	inText = regexp.MustCompile(`(?i)(?:try again|retry|resets?|available)(?: again)? in ((?:(?:and )?\d+(?:\.\d+)? ?(?:ms|milliseconds?|days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)\b[ ,]*|\d+(?:\.\d+)?(?:h|m|s))+)`)
	part   = regexp.MustCompile(`(?i)(\d+(?:\.\d+)?) ?(ms|milli|d|h|m|s)`)
	after  = regexp.MustCompile(`(?i)retry[- ]after"?:? *"?(\d+)`)
	epoch  = regexp.MustCompile(`(?i)limit reached\|(\d{10})\b`)
	atText = regexp.MustCompile(`(?i)(?:try again|resets?)(?: at)? ((?:[A-Z][a-z]{2,8} \d{1,2}(?:st|nd|rd|th)?(?:, \d{4})?,?(?: at)? )?\d{1,2}(?::\d\d)? ?[ap]m)(?: \(([A-Za-z0-9_/+-]+)\))?`)
)

// retryAfter reads the provider's advice when to come back, as the clients write
// it: "try again in 11.054s", "try again at Nov 24th, 2026 4:00 PM" (local time),
// "resets 3pm (Europe/Berlin)", "limit reached|1735689600". It is 0 without one.
func retryAfter(text string, now time.Time) time.Duration {
	var wait time.Duration
	if m := inText.FindStringSubmatch(text); m != nil {
		wait = sumOf(m[1])
	} else if m := after.FindStringSubmatch(text); m != nil {
		wait = seconds(m[1])
	} else if m := epoch.FindStringSubmatch(text); m != nil {
		s, _ := strconv.ParseInt(m[1], 10, 64)
		wait = time.Unix(s, 0).Sub(now)
	} else if m := atText.FindStringSubmatch(text); m != nil {
		wait = untilClock(m[1], m[2], now)
	}
	return min(max(wait, 0), maxAdvice)
}

func sumOf(parts string) (sum time.Duration) {
	units := map[string]time.Duration{
		"ms": time.Millisecond, "milli": time.Millisecond, "s": time.Second,
		"m": time.Minute, "h": time.Hour, "d": 24 * time.Hour,
	}
	for _, m := range part.FindAllStringSubmatch(parts, -1) {
		n, _ := strconv.ParseFloat(m[1], 64)
		one := n * float64(units[strings.ToLower(m[2])])
		sum = min(sum+time.Duration(min(one, float64(maxAdvice))), maxAdvice)
	}
	return sum
}

func seconds(s string) time.Duration {
	n, _ := strconv.ParseFloat(s, 64)
	return time.Duration(min(n, maxAdvice.Seconds()) * float64(time.Second))
}

var ordinal = regexp.MustCompile(`(?i)(\d)(?:st|nd|rd|th)\b`)

// untilClock reads a time of day, with a date or without, in the named zone or
// the local one. Without a date it is the next such time.
func untilClock(clock, zone string, now time.Time) time.Duration {
	loc := now.Location()
	if zone != "" {
		if named, err := time.LoadLocation(zone); err == nil {
			loc = named
		}
	}
	clock = ordinal.ReplaceAllString(strings.ToUpper(clock), "$1")
	clock = strings.NewReplacer(",", "", " AT ", " ", " AM", "AM", " PM", "PM").Replace(clock)
	here := now.In(loc)
	for _, f := range clockForms {
		t, err := time.ParseInLocation(f.layout, clock, loc)
		if err != nil {
			continue
		}
		switch f.lacks {
		case "year":
			t = time.Date(here.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), 0, 0, loc)
			if now.Sub(t) > 180*24*time.Hour {
				t = t.AddDate(1, 0, 0)
			}
		case "date":
			t = time.Date(here.Year(), here.Month(), here.Day(), t.Hour(), t.Minute(), 0, 0, loc)
			if now.Sub(t) > time.Hour { // less than that: it has just been reset
				t = t.AddDate(0, 0, 1)
			}
		}
		return t.Sub(now)
	}
	return 0
}

var clockForms = []struct{ layout, lacks string }{
	{"Jan 2 2006 3:04PM", ""}, {"Jan 2 2006 3PM", ""},
	{"January 2 2006 3:04PM", ""}, {"January 2 2006 3PM", ""},
	{"Jan 2 3:04PM", "year"}, {"Jan 2 3PM", "year"},
	{"January 2 3:04PM", "year"}, {"January 2 3PM", "year"},
	{"3:04PM", "date"}, {"3PM", "date"},
}
