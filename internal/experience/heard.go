package experience

// heard is what the rules found so far, with the number of the message.
type heard struct {
	Experience
	message int
	gone    bool // taken back later on
}

// fromSentences goes through what was said. The objections of the person count as
// much as the agent's own second thoughts.
func fromSentences(t *Transcript) []Experience {
	var found []heard
	number, told := 0, false
	for i, s := range t.Steps {
		switch s.Kind {
		case Asked:
			text := clip(s.Text, maxObjection)
			if told = objection.MatchString(text); told {
				takeBack(found, number, text, true, true)
			}
		case Said:
			number++
			m := messageOf(withoutTrailer(s.Text))
			m.told, told = told, false
			found = append(found, fromMessage(m, found, number, i)...)
		}
	}
	var out []Experience
	for _, h := range found {
		if !h.gone {
			out = append(out, h.Experience)
		}
	}
	return out
}

const maxObjection = 400 // bytes of what a person says that are read as an objection

// fromMessage is what the rules find in a message. before is what they found in
// earlier ones, where it marks what is taken back.
func fromMessage(m *message, before []heard, number, step int) []heard {
	var out []heard
	for i, s := range m.all {
		causes, choices := notTheCause.MatchString(s.plain), takenBack.MatchString(s.plain)
		if causes || choices {
			takeBack(before, number, s.plain, causes, choices)
			takeBack(out, number, s.plain, causes, choices)
			m.caused = 0
		}
		if i <= m.claimed {
			continue
		}
		c, ok := judge(m, i)
		if !ok {
			continue
		}
		m.claimed = max(i, c.last)
		if c.rule == Cause {
			m.caused = i + 1
		}
		e := Experience{Rule: c.rule, Text: c.text, Confidence: c.confidence, step: step}
		if e.Text == "" {
			e.Text = s.plain
		}
		m.reason(i, &e)
		out = append(out, heard{Experience: e, message: number})
	}
	return out
}

// reason adds the next sentence where it says why: a decision goes with its
// rationale, and a rule with what it is for.
func (m *message) reason(i int, e *Experience) {
	next := m.after(i)
	alone := m.claimed == i && next.plain != "" && !underWay(next.plain)
	switch {
	case e.Rule == Decided:
		var behind bool
		if e.Rationale, behind = rationale(m.all[i].plain, next); behind {
			e.Confidence = max(e.Confidence, 0.75)
			if m.claimed == i {
				e.Text += " " + next.plain
				m.claimed = i + 1
			}
		}
	case e.Rule == Gotcha && alone && obliges.MatchString(m.all[i].plain) && !explains.MatchString(unlabelled(m.all[i].plain)):
		e.Text += " " + next.plain
		m.claimed = i + 1
	}
}
