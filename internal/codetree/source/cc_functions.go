package source

// function takes a function that is defined or declared. Variables are no symbols.
func (c cc) function(from, i, to int, p place) int {
	stop := c.parameters(i, to)
	if !c.is(stop, "(") || stop == i {
		return c.plainEnd(stop, to)
	}
	name, after := stop-1, min(to, c.close(stop)+1)
	start := c.qualified(name)
	inType := p.parent >= 0 && c.Symbols[p.parent].Kind != Module
	typed := start > i || inType && p.container != "" || start < name
	if !typed && !c.is(after, "{") { // a macro that is used
		return after
	}
	sig := c.bodyOrEnd(after, to)
	body, end := c.is(sig, "{"), min(to, c.close(sig)+1)
	for k := after; k < sig; k++ { // the initialisers of a constructor are no part of the signature
		if c.is(k, ":") {
			sig = k
			break
		}
	}
	operator := c.operatorAt(i, name)
	if operator < 0 && (!c.isIdent(name) || ccNoCalls[c.text(name)]) {
		return end
	}
	kind := Func
	switch {
	case inType || start < name:
		kind = Method
	case !body:
		kind = Prototype
	}
	label := c.text(name)
	if operator >= 0 {
		label = c.span(operator, stop)
	} else if c.is(name-1, "~") {
		label = "~" + label
	}
	in := place{p.parent, joinDots(p.container, c.owner(start, name))}
	at := c.addNamed(in, kind, label, name, from, sig, end)
	c.Symbols[at].Exported = !c.static(from, name)
	return end
}

// parameters is the ( of the parameters of what begins at i, or where it turns out
// to be no function.
func (c cc) parameters(i, to int) int {
	for i < to && !c.is(i, ";") && !c.is(i, "{") && !c.is(i, "(") && !c.is(i, "=") && c.list[i].kind != directive {
		if c.is(i, "operator") {
			for i++; i < to && !c.is(i, "("); i++ {
			}
			if c.is(i, "(") && c.is(i+1, ")") && c.is(i+2, "(") {
				i += 2
			}
			return i
		}
		if next := c.angles(i, min(to, i+60)); next > i {
			i = next
			continue
		}
		if c.is(i, "[") {
			i = c.close(i)
		}
		i++
	}
	return i
}

// owner is the A::B of A::B<T>:: as A.B.
func (c cc) owner(i, to int) string {
	owner := ""
	for ; i < to; i++ {
		if end := c.angles(i, to); end > i {
			i = end
		}
		if c.isIdent(i) {
			owner = joinDots(owner, c.text(i))
		}
	}
	return owner
}

// operatorAt is where the word operator stands before the parameters, or -1.
func (c cc) operatorAt(i, name int) int {
	for k := max(i, name-4); k <= name; k++ {
		if c.is(k, "operator") {
			return k
		}
	}
	return -1
}

func joinDots(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "." + b
}

func (c cc) static(from, to int) bool {
	for i := from; i < to; i++ {
		if c.is(i, "static") {
			return true
		}
	}
	return false
}

// qualified is where the A::B:: before a name begins.
func (c cc) qualified(name int) int {
	if c.is(name-1, "~") {
		name--
	}
	for c.is(name-1, "::") && (c.isIdent(name-2) || c.is(name-2, ">")) {
		name -= 2
		if c.is(name, ">") {
			for end := max(0, name-far); name > end && !c.is(name, "<"); {
				name--
			}
			name--
		}
	}
	return max(0, name)
}

// bodyOrEnd is the { of the body behind the parameters, or the ; of a declaration.
func (c cc) bodyOrEnd(i, to int) int {
	for ; i < to; i++ {
		switch {
		case c.is(i, ";"), c.is(i, "}"), c.is(i, ","):
			return i
		case c.is(i, "{"):
			return i
		case c.is(i, "="): // = default; = 0;
			return c.find(i, to, ";")
		case c.is(i, ":"):
			return c.initialisers(i+1, to)
		case c.is(i, "("), c.is(i, "["):
			i = c.close(i)
		}
	}
	return to
}

// initialisers passes over a(1), b{2} behind the colon of a constructor.
func (c cc) initialisers(i, to int) int {
	for i < to {
		i = c.find(i, to, "{", "(", ";")
		if i >= to || c.is(i, ";") {
			return i
		}
		if c.is(i, "{") && !c.isIdent(i-1) && !c.is(i-1, ">") {
			return i
		}
		if i = c.close(i) + 1; !c.is(i, ",") {
			return c.find(i, to, "{", ";")
		}
	}
	return to
}

// plainEnd is behind the ; of a declaration that is no function.
func (c cc) plainEnd(i, to int) int {
	for i < to && c.list[i].kind == directive {
		return i + 1
	}
	return min(to, c.find(i, to, ";")+1)
}
