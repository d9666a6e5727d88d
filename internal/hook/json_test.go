package hook

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

var jsonTexts = []string{
	``, ` `, `{}`, `[]`, `null`, `true`, `false`, `tru`, `0`, `-0`, `01`, `1.`, `.5`, `1.5e+3`, `1e`, `-`, `"a"`, `"a`, `"\`, `"\x"`, `"\u12"`, `"\u12g4"`,
	"\"\n\"", `"\u0041\ud83d\ude00\ud83dx\udc00\"\\\/\b\f\n\r\t"`, "\"\xff\"", `{"a":1,}`, `{"a"}`, `{"a":}`, `{a:1}`, `[1,]`, `[,1]`, `[1 2]`, `{"a":1}x`, `{"a":1 "b":2}`,
	` { "a" : [ 1 , "x" , { "b" : null } ] , "\u0061" : 2, "c": {"d": "e"} } `, `[[[[]]]]`, `{"":{"":{}}}`,
}

// FuzzParse compares with encoding/json what is JSON, and what is in it.
func FuzzParse(f *testing.F) {
	for _, text := range jsonTexts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, ok := parse(text)
		if want := json.Valid([]byte(text)); ok != want && !(want && strings.Count(text, "[")+strings.Count(text, "{") > maxDepth) {
			t.Fatalf("parse: %v, encoding/json: %v", ok, want)
		}
		if !ok || !utf8.ValidString(text) { // encoding/json replaces what is no UTF-8
			return
		}
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		var want any
		if err := d.Decode(&want); err != nil {
			t.Fatal(err)
		}
		if got := plain(v); !reflect.DeepEqual(got, want) {
			t.Errorf("%#v, want %#v", got, want)
		}
	})
}

// plain is v as encoding/json gives it: the last one of equal names counts there.
func plain(v value) any {
	switch {
	case v.isString():
		return v.string()
	case v.isObject():
		out := map[string]any{}
		for name, member := range v.members() {
			out[name.string()] = plain(member)
		}
		return out
	case v[0] == '[':
		out := []any{}
		for _, e := range v.list() {
			out = append(out, plain(e))
		}
		return out
	case v == "null":
		return nil
	case v == "true" || v == "false":
		return v == "true"
	}
	return json.Number(v)
}

func TestGet(t *testing.T) {
	t.Parallel()
	v, ok := parse(`{"a": {"b": "first", "b": "second", "n": 5}, "t\u006fp": true, "list": ["x", 1], "one": "y", "none": null}`)
	if !ok {
		t.Fatal("not parsed")
	}
	for path, want := range map[string]value{
		"a.b": `"first"`, "a.n": "5", "top": "true", "a.b.c": "", "b": "", "a.missing": "", "none": "null", "none.x": "", "": v,
	} {
		if got := v.get(path); got != want {
			t.Errorf("get(%q) = %s, want %s", path, got, want)
		}
	}
	if str(v, "a.n") != "" || str(v, "a.b") != "first" {
		t.Error("only strings are strings")
	}
	if n := len(v.get("list").list()); n != 2 {
		t.Errorf("%d elements", n)
	}
	if one := v.get("one").list(); len(one) != 1 || one[0].string() != "y" {
		t.Errorf("what is no list: %v", one)
	}
	if len(v.get("none").list())+len(v.get("nothing").list()) != 0 {
		t.Error("null and nothing have elements")
	}
}

// What nests too deep is refused before it uses up the stack.
func TestParseDepth(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]bool{1: true, maxDepth: true, maxDepth + 1: false, 1 << 20: false} {
		if _, ok := parse(strings.Repeat("[", n) + "1" + strings.Repeat("]", n)); ok != want {
			t.Errorf("%d deep: %v", n, ok)
		}
	}
}
