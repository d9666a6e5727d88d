// Package prompt makes what helix tells an agent, and reads what the agent
// answers.
//
// A prompt is an action document of workflows/ (library.go) between a head that
// says what it is about and the material of the case (compose.go, material.go).
// An answer carries trailer lines such as "REVIEW_STATUS: …": action.go says
// which ones each action has, trailer.go finds them, answers.go and findings.go
// read them. context.go makes .helix/context.md.
//
// Everything here is a pure function of its inputs, except for reading the
// library's files. What people and agents wrote (beads, requests, memories,
// output of commands) reaches a prompt only as material, marked line by line, so
// that it can neither pass for instructions nor for an answer.
package prompt
