// Package brief makes one short briefing out of many entries: what to know about
// a topic before working on it.
//
// It takes the entries that the caller collected and goes four steps:
//
//	score     relevance × freshness × confidence, and more for what others link to
//	compress  folds what is said twice, what a newer entry says anew, and notes
//	          that were written in one go
//	classify  sorts what is left into gotchas, decisions, …
//	format    a summary, a scan, or the full text
//
// Nothing is lost on the way: what an entry stands for is named in it, by id.
//
// Survey is the briefing about a whole memory: where the activity is.
//
// Everything here is pure: no file, and the caller says what time it is. The same
// input gives the same briefing, whatever the order of the input.
//
// Source of the rules: the briefing of the knowledge base specification.
package brief
