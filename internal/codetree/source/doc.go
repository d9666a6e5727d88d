// Package source finds what a source file declares, calls and imports. It is pure:
// bytes in, a File out, for any input and without an error. What cannot be
// understood is left out.
//
// Go is read by go/parser. The other languages share one scanner (token.go), set
// up by a table for each language (syntax.go), that knows comments, strings and
// brackets; on top of its tokens each language has a recogniser of declarations
// (javascript.go, rust.go, java.go, cc.go, python.go). They read declarations, not
// expressions: nothing is type-checked, and a call is a name before a parenthesis.
// Markdown headings are declarations too, so that a section can be found.
package source
