package hook

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"helix/internal/kb/upkeep"
	"helix/internal/kb/view"
)

// TestDamagedPlaces: an index that has the right entries at the wrong places of the log is
// found to be damaged only when they are read. The answer is the same.
func TestDamagedPlaces(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ event, input string }{
		{"PreToolUse", `{"tool_name":"Edit","tool_input":{"file_path":"src/auth.go"}}`},
		{"UserPromptSubmit", `{"prompt":"why is there a linker error for the undefined symbol?"}`},
	} {
		dir := remembers(t, shop...)
		want, _ := ask(t, dir, c.event, c.input)
		if _, err := upkeep.CatchUp(t.Context(), dir, upkeep.Options{}); err != nil || want == "" {
			t.Fatal(want, err)
		}
		segments, err := filepath.Glob(filepath.Join(dir, view.IndexDir, "*.seg"))
		if err != nil || len(segments) != 1 {
			t.Fatal(segments, err)
		}
		data, err := os.ReadFile(segments[0])
		if err != nil {
			t.Fatal(err)
		}
		const metas, metaSize, offset = 72, 64, 8 // see index/FORMAT.md
		from := binary.LittleEndian.Uint64(data[metas:])
		for i := range shop {
			data[from+uint64(i)*metaSize+offset+7] = 1
		}
		if err := os.WriteFile(segments[0], data, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, debug := ask(t, dir, c.event, c.input); got != want {
			t.Errorf("%s: %s%s\nwant %s", c.event, got, debug, want)
		}
	}
}
