package hook

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestLinks: the program that is started for every step of an agent links nothing
// that makes its start slow.
func TestLinks(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-deps", "helix/cmd/helix-hook").Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	if !slices.Contains(deps, "helix/internal/kb/view") {
		t.Fatalf("the list is not that of the program: %q", deps)
	}
	for _, dep := range deps {
		for _, heavy := range []string{"net", "net/http", "crypto/tls", "regexp", "text/template", "html/template", "os/exec", "helix/internal/kb", "helix/internal/cli", "helix/internal/kb/redact"} {
			if dep == heavy {
				t.Errorf("helix-hook links %s", dep)
			}
		}
		for _, heavy := range []string{"github.com/spf13/", "github.com/modelcontextprotocol/", "github.com/charmbracelet/", "github.com/goccy/"} {
			if strings.HasPrefix(dep, heavy) {
				t.Errorf("helix-hook links %s", dep)
			}
		}
	}
}
