package run

import (
	"context"
	"errors"
	"testing"
	"time"

	"helix/internal/tracker"
)

// unreadable is a queue that cannot be read.
type unreadable struct{ *world }

func (unreadable) Load(context.Context) (*tracker.Queue, error) {
	return nil, errors.New("permission denied")
}

// What a dead run has left on record must not be replaced by a run that could
// not settle it: the next one would not know.
func TestAnUnsettledPredecessorStaysOnRecord(t *testing.T) {
	w := newWorld(1)
	dead := State{Writer: StateWriter, RunID: "dead", Phase: PhaseExecuting, AttemptID: "a1", CurrentIssue: "hx-0001", Batch: []string{"hx-0001"}}
	if err := (simStates{w}).Save(dead); err != nil {
		t.Fatal(err)
	}
	loop := &Loop{
		Tracker: unreadable{w}, Executor: simExecutor{w: w}, Actions: simActions{w}, Prompts: simPrompts{w},
		Repo: w, Clock: w, Processes: w, States: simStates{w}, Journal: simJournal{w}, Output: simOutput{}, Documents: simDocuments{w},
		Options: Options{MaxAttempts: 1}, RunID: "new", NewAttempt: func(time.Time) string { return "a2" },
	}
	if st := loop.Run(t.Context()); st.StopReason != StopError {
		t.Errorf("the run stopped with %s", st.StopReason)
	}
	now, err := (simStates{w}).Load()
	if err != nil {
		t.Fatal(err)
	}
	if now.RunID != "dead" || !now.Unfinished() {
		t.Errorf("the record of the dead run was replaced by %+v", now)
	}
}
