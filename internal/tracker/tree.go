package tracker

import "slices"

// DepNode is a bead in a tree of what waits for what.
type DepNode struct {
	ID           string     `json:"id"`
	Title        string     `json:"title,omitempty"`
	Status       Status     `json:"status,omitempty"`
	Type         string     `json:"type,omitempty"`     // of the dependency that leads here
	Missing      bool       `json:"missing,omitempty"`  // no bead has this id
	Repeated     bool       `json:"repeated,omitempty"` // its dependencies are shown earlier in the tree
	Cycle        bool       `json:"cycle,omitempty"`    // it is also further up the tree
	Dependencies []*DepNode `json:"dependencies,omitempty"`
}

// DepTrees is the tree of what a bead waits for or, without an id, the trees of
// all beads that wait for something and that nothing waits for. Beads on a cycle
// are in the tree of the first of them where nothing else leads to it.
func (q *Queue) DepTrees(id string) []*DepNode {
	t := treeBuilder{q: q}
	if id != "" {
		return []*DepNode{t.tree(id)}
	}
	awaited := map[string]bool{}
	for i := range q.rows {
		for _, dep := range q.rows[i].deps {
			awaited[dep] = true
		}
	}
	trees := []*DepNode{}
	shown := map[string]bool{}
	add := func(r *row) {
		t := treeBuilder{q: q}
		trees = append(trees, t.tree(r.id))
		for id := range t.seen {
			shown[id] = true
		}
	}
	for i := range q.rows {
		if r := &q.rows[i]; len(r.deps) > 0 && !awaited[r.id] {
			add(r)
		}
	}
	for i := range q.rows {
		if r := &q.rows[i]; len(r.deps) > 0 && !shown[r.id] {
			add(r)
		}
	}
	return trees
}

type treeBuilder struct {
	q    *Queue
	seen map[string]bool
	path []string
}

func (t *treeBuilder) tree(id string) *DepNode {
	t.seen = map[string]bool{}
	return t.node(id, "")
}

func (t *treeBuilder) node(id, typ string) *DepNode {
	n := &DepNode{ID: id, Type: typ}
	b, ok := t.q.Get(id)
	switch {
	case !ok && t.q.archive[id] != "":
		n.Status = t.q.archive[id]
		return n
	case !ok:
		n.Missing = true
		return n
	}
	n.Title, n.Status = b.Title, b.Status
	switch {
	case slices.Contains(t.path, id):
		n.Cycle = true
		return n
	case t.seen[id]:
		n.Repeated = len(b.Dependencies) > 0
		return n
	}
	t.seen[id] = true
	t.path = append(t.path, id)
	for _, d := range b.Dependencies {
		n.Dependencies = append(n.Dependencies, t.node(d.DependsOnID, d.Type))
	}
	t.path = t.path[:len(t.path)-1]
	return n
}
