package mcp

import (
	"context"
	"time"

	"helix/internal/contextpack"
	"helix/internal/guide"
	"helix/internal/kb"
)

// village is a code tree with one function.
type village struct{}

func (village) Define(string) []contextpack.Symbol { return nil }
func (village) Ending(string) []string             { return nil }
func (village) Outline(string) []contextpack.Symbol {
	return []contextpack.Symbol{{Path: "auth/login.go", Line: 3, End: 5, Signature: "func Login()"}}
}
func (village) Imports(string) []string { return nil }
func (village) Tests(string) []string   { return nil }
func (village) Modules() []contextpack.Module {
	return []contextpack.Module{{ID: "node_1", Path: "auth", Doc: "Package auth logs in.", Public: []string{"func Login()"}}}
}
func (village) Close() error { return nil }

func (village) Expand(id string) (guide.Expansion, error) {
	if id != "node_1" {
		return guide.Expansion{}, guide.ErrNoNode
	}
	return guide.Expansion{ID: id, Kind: "dir", Path: "auth", Detail: "login.go", Children: []string{"node_2"}}, nil
}

func (village) Answer(q string) ([]guide.Answer, bool) {
	if q != "what calls Login" {
		return nil, false
	}
	return []guide.Answer{{Path: "cmd/main.go", Line: 7, What: "auth.Login()"}}, true
}

func (village) Resemble([]string, int) []guide.Answer {
	return []guide.Answer{{Path: "auth/login.go", What: "file"}}
}

func testGuide(m *kb.Memory) *guide.Guide {
	return &guide.Guide{
		Root: ".", Memory: m, Now: func() time.Time { return time.Date(2026, 6, 18, 12, 0, 0, 0, time.UTC) },
		Tree: func(context.Context) (guide.Tree, error) { return village{}, nil },
	}
}
