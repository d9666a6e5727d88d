package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// arguments brings the arguments of a call into the form that the schema asks
// for. Models send numbers and booleans as strings, lists as one string with
// commas, and empty strings for what they leave out: all of that is taken. What
// cannot be taken is an error that names the argument and says what it may be.
// Old names, as in aliases, stand for the new ones, or are passed over if there is
// none. Which actions there are is left to dispatch, which has more to say on it.
func arguments(schema *jsonschema.Schema, aliases map[string]string, raw json.RawMessage) (json.RawMessage, error) {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || string(raw) == "null" {
		raw = []byte("{}")
	}
	value, err := decode(raw)
	if err != nil {
		return nil, err
	}
	args, ok := value.(map[string]any)
	if !ok {
		return nil, errors.New("the arguments must be an object")
	}
	for old, name := range aliases {
		if v, ok := args[old]; ok && name != "" && absent(args[name]) {
			args[name] = v
		}
		delete(args, old)
	}
	fixed, err := object(schema, args, "")
	if err != nil {
		return nil, err
	}
	return json.Marshal(fixed)
}

// decode keeps numbers as they are written.
func decode(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return nil, fmt.Errorf("the arguments are not JSON: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("the arguments are more than one JSON value")
	}
	return value, nil
}

// absent: an argument that says nothing. Not every model can leave one out.
func absent(value any) bool { return value == nil || value == "" }

// object brings an object to its schema. Only at the top must it be complete: of a
// batch, the memory leaves out what is incomplete and says so.
func object(schema *jsonschema.Schema, args map[string]any, where string) (map[string]any, error) {
	var unknown []string
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if schema.Properties[name] == nil {
			unknown = append(unknown, strconv.Quote(name))
		}
	}
	if len(unknown) > 0 {
		return nil, fmt.Errorf("%sunknown argument %s: there are %s", prefix(where), strings.Join(unknown, ", "), strings.Join(schema.PropertyOrder, ", "))
	}
	fixed := map[string]any{}
	for _, name := range schema.PropertyOrder {
		value, given := args[name]
		prop := schema.Properties[name]
		if !given || value == nil || value == "" && prop.Type != "string" {
			if where == "" && slices.Contains(schema.Required, name) {
				return nil, fmt.Errorf("%s%s is missing: %s", prefix(where), name, prop.Description)
			}
			continue
		}
		v, err := coerce(prop, value, prefix(where)+name)
		if err != nil {
			return nil, err
		}
		fixed[name] = v
	}
	return fixed, nil
}

func prefix(where string) string {
	if where == "" {
		return ""
	}
	return where + "."
}

// coerce brings one value to the type of its schema.
func coerce(schema *jsonschema.Schema, value any, where string) (any, error) {
	switch schema.Type {
	case "string":
		return text(schema, value, where)
	case "integer", "number":
		return number(schema, value, where)
	case "boolean":
		return truth(value, where)
	case "array":
		return list(schema, value, where)
	case "object":
		if s, ok := value.(string); ok && strings.HasPrefix(strings.TrimSpace(s), "{") {
			if v, err := decode([]byte(s)); err == nil {
				value = v
			}
		}
		m, ok := value.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("%s must be an object with %s", where, strings.Join(schema.PropertyOrder, ", "))
		}
		return object(schema, m, where)
	}
	panic("mcp: no rule for arguments of type " + schema.Type)
}

func text(schema *jsonschema.Schema, value any, where string) (any, error) {
	var s string
	switch v := value.(type) {
	case string:
		s = v
	case json.Number:
		s = v.String()
	case bool:
		s = strconv.FormatBool(v)
	case []any:
		var parts []string
		for _, part := range v {
			p, ok := part.(string)
			if !ok {
				return nil, fmt.Errorf("%s must be a string", where)
			}
			parts = append(parts, p)
		}
		s = strings.Join(parts, ",")
	default:
		return nil, fmt.Errorf("%s must be a string", where)
	}
	if len(schema.Enum) == 0 || where == "action" {
		return s, nil
	}
	s = strings.ToLower(strings.TrimSpace(s))
	if s != "" && !slices.Contains(schema.Enum, any(s)) {
		return nil, fmt.Errorf("%s is %q: it must be one of %s", where, s, names(schema.Enum))
	}
	return s, nil
}

func names(enum []any) string {
	var all []string
	for _, e := range enum {
		all = append(all, fmt.Sprint(e))
	}
	return strings.Join(all, ", ")
}

func number(schema *jsonschema.Schema, value any, where string) (any, error) {
	var s string
	switch v := value.(type) {
	case string:
		s = strings.TrimSpace(v)
	case json.Number:
		s = v.String()
	}
	n, err := strconv.ParseFloat(s, 64)
	whole := schema.Type == "integer"
	switch {
	case err != nil || math.IsInf(n, 0) || math.IsNaN(n) || whole && n != math.Trunc(n):
		what := "a number"
		if whole {
			what = "a whole number"
		}
		return nil, fmt.Errorf("%s must be %s, not %s", where, what, show(value))
	case schema.Minimum != nil && n < *schema.Minimum:
		return nil, fmt.Errorf("%s is %s: the least is %v", where, s, *schema.Minimum)
	case schema.Maximum != nil && n > *schema.Maximum:
		return nil, fmt.Errorf("%s is %s: the most is %v", where, s, *schema.Maximum)
	case whole && math.Abs(n) > 1<<31:
		return nil, fmt.Errorf("%s is %s: that is too large", where, s)
	case whole:
		return int64(n), nil
	}
	return n, nil
}

func truth(value any, where string) (any, error) {
	switch s := strings.ToLower(strings.TrimSpace(fmt.Sprint(value))); s {
	case "true", "1", "yes":
		return true, nil
	case "false", "0", "no":
		return false, nil
	}
	return nil, fmt.Errorf("%s must be true or false, not %s", where, show(value))
}

// list takes an array, one written as a JSON string, and strings with commas.
func list(schema *jsonschema.Schema, value any, where string) (any, error) {
	if s, ok := value.(string); ok {
		value = split(schema, s)
	}
	values, ok := value.([]any)
	if !ok {
		return nil, fmt.Errorf("%s must be an array, not %s", where, show(value))
	}
	if schema.MaxItems != nil && len(values) > *schema.MaxItems {
		return nil, fmt.Errorf("%s has %d elements: the most is %d", where, len(values), *schema.MaxItems)
	}
	fixed := []any{}
	for i, v := range values {
		f, err := coerce(schema.Items, v, fmt.Sprintf("%s[%d]", where, i))
		if err != nil {
			return nil, err
		}
		fixed = append(fixed, f)
	}
	return fixed, nil
}

func split(schema *jsonschema.Schema, s string) any {
	if strings.HasPrefix(strings.TrimSpace(s), "[") {
		if v, err := decode([]byte(s)); err == nil {
			return v
		}
	}
	if schema.Items.Type != "string" {
		return s
	}
	values := []any{}
	for _, part := range strings.Split(s, ",") {
		if part = strings.TrimSpace(part); part != "" {
			values = append(values, part)
		}
	}
	return values
}

// show is a value as an error quotes it.
func show(value any) string {
	b, err := json.Marshal(value)
	if err != nil || len(b) > 60 {
		return "this"
	}
	return string(b)
}
