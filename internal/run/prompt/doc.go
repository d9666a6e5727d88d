// Package prompt makes what helix tells an agent, and reads what the agent
// answers.
//
// A prompt is an action document of workflows/ (action.go, library.go) with the
// facts of the case put in front of it (compose.go). An answer ends in trailer
// lines such as "NEXT_ACTION: BUILD" (trailer.go, answers.go). Everything here is
// a pure function of its inputs, except for reading the library's files.
package prompt
