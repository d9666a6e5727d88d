package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// table is a table of a TOML file: its name, and the bytes from its header to the
// end of its last key. What follows up to the next header are blank lines and
// comments, which may well be about the next one.
type table struct {
	name     []string
	from, to int
}

// setTable writes the table of the memory server into the settings of Codex: in
// place of the one that is there, else at the end.
func setTable(text []byte, helix string, args []string, approve bool) ([]byte, error) {
	all, err := codexTables(text)
	if err != nil {
		return nil, err
	}
	want := render(helix, args, approve)
	i := slices.IndexFunc(all, isServer)
	if i < 0 {
		var b bytes.Buffer
		b.Write(text)
		if len(text) > 0 {
			if text[len(text)-1] != '\n' {
				b.WriteByte('\n')
			}
			b.WriteByte('\n')
		}
		b.WriteString(want)
		return checked(b.Bytes())
	}
	t := all[i]
	now := string(text[t.from:t.to])
	if says(now, want) {
		return text, nil
	}
	return checked(slices.Concat(text[:t.from], []byte(want), text[t.to:]))
}

// dropTable takes that table out, and those below it.
func dropTable(text []byte) ([]byte, error) {
	all, err := codexTables(text)
	if err != nil {
		return nil, err
	}
	for _, t := range slices.Backward(all) {
		if len(t.name) < 2 || t.name[0] != "mcp_servers" || t.name[1] != serverName {
			continue
		}
		before, after := text[:t.from], text[t.to:]
		// One of the blank lines around it goes with it.
		if bytes.HasSuffix(before, []byte("\n\n")) {
			before = before[:len(before)-1]
		} else if len(before) == 0 {
			after = bytes.TrimPrefix(after, []byte("\n"))
		}
		text = slices.Concat(before, after)
	}
	return checked(text)
}

func isServer(t table) bool { return slices.Equal(t.name, []string{"mcp_servers", serverName}) }

// passed are the variables of the environment that the server gets from Codex,
// which hands on no others: without them it would serve another memory than the
// one that the hooks look into.
const passed = `env_vars = ["HELIX_KB", "HELIX_SESSION"]`

func render(helix string, args []string, approve bool) string {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = tomlString(a)
	}
	text := "[mcp_servers." + serverName + "]\ncommand = " + tomlString(helix) + "\nargs = [" + strings.Join(words, ", ") + "]\n" + passed + "\n"
	if approve {
		text += "default_tools_approval_mode = \"approve\"\n"
	}
	return text
}

// tomlString writes s as JSON does: every escape of JSON is one of TOML.
func tomlString(s string) string { return encode(s, "", "", true) }

// says tells whether text has each line of want. What is passed on is for the
// person to choose, once there is a list.
func says(text, want string) bool {
	have := strings.Split(text, "\n")
	for l := range strings.Lines(want) {
		l = strings.TrimSuffix(l, "\n")
		if !slices.ContainsFunc(have, func(h string) bool { return h == l || l == passed && strings.HasPrefix(h, "env_vars") }) {
			return false
		}
	}
	return true
}

// checked refuses to hand out what Codex could not read.
func checked(text []byte) ([]byte, error) {
	var v map[string]any
	if err := toml.Unmarshal(text, &v); err != nil {
		return nil, fmt.Errorf("helix cannot edit it without breaking it: %w", err)
	}
	return text, nil
}

// codexTables reads where the tables of a valid file are. A memory server that is
// written in another form than a table is not helix's to change.
func codexTables(text []byte) ([]table, error) {
	var v struct {
		Servers map[string]any `toml:"mcp_servers"`
	}
	if err := toml.Unmarshal(text, &v); err != nil {
		var at *toml.DecodeError
		if errors.As(err, &at) {
			line, column := at.Position()
			return nil, fmt.Errorf("not valid TOML at line %d, column %d: %w", line, column, err)
		}
		return nil, fmt.Errorf("not the settings of Codex: %w", err)
	}
	all := tables(text)
	if _, set := v.Servers[serverName]; set && !slices.ContainsFunc(all, isServer) {
		return nil, fmt.Errorf("it sets mcp_servers.%s in another form than a table [mcp_servers.%s]; take that out first", serverName, serverName)
	}
	return all, nil
}

// tables finds the headers and ends of the tables in a valid file.
func tables(text []byte) []table {
	var all []table
	for i := 0; i < len(text); {
		for i < len(text) && strings.IndexByte(" \t\r\n", text[i]) >= 0 {
			i++
		}
		if i == len(text) {
			break
		}
		start := i
		switch text[i] {
		case '#':
			i = lineEnd(text, i)
			continue
		case '[':
			i = lineEnd(text, i)
			all = append(all, table{headerName(string(text[start:i])), lineStart(text, start), i})
			continue
		}
		i = statementEnd(text, i)
		if len(all) > 0 {
			all[len(all)-1].to = i
		}
	}
	return all
}

// lineEnd is behind the end of the line that i is in.
func lineEnd(text []byte, i int) int {
	if n := bytes.IndexByte(text[i:], '\n'); n >= 0 {
		return i + n + 1
	}
	return len(text)
}

func lineStart(text []byte, i int) int { return bytes.LastIndexByte(text[:i], '\n') + 1 }

// statementEnd is behind the line on which the statement at i ends. Strings and
// lists may go over several lines.
func statementEnd(text []byte, i int) int {
	depth := 0
	for i < len(text) {
		switch c := text[i]; c {
		case '"', '\'':
			i = stringEnd(text, i)
			continue
		case '#':
			i = lineEnd(text, i) - 1
			if i < len(text) && text[i] != '\n' {
				return len(text)
			}
			continue
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case '\n':
			if depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return i
}

// stringEnd is behind the string that begins at i.
func stringEnd(text []byte, i int) int {
	q := text[i]
	end := []byte{q}
	if triple := bytes.Repeat(end, 3); bytes.HasPrefix(text[i:], triple) {
		end = triple
	}
	for i += len(end); i < len(text); i++ {
		if q == '"' && text[i] == '\\' {
			i++
			continue
		}
		if bytes.HasPrefix(text[i:], end) {
			i += len(end)
			for len(end) == 3 && i < len(text) && text[i] == q { // up to two more belong to the string
				i++
			}
			return i
		}
	}
	return len(text)
}

// headerName reads the keys of a header, [a."b".c] or [[a]].
func headerName(line string) []string {
	line = strings.TrimLeft(line, "[ \t")
	var name []string
	for line != "" {
		var key string
		switch line[0] {
		case '"', '\'':
			end := stringEnd([]byte(line), 0)
			key = line[1 : end-1]
			if line[0] == '"' {
				_ = json.Unmarshal([]byte(line[:end]), &key) // an escape that only TOML has is none of helix's
			}
			line = line[end:]
		default:
			end := strings.IndexAny(line, ".] \t")
			if end < 0 {
				return name
			}
			key, line = line[:end], line[end:]
		}
		name = append(name, key)
		line = strings.TrimLeft(line, " \t")
		if !strings.HasPrefix(line, ".") {
			return name
		}
		line = strings.TrimLeft(line[1:], " \t")
	}
	return name
}
