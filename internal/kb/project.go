package kb

import (
	"path/filepath"
	"strings"

	"helix/internal/checkout"
	"helix/internal/kb/entry"
	"helix/internal/kb/view"
)

// NoProject is what a request says for entries that hold for all projects.
const NoProject = view.NoProject

// A request names a project by a path in one of its checkouts, "." for the one at
// hand, or by the last elements of its path. Names have no dot or slash at their
// beginning.
func isPath(project string) bool {
	return filepath.IsAbs(project) || project == "." || project == ".." ||
		strings.HasPrefix(project, "./") || strings.HasPrefix(project, "../")
}

// projectMeant is the Filter.Project that a request means. A path outside of any
// checkout may be that of a project that is gone: its entries are still there.
func (m *Memory) projectMeant(project string) (string, error) {
	if !isPath(project) {
		return project, nil
	}
	path := m.absolute(project)
	if in := checkout.Of(path); in != "" {
		return in, nil
	}
	if !filepath.IsAbs(project) {
		return "", refuse("project %q: %s is in no git checkout; give a path in one, the name of a project, or none", cut(project, 100), cut(path, 200))
	}
	return path, nil
}

func (m *Memory) absolute(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(m.from, path)
}

// projectToStore is the project that a new entry belongs to, "" for none.
func (m *Memory) projectToStore(project string) (string, error) {
	switch {
	case project == "":
		return m.home, nil
	case project == NoProject:
		return "", nil
	case len(project) > entry.MaxPath:
		return "", refuse("the project has %d bytes, at most %d are allowed", len(project), entry.MaxPath)
	}
	if isPath(project) {
		if in := checkout.Of(m.absolute(project)); in != "" {
			return in, nil
		}
	}
	known, err := m.projectsNamed(project)
	switch {
	case err != nil:
		return "", err
	case len(known) == 1:
		return known[0], nil
	case len(known) > 1:
		return "", refuse("project %q may be %s: give the whole path", cut(project, 100), cut(strings.Join(known, " or "), 300))
	case isPath(project):
		return "", refuse("project %q: %s is in no git checkout; give a path in one, or none for all projects", cut(project, 100), cut(m.absolute(project), 200))
	}
	return "", refuse("project %q is not known here: give the path of its checkout, or none for all projects", cut(project, 100))
}

// projectsNamed are the projects of active entries that a path or name means.
func (m *Memory) projectsNamed(project string) ([]string, error) {
	if isPath(project) {
		project = m.absolute(project)
	}
	v, err := m.View()
	if err != nil {
		return nil, err
	}
	defer v.Close()
	all, err := v.Projects()
	if err != nil {
		return nil, err
	}
	var found []string
	for _, p := range all {
		if belongs(p.Name, project) {
			found = append(found, p.Name)
		}
	}
	return found, nil
}

// belongs tells whether what belongs to a project is meant by a Filter.Project.
func belongs(project, meant string) bool {
	switch {
	case meant == "":
		return true
	case meant == NoProject:
		return project == ""
	case filepath.IsAbs(meant):
		return project == filepath.Clean(meant)
	}
	return strings.HasSuffix("/"+project, "/"+filepath.Clean(meant))
}

// elsewhere tells whether what belongs to a project belongs to another one than that
// at hand.
func (m *Memory) elsewhere(project string) bool { return project != "" && project != m.home }

// inProject marks an item in a line: @ and the last element of the path of its
// project, nothing for one of none.
func (i *Item) inProject() string {
	if i.Project == "" {
		return ""
	}
	return " @" + line(filepath.Base(i.Project))
}

// inOther is inProject for another project than that at hand.
func (i *Item) inOther() string {
	if !i.Other {
		return ""
	}
	return i.inProject()
}
