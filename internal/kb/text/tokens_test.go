package text

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

// TestTokens compares the estimate with what two tokenizers of OpenAI make of the
// same texts: cl100k_base and o200k_base, counted once with
// github.com/tiktoken-go/tokenizer v0.10.0.
func TestTokens(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][2]int{
		"diff.txt":     {281, 282},
		"go.txt":       {1959, 1937},
		"json.txt":     {1494, 1500},
		"markdown.txt": {1496, 1497},
		"output.txt":   {1015, 1011},
		"python.txt":   {217, 218},
	} {
		data, err := os.ReadFile(filepath.Join("testdata", "tokens", name))
		if err != nil {
			t.Fatal(err)
		}
		got := Tokens(string(data))
		for _, n := range want {
			if off := math.Abs(float64(got)/float64(n) - 1); off > 0.1 {
				t.Errorf("%s: %d, a tokenizer makes it %d: %.0f %% off", name, got, n, 100*off)
			}
		}
	}
	for _, s := range []string{"", " ", "a"} {
		if n := Tokens(s); n > 1 {
			t.Errorf("%q: %d", s, n)
		}
	}
}
