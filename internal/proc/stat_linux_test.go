package proc

import "testing"

func TestParseStat(t *testing.T) {
	t.Parallel()
	tail := " 1 2 3 0 -1 4194304 100 0 0 0 1 2 3 4 20 0 1 0 98765 1000 10"
	for name, c := range map[string]struct {
		stat  string
		want  row
		alive bool
		fails bool
	}{
		"plain":             {"7 (sh) S" + tail, row{Process{7, "b-98765"}, 1, 2}, true, false},
		"name like a field": {"7 (a) R 9 (b) S" + tail, row{Process{7, "b-98765"}, 1, 2}, true, false},
		"zombie":            {"7 (sh) Z" + tail, row{Process{7, "b-98765"}, 1, 2}, false, false},
		"short":             {"7 (sh) S 1 2", row{}, false, true},
		"empty":             {"", row{}, false, true},
	} {
		got, alive, err := parseStat(7, c.stat, "b-")
		if got != c.want || alive != c.alive || (err != nil) != c.fails {
			t.Errorf("%s: %+v %v %v", name, got, alive, err)
		}
	}
}
