package cli

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGitVersion(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want [2]int
		ok   bool
	}{
		{"git version 2.39.5", [2]int{2, 39}, true},
		{"git version 2.39.5 (Apple Git-154)", [2]int{2, 39}, true},
		{"git version 3.0.rc1", [2]int{3, 0}, true},
		{"git version 2", [2]int{}, false},
		{"git version 99999.1", [2]int{}, false},
		{"", [2]int{}, false},
	} {
		got, ok := gitVersion(c.text)
		if got != c.want || ok != c.ok {
			t.Errorf("gitVersion(%q) = %v, %v; want %v, %v", c.text, got, ok, c.want, c.ok)
		}
	}
}

func TestMissingLines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", []string{"a", "b/"}},
		{"a\nb/\n", []string{}},
		{"b/", []string{"a"}},
		{"aa\n#b/\n", []string{"a", "b/"}},
	} {
		if diff := cmp.Diff(c.want, missingLines(c.text, []string{"a", "b/"})); diff != "" {
			t.Errorf("missingLines(%q): %s", c.text, diff)
		}
	}
}

func TestJudgeSpace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		free uint64
		want level
		text string
	}{
		{0, levelFail, "0 KiB"},
		{noSpace - 1, levelFail, "99 MiB"},
		{noSpace, levelWarn, "100 MiB"},
		{littleSpace - 1, levelWarn, "1023 MiB"},
		{littleSpace, levelOK, "1.0 GiB"},
	} {
		if got := judgeSpace(c.free); got.Level != c.want || (got.Advice == "") != (c.want == levelOK) {
			t.Errorf("judgeSpace(%d) = %+v, want %s", c.free, got, c.want)
		}
		if got := sizeText(c.free); got != c.text {
			t.Errorf("sizeText(%d) = %q, want %q", c.free, got, c.text)
		}
	}
}

func TestDoctorPrints(t *testing.T) {
	t.Parallel()
	var d doctor
	d.ok("git", "version 2.39")
	d.fixed("claims", "hx-1 was claimed")
	if d.sick() {
		t.Error("sick without a failure")
	}
	d.warn("queue", "helix init", "%s does not exist yet", "x")
	if d.sick() {
		t.Error("sick from a warning")
	}
	d.fail("repository", "", "two\nlines")
	if !d.sick() {
		t.Error("healthy with a failure")
	}
	var out bytes.Buffer
	d.print(&out)
	want := "ok    git         version 2.39\n" +
		"ok    claims      hx-1 was claimed (mended)\n" +
		"warn  queue       x does not exist yet  — helix init\n" +
		"fail  repository  " + plain("two\nlines") + "\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}
