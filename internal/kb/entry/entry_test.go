package entry

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var day = time.Date(2026, 6, 18, 10, 30, 0, 0, time.UTC)

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		e := genEntry(t)
		if err := e.Validate(); err != nil {
			t.Fatalf("the generator drew something invalid: %v", err)
		}
		topic, body := Encode(&e)
		got, err := Decode(topic, body, e.Created)
		if err != nil {
			t.Fatalf("decode: %v\n%s", err, body)
		}
		if diff := cmp.Diff(e, got); diff != "" {
			t.Fatalf("not what was encoded (-want +got):\n%s\nbody:\n%s", diff, body)
		}
		if id, ok := PeekID(body); !ok || id != e.ID {
			t.Fatalf("PeekID gave %q, %v", id, ok)
		}
	})
}

func TestBodyReadsWell(t *testing.T) {
	t.Parallel()
	e := New("auth", "The client retries three times.\n[tags: not, tags]\n", day)
	e.ID = "mem_2026-06-18_auth_a1b2"
	e.Kind = Decision
	e.Tags = []string{"auth", "retry"}
	e.Source = Source{Path: "client/auth.go", Line: 42, Hash: "sha256:77"}
	e.Confidence = 0.8
	e.Links = []string{"mem_a", "build:3"}
	e.ValidTo = day.AddDate(0, 1, 0)
	e.Helped = 3
	e.AccessCount, e.LastAccess = 7, day
	want := `[id: mem_2026-06-18_auth_a1b2]
[kind: decision]
[tags: auth, retry]
[source: client/auth.go:42]
[hash: sha256:77]
[confidence: 0.8]
[links: mem_a build:3]
[valid: ..2026-07-18T10:30:00Z]
[access: 7, 2026-06-18T10:30:00Z]
[credit: helped 3, harmed 0]

The client retries three times.
[tags: not, tags]
`
	_, body := Encode(&e)
	if diff := cmp.Diff(want, body); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
}

func TestDecodeKeepsWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	body := "[id: mem_1]\n[weather: [sunny], warm]\n[confidence: very]\n[tags: a]\n\ntext"
	e, err := Decode("t", body, day)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"[weather: [sunny], warm]", "[confidence: very]"}; !cmp.Equal(e.Extra, want) {
		t.Errorf("extra %q, want %q", e.Extra, want)
	}
	if e.Confidence != 1 || !cmp.Equal(e.Tags, []string{"a"}) || e.Text != "text" {
		t.Errorf("decoded %+v", e)
	}
	if err := e.Validate(); err != nil {
		t.Errorf("it cannot be stored again: %v", err)
	}
}

func TestDecodeRefusesWhatHasNoID(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", "\n", "text", "[tags: a]\n\ntext", "[id: ]\n\ntext", "\n[id: mem_1]\n"} {
		if _, err := Decode("t", body, day); !errors.Is(err, ErrMalformed) {
			t.Errorf("body %q gave %v", body, err)
		}
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		want string // part of the message; "" for valid
		edit func(*Entry)
	}{
		{"as made", "", func(*Entry) {}},
		{"no id", "the id is empty", func(e *Entry) { e.ID = "" }},
		{"id with a space", "contains ' '", func(e *Entry) { e.ID = "a b" }},
		{"id with a dash first", "does not start", func(e *Entry) { e.ID = "-a" }},
		{"no topic", "the topic is empty", func(e *Entry) { e.Topic = "" }},
		{"blank topic", "the topic is empty", func(e *Entry) { e.Topic = " \t" }},
		{"longest topic", "", func(e *Entry) { e.Topic = strings.Repeat("t", MaxTopic) }},
		{"too long topic", "256 bytes, at most 255", func(e *Entry) { e.Topic = strings.Repeat("t", MaxTopic+1) }},
		{"topic of 2 lines", "control character", func(e *Entry) { e.Topic = "a\nb" }},
		{"topic not UTF-8", "UTF-8 at byte 1", func(e *Entry) { e.Topic = "a\xff" }},
		{"no text", "the text is empty", func(e *Entry) { e.Text = "" }},
		{"longest text", "", func(e *Entry) { e.Text = strings.Repeat("t", MaxText) }},
		{"too long text", "split it", func(e *Entry) { e.Text = strings.Repeat("t", MaxText+1) }},
		{"text not UTF-8", "UTF-8 at byte 5", func(e *Entry) { e.Text = "a\uFFFDb\xc3" }},
		{"kind", "not one of", func(e *Entry) { e.Kind = "poem" }},
		{"tag with comma", "separator", func(e *Entry) { e.Tags = []string{"a,b"} }},
		{"padded tag", "padded", func(e *Entry) { e.Tags = []string{" a"} }},
		{"too many tags", "at most 64", func(e *Entry) { e.Tags = strings.Split(strings.Repeat("x", MaxTags+1), "") }},
		{"link with space", "separator", func(e *Entry) { e.Links = []string{"a b"} }},
		{"confidence", "between 0 and 1", func(e *Entry) { e.Confidence = 1.5 }},
		{"negative counter", "negative", func(e *Entry) { e.Helped = -1 }},
		{"no creation", "creation is missing", func(e *Entry) { e.Created = time.Time{} }},
		{"far future", "in the year", func(e *Entry) { e.ExpiresAt = day.AddDate(9000, 0, 0) }},
		{"known line as extra", "extra line", func(e *Entry) { e.Extra = []string{"[tags: a]"} }},
		{"text as extra", "extra line", func(e *Entry) { e.Extra = []string{"hello"} }},
		{"line without path", "no path", func(e *Entry) { e.Source.Line = 3 }},
	} {
		e := New("topic", "text", day)
		e.ID = "mem_1"
		tc.edit(&e)
		err := e.Validate()
		switch {
		case tc.want == "" && err != nil:
			t.Errorf("%s: %v", tc.name, err)
		case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
			t.Errorf("%s: got %v, want one with %q", tc.name, err, tc.want)
		case err != nil && !errors.Is(err, ErrInvalid):
			t.Errorf("%s: %v does not wrap ErrInvalid", tc.name, err)
		case err != nil && strings.Contains(err.Error(), "\n"):
			t.Errorf("%s: the message has several lines", tc.name)
		}
	}
}

