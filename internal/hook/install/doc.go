// Package install writes helix into the settings of Claude Code and Codex, and
// takes it out again: the hooks that call helix-hook, and the memory server.
//
//	places, err := install.Places(install.Machine{Home: home, …}, "all", install.User)
//	change, err := install.Hooks(places[0], program)     // or Unhook
//	change, err := install.Server(places[0], program, …) // or Unserve
//
// The files belong to the person, and other programs write into them too. So an
// edit touches only the bytes that it is about, a file that is not what the client
// could read is left alone with an error that says where it is wrong, nothing is
// written when nothing changes, and what was there is kept beside it as
// <name>.helix-backup.
package install
