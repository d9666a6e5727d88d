// Package checkout finds the git checkout that a folder lies in, and the name under
// which entries of the memory belong to its project:
//
//	checkout.Root("/home/me/shop/src")  // "/home/me/shop", "" outside of any
//	checkout.Project("/home/me/shop")   // "/home/me/shop", as for each of its work trees
//
// It does not start git, and a hook process links it, so it must stay small.
package checkout
