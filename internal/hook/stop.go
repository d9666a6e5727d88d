package hook

// stop reminds the person once a session. It never answers with context or a
// decision, each of which makes the agent go on: Codex without an end.
func stop(q *request) (reply, error) {
	if yes(q.input, "stop_hook_active") {
		return reply{}, nil
	}
	return q.remind("stop", "helix: is there something that the next session should know? Have it stored with mcp__helix__store.")
}

// subagentStop is the same for an agent's helper. A compaction, too, ends as a
// helper, one without a type.
func subagentStop(q *request) (reply, error) {
	if yes(q.input, "stop_hook_active") || str(q.input, "agent_type") == "" {
		return reply{}, nil
	}
	return q.remind("subagent-stop", "helix: what the helper found out is lost with it unless it is stored with mcp__helix__store.")
}

func (q *request) remind(what, text string) (reply, error) {
	s, err := q.session()
	if err != nil {
		return reply{}, err
	}
	first, err := s.once(what)
	if err != nil || !first {
		return reply{}, err
	}
	return reply{message: text}, nil
}

// sessionEnd forgets what was noted of the session.
func sessionEnd(q *request) (reply, error) {
	s, err := q.session()
	if err != nil {
		return reply{}, err
	}
	return reply{}, s.forget()
}
