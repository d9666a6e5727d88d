package codetree

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSymbols(t *testing.T) {
	t.Parallel()
	tree := newProject(t, map[string]string{
		"a/a.go":    "package a\n\ntype Store struct{}\n\nfunc (s *Store) Open() {}\n\nfunc Open() {}\n",
		"b/b.go":    "package b\n\nfunc open() {}\n\nfunc (f *File) Open() {}\n",
		"c.py":      "class Store:\n    def open(self): pass\n",
		"README.md": "# Open the store\n\n## v1.2\n",
	}).open(t)
	for name, want := range map[string]string{
		"Open":           "a/a.go:5 a/a.go:7 b/b.go:5",
		"open":           "c.py:2 b/b.go:3",
		"OPEN":           "a/a.go:5 a/a.go:7 b/b.go:5 c.py:2 b/b.go:3",
		"Store.Open":     "a/a.go:5",
		"store::open":    "c.py:2",
		"a.Open":         "a/a.go:7",
		"a.Open()":       "a/a.go:7",
		"(*Store).Open":  "a/a.go:5",
		"x/y/b.open":     "b/b.go:3",
		"Store":          "c.py:1 a/a.go:3",
		"nothing":        "",
		"Nothing.Open":   "",
		"":               "",
		"open the STORE": "README.md:1",
		"v1.2":           "README.md:3",
	} {
		found, err := tree.Symbols(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var got []string
		for _, n := range found {
			got = append(got, fmt.Sprintf("%s:%d", n.Path, n.Line))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %v, want %s", name, got, want)
		}
	}
}

func TestCallers(t *testing.T) {
	t.Parallel()
	tree := newProject(t, map[string]string{
		"a.go": "package a\n\nfunc f() {\n\tos.Open(g())\n\tdb.Open(1)\n}\n\nvar x = Open()\n",
		"b.py": "open('x')\nclass C:\n    def m(self):\n        self.Open()\n",
	}).open(t)
	for name, want := range map[string]string{
		"Open":     "a.go:4 os.f a.go:5 db.f a.go:8 .x b.py:4 self.C.m",
		"os.Open":  "a.go:4 os.f",
		"DB.Open":  "a.go:5 db.f",
		"T.Open":   "a.go:4 os.f a.go:5 db.f a.go:8 .x b.py:4 self.C.m",
		"open":     "b.py:1 .",
		"G":        "a.go:4 .f",
		"nothing":  "",
		"T.absent": "",
	} {
		found, err := tree.Callers(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var got []string
		for _, c := range found {
			got = append(got, fmt.Sprintf("%s:%d %s.%s", c.Path, c.Line, c.On, c.In))
			n, err := tree.Node(c.Node)
			if err != nil || n.Path != c.Path || c.In != "" && n.Qualified() != c.In {
				t.Errorf("%s: the node of %+v is %+v, %v", name, c, n, err)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %v, want %s", name, got, want)
		}
	}
}

// many is a project of several languages in which files import each other.
var many = map[string]string{
	"go.mod": "module example.org/m // the module\n", "a/a.go": "package a\n\nimport (\n\t\"fmt\"\n\n\t\"example.org/m/b\"\n\t\"example.org/sub/c\"\n)\n",
	"b/b.go": "package b\n", "b/b2.go": "package b\n", "b/b_test.go": "package b_test\n\nimport \"example.org/m/b\"\n",
	"sub/go.mod": "module example.org/sub\n", "sub/c/c.go": "package c\n", "top.go": "package m\n", "use/use.go": "package use\n\nimport m \"example.org/m\"\n",

	"py/pkg/__init__.py": "from . import near\nfrom .near import thing\n", "py/pkg/near.py": "import pkg.deep.er\nimport os\n", "py/pkg/deep/er.py": "from ..near import x\nfrom ...pkg import near, deep\n",
	"py/main.py": "import pkg\nfrom pkg.near import thing as t\n", "py/tests/test_near.py": "from pkg import near\n",

	"js/index.ts": "export * from './lib';\nimport './side.js';\n", "js/lib/index.ts": "import x from '../side';\nimport r from 'react';\n", "js/side.ts": "const l = require('.')\nimport(\"./data.json\")\n",
	"js/data.json": "{}", "js/side.test.ts": "import { s } from './side';\n", "js/__tests__/side.ts": "import '../side'\n",

	"rs/src/lib.rs": "mod till;\nmod coins;\nuse crate::till::Till;\nuse std::fmt;\n", "rs/src/till.rs": "mod inner;\nuse super::coins::{Coin, mint};\nuse self::inner::X;\n",
	"rs/src/till/inner.rs": "use super::super::coins;\n", "rs/src/coins/mod.rs": "use crate::till::inner::X;\n",

	"jv/src/org/x/A.java":     "package org.x;\nimport org.x.sub.B;\nimport static org.x.sub.B.make;\nimport java.util.List;\nclass A {}\n",
	"jv/src/org/x/sub/B.java": "package org.x.sub;\nimport org.x.*;\nclass B {}\n", "jv/test/org/x/ATest.java": "class ATest {}\n",

	"c/src/main.c": "#include <stdio.h>\n#include \"till.h\"\n#include \"shop/coin.h\"\n", "c/src/till.h": "int a;\n", "c/include/shop/coin.h": "#include \"../../src/till.h\"\n", "c/other/till.h": "int b;\n", "c/lib/x.c": "#include \"till.h\"\n",
}

func TestImports(t *testing.T) {
	t.Parallel()
	tree := newProject(t, many).open(t)
	for p, want := range map[string]string{
		"a/a.go":                  "fmt: | example.org/m/b: b/b.go b/b2.go | example.org/sub/c: sub/c/c.go",
		"use/use.go":              "example.org/m: top.go",
		"py/pkg/__init__.py":      ".: py/pkg/__init__.py py/pkg/near.py | .near: py/pkg/near.py",
		"py/pkg/near.py":          "pkg.deep.er: py/pkg/deep/er.py | os:",
		"py/pkg/deep/er.py":       "..near: py/pkg/near.py | ...pkg: py/pkg/__init__.py py/pkg/near.py",
		"py/main.py":              "pkg: py/pkg/__init__.py | pkg.near: py/pkg/near.py",
		"js/index.ts":             "./lib: js/lib/index.ts | ./side.js: js/side.ts",
		"js/lib/index.ts":         "../side: js/side.ts | react:",
		"js/side.ts":              ".: js/index.ts | ./data.json: js/data.json",
		"rs/src/lib.rs":           "mod till: rs/src/till.rs | mod coins: rs/src/coins/mod.rs | crate::till::Till: rs/src/till.rs | std::fmt:",
		"rs/src/till.rs":          "mod inner: rs/src/till/inner.rs | super::coins::Coin: rs/src/coins/mod.rs | super::coins::mint: rs/src/coins/mod.rs | self::inner::X: rs/src/till/inner.rs",
		"rs/src/till/inner.rs":    "super::super::coins: rs/src/coins/mod.rs",
		"rs/src/coins/mod.rs":     "crate::till::inner::X: rs/src/till/inner.rs",
		"jv/src/org/x/A.java":     "org.x.sub.B: jv/src/org/x/sub/B.java | org.x.sub.B.make: jv/src/org/x/sub/B.java | java.util.List:",
		"jv/src/org/x/sub/B.java": "org.x.*: jv/src/org/x/A.java jv/test/org/x/ATest.java",
		"c/src/main.c":            "stdio.h: | till.h: c/src/till.h | shop/coin.h: c/include/shop/coin.h",
		"c/include/shop/coin.h":   "../../src/till.h: c/src/till.h",
		"c/lib/x.c":               "till.h: c/other/till.h",
	} {
		found, err := tree.Imports(p)
		if err != nil {
			t.Errorf("%s: %v", p, err)
		}
		var got []string
		for _, i := range found {
			got = append(got, strings.TrimSpace(i.Path+": "+strings.Join(i.Files, " ")))
		}
		if diff := cmp.Diff(want, strings.Join(got, " | ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", p, diff)
		}
	}
	if _, err := tree.Imports("nosuch.go"); err == nil {
		t.Error("a file that is not there has imports")
	}
}

// TestImporters: they are the imports turned around.
func TestImporters(t *testing.T) {
	t.Parallel()
	tree := newProject(t, many).open(t)
	want := map[string]map[string]bool{}
	for _, p := range tree.Files() {
		found, err := tree.Imports(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range found {
			for _, f := range i.Files {
				if f == p {
					continue
				}
				if want[f] == nil {
					want[f] = map[string]bool{}
				}
				want[f][fmt.Sprintf("%s:%d %s", p, i.Line, i.Path)] = true
			}
		}
	}
	if len(want) < 12 {
		t.Fatalf("only %d files are imported", len(want))
	}
	for _, p := range tree.Files() {
		if strings.HasSuffix(p, "_test.go") {
			continue // its package is imported, and not the test
		}
		found, err := tree.Importers(p)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]bool{}
		for _, i := range found {
			got[fmt.Sprintf("%s:%d %s", i.Path, i.Line, i.Import)] = true
		}
		if diff := cmp.Diff(want[p], got); diff != "" && len(want[p])+len(got) > 0 {
			t.Errorf("%s (-imports +importers):\n%s", p, diff)
		}
	}
}

func TestTests(t *testing.T) {
	t.Parallel()
	tree := newProject(t, many).open(t)
	for p, want := range map[string]string{
		"b/b.go": "b/b_test.go", "b/b2.go": "b/b_test.go", "py/pkg/near.py": "py/tests/test_near.py",
		"js/side.ts": "js/side.test.ts js/__tests__/side.ts", "jv/src/org/x/A.java": "jv/test/org/x/ATest.java", "a/a.go": "", "nosuch.go": "",
	} {
		if got := strings.Join(tree.Tests(p), " "); got != want {
			t.Errorf("%s: %s, want %s", p, got, want)
		}
	}
}

func TestAsk(t *testing.T) {
	t.Parallel()
	tree := newProject(t, shop).open(t)
	for question, want := range map[string]string{
		"what calls Open":                              "main.go:10 till/till_test.go:5",
		"What calls `till.Open()`?":                    "main.go:10",
		"who calls the function check?":                "till/till.go:10",
		"which functions call Take":                    "main.go:11 till/till_test.go:5",
		"callers of Open":                              "main.go:10 till/till_test.go:5",
		"find all calls to sum":                        "web/app.ts:2",
		"where is check called?":                       "till/till.go:10",
		"what does main call":                          "main.go:10 main.go:11 main.go:11",
		"who imports till/till.go":                     "main.go:6",
		"who imports the package till":                 "main.go:6",
		"what imports fmt?":                            "main.go:4",
		"who uses Take":                                "main.go:11 till/till_test.go:5",
		"what uses web/lib/sum.ts":                     "web/app.ts:1",
		"what depends on till":                         "main.go:6",
		"where is sum used":                            "web/app.ts:2",
		"dependencies of main.go":                      "main.go:4 main.go:6",
		"What are the dependencies of main.go?":        "main.go:4 main.go:6",
		"what does web/app.ts import":                  "web/app.ts:1",
		"what does the package till depend on?":        "till/till_test.go:3",
		"where is Till defined":                        "till/till.go:4",
		"Where is the type Till.Take implemented?":     "till/till.go:9",
		"definition of render":                         "web/app.ts:2",
		"which file defines check":                     "till/till.go:13",
		"what tests till/till.go":                      "till/till_test.go:0",
		"tests for check":                              "till/till_test.go:0",
		"what is in file till.go":                      "till/till.go:4 till/till.go:7 till/till.go:13",
		"what is in module till":                       "till/doc.go:0 till/till.go:0 till/till_test.go:0",
		"what is in the section Shop?":                 "README.md:5",
		"which functions are defined in till/till.go?": "till/till.go:4 till/till.go:7 till/till.go:13",
		"everything in web/lib":                        "web/lib/sum.ts:0",
		"what calls nothing at all":                    "",
		"what calls Nosuch":                            "",
		"members of Till":                              "till/till.go:9",
		"how does the till work?":                      "none",
		"explain Open":                                 "none",
		"why is check so slow":                         "none",
		"what":                                         "none",
		"":                                             "none",
		"what calls":                                   "none",
	} {
		answers, ok, err := Ask(tree, question)
		if err != nil {
			t.Errorf("%q: %v", question, err)
		}
		var got []string
		for _, a := range answers {
			got = append(got, fmt.Sprintf("%s:%d", a.Path, a.Line))
			if a.Text == "" {
				t.Errorf("%q: %+v says nothing", question, a)
			}
		}
		text := strings.Join(got, " ")
		if !ok {
			text = "none"
		}
		if text != want {
			t.Errorf("%q: %s, want %s", question, text, want)
		}
	}
}
