// Package gate knows the commands that must pass before work lands: the
// project's own gates, found in its files (Detect), and the acceptance commands
// of a bead, found in its text (Acceptance, Given). Both are pure. Runner runs
// one of them, in a process group of its own, bounded in time.
//
// A command is only taken from a text where the text leaves no doubt that it is
// meant as one; prose is never executed.
package gate