func TestActive(t *testing.T) {
	t.Parallel()
	hour := func(n int) time.Time { return day.Add(time.Duration(n) * time.Hour) }
	for _, tc := range []struct {
		name string
		e    Entry
		want bool
	}{
		{"plain", Entry{}, true},
		{"superseded", Entry{SupersededBy: "mem_2"}, false},
		{"forgotten", Entry{DeletedAt: hour(-1)}, false},
		{"expires later", Entry{ExpiresAt: hour(1)}, true},
		{"expires now", Entry{ExpiresAt: day}, false},
		{"not yet valid", Entry{ValidFrom: hour(1)}, false},
		{"valid from now", Entry{ValidFrom: day}, true},
		{"no longer valid", Entry{ValidTo: day}, false},
		{"event long ago", Entry{EventStart: hour(-900), EventEnd: hour(-800)}, true},
	} {
		if got := tc.e.Active(day); got != tc.want {
			t.Errorf("%s: %v", tc.name, got)
		}
	}
}

func TestNewID(t *testing.T) {
	t.Parallel()
	e := New("Auth: Retry  Policy", "text", day)
	free := func(string) bool { return false }
	id := NewID(&e, free)
	if !strings.HasPrefix(id, "mem_2026-06-18_auth-retry-policy_") || len(id) != len("mem_2026-06-18_auth-retry-policy_a1b2") {
		t.Errorf("id %q", id)
	}
	if again := NewID(&e, free); again != id {
		t.Errorf("the same entry got %q and %q", id, again)
	}
	used := map[string]bool{}
	for range 50 {
		id := NewID(&e, func(id string) bool { return used[id] })
		e.ID = id
		if used[id] {
			t.Fatalf("%s twice", id)
		}
		if err := e.Validate(); err != nil {
			t.Fatal(err)
		}
		used[id] = true
	}
	for topic, want := range map[string]string{
		"тема": "entry", "-a-": "a", "A/B c": "a-b-c", "x" + strings.Repeat("yz", 40): "x" + strings.Repeat("yz", 19) + "y",
	} {
		if got := slug(topic); got != want {
			t.Errorf("slug(%q) = %q, want %q", topic, got, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add("topic", "[id: mem_1]\n[tags: a, b]\n[source: a.go:7]\n\ntext\n[id: no]\n")
	f.Add("topic", "[id: mem_1]\n[access: 3, 2026-06-18T10:30:00Z]\n[credit: helped 1, harmed 2]\n[valid: ..2026-06-18T10:30:00Z]")
	f.Add("", "[id: a\\nb]\n[x: \\]\n[confidence: NaN]\n")
	f.Fuzz(func(t *testing.T, topic, body string) {
		e, err := Decode(topic, body, day)
		if err != nil {
			return
		}
		topic2, body2 := Encode(&e)
		again, err := Decode(topic2, body2, day)
		if err != nil {
			t.Fatalf("cannot read what was written: %v", err)
		}
		if e.Kind == "" {
			e.Kind = Fact
		}
		if diff := cmp.Diff(e, again); diff != "" {
			t.Fatalf("writing it again changed it:\n%s", diff)
		}
	})
}
