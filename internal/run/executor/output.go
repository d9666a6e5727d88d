package executor

import (
	"io"
	"os"
	"path/filepath"
)

// AgentOutput is the end, at most most bytes, of what the agent of an attempt printed,
// from its evidence folder: agent.log of the builtin executor, or the files of embedded/
// where ddx has its harness write (contracts/ddx.md, 4.4). Programs there, which newer
// versions of ddx put beside the logs, are left out. Without any it is empty.
func AgentOutput(evidence string, most int64) []byte {
	if text, err := end(filepath.Join(evidence, "agent.log"), most); err == nil {
		return text
	}
	dir := filepath.Join(evidence, "embedded")
	files, _ := os.ReadDir(dir) // a folder that is not there has none
	var all []byte
	for _, f := range files {
		info, err := f.Info()
		if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o111 != 0 {
			continue
		}
		if text, err := end(filepath.Join(dir, f.Name()), most); err == nil {
			all = append(append(all, text...), '\n')
		}
		if over := int64(len(all)) - most; over > 0 {
			all = all[over:]
		}
	}
	return all
}

// end reads the last bytes of a file.
func end(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if size, err := f.Seek(0, io.SeekEnd); err == nil {
		_, _ = f.Seek(max(0, size-most), io.SeekStart)
	}
	return io.ReadAll(io.LimitReader(f, most))
}
