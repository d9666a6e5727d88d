package log

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

func TestPosText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := Pos{
			Generation: rapid.Uint64().Draw(t, "generation"),
			Offset:     rapid.Int64().Draw(t, "offset"),
			Last:       rapid.Int64().Draw(t, "last"),
			Sum:        rapid.Uint32().Draw(t, "sum"),
		}
		copy(p.Log[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "log"))
		b, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		var q Pos
		if err := json.Unmarshal(b, &q); err != nil || p != q {
			t.Fatalf("%s gave %+v, %v", b, q, err)
		}
	})
	var p Pos
	for _, bad := range []string{"x", "::::", "00:1:2:3:4", "00000000000000000000000000000000:1:2:3:zz"} {
		if err := p.UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q was read as %+v", bad, p)
		}
	}
}
