package tracker

import "golang.org/x/sys/unix"

// renameNew renames a folder to a name that must be free. Unlike rename(2) it
// does not replace an empty folder.
func renameNew(from, to string) error {
	return unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE)
}
