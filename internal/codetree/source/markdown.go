package source

import (
	"bytes"
	"strings"
)

// parseMarkdown takes the headings that begin with # as sections, those in code
// blocks left out. Setext headings (underlined) are not read.
func parseMarkdown(f *File, src []byte) {
	fence := ""
	var open []int // the sections around, outermost first
	var levels []int
	line, prose := 0, ""
	for text := range bytes.Lines(src) {
		line++
		s := strings.TrimRight(string(text[:min(len(text), 1000)]), "\r\n")
		trimmed := strings.TrimLeft(s, " ")
		if fence != "" {
			if strings.HasPrefix(trimmed, fence) {
				fence = ""
			}
			continue
		}
		if strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~") {
			fence = trimmed[:3]
			continue
		}
		level := len(s) - len(strings.TrimLeft(s, "#"))
		if level == 0 || level > 6 || level < len(s) && s[level] != ' ' && s[level] != '\t' {
			prose = leading(f, prose, trimmed)
			continue
		}
		name := strings.TrimSpace(strings.TrimRight(strings.TrimSpace(s[level:]), "#"))
		if name == "" {
			continue
		}
		for len(open) > 0 && levels[len(levels)-1] >= level {
			f.Symbols[open[len(open)-1]].EndLine = line - 1
			open, levels = open[:len(open)-1], levels[:len(levels)-1]
		}
		parent := -1
		if len(open) > 0 {
			parent = open[len(open)-1]
		}
		open, levels = append(open, len(f.Symbols)), append(levels, level)
		f.Symbols = append(f.Symbols, Symbol{Name: clip(name, maxName), Kind: Section, Line: line, Signature: s, Exported: true, Parent: parent})
	}
	f.Doc = summary(prose)
	for _, i := range open {
		f.Symbols[i].EndLine = f.Lines
	}
}

// leading adds a line to the first paragraph of prose, which stands before the
// second heading.
func leading(f *File, prose, line string) string {
	switch {
	case strings.HasSuffix(prose, "\n\n") || len(f.Symbols) > 1 || prose == "" && (line == "" || strings.IndexAny(line, "<[!|-=") == 0):
		return prose
	case len(prose) > 4*maxDoc:
		return prose + "\n\n"
	}
	return prose + line + "\n"
}
