package tracker

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// DefaultOwner claims beads for which nobody else is named.
const DefaultOwner = "helix"

// Claim takes an open bead for c.Owner: it becomes in_progress, and its row says
// who took it, when, and by which process on which machine. Of any number of
// claims at once exactly one succeeds. It fails with ErrClaimed (and who has it),
// ErrNotOpen or ErrNotFound.
func (s *Store) Claim(ctx context.Context, id string, c Claim) (*Bead, error) {
	var claimed *Bead
	err := s.change(ctx, func(d *draft) error {
		b, err := d.get(id)
		if err != nil {
			return err
		}
		if err := b.Take(c, d.now); err != nil {
			return err
		}
		claimed, err = d.put(b)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("tracker: claim %s: %w", id, err)
	}
	return claimed, nil
}

// Take claims the bead in place, for an Edit that changes more than the claim.
// It refuses like Store.Claim. A claim without a time is taken now.
func (b *Bead) Take(c Claim, now time.Time) error {
	switch b.Status {
	case Open:
	case InProgress:
		return fmt.Errorf("%w by %s", ErrClaimed, b.Claim())
	default:
		return fmt.Errorf("%w: its status is %q", ErrNotOpen, b.Status)
	}
	b.dropClaim()
	if c.Owner == "" {
		c.Owner = DefaultOwner
	}
	if c.At.IsZero() {
		c.At = now
	}
	b.Status, b.Owner = InProgress, c.Owner
	b.Set(keyClaimedAt, c.At.UTC().Format(time.RFC3339))
	if c.PID > 0 {
		b.setRaw(keyClaimedPID, json.RawMessage(strconv.Itoa(c.PID)))
	}
	b.Set(keyClaimedOn, c.Machine)
	b.Set(keyClaimStart, c.Start)
	return nil
}

// dropClaim removes every trace of a claim, those of older formats too.
func (b *Bead) dropClaim() {
	b.Owner = ""
	for _, key := range claimKeys {
		b.Unset(key)
	}
}

// Same tells whether two claims were taken by the same process.
func (c Claim) Same(o Claim) bool {
	return c.PID == o.PID && c.Start == o.Start && c.Machine == o.Machine
}

// String says who holds a claim, for messages.
func (c Claim) String() string {
	text := c.Owner
	if text == "" {
		text = "someone unnamed"
	}
	if c.PID > 0 {
		text += fmt.Sprintf(", pid %d", c.PID)
	}
	if c.Machine != "" {
		text += " on " + c.Machine
	}
	if !c.At.IsZero() {
		text += ", since " + c.At.UTC().Format(time.RFC3339)
	}
	return text
}

// Unclaim gives a bead back: it is open and nobody's. With an owner it only does
// so while the row carries that very claim (ErrNotOwner); with nil it takes
// anybody's. A bead that is already open and nobody's is left as it is; one that
// is closed or set aside is never touched (ErrNotClaimed).
func (s *Store) Unclaim(ctx context.Context, id string, owner *Claim) error {
	err := s.change(ctx, func(d *draft) error {
		b, err := d.get(id)
		if err != nil {
			return err
		}
		if err := b.GiveBack(owner); err != nil {
			return err
		}
		_, err = d.put(b)
		return err
	})
	if err != nil {
		return fmt.Errorf("tracker: unclaim %s: %w", id, err)
	}
	return nil
}

// GiveBack gives up the bead's claim in place; it refuses like Store.Unclaim.
func (b *Bead) GiveBack(owner *Claim) error {
	if b.Status != InProgress && b.Status != Open {
		return fmt.Errorf("%w: its status is %q", ErrNotClaimed, b.Status)
	}
	if err := b.checkOwner(owner); err != nil {
		return err
	}
	b.Status = Open
	b.dropClaim()
	return nil
}

// checkOwner is the compare of a compare-and-set: nil matches every claim.
func (b *Bead) checkOwner(owner *Claim) error {
	switch {
	case owner == nil || b.Status == InProgress && b.Claim().Same(*owner):
		return nil
	case b.Status != InProgress:
		return fmt.Errorf("%w: its status is %q", ErrNotOwner, b.Status)
	}
	return fmt.Errorf("%w: %s", ErrNotOwner, b.Claim())
}

// Closing says how a bead was done.
type Closing struct {
	Commit  string // that holds the work
	Session string // that did it
	Reason  string // for the history
	Owner   *Claim // set: close only while the bead carries this very claim (ErrNotOwner)
	// If, when set, is asked under the lock about the queue as it is then; its
	// error refuses the close.
	If func(*Queue) error
}

// Close closes a bead and removes its claim.
func (s *Store) Close(ctx context.Context, id string, c Closing) error {
	err := s.change(ctx, func(d *draft) error {
		b, err := d.get(id)
		if err != nil {
			return err
		}
		if err := b.checkOwner(c.Owner); err != nil {
			return err
		}
		if b.Status == Closed {
			return invalid("it is closed already")
		}
		if c.If != nil {
			if err := c.If(d.queue); err != nil {
				return err
			}
		}
		b.Status = Closed
		if c.Commit != "" {
			b.Set(keyCommit, c.Commit)
		}
		if c.Session != "" {
			b.Set(keySession, c.Session)
		}
		if c.Reason != "" {
			if err := b.AddEvent(Event{Kind: "close", Summary: c.Reason, Source: "helix", CreatedAt: d.now}); err != nil {
				return err
			}
		}
		return d.update(ctx, b)
	})
	if err != nil {
		return fmt.Errorf("tracker: close %s: %w", id, err)
	}
	return nil
}

// Reopen makes a bead that is done or set aside open again and says why in its
// history.
func (s *Store) Reopen(ctx context.Context, id, reason string) error {
	err := s.change(ctx, func(d *draft) error {
		b, err := d.get(id)
		if err != nil {
			return err
		}
		switch b.Status {
		case Open:
			return invalid("it is open already")
		case InProgress:
			return invalid("it is in progress; give it back with: helix bead update %s --unclaim", id)
		}
		event := Event{Kind: "reopen", Summary: reason, Source: "helix", CreatedAt: d.now}
		if commit := b.ClosingCommit(); commit != "" {
			event.Body = keyCommit + "=" + commit
		}
		if err := b.AddEvent(event); err != nil {
			return err
		}
		b.Status = Open
		b.dropClaim()
		b.Unset(keyCommit)
		return d.update(ctx, b)
	})
	if err != nil {
		return fmt.Errorf("tracker: reopen %s: %w", id, err)
	}
	return nil
}
