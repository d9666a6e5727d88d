// Package codetree is a map of a project's source: its folders, files and the
// symbols in them, what they import and what they call. It is kept in one file in
// the user's cache folder, mapped into memory and read piece by piece, and brought
// up to date by parsing only what has changed.
//
// Update lists the project's files (list.go), parses those that differ from what
// the last tree saw (update.go; package source does the parsing), merges the rest
// of the last tree with them (merge.go) and replaces the file (write.go). format.go
// says what the file looks like, record.go what it holds for each source file.
//
// Open maps the file; a Tree then answers by node (node.go), by name (query.go), by
// import (resolve.go) and by a question in words (ask.go). A file that is damaged,
// foreign or of another version is never read: Open refuses it, and Update builds
// it anew. An update gives byte for byte what a build from nothing would give.
package codetree
