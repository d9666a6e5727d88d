// Package ask answers a question about a project from what knows most about it: the
// code tree for "what calls X", the memory for "why is X so", both for the rest.
//
// Classify chooses by the words of the question (spec "Hybrid Retrieval Routing"),
// Fuse joins ranked lists by reciprocal rank, and Question runs the whole.
package ask
