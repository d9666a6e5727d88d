package upkeep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"helix/internal/kb/index"
	"helix/internal/kb/log"
	"helix/internal/kb/view"
)

const (
	// chunkDocs and chunkBytes bound what one new segment takes, and with it the
	// memory that building it needs: some 30 MB.
	chunkDocs  = 16 << 10
	chunkBytes = 8 << 20
)

// Options say how much to do.
type Options struct {
	// Try gives up with index.ErrBusy when another process is at it.
	Try bool
	// MaxMerge is how many documents may be rewritten to join segments; 0 leaves
	// them for another time.
	MaxMerge int
	// Ongoing: more is being written, and another call follows. Small segments wait for
	// it until many can be joined at once.
	Ongoing bool
	// Rebuild throws the index away first.
	Rebuild bool
	// Builders are kept from call to call by one who calls often; nil is none to keep.
	Builders *view.Builders
	// Progress is told how many bytes of the log are done, and of how many.
	Progress func(done, total int64)
}

// Done is what was done.
type Done struct {
	Added int  // entries
	More  bool // segments are left that should be joined
}

// CatchUp brings the index of the memory in dir up to the end of the log. A memory
// without a log is left alone.
func CatchUp(ctx context.Context, dir string, o Options) (Done, error) {
	r, err := log.OpenReader(dir)
	if err != nil {
		return Done{}, err
	}
	defer r.Close()
	if r.Version() == 0 {
		return Done{}, nil
	}
	w, err := index.OpenWriter(ctx, filepath.Join(dir, view.IndexDir), o.Try)
	if err != nil {
		return Done{}, err
	}
	defer w.Close()
	done, err := run(ctx, r, w, o)
	if errors.Is(err, index.ErrCorrupt) {
		o.Rebuild = true
		done, err = run(ctx, r, w, o)
	}
	if err != nil {
		return done, fmt.Errorf("kb: update the index: %w", err)
	}
	return done, nil
}

func run(ctx context.Context, r *log.Reader, w *index.Writer, o Options) (Done, error) {
	var done Done
	from, err := start(r, w, o.Rebuild)
	if err != nil {
		return done, err
	}
	end, err := r.End()
	if err != nil {
		return done, err
	}
	a := startAdding(ctx, w, end, o)
	done.Added, err = read(ctx, r, a, from, end, o)
	if failed := a.finish(); err == nil {
		err = failed
	}
	if err != nil {
		return done, err
	}
	if o.MaxMerge > 0 && !o.Ongoing {
		err = index.Guard(func() (err error) {
			done.More, err = w.Merge(ctx, o.MaxMerge)
			return err
		})
	}
	return done, err
}

// read goes through the log, and hands the index of piece after piece to a.
func read(ctx context.Context, r *log.Reader, a *adder, from, end log.Pos, o Options) (added int, err error) {
	builders := cmp.Or(o.Builders, &view.Builders{})
	for from != end {
		if err := ctx.Err(); err != nil {
			return added, err
		}
		err := index.Guard(func() error {
			t, err := view.ReadTail(r, a.snapshot, from, func(t *view.Tail) bool {
				return t.Len() >= chunkDocs || t.Bytes() >= chunkBytes
			})
			if err != nil {
				return err
			}
			if !t.More {
				t.End = end // damage at the very end was passed too
			}
			added += t.Len()
			from = t.End
			return a.add(tail{t.Segments(builders), t.Gone(), from})
		})
		if err != nil {
			return added, err
		}
	}
	return added, nil
}

// start gives the place from which to go on, the beginning with an empty index when
// the one that is there cannot be used.
func start(r *log.Reader, w *index.Writer, rebuild bool) (log.Pos, error) {
	var at log.Pos
	mark := w.Snapshot().Watermark()
	if !rebuild && at.UnmarshalText([]byte(mark)) == nil && r.Holds(at) {
		return at, nil
	}
	return log.Pos{}, w.Reset()
}
