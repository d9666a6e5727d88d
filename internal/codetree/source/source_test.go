package source

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// dump is a file as text, one line for each thing in it.
func dump(f *File) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s package=%q lines=%d doc=%q\n", f.Language, f.Package, f.Lines, f.Doc)
	for _, i := range f.Imports {
		fmt.Fprintf(&b, "import %d %s %v\n", i.Line, i.Path, i.Names)
	}
	for i, s := range f.Symbols {
		mark := " "
		if s.Exported {
			mark = "+"
		}
		fmt.Fprintf(&b, "%d:%s%s %s in=%q parent=%d %d-%d | %s | %s\n", i, mark, s.Kind, s.Name, s.Container, s.Parent, s.Line, s.EndLine, s.Signature, s.Doc)
	}
	for _, c := range f.Calls {
		from := "-"
		if c.From >= 0 {
			from = f.Symbols[c.From].Name
		}
		fmt.Fprintf(&b, "call %d %s on=%q from=%s\n", c.Line, c.Name, c.On, from)
	}
	return b.String()
}

// TestSamples compares what is found in a sample of each language with what a
// person has checked. After a change: go test -run TestSamples -update, and read
// the difference.
func TestSamples(t *testing.T) {
	t.Parallel()
	names, _ := filepath.Glob("testdata/*.*")
	read := 0
	for _, name := range names {
		if strings.HasSuffix(name, ".golden") {
			continue
		}
		read++
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got := dump(Parse(strings.TrimSuffix(name, ".txt"), src))
			if *update {
				if err := os.WriteFile(name+".golden", []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(name + ".golden")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		})
	}
	if read < 8 {
		t.Errorf("only %d samples were found", read)
	}
}
