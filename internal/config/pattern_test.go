package config

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestExcluded(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		pattern, path string
		want          bool
	}{
		{"**/vendor/**", "vendor/a.go", true},
		{"**/vendor/**", "x/y/vendor/z/a.go", true},
		{"**/vendor/**", "vendors/a.go", false},
		{"*.md", "README.md", true},
		{"*.md", "docs/a.md", false},
		{"**/*.md", "docs/deep/a.md", true},
		{"**/*.md", "a.md", true},
		{"docs/**", "docs/a/b.txt", true},
		{"docs/**", "src/docs/a", false},
		{"**/a/**/b", "a/a/c/b", true},
		{"**/a/**/b", "a/c/b/d", false},
		{"**", "anything/at/all", true},
		{"a?c/[xy].go", "abc/x.go", true},
		{"a?c/[xy].go", "abc/z.go", false},
	} {
		if got := Excluded([]string{"nothing", tt.pattern}, tt.path); got != tt.want {
			t.Errorf("%s and %s: %v", tt.pattern, tt.path, got)
		}
	}
}

// TestStarsTakeAnyFolders: whatever stands around a folder, **/x/** finds it, and
// finds nothing where it is not.
func TestStarsTakeAnyFolders(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "x", "ax"}), 1, 8).Draw(t, "names")
		want := false
		for _, n := range names {
			want = want || n == "x"
		}
		if got := Excluded([]string{"**/x/**"}, strings.Join(names, "/")); got != want {
			t.Fatalf("%v: %v", names, got)
		}
	})
}

func TestGroups(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ user, project, refused string }{
		{"auto_init:\n  enabled: true\n  min_files: 3\n  exclude_patterns: [\"a/**\"]\nserve:\n  auto_start: true\n", "", ""},
		{"auto_init.enabled: true\nauto_init.min_files: 3\nauto_init.exclude_patterns: [\"a/**\"]\nserve.auto_start: true\n", "", ""},
		{"auto_init: {min_files: 3, exclude_patterns: [\"a/**\"], enabled: false}\nserve: {auto_start: true}\n", "auto_init:\n  enabled: true\n", ""},
		{"auto_init: true\n", "", "config.yaml:1: auto_init must be a group of settings"},
		{"auto_init:\n  enable: true\n", "", `config.yaml:2: unknown key "auto_init.enable"; did you mean "auto_init.enabled"?`},
		{"auto_init:\n  min_files: many\n", "", `config.yaml:2: auto_init.min_files is "many"`},
		{"auto_init:\n  exclude_patterns: [\"a[\"]\n", "", `config.yaml:2: auto_init.exclude_patterns holds "a["`},
		{"auto_init:\n  auto_init: {enabled: true}\n", "", `unknown key "auto_init.auto_init"`},
	} {
		root, getenv := setup(t, tt.user, tt.project)
		c, err := Load(root, getenv)
		switch {
		case tt.refused != "":
			if err == nil || !strings.Contains(err.Error(), tt.refused) {
				t.Errorf("%q: %v", tt.user, err)
			}
		case err != nil:
			t.Errorf("%q: %v", tt.user, err)
		case !c.AutoInit || c.AutoInitFiles != 3 || !c.AutoServe || len(c.AutoInitExclude) != 1 || c.AutoInitExclude[0] != "a/**":
			t.Errorf("%q: %+v", tt.user, c)
		}
	}
	_, getenv := setup(t, "auto_init.enabled: true\n", "")
	if c, err := Load("", getenv); err != nil || !c.AutoInit {
		t.Errorf("outside of a project: %v, %v", c.AutoInit, err)
	}
}
