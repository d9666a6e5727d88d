package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// table is the results for one size.
type table struct {
	rows   [][4]string
	failed bool
}

// part runs a part of the measurement; an error becomes a row.
func (t *table) part(name string, run func() error) bool {
	if err := run(); err != nil {
		t.rows = append(t.rows, [4]string{name, "", "", "failed: " + strings.ReplaceAll(strings.TrimSpace(err.Error()), "\n", "; ")})
		t.failed = true
		return false
	}
	return true
}

// times adds a row of times in milliseconds.
func (t *table) times(name string, ms []float64, note string) {
	t.rows = append(t.rows, [4]string{name, duration(quantile(ms, 0.5)), duration(quantile(ms, 0.95)), note})
}

// value adds a row of one number.
func (t *table) value(name, value, note string) {
	t.rows = append(t.rows, [4]string{name, value, "", note})
}

func (t *table) print(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "measure\tmedian\tp95\t")
	for _, r := range t.rows {
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\n", r[0], r[1], r[2], r[3])
	}
	return tw.Flush()
}

// quantile gives the smallest value that the share q of all does not exceed.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

func duration(ms float64) string {
	switch {
	case ms < 1:
		return fmt.Sprintf("%.0f µs", ms*1000)
	case ms < 100:
		return fmt.Sprintf("%.2f ms", ms)
	case ms < 10_000:
		return fmt.Sprintf("%.0f ms", ms)
	}
	return fmt.Sprintf("%.1f s", ms/1000)
}
