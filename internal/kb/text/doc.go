// Package text takes texts apart into the words that the memory is searched by.
//
// A word is folded: lower case, compatibility forms and diacritics removed, so
// that "Café" and "cafe" are one. An identifier gives its parts and the whole:
// CachedEntry and cached_entry both give cached, entry and cachedentry. Scripts
// that are written without spaces give single characters and pairs of them.
// Stem cuts a word down to what its inflections share.
//
// The same rules serve texts and queries. Everything here is pure.
package text
