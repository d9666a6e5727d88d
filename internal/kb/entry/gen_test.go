package entry

import (
	"time"

	"pgregory.net/rapid"
)

// Generators are made anew by every test: one of them must not be used by two
// tests at a time.
//
// They favour what could confuse the text form: brackets, colons,
// backslashes, line ends, and whole metadata lines.

func awkward() *rapid.Generator[string] {
	return rapid.SampledFrom([]string{
		"[tags: a, b]", "[id: mem_x]", "[valid: ..]", "[]", "[", "]", "\n", "\n\n", "\r\n", `\`, `\n`, ": ", ",", " ",
		"a:12", "a:0", "тест", "漢字", "\x00", "-", "..",
	})
}

func genText(t *rapid.T, label string) string {
	var s string
	for _, part := range rapid.SliceOfN(rapid.OneOf(awkward(), rapid.StringN(0, 6, 24)), 0, 8).Draw(t, label) {
		s += part
	}
	return s
}

func genSome(t *rapid.T, label string) string {
	if s := genText(t, label); s != "" {
		return s
	}
	return "x"
}

func genID() *rapid.Generator[string] {
	return rapid.StringMatching(`[a-zA-Z0-9][a-zA-Z0-9_.:@-]{0,20}`)
}

// genTag draws a tag or link: no separator, no padding.
func genTag() *rapid.Generator[string] { return rapid.StringMatching(`[^\s,\pC\pZ]{1,12}`) }

func genTime(t *rapid.T, label string) time.Time {
	if rapid.IntRange(0, 2).Draw(t, label+" set") == 0 {
		return time.Time{}
	}
	return someTime(t, label)
}

func someTime(t *rapid.T, label string) time.Time {
	first := time.Date(1, 1, 2, 0, 0, 0, 0, time.UTC).UnixMilli()
	last := time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC).UnixMilli()
	return time.UnixMilli(rapid.Int64Range(first, last).Draw(t, label)).UTC()
}

func genShare(t *rapid.T, label string) float64 {
	return rapid.OneOf(rapid.SampledFrom([]float64{0, 0.5, 0.8, 1}), rapid.Float64Range(0, 1)).Draw(t, label)
}

func genStrings(t *rapid.T, g *rapid.Generator[string], label string) []string {
	s := rapid.SliceOfN(g, 0, 4).Draw(t, label)
	if len(s) == 0 {
		return nil
	}
	return s
}

// genEntry draws an entry that Validate accepts.
func genEntry(t *rapid.T) Entry {
	e := Entry{
		ID:           genID().Draw(t, "id"),
		Topic:        rapid.StringMatching(`[^\pC]{1,20}x`).Draw(t, "topic"),
		Text:         genSome(t, "text"),
		Kind:         rapid.SampledFrom(Kinds()).Draw(t, "kind"),
		Tags:         genStrings(t, genTag(), "tags"),
		Confidence:   genShare(t, "confidence"),
		Links:        genStrings(t, genTag(), "links"),
		Key:          genText(t, "key"),
		Tenant:       genText(t, "tenant"),
		User:         genText(t, "user"),
		Project:      genText(t, "project"),
		Session:      genText(t, "session"),
		Created:      someTime(t, "created"),
		Modified:     genTime(t, "modified"),
		ValidFrom:    genTime(t, "valid from"),
		ValidTo:      genTime(t, "valid to"),
		ExpiresAt:    genTime(t, "expires"),
		DeletedAt:    genTime(t, "deleted"),
		Supersedes:   genStrings(t, genID(), "supersedes"),
		EventStart:   genTime(t, "event start"),
		EventEnd:     genTime(t, "event end"),
		TemporalText: genText(t, "temporal text"),
		Salience:     genShare(t, "salience"),
		AccessCount:  rapid.IntRange(0, 1<<40).Draw(t, "access count"),
		LastAccess:   genTime(t, "last access"),
		Helped:       rapid.IntRange(0, 99).Draw(t, "helped"),
		Harmed:       rapid.IntRange(0, 99).Draw(t, "harmed"),
		Extra: genStrings(t, rapid.SampledFrom([]string{
			"[mood: fine]", "[valid: whenever]", "[confidence: 7]", "[tier: hot]", "[x y: [z]]",
		}), "extra"),
	}
	if e.Source.Path = genText(t, "source"); e.Source.Path != "" {
		e.Source.Line = rapid.IntRange(0, 100).Draw(t, "line")
		e.Source.Hash = genText(t, "hash")
	}
	if rapid.Bool().Draw(t, "superseded") {
		e.SupersededBy = genID().Draw(t, "superseded by")
	}
	return e
}
