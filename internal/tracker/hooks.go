package tracker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// hookTime is how long a validation hook may take: the lock is held meanwhile.
const hookTime = 30 * time.Second

// Exit codes of a validation hook; every other failure refuses too.
const hookWarns = 2

// runHook asks hooks/<name> in the tracker folder about a bead, whose row it
// gets on standard input: exit 0 accepts, 1 refuses with what it says on
// standard error, 2 accepts with a warning. There need not be a hook.
func (s *Store) runHook(ctx context.Context, name string, b *Bead) error {
	path := filepath.Join(s.dir, "hooks", name)
	info, err := os.Stat(path)
	if err != nil || info.IsDir() {
		return nil
	}
	if info.Mode()&0o111 == 0 {
		s.warn(fmt.Sprintf("the hook %s is left out: it is not executable", path))
		return nil
	}
	row, err := b.JSON()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, hookTime)
	defer cancel()
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, path)
	cmd.Stdin = bytes.NewReader(append(row, '\n'))
	cmd.Stderr = &out
	cmd.Dir = s.dir
	cmd.WaitDelay = time.Second // for what the hook left running with our pipe
	err = cmd.Run()
	said := strings.Join(strings.Fields(out.String()), " ")
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("%w %s: no answer after %s", ErrRefused, name, hookTime)
	case !errors.As(err, &exit):
		return fmt.Errorf("%w %s: it cannot be run: %w", ErrRefused, name, bare(err))
	case exit.ExitCode() == hookWarns:
		s.warn(fmt.Sprintf("%s: %s: %s", name, b.ID, said))
		return nil
	case said == "":
		return fmt.Errorf("%w %s: exit %d without a word", ErrRefused, name, exit.ExitCode())
	}
	return fmt.Errorf("%w %s: %s", ErrRefused, name, said)
}
