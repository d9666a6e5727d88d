// Package entry is the record of memory: the Entry itself, the things that are
// written about an entry later (Change, Edge, Vector), and the text form that
// each of them has in the log.
//
// The text form is made to be read by eye. An entry is a topic and a body; the
// body is a block of metadata lines, an empty line, and the text as it is:
//
//	[id: mem_2026-06-18_auth-retry_a1b2]
//	[kind: decision]
//	[tags: auth, retry]
//	[source: client/auth.go:42]
//	[confidence: 0.8]
//
//	The auth client retries three times, with jitter.
//
// Only the first empty line ends the block, so a text that itself contains
// metadata lines needs no escaping and comes back byte for byte. A line whose key
// or value this version does not understand is kept in Entry.Extra and written
// out again, so that an older helix never loses what a newer one wrote.
//
// Logs of the original program (version 1) have no id line and no empty line;
// DecodeV1 reads those by the original's rule.
//
// Everything here is pure: no file, no clock, no random number.
package entry
