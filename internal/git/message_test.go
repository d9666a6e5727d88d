package git

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestTrailers(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, message string
		want          []string
	}{
		{"none", "subject", nil},
		{"the subject is no trailer", "Bead: hx-1", nil},
		{"last paragraph", "s\n\nbody\n\nBead: hx-1\nSigned-off-by: me", []string{"hx-1"}},
		{"any case, two values", "s\n\nbead: hx-1\n\nBEAD:\thx-2", []string{"hx-1", "hx-2"}},
		{"no value, other key", "s\n\nBead:\nBeads: x\nBead:x", nil},
		{"carriage returns", "s\r\n\r\nBead: hx-1\r\n", []string{"hx-1"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, Trailers(tc.message, "Bead")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWithTrailers(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, message, want string }{
		{"subject only", "s", "s\n\nBead: hx-1\n"},
		{"body", "s\n\nwhy\nand how\n", "s\n\nwhy\nand how\n\nBead: hx-1\n"},
		{"joins a block", "s\n\nwhy\n\nSigned-off-by: me\n", "s\n\nwhy\n\nSigned-off-by: me\nBead: hx-1\n"},
		{"replaces", "s\n\nBead: hx-9\n\nwhy\n\nbead: hx-8", "s\n\nwhy\n\nBead: hx-1\n"},
		{"a lone block", "s\n\nFixes: 3", "s\n\nFixes: 3\nBead: hx-1\n"},
		{"prose with a colon", "s\n\nnote that: x", "s\n\nnote that: x\n\nBead: hx-1\n"},
		{"body right after the subject", "s\nwhy", "s\n\nwhy\n\nBead: hx-1\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, WithTrailers(tc.message, Trailer{"Bead", "hx-1"})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// git itself finds exactly the trailers that were set, and setting them again
// changes nothing.
func TestWithTrailersAgreesWithGit(t *testing.T) {
	t.Parallel()
	r := newRepo(t, nil)
	line := rapid.StringMatching(`[A-Za-z:# -]{0,12}|Bead: x-[0-9]|Key: value`)
	rapid.Check(t, func(rt *rapid.T) {
		message := "subject\n\n" + strings.Join(rapid.SliceOfN(line, 0, 8).Draw(rt, "lines"), "\n")
		set := []Trailer{{"Bead", "hx-1"}, {"Bead", "hx-2"}, {"Helix-Attempt", "A"}}
		got := WithTrailers(message, set...)
		if again := WithTrailers(got, set...); again != got {
			rt.Fatalf("not stable:\n%s\n--\n%s", got, again)
		}
		if !slices.Equal(Trailers(got, "Bead"), []string{"hx-1", "hx-2"}) {
			rt.Fatalf("beads %q of\n%s", Trailers(got, "Bead"), got)
		}
		parsed, err := r.RunInput(t.Context(), got, "interpret-trailers", "--parse")
		if err != nil || !strings.HasSuffix(parsed, "Bead: hx-1\nBead: hx-2\nHelix-Attempt: A") {
			rt.Fatalf("git finds %q, %v in\n%s", parsed, err, got)
		}
	})
}

func FuzzWithTrailers(f *testing.F) {
	f.Add("subject\n\nbody\n\nBead: hx-1\n")
	f.Add("\n\n: \n")
	f.Fuzz(func(t *testing.T, message string) {
		got := WithTrailers(message, Trailer{"Bead", "hx-1"})
		if !slices.Equal(Trailers(got, "Bead"), []string{"hx-1"}) {
			t.Errorf("beads %q of %q", Trailers(got, "Bead"), got)
		}
	})
}
