// Package git runs the git program and reads its answers. It is the only place
// that starts git: every call gets LC_ALL=C, no terminal prompt and no pager, so
// that its output can be parsed and it can never wait for a person.
package git
