package log

import (
	"context"
	"fmt"
)

// request is a write that waits for its turn.
type request struct {
	ctx    context.Context
	ops    []encoded
	size   int
	decide func() ([]Op, error) // gives ops once the lock is held; nil when they are known

	leads  bool          // guarded by Log.mu
	lead   chan struct{} // closed when the request has to do the next write
	done   chan struct{} // closed when the fields below are set
	commit Commit
	err    error
}

// Bounds of what one write takes together, so that a steady stream of requests
// does not make anyone wait for long.
const (
	maxGroup      = 4096
	maxGroupBytes = 8 << 20
)

// submit queues a request and waits until it is done. The first request in the
// queue leads: it takes the lock, writes for all that have queued up by then, and
// hands the lead to the next one.
func (l *Log) submit(req *request) (Commit, error) {
	if err := req.ctx.Err(); err != nil {
		return Commit{}, fmt.Errorf("kb/log: write to %s: %w", l.path, err)
	}
	req.lead, req.done = make(chan struct{}), make(chan struct{})
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return Commit{}, fmt.Errorf("kb/log: write to %s: the log is closed", l.path)
	}
	l.queue = append(l.queue, req)
	if !l.leading {
		l.leading = true
		l.passLead()
	}
	l.mu.Unlock()

	select {
	case <-req.done:
	case <-req.lead:
		l.runLead(req)
	case <-req.ctx.Done():
		if l.withdraw(req) {
			return Commit{}, fmt.Errorf("kb/log: wait for another write: %w", req.ctx.Err())
		}
		select {
		case <-req.done:
		case <-req.lead:
			l.runLead(req)
		}
	}
	if req.err != nil {
		return Commit{}, req.err
	}
	return req.commit, nil
}

// passLead makes the first request in the queue the leader. The caller holds mu.
func (l *Log) passLead() {
	if len(l.queue) == 0 {
		l.leading = false
		return
	}
	l.queue[0].leads = true
	close(l.queue[0].lead)
}

// withdraw takes a request out of the queue; false when it is too late.
func (l *Log) withdraw(req *request) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, r := range l.queue {
		if r == req && !r.leads {
			l.queue = append(l.queue[:i], l.queue[i+1:]...)
			return true
		}
	}
	return false
}

// runLead does one write and hands over, even if the function of an Update
// panics.
func (l *Log) runLead(req *request) {
	group, finished := []*request{req}, false
	defer func() {
		for _, r := range group {
			if !finished {
				r.err = fmt.Errorf("kb/log: a write to %s panicked (%w)", l.path, ErrNotDurable)
			}
			close(r.done)
		}
		l.mu.Lock()
		l.passLead()
		l.mu.Unlock()
	}()
	unlock, err := l.lock(req.ctx)
	group = l.take(req, err == nil)
	if err == nil {
		func() {
			defer unlock()
			err = l.write(group)
		}()
	}
	if err != nil {
		fail(group, err)
	}
	finished = true
}

// take removes the leader from the queue and, if it may, the requests behind it
// that can be written together with it.
func (l *Log) take(req *request, more bool) []*request {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, size := 1, req.size
	for more && req.decide == nil && n < len(l.queue) && n < maxGroup {
		next := l.queue[n]
		if next.decide != nil || size+next.size > maxGroupBytes {
			break
		}
		size += next.size
		n++
	}
	group := append([]*request(nil), l.queue[:n]...)
	l.queue = append([]*request(nil), l.queue[n:]...)
	return group
}
