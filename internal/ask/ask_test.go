package ask

import (
	"math"
	"testing"
)

func TestClassify(t *testing.T) {
	t.Parallel()
	for q, want := range map[string]Intent{
		"what calls parseToken":                                Structural,
		"What calls `parseToken`?":                             Structural,
		"who imports internal/kb":                              Structural,
		"dependencies of auth/login.go":                        Structural,
		"where is Store defined?":                              Structural,
		"which tests cover login, tests of it":                 Structural,
		"what does auth.go import?":                            Structural,
		"what is in module auth":                               Positional,
		"show the outline of auth/login.go":                    Positional,
		"functions in file auth.go":                            Positional,
		"how does the login work":                              Semantic,
		"why do tokens live 15 minutes?":                       Semantic,
		"explain the cache":                                    Semantic,
		"something similar to the retry policy":                Semantic,
		"token lifetime":                                       Hybrid,
		"what does the fox say":                                Hybrid,
		"":                                                     Hybrid,
		"the purpose of what is defined in file x.go, and why": Hybrid,
		"whatcalls":                                            Hybrid,
	} {
		if got := Classify(q); got != want {
			t.Errorf("%q: %s, want %s", q, got, want)
		}
	}
}

func TestFuse(t *testing.T) {
	t.Parallel()
	got := Fuse(Ranked{[]string{"a", "b", "a"}, 1}, Ranked{[]string{"b", "c"}, 0.5})
	want := []Fused{{"b", 1.0/62 + 0.5/61}, {"a", 1.0 / 61}, {"c", 0.5 / 62}}
	if len(got) != len(want) {
		t.Fatalf("%v", got)
	}
	for i := range want {
		if got[i].Key != want[i].Key || math.Abs(got[i].Score-want[i].Score) > 1e-12 {
			t.Errorf("%d: %v, want %v", i, got[i], want[i])
		}
	}
	if got := Fuse(); got != nil {
		t.Errorf("of nothing: %v", got)
	}
}
