// Package lazyregexp has regular expressions that are compiled at their first use.
// A package may name a hundred of them, and a command that needs none pays nothing:
// compiling took helix longer than all else at its start.
package lazyregexp

import (
	"regexp"
	"sync"
)

// Regexp is an expression. It is safe for concurrent use.
type Regexp struct {
	text string
	once sync.Once
	re   *regexp.Regexp
}

// New names an expression. One that makes no sense panics at its first use.
func New(text string) *Regexp { return &Regexp{text: text} }

// Get is the compiled expression.
func (r *Regexp) Get() *regexp.Regexp {
	r.once.Do(func() { r.re = regexp.MustCompile(r.text) })
	return r.re
}

// MatchString is that of regexp, as the methods below.
func (r *Regexp) MatchString(s string) bool { return r.Get().MatchString(s) }

// FindString is that of regexp.
func (r *Regexp) FindString(s string) string { return r.Get().FindString(s) }

// FindStringIndex is that of regexp.
func (r *Regexp) FindStringIndex(s string) []int { return r.Get().FindStringIndex(s) }

// FindStringSubmatch is that of regexp.
func (r *Regexp) FindStringSubmatch(s string) []string { return r.Get().FindStringSubmatch(s) }

// FindAllStringSubmatch is that of regexp.
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.Get().FindAllStringSubmatch(s, n)
}

// ReplaceAllString is that of regexp.
func (r *Regexp) ReplaceAllString(s, by string) string { return r.Get().ReplaceAllString(s, by) }
