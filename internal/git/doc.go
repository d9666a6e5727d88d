// Package git runs the git program and reads its answers. It is the only place
// that starts git: every call gets LC_ALL=C, no terminal prompt and no pager, so
// that its output can be parsed and it can never wait for a person.
//
// Repo is one checkout. Beside plain calls (git.go) it knows refs and ancestry
// (refs.go), work trees and what is unfinished in them (worktree.go), how trees
// differ (change.go), commits (commit.go, message.go), and how to store all that
// a work tree holds without touching it (snapshot.go). What helix changes by
// itself goes through Repo.Unattended.
package git
