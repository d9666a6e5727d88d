package mcp

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func sample() []arg {
	return []arg{
		str("name", "who").must(), str("mode", "", "and", "or"), count("limit", ""), place(""),
		fraction("sure", ""), yes("force", ""), texts("tags", ""), objects("list", "", 3, str("topic", "").must(), texts("tags", "")),
	}
}

func TestArguments(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want, err string }{
		"as the schema says": {in: `{"name":"a","limit":5,"index":-1,"sure":0.5,"force":true,"tags":["x","y"]}`, want: `{"name":"a","limit":5,"index":-1,"sure":0.5,"force":true,"tags":["x","y"]}`},
		"all as strings":     {in: `{"name":"a","limit":"5","index":" -1 ","sure":"0.5","force":"true","tags":"x, y,,"}`, want: `{"name":"a","limit":5,"index":-1,"sure":0.5,"force":true,"tags":["x","y"]}`},
		"numbers for text":   {in: `{"name":12345678901234567890}`, want: `{"name":"12345678901234567890"}`},
		"booleans":           {in: `{"name":true,"force":0}`, want: `{"name":"true","force":false}`},
		"whole as a float":   {in: `{"name":"a","limit":5.0}`, want: `{"name":"a","limit":5}`},
		"exponent":           {in: `{"name":"a","limit":1e2}`, want: `{"name":"a","limit":100}`},
		"left out":           {in: `{"name":"a","limit":"","force":null,"tags":""}`, want: `{"name":"a"}`},
		"empty text stays":   {in: `{"name":""}`, want: `{"name":""}`},
		"list as JSON text":  {in: `{"name":"a","tags":"[\"x\",\"y\"]","list":"[{\"topic\":\"t\"}]"}`, want: `{"name":"a","tags":["x","y"],"list":[{"topic":"t"}]}`},
		"old name":           {in: `{"name":"a","old_mode":"or"}`, want: `{"name":"a","mode":"or"}`},
		"old and new name":   {in: `{"name":"a","old_mode":"or","mode":"and"}`, want: `{"name":"a","mode":"and"}`},
		"passed over":        {in: `{"name":"a","gone":7}`, want: `{"name":"a"}`},
		"enum":               {in: `{"name":"a","mode":" OR "}`, want: `{"name":"a","mode":"or"}`},
		"nested":             {in: `{"name":"a","list":[{"topic":5,"tags":"x"},{}]}`, want: `{"name":"a","list":[{"topic":"5","tags":["x"]},{}]}`},

		"nothing":           {in: ``, err: "name is missing: who"},
		"null":              {in: `null`, err: "name is missing"},
		"an array":          {in: `[]`, err: "must be an object"},
		"unknown":           {in: `{"name":"a","b":1,"a":1}`, err: `unknown argument "a", "b": there are name, mode,`},
		"unknown inside":    {in: `{"name":"a","list":[{"x":1}]}`, err: `list[0].unknown argument "x": there are topic, tags`},
		"wrong enum":        {in: `{"name":"a","mode":"xor"}`, err: `mode is "xor": it must be one of and, or`},
		"not a number":      {in: `{"name":"a","limit":"five"}`, err: `limit must be a whole number, not "five"`},
		"not whole":         {in: `{"name":"a","limit":1.5}`, err: "limit must be a whole number, not 1.5"},
		"negative":          {in: `{"name":"a","limit":-1}`, err: "limit is -1: the least is 0"},
		"too large":         {in: `{"name":"a","limit":1e300}`, err: "limit is 1e300: that is too large"},
		"infinite":          {in: `{"name":"a","sure":1e999}`, err: "sure must be a number"},
		"hidden infinity":   {in: `{"name":"a","sure":"inf"}`, err: "sure must be a number"},
		"above":             {in: `{"name":"a","sure":1.1}`, err: "sure is 1.1: the most is 1"},
		"not a boolean":     {in: `{"name":"a","force":"maybe"}`, err: `force must be true or false, not "maybe"`},
		"object for text":   {in: `{"name":{}}`, err: "name must be a string"},
		"too many":          {in: `{"name":"a","list":[{},{},{},{}]}`, err: "list has 4 elements: the most is 3"},
		"not an array":      {in: `{"name":"a","list":"x"}`, err: `list must be an array, not "x"`},
		"element":           {in: `{"name":"a","list":[5]}`, err: "list[0] must be an object with topic, tags"},
		"element of a list": {in: `{"name":"a","tags":[{}]}`, err: "tags[0] must be a string"},
	} {
		got, err := arguments(input(sample()...), map[string]string{"old_mode": "mode", "gone": ""}, json.RawMessage(c.in))
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: error %v, want %q", name, err, c.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var g, w any
		if json.Unmarshal(got, &g) != nil || json.Unmarshal([]byte(c.want), &w) != nil {
			t.Fatalf("%s: not JSON: %s", name, got)
		}
		if diff := cmp.Diff(w, g); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// FuzzArguments: what is taken fits the schema, and taking it again changes nothing.
func FuzzArguments(f *testing.F) {
	f.Add([]byte(`{"name":"a","limit":"5","sure":"0.5","tags":"x,y","list":"[{}]"}`))
	f.Add([]byte(`{"name":1e5,"index":"-0","force":1,"mode":"OR"}`))
	schema := input(sample()...)
	resolved, err := schema.Resolve(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		if checkJSON(in) != nil {
			return
		}
		got, err := arguments(schema, map[string]string{"old": "mode"}, in)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Errorf("the error has several lines: %q", err)
			}
			return
		}
		var args map[string]any
		if err := json.Unmarshal(got, &args); err != nil {
			t.Fatal(err)
		}
		if args["mode"] == "" {
			delete(args, "mode") // "" stands for the default
		}
		for _, e := range list0(args["list"]) { // the memory judges incomplete ones
			if e["topic"] == nil {
				e["topic"] = ""
			}
		}
		if err := resolved.Validate(args); err != nil && !strings.Contains(err.Error(), "minItems") {
			t.Errorf("%s gives %s: %v", in, got, err)
		}
		again, err := arguments(schema, nil, got)
		if err != nil || string(again) != string(got) {
			t.Errorf("%s becomes %s, %v", got, again, err)
		}
	})
}

func list0(v any) (all []map[string]any) {
	values, _ := v.([]any)
	for _, e := range values {
		m, _ := e.(map[string]any)
		all = append(all, m)
	}
	return all
}
