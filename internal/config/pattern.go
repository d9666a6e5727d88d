package config

import (
	"fmt"
	"path"
	"strings"
)

// Excluded tells whether a path, with slashes, matches one of the patterns. In a
// pattern ** stands for any number of folders, also none; within a name * ? and [ ]
// mean what they mean in package path. A pattern must match the whole path.
func Excluded(patterns []string, name string) bool {
	parts := strings.Split(name, "/")
	for _, p := range patterns {
		if matches(strings.Split(p, "/"), parts) {
			return true
		}
	}
	return false
}

// matches goes through the pattern as one goes through a line of text with stars:
// when it fails, only the last ** has to take one part more.
func matches(pattern, parts []string) bool {
	p, at := 0, 0
	star, from := -1, 0 // the last **, and where the parts begin that it does not take
	for at < len(parts) {
		switch {
		case p < len(pattern) && pattern[p] == "**":
			star, from = p, at
			p++
			continue
		case p < len(pattern):
			if ok, err := path.Match(pattern[p], parts[at]); ok && err == nil {
				p++
				at++
				continue
			}
		}
		if star < 0 {
			return false
		}
		from++
		p, at = star+1, from
	}
	for p < len(pattern) && pattern[p] == "**" {
		p++
	}
	return p == len(pattern)
}

func checkPattern(p string) error {
	if _, err := path.Match(p, ""); err != nil || p == "" {
		return fmt.Errorf("holds %q, which is not a pattern such as **/vendor/**", p)
	}
	return nil
}
