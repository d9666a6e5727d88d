package hook

import "errors"

// stop reminds the person once a session. It never answers with context or a
// decision, each of which makes the agent go on: Codex without an end.
func stop(q *request) (reply, error) {
	failed := q.graft(str(q.input, "transcript_path"))
	if yes(q.input, "stop_hook_active") {
		return reply{}, failed
	}
	return q.remind(failed, "stop", "helix: is there something that the next session should know? Have it stored with mcp__helix__store.")
}

// subagentStop is the same for an agent's helper. A compaction, too, ends as a
// helper, one without a type.
func subagentStop(q *request) (reply, error) {
	if str(q.input, "agent_type") == "" {
		return reply{}, nil
	}
	failed := q.graft(str(q.input, "agent_transcript_path"))
	if yes(q.input, "stop_hook_active") {
		return reply{}, failed
	}
	return q.remind(failed, "subagent-stop", "helix: what the helper found out is lost with it unless it is stored with mcp__helix__store.")
}

// remind says something once a session. failed is what went wrong before: an
// error silences the hook, so it is returned only where there is nothing to say.
func (q *request) remind(failed error, what, text string) (reply, error) {
	s, err := q.session()
	if err != nil {
		return reply{}, errors.Join(failed, err)
	}
	first, err := s.once(what)
	if err != nil || !first {
		return reply{}, errors.Join(failed, err)
	}
	return reply{message: text}, nil
}

// sessionEnd forgets what was noted of the session. Its last words may have come
// into the transcript behind the last stop.
func sessionEnd(q *request) (reply, error) {
	failed := q.graft(str(q.input, "transcript_path"))
	s, err := q.session()
	if err != nil {
		return reply{}, errors.Join(failed, err)
	}
	return reply{}, errors.Join(failed, s.forget())
}
