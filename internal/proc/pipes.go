package proc

import (
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// drainWait bounds the wait for the end of output once every known member of the
// group is gone. Only a process that escaped can still hold the pipe open.
const drainWait = 2 * time.Second

// pipes carry a command's input and output. os/exec has its own, but its Wait
// returns only when every copy of the write end is closed, and a stray child
// holds one; here the leader's end is seen first, so that strays can be ended.
type pipes struct {
	child  []*os.File // ends that the command inherits
	source io.Reader  // what the command reads, and our end of that pipe
	input  *os.File
	copies []outputCopy
	wg     sync.WaitGroup
}

type outputCopy struct {
	dst io.Writer
	src *os.File
}

// attach replaces the command's streams by pipes where they are not files.
func (p *pipes) attach(cmd *exec.Cmd) (err error) {
	defer func() {
		if err != nil {
			p.discard()
		}
	}()
	if cmd.Stdin, err = p.reader(cmd.Stdin); err != nil {
		return err
	}
	same := cmd.Stdout != nil && sameWriter(cmd.Stdout, cmd.Stderr)
	if cmd.Stdout, err = p.writer(cmd.Stdout); err != nil {
		return err
	}
	if same {
		cmd.Stderr = cmd.Stdout
		return nil
	}
	cmd.Stderr, err = p.writer(cmd.Stderr)
	return err
}

// sameWriter survives writers that cannot be compared.
func sameWriter(a, b io.Writer) (same bool) {
	defer func() { _ = recover() }()
	return a == b
}

func (p *pipes) reader(src io.Reader) (io.Reader, error) {
	if _, file := src.(*os.File); file || src == nil {
		return src, nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p.child, p.source, p.input = append(p.child, r), src, w
	return r, nil
}

func (p *pipes) writer(dst io.Writer) (io.Writer, error) {
	if _, file := dst.(*os.File); file || dst == nil {
		return dst, nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p.child, p.copies = append(p.child, w), append(p.copies, outputCopy{dst, r})
	return w, nil
}

// run starts to copy; the command has started.
func (p *pipes) run() {
	for _, f := range p.child {
		f.Close()
	}
	if p.input != nil {
		go func() {
			_, _ = io.Copy(p.input, p.source) // a command need not read its input
			p.input.Close()
		}()
	}
	for _, c := range p.copies {
		p.wg.Go(func() {
			_, _ = io.Copy(c.dst, c.src)
			_, _ = io.Copy(io.Discard, c.src) // after a failed write: the command must not block
		})
	}
}

// drain returns when the output is copied; no writer is used after it.
func (p *pipes) drain() {
	if p.input != nil {
		p.input.Close()
	}
	for _, c := range p.copies {
		_ = c.src.SetReadDeadline(time.Now().Add(drainWait))
	}
	p.wg.Wait()
	for _, c := range p.copies {
		c.src.Close()
	}
}

// discard frees the pipes of a command that did not start.
func (p *pipes) discard() {
	for _, f := range p.child {
		f.Close()
	}
	if p.input != nil {
		p.input.Close()
	}
	for _, c := range p.copies {
		c.src.Close()
	}
}
