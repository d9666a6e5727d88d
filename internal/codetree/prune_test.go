package codetree

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestOwnCache: the tree is kept in the user's cache folder, for nobody else to
// read, and goes when its project has gone.
func TestOwnCache(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(home, ".cache"))
	one, two := newProject(t, shop), newProject(t, shop)
	build := func(p *project) string {
		t.Helper()
		if _, err := Update(context.Background(), p.root, Options{}); err != nil {
			t.Fatal(err)
		}
		file, err := CacheFile(p.root)
		if err != nil {
			t.Fatal(err)
		}
		return file
	}
	file := build(one)
	for dir := filepath.Dir(file); dir != home; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", dir, info, err)
		}
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%s: %v, %v", file, info, err)
	}
	tree, err := Open(one.root)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	if _, err := Open(two.root); !errors.Is(err, ErrNoTree) {
		t.Errorf("another project: %v", err)
	}
	if err := os.RemoveAll(one.root); err != nil {
		t.Fatal(err)
	}
	other := build(two)
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the tree of a project that is gone: %v", err)
	}
	if _, err := os.Stat(other); err != nil {
		t.Error(err)
	}
	if root, err := tree.Root(); err != nil || root.FileCount != len(shop) {
		t.Errorf("a tree that is open is not what it was: %+v, %v", root, err)
	}
}
