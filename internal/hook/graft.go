package hook

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// graft has the transcript of a turn that ended read for what is worth
// remembering, by a helix that outlives the hook. The hook only starts it: what
// goes wrong there stays there, and two for one transcript settle it among
// themselves.
func (q *request) graft(path string) error {
	if q.env.Start == nil || !filepath.IsAbs(path) || q.env.Getenv("HELIX_NO_GRAFT") == "1" {
		return nil
	}
	if q.env.Getenv("HELIX_AGENT_SESSION") == "1" {
		return nil // the run that started this agent reads its output itself
	}
	dir, err := q.dir()
	if err != nil {
		return err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil // there is no memory, and a hook makes none
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	args := []string{"kb", "graft", "--from-hook", "--kb=" + dir}
	if s := str(q.input, "session_id"); s != "" && len(s) < 200 {
		args = append(args, "--session="+s)
	}
	return q.env.Start(append(args, "--", path), str(q.input, "cwd"))
}

// startHelix starts the helix beside this program, or this one if it is helix
// itself, in a session of its own and without anything of this one's input and
// output.
func startHelix(args []string, dir string) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	if filepath.Base(program) != "helix" {
		program = beside(program)
	}
	if program == "" {
		return nil
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		dir = ""
	}
	p, err := os.StartProcess(program, append([]string{program}, args...), &os.ProcAttr{
		Dir: dir, Env: handedOn(os.Environ()), Files: []*os.File{null, null, null}, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return err
	}
	return p.Release()
}

// handedOn leaves out what the installed command sets for the hook alone: what it
// starts has more to do.
func handedOn(env []string) []string {
	return slices.DeleteFunc(env, func(v string) bool { return v == "GOMAXPROCS=1" })
}

// beside is the helix in the folder of a program, or in that of the file to which
// it links; "" for none.
func beside(program string) string {
	real, err := filepath.EvalSymlinks(program)
	if err != nil {
		real = program
	}
	for _, p := range []string{program, real} {
		helix := filepath.Join(filepath.Dir(p), "helix")
		if info, err := os.Stat(helix); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
			return helix
		}
	}
	return ""
}
