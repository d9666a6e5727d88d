package experience

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// snippet is something that an agent said, and which rules should speak up.
type snippet struct {
	Text string   `json:"text"`
	Want []string `json:"want"` // decision, cause, gotcha; empty for none
}

func snippets(t testing.TB, name string) []snippet {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var all []snippet
	for in := bufio.NewScanner(file); in.Scan(); {
		var s snippet
		if err := json.Unmarshal(in.Bytes(), &s); err != nil {
			t.Fatalf("line %d: %v", len(all)+1, err)
		}
		all = append(all, s)
	}
	return all
}

// asStretches takes snippets for messages of their own; their labels name no
// sentence.
func asStretches(all []snippet) []stretch {
	var out []stretch
	for _, s := range all {
		one := stretch{name: clip(s.Text, 40), steps: []Step{{Kind: Said, Text: s.Text}}}
		for _, w := range s.Want {
			one.want = append(one.want, label{kind: labelKinds[w]})
		}
		out = append(out, one)
	}
	return out
}
