// Package handover says where a server leaves what the hooks pick up, in the folder
// cache of the memory:
//
//	cache/<project>.ctx        what to know about a project, see package precompute
//	cache/settings             the user's settings, as far as a hook needs them
//	cache/<project>.settings   the same for a project that has settings of its own
//
// <project> is a hash of the path of the project's root. Everything in the folder can
// be deleted: it is made again. A hook process links this package, so it must stay
// small: no YAML, no encoding/json.
package handover
