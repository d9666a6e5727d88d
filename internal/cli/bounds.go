package cli

import (
	"fmt"
	"strconv"
	"time"
)

// The bounds of a run are flags that know whether they were given, and that take
// "none" for no limit: unbounded is something to ask for by name.

type boundedDuration struct {
	value time.Duration
	given bool
}

func (b *boundedDuration) String() string { return boundText(b.given, b.value == 0, b.value) }
func (b *boundedDuration) Type() string   { return "duration" }

func (b *boundedDuration) Set(s string) error {
	if b.given = true; s == "none" {
		b.value = 0
		return nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 {
		return fmt.Errorf(`%q is not a time such as 90m or 8h, nor "none"`, s)
	}
	b.value = d
	return nil
}

type boundedInt struct {
	value int64
	given bool
}

func (b *boundedInt) String() string { return boundText(b.given, b.value == 0, b.value) }
func (b *boundedInt) Type() string   { return "number" }

func (b *boundedInt) Set(s string) error {
	if b.given = true; s == "none" {
		b.value = 0
		return nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n <= 0 {
		return fmt.Errorf(`%q is not a number above 0, nor "none"`, s)
	}
	b.value = n
	return nil
}

type boundedFloat struct {
	value float64
	given bool
}

func (b *boundedFloat) String() string { return boundText(b.given, b.value == 0, b.value) }
func (b *boundedFloat) Type() string   { return "dollars" }

func (b *boundedFloat) Set(s string) error {
	if b.given = true; s == "none" {
		b.value = 0
		return nil
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || !(n > 0) || n > 1e9 {
		return fmt.Errorf(`%q is not an amount above 0, nor "none"`, s)
	}
	b.value = n
	return nil
}

func boundText(given, none bool, value any) string {
	switch {
	case !given:
		return ""
	case none:
		return "none"
	}
	return fmt.Sprint(value)
}
