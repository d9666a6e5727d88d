package hook

import (
	"bytes"
	"encoding/binary"
	"errors"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"

	"helix/internal/hook/handover"
	"helix/internal/kb/rawfile"
)

// socketName is the server's socket in the folder of the memory, that of package
// kb/socket, which a hook does not link.
const socketName = "hook.sock"

// atStart is what the start of a session has to do with its project: pass on what is
// known, have it brought up to date, and see to it that there is a server and a queue,
// as far as the person has set that. What goes wrong with it is nobody's business.
func (q *request) atStart() string {
	if q.ofRun() {
		return ""
	}
	p, ok := q.project()
	if !ok {
		return ""
	}
	dir, err := q.dir()
	if err != nil {
		return ""
	}
	text := q.prepared(p)
	if text != "" {
		text = "\n\n" + text
	}
	answered := nudge(filepath.Join(dir, socketName), p.root)
	queue := rawfile.Exists(p.root + "/.ddx")
	if answered && queue {
		return text
	}
	s := handover.ReadSettings(dir, p.hash)
	if !answered && s.AutoStart && q.env.Start != nil {
		if dir, err := filepath.Abs(dir); err == nil && rawfile.Exists(dir) {
			_ = q.env.Start([]string{"serve", "--background", "--kb=" + dir}, p.root)
		}
	}
	if !queue {
		text = q.setup(p, s) + text
	}
	return text
}

// setup starts helix init, or says that there is such a thing, once a day and
// project. A project with settings but without a queue is one that wants none.
func (q *request) setup(p project, s handover.Settings) string {
	if q.env.Getenv("DDX_BEAD_DIR") != "" || q.env.Getenv("HELIX_TRACKER_DIR") != "" {
		return ""
	}
	init := s.AutoInit && q.env.Start != nil
	if init && tracked(p.root) < s.MinFiles || !init && rawfile.Exists(p.root+"/.helix") {
		return ""
	}
	n, err := q.session()
	if err != nil {
		return ""
	}
	n.session = p.hash
	if first, err := n.once("init-" + q.env.Now().Format("2006-01-02")); err != nil || !first {
		return ""
	}
	if !init {
		return "\nThis project has no helix queue. To have work done unattended, the person can set one up with: helix init"
	}
	if err := q.env.Start([]string{"init", "--auto"}, p.root); err != nil {
		return ""
	}
	return "\nhelix init --auto was started in the background: it sets up a queue (.ddx/) and settings (.helix/) unless fewer than " +
		strconv.Itoa(s.MinFiles) + " files count."
}

// tracked is how many files the index of a checkout has, by its header
// (gitformat-index: DIRC, version, number of entries). In a linked work tree, whose
// index lies elsewhere, there are enough.
func tracked(root string) int {
	const enough = 1 << 30
	if st, err := rawfile.Lstat(root + "/.git"); err != nil || rawfile.Regular(&st) {
		return enough
	}
	head, err := rawfile.ReadAll(root+"/.git/index", 12)
	if err != nil || len(head) < 12 || string(head[:4]) != "DIRC" {
		return 0
	}
	return int(min(binary.BigEndian.Uint32(head[8:]), enough))
}

// nudge asks the server at the socket to bring up to date what it keeps for a
// project, and tells whether there is one. It waits for nothing: a server that is too
// busy to take the request will look by itself.
func nudge(path, root string) bool {
	if len(path) > 103 { // the longest that every system takes
		return false
	}
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	unix.CloseOnExec(fd)
	if err := unix.SetNonblock(fd, true); err != nil {
		return false
	}
	if err := unix.Connect(fd, &unix.SockaddrUnix{Name: path}); err != nil {
		// Its queue is full: it is there.
		return errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINPROGRESS)
	}
	_, _ = unix.Write(fd, refreshRequest(root))
	return true
}

// refreshRequest is the line that the server is sent.
func refreshRequest(root string) []byte {
	var b bytes.Buffer
	b.WriteString(`{"op":"refresh","root":`)
	quote(&b, root)
	b.WriteString("}\n")
	return b.Bytes()
}
