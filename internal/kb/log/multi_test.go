package log

import (
	"bufio"
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"helix/internal/kb/entry"
)

// The test binary runs itself as a writer process when this is set, to
// "folder:name of the writer:1 if its file system fails now and then".
const writerEnv = "KB_LOG_TEST_WRITER"

func TestMain(m *testing.M) {
	if job := os.Getenv(writerEnv); job != "" {
		fields := strings.Split(job, ":")
		writeForever(fields[0], fields[1], fields[2] == "1")
		return
	}
	os.Exit(m.Run())
}

// faultyFS fails now and then on a real file system.
type faultyFS struct {
	osFS
	mu  sync.Mutex
	rnd *rand.Rand
}

// fails reports whether this step is to fail, and what share of it is done first.
func (f *faultyFS) fails() (float64, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.rnd.Float64(), f.rnd.IntN(25) == 0
}

type faultyFile struct {
	file
	fs *faultyFS
}

func (f *faultyFS) OpenFile(name string, flag int, perm fs.FileMode) (file, error) {
	opened, err := f.osFS.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return faultyFile{opened, f}, nil
}

func (f *faultyFS) Rename(from, to string) error {
	if _, bad := f.fails(); bad {
		return syscall.EIO
	}
	return f.osFS.Rename(from, to)
}

func (f *faultyFS) SyncDir(name string) error {
	if _, bad := f.fails(); bad {
		return syscall.EIO
	}
	return f.osFS.SyncDir(name)
}

func (f faultyFile) WriteAt(b []byte, off int64) (int, error) {
	part, bad := f.fs.fails()
	if !bad {
		return f.file.WriteAt(b, off)
	}
	n, _ := f.file.WriteAt(b[:int(part*float64(len(b)))], off)
	return n, syscall.ENOSPC
}

func (f faultyFile) Sync() error {
	if _, bad := f.fs.fails(); bad {
		return syscall.EIO
	}
	return f.file.Sync()
}

func (f faultyFile) Truncate(size int64) error {
	if _, bad := f.fs.fails(); bad {
		return syscall.EIO
	}
	return f.file.Truncate(size)
}

// batchSize is how many entries a batch of a test writer has.
const batchSize = 4

// writeForever writes entries and batches and says on standard output which of
// them were acknowledged, until it is killed.
func writeForever(dir, name string, faulty bool) {
	l := Open(dir)
	if faulty {
		seed, _ := strconv.ParseUint(name, 10, 64)
		l.fs = &faultyFS{rnd: rand.New(rand.NewPCG(seed, 7))}
	}
	for i := 0; ; i++ {
		var err error
		switch {
		case i%11 == 10:
			_, err = l.Compact(context.Background())
		default:
			var ops []Op
			for b := range writerBatch(i) {
				id := writerID(name, i, b)
				ops = append(ops, Put(note(id, writerText(id))))
			}
			_, err = l.Append(context.Background(), ops...)
		}
		if err == nil {
			fmt.Println(i)
		} else if !faulty {
			fmt.Println("error:", err)
		}
	}
}

// writerBatch is how many entries a writer writes in its i-th write.
func writerBatch(i int) int {
	switch {
	case i%11 == 10:
		return 0 // it compacts
	case i%3 == 0:
		return batchSize
	}
	return 1
}

func writerID(name string, i, b int) string { return fmt.Sprintf("mem_%s_%d_%d", name, i, b) }

func writerText(id string) string {
	return id + strings.Repeat(" long enough to span pages now and then", len(id)*13%97)
}

// runWriter starts a writer process and kills it once it has acknowledged so many
// writes. It gives the writes that it acknowledged.
func runWriter(t *testing.T, dir, name string, faulty bool, kill int) []int {
	flag := "0"
	if faulty {
		flag = "1"
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), writerEnv+"="+strings.Join([]string{dir, name, flag}, ":"))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Error(err)
		return nil
	}
	if err := cmd.Start(); err != nil {
		t.Error(err)
		return nil
	}
	var acked []int
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		i, err := strconv.Atoi(lines.Text())
		if err != nil {
			t.Errorf("writer %s: %s", name, lines.Text())
			break
		}
		if acked = append(acked, i); len(acked) == kill {
			_ = cmd.Process.Kill()
		}
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait() // killed, as it should be
	return acked
}

// checkWriters looks at a log that writers write: each batch is there as a whole
// or not at all, texts are whole, and the writes of one writer keep their order.
// It gives the number of entries of each write that is there.
func checkWriters(t *testing.T, dir string) map[string]map[int]int {
	t.Helper()
	seen, last := map[string]map[int]int{}, map[string]int{}
	r, err := OpenReader(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	_, err = r.Entries(func(e entry.Entry, _ int64) error {
		var i, b int
		var name string
		if _, err := fmt.Sscanf(strings.ReplaceAll(e.ID, "_", " "), "mem %s %d %d", &name, &i, &b); err != nil {
			return fmt.Errorf("id %s: %w", e.ID, err)
		}
		if e.Text != writerText(e.ID) {
			t.Errorf("%s has another text", e.ID)
		}
		if seen[name] == nil {
			seen[name] = map[int]int{}
		}
		seen[name][i]++
		if i < last[name] {
			t.Errorf("writer %s: write %d stands behind write %d", name, i, last[name])
		}
		last[name] = i
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, writes := range seen {
		for i, n := range writes {
			if n != writerBatch(i) {
				t.Errorf("writer %s: write %d has %d of %d entries", name, i, n, writerBatch(i))
			}
		}
	}
	return seen
}

// Eight processes write, each is killed at some point and another one takes its
// place, while the file systems of half of them fail now and then. What any of
// them acknowledged is there, whole and in order.
func TestKilledWriters(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const places, rounds = 8, 3
	rnd := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	acked := map[string][]int{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for p := range places {
		var kills [rounds]int
		for i := range kills {
			kills[i] = 3 + rnd.IntN(20)
		}
		wg.Go(func() {
			for i, kill := range kills {
				name := strconv.Itoa(p*rounds + i)
				got := runWriter(t, dir, name, p%2 == 1, kill)
				mu.Lock()
				acked[name] = got
				mu.Unlock()
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	looks := 0
	for running := true; running; looks++ {
		select {
		case <-done:
			running = false
		default:
			checkWriters(t, dir)
		}
	}
	seen := checkWriters(t, dir)
	total := 0
	for name, writes := range acked {
		for _, i := range writes {
			total++
			if want := writerBatch(i); seen[name][i] != want {
				t.Errorf("writer %s: write %d was acknowledged, %d of its %d entries are there", name, i, seen[name][i], want)
			}
		}
	}
	t.Logf("%d acknowledged writes of %d processes, %d looks meanwhile", total, len(acked), looks)
	l := openIn(t, dir)
	mustAppend(t, l, Put(note("mem_0_999_0", writerText("mem_0_999_0"))))
	wantClean(t, dir)
}
