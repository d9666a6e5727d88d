package tracker

import "golang.org/x/sys/unix"

// renameNew renames a folder to a name that must be free. Unlike rename(2) it
// does not replace an empty folder.
func renameNew(from, to string) error {
	return unix.RenamexNp(from, to, unix.RENAME_EXCL)
}
