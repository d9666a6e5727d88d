package experience

import "testing"

func TestHeldOut(t *testing.T) {
	t.Parallel()
	all := stretches(t, "held-out.txt")
	by := scored(all, func(string, ...any) {})
	t.Logf("%d stretches%s", len(all), by)
}
