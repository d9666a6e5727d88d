package install

import (
	"fmt"
	"slices"
)

// serverName is the name under which the clients know the memory server. Their
// names of its tools contain it, and so do the permissions for them.
const serverName = "helix"

// server is the form of Claude Code's settings.
type server struct {
	Type    string            `json:"type"`
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env,omitempty"`
}

// Server has the client start the memory server: helix with args. approve lets
// Codex change and delete entries without asking, which its exec mode cannot do; it
// asks neither before it reads nor before it adds one.
func Server(p Place, program Program, args []string, approve bool) (Change, error) {
	if p.Client == Codex {
		return rewrite(p.Server, mode(p), func(old []byte) ([]byte, error) {
			return setTable(old, program.Helix, args, approve)
		})
	}
	return rewrite(p.Server, mode(p), func(old []byte) ([]byte, error) {
		d, err := parse(old)
		if err != nil {
			return nil, err
		}
		want := server{Type: "stdio", Command: program.Helix, Args: args}
		return d.setServer(want)
	})
}

// Unserve takes the memory server out of the client's settings.
func Unserve(p Place) (Change, error) {
	return rewrite(p.Server, mode(p), func(old []byte) ([]byte, error) {
		if p.Client == Codex {
			return dropTable(old)
		}
		d, err := parse(old)
		if err != nil {
			return nil, err
		}
		d.dropServer()
		return d.result(old), nil
	})
}

func (d *document) setServer(want server) ([]byte, error) {
	if all, ok := d.find("mcpServers"); ok && d.kind(all) != '{' {
		return nil, fmt.Errorf("its \"mcpServers\" (byte %d) are not an object", all.from)
	}
	if at, ok := d.find("mcpServers", serverName); ok {
		// Whatever else the person set for it stays.
		if d.str(at, "command") == want.Command && slices.Equal(d.strs(at, "args"), want.Args) {
			return d.text, nil
		}
		all, _ := d.find("mcpServers")
		d.splice(at.from, at.to, encode(want, d.unit+d.unit, d.unit, d.unit == "" || !d.broken(all)))
		return d.text, nil
	}
	if _, ok := d.find("mcpServers"); !ok {
		d.insert(d.root(), 0, "mcpServers", struct{}{})
	}
	all, _ := d.find("mcpServers")
	d.insert(all, 1, serverName, want)
	return d.text, nil
}

func (d *document) dropServer() {
	at, ok := d.find("mcpServers", serverName)
	if !ok {
		return
	}
	all, _ := d.find("mcpServers")
	members := d.members(all)
	if len(members) > 1 {
		d.remove(all, whole(members), slices.IndexFunc(members, func(m member) bool { return m.value == at }))
		return
	}
	members = d.members(d.root())
	d.remove(d.root(), whole(members), slices.IndexFunc(members, func(m member) bool { return m.value == all }))
}
