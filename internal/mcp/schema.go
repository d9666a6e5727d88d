package mcp

import (
	"fmt"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"
)

// arg is one argument of a tool. Arguments are written out rather than taken from
// the request types: their descriptions are what a model knows of the tool.
type arg struct {
	name     string
	schema   *jsonschema.Schema
	required bool
}

func (a arg) must() arg {
	a.required = true
	return a
}

func str(name, description string, enum ...string) arg {
	s := &jsonschema.Schema{Type: "string", Description: description}
	for _, e := range enum {
		s.Enum = append(s.Enum, e)
	}
	return arg{name: name, schema: s}
}

// count is a whole number of something, where 0 stands for the default.
func count(name, description string) arg {
	return arg{name: name, schema: &jsonschema.Schema{Type: "integer", Description: description, Minimum: new(0.0)}}
}

// place is the argument index: a place in a topic, from the end if negative.
func place(description string) arg {
	return arg{name: "index", schema: &jsonschema.Schema{Type: "integer", Description: description}}
}

func fraction(name, description string) arg {
	return arg{name: name, schema: &jsonschema.Schema{Type: "number", Description: description, Minimum: new(0.0), Maximum: new(1.0)}}
}

func yes(name, description string) arg {
	return arg{name: name, schema: &jsonschema.Schema{Type: "boolean", Description: description}}
}

func texts(name, description string) arg {
	return arg{name: name, schema: &jsonschema.Schema{Type: "array", Description: description, Items: &jsonschema.Schema{Type: "string"}}}
}

func objects(name, description string, most int, args ...arg) arg {
	return arg{name: name, schema: &jsonschema.Schema{Type: "array", Description: description, Items: input(args...), MinItems: new(1), MaxItems: &most}}
}

// input is the schema of an object with these arguments and no other.
func input(args ...arg) *jsonschema.Schema {
	s := &jsonschema.Schema{
		Type:                 "object",
		Properties:           map[string]*jsonschema.Schema{},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
	}
	for _, a := range args {
		s.Properties[a.name] = a.schema
		s.PropertyOrder = append(s.PropertyOrder, a.name)
		if a.required {
			s.Required = append(s.Required, a.name)
		}
	}
	return s
}

// output is the schema of a result type.
func output[T any]() *jsonschema.Schema {
	s, err := jsonschema.ForType(reflect.TypeFor[T](), &jsonschema.ForOptions{})
	if err != nil {
		panic(fmt.Sprintf("mcp: no schema for %v: %v", reflect.TypeFor[T](), err))
	}
	return s
}
