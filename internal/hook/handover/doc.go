// Package handover says where others leave what the hooks pick up. A server does in the
// folder cache of the memory:
//
//	cache/<project>.ctx        what to know about a project, see package precompute
//	cache/settings             the user's settings, as far as a hook needs them
//	cache/<project>.settings   the same for a project that has settings of its own
//
// <project> is a hash of the path of the project's root. Everything in the folder can
// be deleted: it is made again.
//
// A run leaves for the agent of an attempt whose prompt is not helix's, in the checkout:
//
//	.helix-logs/attempts/<attempt>/context.md              what the agent is to be told
//	.helix-logs/attempts/<attempt>/context.md.told-<hash>  what a session was told of it
//
// The latter is left by the hook that told it: how many bytes, a space, and the checkout
// that the session worked in. A hook process links this package, so it must stay
// small: no YAML, no encoding/json.
package handover
