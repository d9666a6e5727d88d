package mcp

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"helix/internal/kb"
)

// progressEvery is how often, at most, a call says how far it is.
const progressEvery = time.Second

// progress tells a client that asked for it how far its call is: what the work
// reports, and while it reports nothing the seconds that have passed.
type progress struct {
	send func(now, total float64)

	mu       sync.Mutex
	reported bool
	seconds  float64
	sent     float64 // of what was reported
	last     time.Time
}

type progressKey struct{}

// withProgress makes ctx one through which work can report, if the client asked
// for it. The caller ends the reports by calling what it returns.
func withProgress(ctx context.Context, req *sdk.CallToolRequest, what string, args json.RawMessage) (context.Context, func()) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return ctx, func() {}
	}
	p := &progress{send: func(now, total float64) {
		// If the client is gone the answer will fail as well.
		_ = req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
			ProgressToken: token, Progress: now, Total: total, Message: what + " is at work",
		})
	}}
	if long(args) {
		p.send(0, 0)
	}
	done := make(chan struct{})
	var ticking sync.WaitGroup
	ticking.Go(func() { p.tick(ctx, done) })
	return kb.WithProgress(context.WithValue(ctx, progressKey{}, p), p.report), func() { close(done); ticking.Wait() }
}

// long tells whether a call is one that takes long in a large memory.
func long(args json.RawMessage) bool {
	var chosen struct{ Action string }
	return json.Unmarshal(args, &chosen) == nil &&
		slices.Contains([]string{"graph", "reindex", "import", "compact", "verify"}, chosen.Action)
}

func (p *progress) tick(ctx context.Context, done chan struct{}) {
	ticker := time.NewTicker(progressEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			p.mu.Lock()
			p.seconds++
			if !p.reported {
				p.send(p.seconds, 0)
			}
			p.mu.Unlock()
		case <-done:
			return
		case <-ctx.Done():
			return
		}
	}
}

// reporter is what work calls to say how far it is, nil if nobody asked.
func reporter(ctx context.Context) func(done, total int) {
	if p, ok := ctx.Value(progressKey{}).(*progress); ok {
		return p.report
	}
	return nil
}

// report sends numbers that only grow, as the protocol demands.
func (p *progress) report(done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := float64(done)
	if now <= p.seconds || now <= p.sent || done < total && time.Since(p.last) < progressEvery {
		return
	}
	p.reported, p.sent, p.last = true, now, time.Now()
	p.send(now, float64(total))
}
