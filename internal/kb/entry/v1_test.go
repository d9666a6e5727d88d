package entry

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const noon = 29_000_160 // 2025-02-20 00:00 + 0, in minutes of the wall clock

func TestDecodeV1(t *testing.T) {
	t.Parallel()
	east := time.FixedZone("east", 2*3600)
	for _, tc := range []struct {
		name, body string
		want       Entry // ID and Created are checked apart
	}{
		{"bare", "hello", Entry{Text: "hello"}},
		{"as store wrote it", "[tags: gotcha, ffi]\n[source: src/cache.rs:12]\n[confidence: 0.4]\n[links: build:2 auth:0]\narm64 only\n",
			Entry{Text: "arm64 only\n", Tags: []string{"gotcha", "ffi"}, Source: Source{Path: "src/cache.rs", Line: 12},
				Confidence: 0.4, Links: []string{"build:2", "auth:0"}}},
		{"anywhere, the last wins", "a\n[tags: x]\nb\n[tags: y]\nc", Entry{Text: "a\nb\nc", Tags: []string{"y"}}},
		{"inexact forms are text", "[tags: x\n [source: y]\n[tags:z]\nend", Entry{Text: "[tags: x\n [source: y]\n[tags:z]\nend"}},
		{"confidence out of range is kept aside", "[confidence: 7]\nx", Entry{Text: "x", Extra: []string{"[confidence: 7]"}}},
		{"type", "[type: decision]\n[tier: hot]\n[linked from: a:1]\nx",
			Entry{Text: "x", Kind: Decision, Extra: []string{"[tier: hot]", "[linked from: a:1]"}}},
		{"modified", "[modified: 2025-03-01 09:15]\nx", Entry{Text: "x", Modified: time.Date(2025, 3, 1, 7, 15, 0, 0, time.UTC)}},
		{"other brackets are text", "[id: mem_1]\n[note: x]", Entry{Text: "[id: mem_1]\n[note: x]"}},
		{"blank lines stay", "\n[tags: a]\n\nx\n\n", Entry{Text: "\n\nx\n\n", Tags: []string{"a"}}},
	} {
		got := DecodeV1(V1{Topic: "build", Body: tc.body, Minutes: noon, Offset: 8}, east)
		want := New("build", tc.want.Text, got.Created)
		want.ID = got.ID
		want.Tags, want.Source, want.Links, want.Modified, want.Extra = tc.want.Tags, tc.want.Source, tc.want.Links, tc.want.Modified, tc.want.Extra
		if tc.want.Kind != "" {
			want.Kind = tc.want.Kind
		}
		if tc.want.Confidence != 0 {
			want.Confidence = tc.want.Confidence
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
}

func TestV1TimeIsWallClock(t *testing.T) {
	t.Parallel()
	minutes := int32(time.Date(2025, 2, 20, 13, 45, 0, 0, time.UTC).Unix() / 60)
	west := time.FixedZone("west", -5*3600)
	if got, want := V1Time(minutes, west), time.Date(2025, 2, 20, 18, 45, 0, 0, time.UTC); !got.Equal(want) {
		t.Errorf("read as %v, want %v", got, want)
	}
	a := DecodeV1(V1{Topic: "t", Body: "x", Minutes: minutes, Offset: 8}, west)
	b := DecodeV1(V1{Topic: "t", Body: "x", Minutes: minutes, Offset: 8}, time.UTC)
	if a.ID != b.ID {
		t.Errorf("the id depends on the zone: %s, %s", a.ID, b.ID)
	}
	if c := DecodeV1(V1{Topic: "t", Body: "x", Minutes: minutes, Offset: 99}, time.UTC); c.ID == b.ID {
		t.Errorf("two records have the id %s", c.ID)
	}
	if want := "mem_2025-02-20_t_"; len(a.ID) != len(want)+12 || a.ID[:len(want)] != want {
		t.Errorf("id %s", a.ID)
	}
}

// What was read from version 1 must survive being written as version 2.
func TestV1ToV2(t *testing.T) {
	t.Parallel()
	line := rapid.OneOf(awkward(), rapid.StringN(0, 10, 40), rapid.SampledFrom([]string{
		"[tags: a,b , c]", "[source: x:3]", "[confidence: 0.25]", "[confidence: -1]", "[links: a:1  b:2]",
		"[modified: 2025-03-01 09:15]", "[modified: soon]", "[type: fact]", "[type: odd]", "[tier: x]", "[linked from: y]",
	}))
	rapid.Check(t, func(t *rapid.T) {
		body := ""
		for _, l := range rapid.SliceOfN(line, 0, 8).Draw(t, "lines") {
			body += l + "\n"
		}
		e := DecodeV1(V1{
			Topic:   rapid.StringN(1, 10, 255).Draw(t, "topic"),
			Body:    body,
			Minutes: rapid.Int32().Draw(t, "minutes"),
			Offset:  rapid.Int64Range(8, 1<<32).Draw(t, "offset"),
		}, time.UTC)
		topic, v2 := Encode(&e)
		got, err := Decode(topic, v2, e.Created)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(e, got); diff != "" {
			t.Fatalf("the upgrade changed it (-v1 +v2):\n%s\nfrom %q", diff, body)
		}
	})
}
