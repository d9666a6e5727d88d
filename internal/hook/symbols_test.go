package hook

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestDeclared(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"func ParseAll(x int) error {":               "ParseAll",
		"func (s *Store) Claim(ctx) error {":         "Claim",
		"func Map[K comparable](m M) {":              "Map",
		"type Memory interface {":                    "Memory",
		"\tconst maxDepth = 3":                       "maxDepth",
		"pub fn parse_all<T>(x: T) {":                "parse_all",
		"pub(crate) async fn fetch_it() {":           "fetch_it",
		`pub unsafe extern "C" fn c_entry() {`:       "c_entry",
		"const fn shift() {":                         "shift",
		"struct Token;":                              "Token",
		"enum class Colour : int {":                  "Colour",
		"trait Store {":                              "Store",
		"impl<T> Stack<T> {":                         "Stack",
		"    def save_all(self):":                    "save_all",
		"async def fetch_one():":                     "fetch_one",
		"class Account(Base):":                       "Account",
		"export default async function loadPage() {": "loadPage",
		"export const maxItems = 3":                  "maxItems",
		"function* iterate() {":                      "iterate",
		"export interface Props {":                   "Props",
		"public final class Ledger extends Base {":   "Ledger",
		"extension Account {":                        "Account",
		"protocol Saver {":                           "Saver",
		"fun <T> List<T>.second(): T {":              "List",
		"defmodule Shop.Cart do":                     "Shop",
		"// func Commented() {":                      "",
		"return func() {":                            "",
		"typewriter Foo":                             "",
		"x := functional":                            "",
		"":                                           "",
		"func (":                                     "",
		"impl<":                                      "",
		`pub extern "`:                               "",
		"pub (":                                      "",
	} {
		if got := declares(line); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
	many := strings.Repeat("x\n", maxLines-1) + "func lastSeen()\nfunc tooLate()\n"
	if got := declared(many); !slices.Equal(got, []string{"lastSeen"}) {
		t.Errorf("of a long text: %q", got)
	}
}

func TestRemoved(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		old, new string
		whole    bool
		want     string
	}{
		{"x := oldName(1)", "x := newName(1)", false, "oldName"},
		{"use(helper1)\nfunc target() {}", "", false, "target helper1"},
		{"use(helper1)\nfunc target() {}", "", true, "target"},
		{"same same", "same same", false, ""},
		{"tiny", "", false, ""},
		{"return nil, error // 12345678", "", false, ""},
	} {
		if got := strings.Join(removed(c.old, c.new, c.whole), " "); got != c.want {
			t.Errorf("%q to %q: %q, want %q", c.old, c.new, got, c.want)
		}
	}
}

// long is what makes a file one whose symbols are remembered.
var long = strings.Repeat("// nothing\n", rememberFrom/11+1)

func in(dir string) func() string { return func() string { return dir } }

// TestSmallFilesAreNotRemembered, but looked through each time.
func TestSmallFilesAreNotRemembered(t *testing.T) {
	t.Parallel()
	cache := filepath.Join(t.TempDir(), "symbols")
	file := write(t, filepath.Join(t.TempDir(), "a.go"), "\n"+strings.Repeat("x", 3*lineBuffer)+" func hidden()\nfunc first() {}\nfunc last()")
	if got := fileSymbols(file, in(cache)); !slices.Equal(got, []string{"first", "last"}) {
		t.Errorf("%q", got)
	}
	if _, err := os.Stat(cache); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the cache: %v", err)
	}
}

// TestSymbolCache: symbols are remembered, those of a changed file are not, and
// whatever happens to the cache, the symbols are right.
func TestSymbolCache(t *testing.T) {
	t.Parallel()
	cache := filepath.Join(t.TempDir(), "a", "symbols")
	file := write(t, filepath.Join(t.TempDir(), "a.go"), "func first()\n"+long)
	check := func(what string, want ...string) {
		t.Helper()
		if got := fileSymbols(file, in(cache)); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	check("new", "first")
	kept, err := filepath.Glob(filepath.Join(cache, "*"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("the cache holds %q, %v", kept, err)
	}
	for path, mode := range map[string]os.FileMode{cache: os.ModeDir | 0o700, kept[0]: 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode() != mode {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	text, err := os.ReadFile(kept[0])
	if err != nil {
		t.Fatal(err)
	}
	// That the second answer comes from the cache shows when it holds another.
	write(t, kept[0], strings.ReplaceAll(string(text), "first", "cached"))
	check("remembered", "cached")
	write(t, kept[0], string(text[:len(text)-2]))
	check("cut", "first")
	write(t, kept[0], "")
	check("emptied", "first")
	write(t, file, "func second()\n"+long)
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(file, later, later); err != nil {
		t.Fatal(err)
	}
	check("changed", "second")
	if err := os.Chmod(cache, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, kept[0], "")
	check("open to others", "second")
	if info, err := os.Stat(kept[0]); err != nil || info.Size() != 0 {
		t.Errorf("a cache that is open to others was written: %v, %v", info, err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	check("gone")
}

func TestSymbolCacheIsBounded(t *testing.T) {
	t.Parallel()
	cache := filepath.Join(t.TempDir(), "symbols")
	src := t.TempDir()
	for i := range maxCached + 20 {
		fileSymbols(write(t, filepath.Join(src, fmt.Sprintf("f%d.go", i)), "func name()\n"+long), in(cache))
	}
	kept, err := os.ReadDir(cache)
	if err != nil || len(kept) > maxCached || len(kept) < maxCached/2 {
		t.Errorf("%d files, %v", len(kept), err)
	}
}

func TestSymbolCacheConcurrently(t *testing.T) {
	t.Parallel()
	cache := filepath.Join(t.TempDir(), "symbols")
	src := t.TempDir()
	var files []string
	for i := range 20 {
		files = append(files, write(t, filepath.Join(src, fmt.Sprintf("f%d.go", i)), fmt.Sprintf("func name%d()\n", i)+long))
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i, f := range files {
				if got := fileSymbols(f, in(cache)); !slices.Equal(got, []string{fmt.Sprintf("name%d", i)}) {
					t.Errorf("%s: %q", f, got)
				}
			}
		})
	}
	wg.Wait()
}

// TestOddFiles: what is no plain file of a sensible size is not read.
func TestOddFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	big := write(t, filepath.Join(dir, "big.go"), "func name()\n"+strings.Repeat("x", maxSource))
	for _, path := range []string{big, dir, os.DevNull, filepath.Join(dir, "none"), ""} {
		if got := fileSymbols(path, nil); got != nil {
			t.Errorf("%s: %q", path, got)
		}
	}
}
