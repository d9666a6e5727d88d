// Package precompute keeps what an agent should know about a project ready in a file,
// so that a hook, which has a millisecond, can pass it on (spec "Non-Blocking Hook
// Pattern"). The file is JSON:
//
//	{"timestamp":1706940000,"project_hash":"a1b2c3d4e5f60718","context":"# Project context…",
//	 "nodes_included":["src/main.rs"],"experience_count":5}
//
// A server runs a Refresher: it writes the file at its start, after changes of the
// memory, of the project's HEAD and of its rules, and when a hook asks. Nobody waits
// for it. Several servers of one project need not know of each other: the file is
// replaced in one step, and is left alone while nothing is newer.
package precompute
