package entry

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func some[T any](t *rapid.T, label string, draw func(*rapid.T, string) T) *T {
	if !rapid.Bool().Draw(t, label+" given") {
		return nil
	}
	v := draw(t, label)
	return &v
}

func genChange(t *rapid.T) Change {
	return Change{
		ID:           genID().Draw(t, "id"),
		Key:          genText(t, "key"),
		Accessed:     rapid.IntRange(0, 9).Draw(t, "accessed"),
		LastAccess:   genTime(t, "last access"),
		Helped:       rapid.IntRange(0, 9).Draw(t, "helped"),
		Harmed:       rapid.IntRange(0, 9).Draw(t, "harmed"),
		Salience:     some(t, "salience", genShare),
		Confidence:   some(t, "confidence", genShare),
		ValidFrom:    some(t, "valid from", genTime),
		ValidTo:      some(t, "valid to", genTime),
		ExpiresAt:    some(t, "expires", genTime),
		DeletedAt:    some(t, "deleted", genTime),
		SupersededBy: some(t, "superseded by", func(t *rapid.T, l string) string { return rapid.OneOf(rapid.Just(""), genID()).Draw(t, l) }),
	}
}

func TestChangeRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := genChange(t)
		if err := c.Validate(); err != nil {
			t.Fatal(err)
		}
		got, err := DecodeChange(EncodeChange(&c))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c, got); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

// Applying changes one by one is the same as applying their sum.
func TestChangesAddUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		one, sum := genEntry(t), Change{}
		all := one
		for range rapid.IntRange(0, 5).Draw(t, "changes") {
			c := genChange(t)
			c.Apply(&one)
			sum.Then(&c)
		}
		sum.Apply(&all)
		if diff := cmp.Diff(one, all); diff != "" {
			t.Fatalf("(-one by one +sum):\n%s", diff)
		}
	})
}

func TestEdgeRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		e := Edge{
			From: "a" + genText(t, "from"), Rel: "depends_on", To: "b" + genText(t, "to"),
			Tenant: genText(t, "tenant"), Weight: genShare(t, "weight"), Key: genText(t, "key"),
		}
		if err := e.Validate(); err != nil {
			t.Fatal(err)
		}
		got, err := DecodeEdge(EncodeEdge(&e))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(e, got); diff != "" || e.ID() != got.ID() {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

func TestEdgeIDNamesTheRelation(t *testing.T) {
	t.Parallel()
	base := Edge{From: "a", Rel: "r", To: "b", Weight: 1}
	heavier := base
	heavier.Weight, heavier.Key = 0.5, "k"
	if base.ID() != heavier.ID() {
		t.Error("weight or key are part of the id")
	}
	for _, other := range []Edge{{From: "b", Rel: "r", To: "a"}, {From: "a", Rel: "s", To: "b"}, {From: "a", Rel: "r", To: "b", Tenant: "t"}} {
		if other.ID() == base.ID() {
			t.Errorf("%+v has the id of another edge", other)
		}
	}
}

func TestVectorRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := Vector{
			ID: genID().Draw(t, "id"), Model: genSome(t, "model"), TextHash: genText(t, "hash"),
			Values: rapid.SliceOfN(rapid.Float32(), 1, 20).Draw(t, "values"),
		}
		if err := v.Validate(); err != nil {
			t.Fatal(err)
		}
		body := EncodeVector(&v)
		got, err := DecodeVector(body)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(v, got); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

func TestBadChangesEdgesVectors(t *testing.T) {
	t.Parallel()
	no := -0.5
	far := time.Date(12000, 1, 1, 0, 0, 0, 0, time.UTC)
	bad := "a b"
	for name, err := range map[string]error{
		"change without id":      (&Change{}).Validate(),
		"negative count":         (&Change{ID: "a", Helped: -1}).Validate(),
		"salience":               (&Change{ID: "a", Salience: &no}).Validate(),
		"year":                   (&Change{ID: "a", ValidTo: &far}).Validate(),
		"superseded by":          (&Change{ID: "a", SupersededBy: &bad}).Validate(),
		"edge without end":       (&Edge{From: "a", Rel: "r", Weight: 1}).Validate(),
		"relation of two words":  (&Edge{From: "a", Rel: "r s", To: "b"}).Validate(),
		"weight":                 (&Edge{From: "a", Rel: "r", To: "b", Weight: 2}).Validate(),
		"empty vector":           (&Vector{ID: "a", Model: "m"}).Validate(),
		"vector without model":   (&Vector{ID: "a", Values: []float32{1}}).Validate(),
		"number that is none":    (&Vector{ID: "a", Model: "m", Values: []float32{float32(math.NaN())}}).Validate(),
		"reference with newline": func() error { _, err := EncodeRef("a\nb"); return err }(),
	} {
		if !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzDecodeOthers(f *testing.F) {
	w := 0.5
	f.Add(EncodeChange(&Change{ID: "a", Helped: 1, Salience: &w, DeletedAt: &time.Time{}}))
	f.Add(EncodeEdge(&Edge{From: "a", Rel: "r", To: "b"}))
	f.Add(EncodeVector(&Vector{ID: "a", Model: "m", Values: []float32{1, 2}}))
	f.Fuzz(func(t *testing.T, body string) {
		if c, err := DecodeChange(body); err == nil {
			again, err := DecodeChange(EncodeChange(&c))
			if diff := cmp.Diff(c, again); diff != "" || err != nil {
				t.Errorf("change: %v\n%s", err, diff)
			}
		}
		if e, err := DecodeEdge(body); err == nil {
			again, err := DecodeEdge(EncodeEdge(&e))
			if diff := cmp.Diff(e, again); diff != "" || err != nil {
				t.Errorf("edge: %v\n%s", err, diff)
			}
		}
		if v, err := DecodeVector(body); err == nil {
			if again, err := DecodeVector(EncodeVector(&v)); err != nil || len(again.Values) != len(v.Values) {
				t.Errorf("vector: %v", err)
			}
		}
	})
}
