package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// ProjectFile is the project's settings below the root of its checkout.
const ProjectFile = ".helix/config.yaml"

// UserFile is the user's settings: in XDG_CONFIG_HOME, or the folder that stands
// for it. It is empty when the user has no home.
func UserFile(getenv func(string) string) string {
	if dir := getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "helix", "config.yaml")
	}
	if home := getenv("HOME"); home != "" {
		return filepath.Join(home, ".config", "helix", "config.yaml")
	}
	return ""
}

// Load reads the settings that hold for the checkout at root, or outside of any for
// "". What cannot be understood is an error that names the file, line and key, or the
// variable.
func Load(root string, getenv func(string) string) (Config, error) {
	c := Default()
	files := []string{UserFile(getenv)}
	if root != "" {
		files = append(files, filepath.Join(root, ProjectFile))
	}
	for _, path := range files {
		if err := c.readFile(path); err != nil {
			return Config{}, err
		}
	}
	for _, s := range Settings() {
		text := ""
		if s.Env != "" {
			text = getenv(s.Env)
		}
		if text == "" {
			continue
		}
		if err := s.set(&c, value{text: text, env: true}); err != nil {
			return Config{}, fmt.Errorf("environment variable %s %w", s.Env, err)
		}
		c.Origins[s.Key] = "$" + s.Env
	}
	return c, nil
}

func (c *Config) readFile(path string) error {
	if path == "" {
		return nil
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the settings cannot be read: %w", err)
	}
	return c.merge(path, data)
}

// merge puts the settings of one file over c.
func (c *Config) merge(path string, data []byte) error {
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		return fmt.Errorf("%s is not YAML: %s", path, firstLine(err))
	}
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		pairs, ok := mapping(doc.Body)
		if !ok {
			return fmt.Errorf("%s:%d: settings are lines of the form key: value", path, lineOf(doc.Body))
		}
		for _, pair := range pairs {
			if err := c.mergeKey(path, "", pair); err != nil {
				return err
			}
		}
	}
	return nil
}

func mapping(node ast.Node) ([]*ast.MappingValueNode, bool) {
	switch n := node.(type) {
	case *ast.MappingNode:
		return n.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, true
	case *ast.CommentGroupNode, *ast.NullNode:
		return nil, true
	}
	return nil, false
}

// mergeKey sets one key; group is that before its dot.
func (c *Config) mergeKey(path, group string, pair *ast.MappingValueNode) error {
	key, line := group+pair.Key.GetToken().Value, lineOf(pair.Key)
	settings := Settings()
	if group == "" && slices.ContainsFunc(settings, func(s Setting) bool { return strings.HasPrefix(s.Key, key+".") }) {
		pairs, ok := mapping(pair.Value)
		if !ok {
			return fmt.Errorf("%s:%d: %s must be a group of settings", path, line, key)
		}
		for _, p := range pairs {
			if err := c.mergeKey(path, key+".", p); err != nil {
				return err
			}
		}
		return nil
	}
	i := slices.IndexFunc(settings, func(s Setting) bool { return s.Key == key })
	if i < 0 {
		return fmt.Errorf("%s:%d: unknown key %q%s", path, line, key, suggestion(key, settings))
	}
	s := settings[i]
	v, err := read(pair.Value, s.List)
	if err == nil {
		err = s.set(c, v)
	}
	if err != nil {
		return fmt.Errorf("%s:%d: %s %w", path, line, key, err)
	}
	c.Origins[key] = path
	return nil
}

func read(node ast.Node, list bool) (value, error) {
	if !list {
		text, ok := scalar(node)
		if !ok {
			return value{}, errors.New("must be a single value")
		}
		return value{text: text}, nil
	}
	seq, ok := node.(*ast.SequenceNode)
	if !ok {
		return value{}, errors.New(`must be a list, such as ["one", "two"]`)
	}
	v := value{list: []string{}}
	for _, item := range seq.Values {
		text, ok := scalar(item)
		if !ok {
			return value{}, errors.New("must be a list of texts")
		}
		v.list = append(v.list, text)
	}
	return v, nil
}

func scalar(node ast.Node) (string, bool) {
	switch n := node.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value, true
	}
	return "", false
}

func lineOf(node ast.Node) int {
	if t := node.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line
	}
	return 1
}

func firstLine(err error) string {
	first, _, _ := strings.Cut(err.Error(), "\n")
	return first
}

// suggestion names the key that was probably meant.
func suggestion(key string, settings []Setting) string {
	best, at := 3, ""
	for _, s := range settings {
		if d := distance(key, s.Key); d < best {
			best, at = d, s.Key
		}
	}
	if at == "" {
		return "; see the table of settings in the README"
	}
	return fmt.Sprintf("; did you mean %q?", at)
}

// distance counts the single-letter edits between two words (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
