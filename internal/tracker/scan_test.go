package tracker

import (
	"encoding/json"
	"strings"
	"testing"
)

func scan(text []byte) error {
	s := scanner{b: text}
	s.space()
	if err := s.value(0); err != nil {
		return err
	}
	return s.end()
}

var jsonSeeds = []string{
	`{}`, `[]`, `null`, `true`, `"a"`, `-0.5e+10`, `{"a":[1,2,{"b":"\u00e9\n"}]}`, ` {"a" : "b" , "c":"" } `,
	`01`, `1.`, `.5`, `+1`, `"\x"`, `"\u12G4"`, "\"a\tb\"", `{"a":1,}`, `[1 2]`, `{"a"}`, `{1:2}`, `tru`, `nulll`, `"`, `{`, `[[[[`,
	`{"a":"` + strings.Repeat("x", 100) + `\\"}`, `"` + strings.Repeat("é", 9) + `"`, "\"\x7f\x80\xff\"", "[\x00]", "\"1234567\x1f\"", "",
}

// FuzzScan holds the scanner to encoding/json: it accepts the same texts.
func FuzzScan(f *testing.F) {
	for _, s := range jsonSeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		err := scan(text)
		if got, want := err == nil, json.Valid(text); got != want {
			t.Fatalf("scan(%q) = %v, but encoding/json says valid=%v", text, err, want)
		}
	})
}

func TestScanLimitsNesting(t *testing.T) {
	t.Parallel()
	for depth, want := range map[int]bool{maxDepth: true, maxDepth + 1: false} {
		text := []byte(strings.Repeat("[", depth) + strings.Repeat("]", depth))
		if got := scan(text) == nil; got != want || json.Valid(text) != want {
			t.Errorf("depth %d: accepted %v, encoding/json %v, want %v", depth, got, json.Valid(text), want)
		}
	}
}

// Every proper prefix of a row breaks off; that is how a torn write is told from
// a slip of the hand.
func TestEveryPrefixOfARowBreaksOff(t *testing.T) {
	t.Parallel()
	line := rowText("hx-1", "labels", `["a","b\u00e9"]`, "execution-eligible", "false", "n", "-1.5e3",
		"dependencies", depsJSON("hx-1", "hx-2"), "deep", `{"a":[true,null,{}]}`)
	var p rowParser
	for n := 1; n < len(line); n++ {
		err := p.parse([]byte(line[:n]), &row{})
		if err == nil || !brokeOff(err) {
			t.Fatalf("prefix %q: %v", line[:n], err)
		}
	}
	if err := p.parse([]byte(line), &row{}); err != nil {
		t.Fatal(err)
	}
}
