// Package cli is the command line: one file a command. A command reads its
// flags, calls a service, and prints what came back; it decides nothing.
//
// Results go to standard output, progress and errors to standard error. Every
// read command takes --json. A failure is one line that starts with "helix: ".
package cli
