// Package socket answers questions about the memory on a unix socket beside it,
// hook.sock: hooks and scripts ask a server that is running anyway instead of
// opening the memory themselves.
//
// A connection carries one request, a JSON object on one line, and one answer:
// text and a newline. What cannot be answered gets an empty line.
//
//	{"op":"search","query":"token lifetime","limit":5}   one entry a line
//	{"op":"topics"}                                      auth (3), build (12)
//	{"op":"ambient","path":"auth.go","stem":"auth","syms":["Login"]}
//	{"op":"hook_ambient", …what a hook gets…}            what the hook answers
//	{"op":"refresh","root":"/src/shop"}                  nothing, see package precompute
//
// Only the user may connect (mode 0600). One server of a folder has the socket,
// by a lock that ends with its process: a socket that a dead one left is replaced,
// one that is answered by anything is left alone.
package socket
