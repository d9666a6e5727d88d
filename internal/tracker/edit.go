package tracker

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// New describes a bead to create. Only the title is required; the zero Priority
// is the most urgent one, DefaultPriority the usual.
type New struct {
	Title       string
	Type        string // "" is task
	Priority    int
	Status      Status // "" is open
	Labels      []string
	Parent      string
	Description string
	Acceptance  string
	Notes       string
	Owner       string // whose it is to be; not a claim
	CreatedBy   string
	DependsOn   []string          // ids that it waits for
	DependsType string            // kind of these dependencies, "" is blocks
	External    string            // what a bead that starts as blocked waits for
	Set         map[string]string // extra keys, as Bead.Set takes them
}

// Create files a bead and returns it with its new id.
func (s *Store) Create(ctx context.Context, n New) (*Bead, error) {
	var made *Bead
	err := s.change(ctx, func(d *draft) error {
		b, err := d.fresh(n)
		if err != nil {
			return err
		}
		if err := checkTitle(b.Title); err != nil {
			return err
		}
		if err := d.check(b, &Bead{ID: b.ID, Status: Open}); err != nil {
			return err
		}
		if err := s.runHook(ctx, "validate-bead-create", b); err != nil {
			return err
		}
		made, err = d.putExact(b, nil)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("tracker: create %q: %w", n.Title, err)
	}
	return made, nil
}

// fresh is the bead that n describes, with an id and times.
func (d *draft) fresh(n New) (*Bead, error) {
	id, err := d.newID()
	if err != nil {
		return nil, err
	}
	b := &Bead{
		ID: id, Title: strings.TrimSpace(n.Title), Status: n.Status, Priority: n.Priority, Type: n.Type,
		Owner: n.Owner, CreatedAt: d.now, CreatedBy: n.CreatedBy, UpdatedAt: d.now,
		Labels: slices.Clone(n.Labels), Parent: n.Parent, Description: n.Description,
		Acceptance: n.Acceptance, Notes: n.Notes,
	}
	if b.Type == "" {
		b.Type = "task"
	}
	if b.Status == "" {
		b.Status = Open
	}
	for _, dep := range n.DependsOn {
		if err := d.depend(b, dep, n.DependsType); err != nil {
			return nil, err
		}
	}
	b.setRaw("schema_version", json.RawMessage("1"))
	b.Set(keyExternal, n.External)
	for _, key := range slices.Sorted(maps.Keys(n.Set)) {
		b.Set(key, n.Set[key])
	}
	return b, nil
}

// Edit changes one bead: fn gets it as it is under the lock and changes it in
// place. The result is checked like any other input; an error of fn, or of the
// checks, leaves the file as it is. Editing nothing writes nothing. fn may be
// run more than once.
func (s *Store) Edit(ctx context.Context, id string, fn func(*Bead) error) (*Bead, error) {
	var edited *Bead
	err := s.change(ctx, func(d *draft) error {
		b, err := d.get(id)
		if err != nil {
			return err
		}
		if err := fn(b); err != nil {
			return err
		}
		if b.ID != id {
			return invalid("the id of a bead cannot change")
		}
		if err := d.update(ctx, b); err != nil {
			return err
		}
		edited, err = d.result(id)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("tracker: edit %s: %w", id, err)
	}
	return edited, nil
}

// result is the bead as it is now stored in the draft.
func (d *draft) result(id string) (*Bead, error) {
	if b, ok := d.beads[id]; ok {
		return b, nil
	}
	b, _ := d.queue.Get(id)
	return decode(slices.Clone(b.raw))
}

// update checks a changed bead, asks the project's hook, and stores it.
func (d *draft) update(ctx context.Context, b *Bead) error {
	base, ok := d.queue.Get(b.ID)
	if !ok {
		return &NotFoundError{ID: b.ID, Path: d.store.Path()}
	}
	if err := d.check(b, base); err != nil {
		return err
	}
	b.settle(base)
	stored, err := d.put(b)
	if err != nil || stored == base {
		return err
	}
	return d.store.runHook(ctx, "validate-bead-update", stored)
}

// settle keeps a row consistent across a change of status: a bead that is not
// in progress carries no claim, and one that is not blocked no reason for it.
func (b *Bead) settle(base *Bead) {
	if b.Status != InProgress && base.Status == InProgress {
		if b.Owner == base.Owner && b.Status != Closed {
			b.Owner = ""
		}
		for _, key := range claimKeys {
			if key != "assignee" {
				b.Unset(key)
			}
		}
	}
	if b.Status != Blocked && base.Status == Blocked {
		b.Unset(keyExternal)
	}
}

// AddDep makes a bead wait for another; typ "" is "blocks". Adding what is there
// changes nothing. It fails with ErrCycle where beads would wait for each other.
func (s *Store) AddDep(ctx context.Context, id, dep string, typ ...string) error {
	err := s.change(ctx, func(d *draft) error {
		b, err := d.get(id)
		if err != nil {
			return err
		}
		if err := d.depend(b, dep, strings.Join(typ, "")); err != nil {
			return err
		}
		return d.update(ctx, b)
	})
	if err != nil {
		return fmt.Errorf("tracker: make %s wait for %s: %w", id, dep, err)
	}
	return nil
}

// RemoveDep removes a dependency, of one type when one is given.
func (s *Store) RemoveDep(ctx context.Context, id, dep string, typ ...string) error {
	err := s.change(ctx, func(d *draft) error {
		b, err := d.get(id)
		if err != nil {
			return err
		}
		kind := strings.Join(typ, "")
		left := slices.DeleteFunc(slices.Clone(b.Dependencies), func(x Dependency) bool {
			return x.DependsOnID == dep && (kind == "" || x.Type == kind)
		})
		if len(left) == len(b.Dependencies) {
			return fmt.Errorf("%w: it does not wait for %s", ErrNotFound, dep)
		}
		b.Dependencies = left
		return d.update(ctx, b)
	})
	if err != nil {
		return fmt.Errorf("tracker: remove the dependency of %s on %s: %w", id, dep, err)
	}
	return nil
}

// depend adds a dependency to a bead of the draft.
func (d *draft) depend(b *Bead, on, typ string) error {
	if typ == "" {
		typ = "blocks"
	}
	if slices.ContainsFunc(b.Dependencies, func(x Dependency) bool { return x.DependsOnID == on && x.Type == typ }) {
		return nil
	}
	b.Dependencies = append(b.Dependencies, Dependency{
		IssueID: b.ID, DependsOnID: on, Type: typ, CreatedAt: d.now.Format("2006-01-02T15:04:05Z07:00"),
	})
	return nil
}
