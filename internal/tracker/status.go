package tracker

import (
	"slices"
	"strings"
)

// Statuses are all that a bead can have.
var statuses = []Status{Open, InProgress, Closed, Blocked, Proposed, Cancelled}

// transitions are the ways between statuses. A closed bead only comes back by
// being reopened, and a blocked or proposed one is opened before it is worked on.
var transitions = map[Status][]Status{
	Open:       {InProgress, Closed, Blocked, Proposed, Cancelled},
	InProgress: {Open, Closed, Blocked, Proposed, Cancelled},
	Blocked:    {Open, Closed, Proposed, Cancelled},
	Proposed:   {Open, Closed, Blocked, Cancelled},
	Closed:     {Open},
	Cancelled:  {Open, Proposed},
}

// ParseStatus reads a status as a person writes it.
func ParseStatus(text string) (Status, error) {
	if s := Status(strings.ReplaceAll(strings.ToLower(text), "-", "_")); slices.Contains(statuses, s) {
		return s, nil
	}
	return "", invalid("unknown status %q: use %s", text, listStatuses(statuses))
}

// checkTransition refuses a change of status that the lifecycle does not have.
// A status that nobody knows may be changed to any.
func checkTransition(from, to Status) error {
	if !slices.Contains(statuses, to) {
		return invalid("unknown status %q: use %s", to, listStatuses(statuses))
	}
	ways, known := transitions[from]
	if from == to || !known || slices.Contains(ways, to) {
		return nil
	}
	return invalid("a bead that is %s cannot become %s, only %s", from, to, listStatuses(ways))
}

func listStatuses(list []Status) string {
	var text []string
	for _, s := range list {
		text = append(text, string(s))
	}
	return strings.Join(text, ", ")
}
