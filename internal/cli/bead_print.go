package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"

	"helix/internal/tracker"
)

// printRows writes rows as a JSON array, one row a line, as they are stored.
func (a *App) printRows(rows []json.RawMessage) error {
	if len(rows) == 0 {
		_, err := io.WriteString(a.Stdout, "[]\n")
		return err
	}
	w := bufio.NewWriterSize(a.Stdout, 1<<16)
	sep := "[\n"
	for _, row := range rows {
		w.WriteString(sep) // Flush reports its error
		w.Write(row)
		sep = ",\n"
	}
	w.WriteString("\n]\n")
	return w.Flush()
}

func rowsOf(beads []*tracker.Bead) ([]json.RawMessage, error) {
	rows := make([]json.RawMessage, len(beads))
	for i, b := range beads {
		row, err := b.JSON()
		if err != nil {
			return nil, err
		}
		rows[i] = row
	}
	return rows, nil
}

// printBeads writes one line a bead, in columns.
func (a *App) printBeads(beads []*tracker.Bead, none string) error {
	if len(beads) == 0 {
		_, err := fmt.Fprintln(a.Stdout, none)
		return err
	}
	rows := make([][]string, len(beads))
	for i, b := range beads {
		rows[i] = []string{plain(b.ID), "P" + strconv.Itoa(b.Priority), plain(string(b.Status)), plain(b.Type), plain(b.Title)}
	}
	return a.printTable(rows)
}

// printTable aligns columns; the last one is cut at the edge of a terminal.
func (a *App) printTable(rows [][]string) error {
	width := a.width()
	var widths []int
	for _, row := range rows {
		for i, cell := range row[:len(row)-1] {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	w := bufio.NewWriter(a.Stdout)
	for _, row := range rows {
		used := 0
		for i, cell := range row[:len(row)-1] {
			fmt.Fprintf(w, "%s%s  ", cell, strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)))
			used += widths[i] + 2
		}
		fmt.Fprintln(w, cut(row[len(row)-1], width-used))
	}
	return w.Flush()
}

// width is that of the terminal, or without bound where output goes elsewhere.
func (a *App) width() int {
	if f, ok := a.Stdout.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
			return w
		}
	}
	return 1 << 30
}

// cut shortens text to n runes; a narrow terminal still shows some of it.
func cut(text string, n int) string {
	n = max(n, 20)
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return string([]rune(text)[:n-1]) + "…"
}

// plain makes one line of text that cannot steer a terminal: beads are written
// by agents.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, text)
}

// plainLines is plain for text of several lines.
func plainLines(text string) []string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i := range lines {
		lines[i] = plain(lines[i])
	}
	return lines
}
