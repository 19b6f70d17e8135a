package checker

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// failing returns a disk that takes so many operations and then fails, having written half of what it was given.
func failing(operations int64) opener {
	left := &atomic.Int64{}
	left.Store(operations)
	return func(path string) (file, error) {
		if left.Add(-1) < 0 {
			return nil, syscall.ENOSPC
		}
		opened, err := openFile(path)
		return failingFile{opened, left}, err
	}
}

type failingFile struct {
	file
	left *atomic.Int64
}

func (f failingFile) WriteAt(p []byte, at int64) (int, error) {
	if f.left.Add(-1) < 0 {
		n, _ := f.file.WriteAt(p[:len(p)/2], at)
		return n, syscall.ENOSPC
	}
	return f.file.WriteAt(p, at)
}

// Sync only counts: what is written by this process is there for the next, and tests take less time.
func (f failingFile) Sync() error {
	if f.left.Add(-1) < 0 {
		return syscall.ENOSPC
	}
	return nil
}

// whereItWas leaves out of a result where states were held.
var whereItWas = cmpopts.IgnoreFields(Result{}, "Bytes", "DiskShards")

const always = 1 << 60

// checkpointed are the models of these tests, narrow and wide.
func checkpointed() map[string]Model {
	return map[string]Model{"hanoi": hanoi(6), "jugs": jugs(), "philosophers": philosophers(6), "tree": binaryTree(9)}
}

// runWith checks a model in small batches, and looks states on disk up where that costs so much less than to go
// through them.
func runWith(t *testing.T, m Model, o Options, lookupCosts int64) (*Result, error) {
	t.Helper()
	e, err := newExplorer(m, o)
	if err != nil {
		t.Fatal(err)
	}
	e.batchSteps, e.lookupCosts = 300, lookupCosts
	return e.check(context.Background())
}

// TestDisk: where states are held does not show in what is found. The least memory has all of them on disk but for
// some that wait.
func TestDisk(t *testing.T) {
	models := checkpointed()
	models["sliding puzzle"], models["large hanoi"] = limited{slidingPuzzle()}, hanoi(7)
	for name, m := range models {
		want := check(t, m, Options{})
		for _, memory := range []int64{40 << 10, 400 << 10} {
			for _, workers := range []int{1, 3} {
				got, err := runWith(
					t,
					m,
					Options{
						Memory:     memory,
						Workers:    workers,
						Checkpoint: &Checkpoint{Dir: t.TempDir(), Every: time.Hour, open: failing(always)},
					},
					int64(workers), // one of them looks up more
				)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, got, whereItWas); diff != "" {
					t.Errorf("%s in %d bytes, %d workers (-memory +disk):\n%s", name, memory, workers, diff)
				}
				if memory == 40<<10 && want.Bytes > memory && got.DiskShards == 0 {
					t.Errorf("%s took %d bytes, and with %d nothing is on disk", name, want.Bytes, memory)
				}
				if got.Bytes > memory {
					t.Errorf("%s takes %d bytes of %d", name, got.Bytes, memory)
				}
			}
		}
	}
}

// limited leaves out most of the sliding puzzle, so that a test takes little time: tiles 6 to 8 do not move.
type limited struct{ toy }

func (m limited) Worker() Worker { return m }
func (m limited) Expand(state []byte, out *Steps) {
	all := newSteps(m.width, 0, nil, nil, nil)
	all.enter(0, state)
	m.toy.Expand(state, all)
	for i, step := range all.steps {
		if step.action < 6 {
			out.Add(step.action, all.target(uint32(i)))
		}
	}
}

// TestResume: a run that fails at any moment, again and again, finds in the end what a run does that does not.
func TestResume(t *testing.T) {
	want := map[string]*Result{}
	for name, m := range checkpointed() {
		want[name] = check(t, m, Options{})
	}
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom([]string{"hanoi", "jugs", "philosophers", "tree"}).Draw(rt, "model")
		memory := rapid.SampledFrom([]int64{0, 32 << 10, 60 << 10}).Draw(rt, "memory")
		every := rapid.SampledFrom([]time.Duration{1, time.Millisecond, time.Hour}).Draw(rt, "every")
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		for failures := 0; ; failures++ {
			operations := int64(always)
			if failures < 3 {
				operations = rapid.Int64Range(0, 1200).Draw(rt, "operations")
			}
			got, err := runWith(t, checkpointed()[name], Options{
				Workers: rapid.IntRange(1, 3).Draw(rt, "workers"), Memory: memory,
				Checkpoint: &Checkpoint{Dir: dir, Every: every, Resume: true, open: failing(operations)},
			}, rapid.SampledFrom([]int64{1, 4, lookupCosts}).Draw(rt, "lookup costs"))
			if failed, ok := errors.AsType[*CheckpointError](err); ok && operations < always {
				if !strings.Contains(failed.Problem, "no space left") {
					rt.Fatal(err)
				}
				continue
			}
			if err != nil && operations < always && errors.Is(err, syscall.ENOSPC) {
				continue // not even the traces could be read
			}
			if err != nil {
				rt.Fatal(err)
			}
			if got.Stopped == DiskFailed {
				if operations == always || !strings.Contains(got.Failure, "no space left") || got.Complete {
					rt.Fatalf("%+v", got)
				}
				continue
			}
			if diff := cmp.Diff(want[name], got, whereItWas); diff != "" {
				rt.Fatalf("%s after %d failures (-never failed +got):\n%s", name, failures, diff)
			}
			if failures > 2 {
				return
			}
		}
	})
}

// TestInterruptedRunGoesOn: what ended by a limit or an interrupt goes on with another.
func TestInterruptedRunGoesOn(t *testing.T) {
	m := philosophers(9)
	want := check(t, m, Options{})
	dir := t.TempDir()
	checkpoint := func() *Checkpoint { return &Checkpoint{Dir: dir, Resume: true, open: failing(always)} }
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, step := range []struct {
		reason  string
		ctx     context.Context
		options Options
		stopped Reason
	}{
		{"an interrupt", cancelled, Options{}, Cancelled},
		{"a limit on levels", context.Background(), Options{MaxDepth: 4}, DepthLimit},
		{"the same limit", context.Background(), Options{MaxDepth: 4}, DepthLimit},
		{"a limit on states", context.Background(), Options{MaxStates: 1500}, StateLimit},
		{"an interrupt further on", cancelled, Options{}, Cancelled},
		{"none", context.Background(), Options{}, NotStopped},
		{"what is complete stays so", context.Background(), Options{}, NotStopped},
	} {
		step.options.Checkpoint = checkpoint()
		got := checkUntil(t, step.ctx, m, step.options)
		if got.Stopped != step.stopped {
			t.Errorf("%s: stopped is %v", step.reason, got.Stopped)
		}
		if step.stopped == NotStopped {
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-in one go +got):\n%s", step.reason, diff)
			}
		}
	}
}

// TestCheckpointIsRefused: what was changed, cut off or written by another run is not believed.
func TestCheckpointIsRefused(t *testing.T) {
	m := hanoi(7)
	for _, memory := range []int64{0, 32 << 10} {
		dir := t.TempDir()
		options := Options{
			Memory:     memory,
			MaxDepth:   30,
			Checkpoint: &Checkpoint{Dir: dir, Identity: "this", open: failing(always)},
		}
		if got := check(t, m, options); got.Stopped != DepthLimit {
			t.Fatalf("%+v", got)
		}
		options.Checkpoint.Resume = true
		refused := func(what, want string, o Options) {
			t.Helper()
			_, err := Check(context.Background(), m, o)
			if failed, ok := errors.AsType[*CheckpointError](err); !ok || !strings.Contains(failed.Error(), want) {
				t.Errorf("%s: error is %v; want one about %q", what, err, want)
			}
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		damaged := 0
		for i, entry := range entries {
			if i%9 > 0 && entry.Name() != manifestName {
				continue // a few files of each sort will do
			}
			path := filepath.Join(dir, entry.Name())
			good, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if len(good) == 0 {
				continue
			}
			write := func(data []byte) {
				if err := os.WriteFile(path, data, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			// Several bytes: of the manifest's header and body, of the state and of the parent of records.
			for _, at := range []int{0, len(good) / 3, len(good) / 2, len(good) - 1, 9} {
				bad := append([]byte(nil), good...)
				bad[min(at, len(good)-1)] ^= 0x10
				write(bad)
				refused(fmt.Sprintf("%s with byte %d changed", entry.Name(), at), entry.Name(), options)
				damaged++
			}
			for _, size := range []int{0, 1, len(good) - 1} {
				write(good[:size])
				refused(fmt.Sprintf("%s cut off after %d bytes", entry.Name(), size), entry.Name(), options)
			}
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if entry.Name() != manifestName {
				refused("without "+entry.Name(), entry.Name(), options)
			}
			write(good)
			if entry.Name() != manifestName {
				// What a run wrote after its last checkpoint does not count.
				write(append(append([]byte(nil), good...), "more"...))
			}
		}
		if damaged < 40 {
			t.Errorf("only %d files were damaged", damaged)
		}
		other := *options.Checkpoint
		other.Identity = "that"
		refused("another run", "another run", Options{Checkpoint: &other})
		anew := *options.Checkpoint
		anew.Resume = false
		refused("a run begun anew", "already", Options{Checkpoint: &anew})
		m := m
		m.width = 9
		if _, err := Check(context.Background(), m, options); err == nil {
			t.Error("another width is taken")
		}
		options.MaxDepth = 0
		if diff := cmp.Diff(check(t, hanoi(7), Options{}), check(t, hanoi(7), options), whereItWas); diff != "" {
			t.Errorf("in the end (-in one go +got):\n%s", diff)
		}
	}
}

// TestDirectoryIsRefused: a directory that holds other things, or cannot be written, is not touched.
func TestDirectoryIsRefused(t *testing.T) {
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "thesis.tex"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{full: "thesis.tex: it belongs to no checkpoint",
		filepath.Join(full, "thesis.tex"): "it cannot be made"} {
		_, err := Check(context.Background(), jugs(), Options{Checkpoint: &Checkpoint{Dir: dir}})
		if _, ok := errors.AsType[*CheckpointError](err); !ok || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", dir, err, want)
		}
	}
	if _, err := os.Stat(filepath.Join(full, manifestName)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a checkpoint beside other files: %v", err)
	}
}

// TestTidy: of the files in its directory and in others, whatever it is called, a run removes what an earlier one that
// was killed left behind, and nothing else: delayed steps of levels that are over, indexes, half a manifest.
func TestTidy(t *testing.T) {
	parent := t.TempDir()
	dir, other := filepath.Join(parent, "run[12]"), filepath.Join(parent, "run1")
	options := Options{
		Memory:     32 << 10,
		MaxDepth:   70,
		Checkpoint: &Checkpoint{Dir: dir, Resume: true, open: failing(always)},
	}
	if got := check(t, hanoi(7), options); got.DiskShards == 0 {
		t.Fatal("nothing is on disk")
	}
	if err := os.Mkdir(other, 0o777); err != nil {
		t.Fatal(err)
	}
	stale, notes, another := filepath.Join(dir, "steps-9999-03"), filepath.Join(dir, "steps-to-take"),
		filepath.Join(other, "steps-9999-03")
	found, part := filepath.Join(dir, "index-03"), filepath.Join(dir, manifestName+unfinished)
	for _, path := range []string{stale, found, part, notes, another} {
		if err := os.WriteFile(path, []byte("?"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	check(t, hanoi(7), options)
	for path, stays := range map[string]bool{stale: false, found: false, part: false, notes: true, another: true} {
		if _, err := os.Stat(path); (err == nil) != stays {
			t.Errorf("%s: want it to stay: %t; %v", path, stays, err)
		}
	}
}

// TestDiskWithoutLimit: a run that had a limit goes on without one, and what is on disk stays there.
func TestDiskWithoutLimit(t *testing.T) {
	m, checkpoint := binaryTree(15), &Checkpoint{Dir: t.TempDir(), Resume: true, open: failing(always)}
	if got := check(t, m, Options{Memory: 16 << 10, MaxDepth: 11, Checkpoint: checkpoint}); got.DiskShards == 0 {
		t.Fatalf("nothing is on disk: %+v", got)
	}
	// Steps are not written one by one: there are 32,766 of them.
	checkpoint.open = failing(5000)
	got := check(t, m, Options{Checkpoint: checkpoint})
	if diff := cmp.Diff(check(t, m, Options{}), got, whereItWas); diff != "" || got.DiskShards == 0 {
		t.Errorf("%d shards on disk (-in memory +got):\n%s", got.DiskShards, diff)
	}
}

// TestManifestThatLies: numbers that do not fit together are refused, however right the digests are.
func TestManifestThatLies(t *testing.T) {
	dir := t.TempDir()
	check(t, philosophers(6), Options{MaxDepth: 4, Checkpoint: &Checkpoint{Dir: dir, open: failing(always)}})
	data, err := os.ReadFile(filepath.Join(dir, manifestName))
	if err != nil {
		t.Fatal(err)
	}
	for reason, change := range map[string]func(m *manifest){
		"":                               func(*manifest) {},
		"a later level":                  func(m *manifest) { m.Depth++ },
		"an earlier level":               func(m *manifest) { m.Depth-- },
		"more of the level expanded":     func(m *manifest) { m.Position++ },
		"more expanded":                  func(m *manifest) { m.Expanded++ },
		"a state of another level":       func(m *manifest) { m.Levels[2]++; m.Levels[3]-- },
		"a level with more states":       func(m *manifest) { m.Levels[1]++ },
		"the level begins further ahead": func(m *manifest) { m.Begin[slices.Index(m.End, slices.Max(m.End))]++ },
		"fewer classes":                  func(m *manifest) { m.Classes = append(m.Classes, "more") },
	} {
		m, err := decodeManifest(data, "")
		if err != nil {
			t.Fatal(err)
		}
		change(m)
		encoded, err := m.encode("")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := decodeManifest(encoded, ""); (err == nil) != (reason == "") {
			t.Errorf("%q: %v", reason, err)
		}
	}
}

// waiting is a model that does not go on before it is told to.
type waiting struct {
	toy
	entered chan<- struct{}
	leave   <-chan struct{}
}

func (m waiting) Worker() Worker { return m }
func (m waiting) Expand(state []byte, out *Steps) {
	m.entered <- struct{}{}
	<-m.leave
	m.toy.Expand(state, out)
}

// TestOneRunAtATime: while a run uses a directory, another one is refused, and what the first one finds is not touched.
func TestOneRunAtATime(t *testing.T) {
	dir, entered, leave := t.TempDir(), make(chan struct{}, 1<<10), make(chan struct{})
	options := func() Options {
		return Options{Workers: 1, Checkpoint: &Checkpoint{Dir: dir, Every: 1, Resume: true, open: failing(always)}}
	}
	first := make(chan *Result)
	go func() { first <- check(t, waiting{hanoi(5), entered, leave}, options()) }()
	<-entered
	for range 2 { // who is refused leaves the lock alone
		_, err := Check(context.Background(), hanoi(5), options())
		if failed, ok := errors.AsType[*CheckpointError](err); !ok || failed.Path != dir ||
			!strings.Contains(failed.Problem, "in use by another run") {
			t.Errorf("a second run: %v", err)
		}
	}
	close(leave)
	want := check(t, hanoi(5), Options{})
	for reason, got := range map[string]*Result{"the first": <-first, "one after it": check(t, hanoi(5), options())} {
		if diff := cmp.Diff(want, got, whereItWas); diff != "" {
			t.Errorf("%s (-alone +got):\n%s", reason, diff)
		}
	}
	// Who was refused because of what is in the directory lets others in, too.
	other := options()
	other.Checkpoint.Identity = "another"
	for range 2 {
		if _, err := Check(context.Background(), hanoi(5), other); err == nil ||
			!strings.Contains(err.Error(), "another run: another input") {
			t.Errorf("a run of another identity: %v", err)
		}
	}
	check(t, hanoi(5), options())
}

// FuzzManifest: whatever is in the file, it is refused, or all that the explorer relies on holds.
func FuzzManifest(f *testing.F) {
	dir := f.TempDir()
	m := philosophers(5)
	if _, err := Check(context.Background(), m,
		Options{MaxDepth: 4, Memory: 1 << 16, Checkpoint: &Checkpoint{Dir: dir, open: failing(always)}}); err != nil {
		f.Fatal(err)
	}
	whole, err := os.ReadFile(filepath.Join(dir, manifestName))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	_, body, _ := strings.Cut(string(whole), "\n")
	f.Add([]byte(body))
	for _, change := range [][2]string{{`"width":5`, `"width":0`}, {`"position":`, `"position":-`},
		{`"begin":[`, `"begin":[4294967295,`}, {`"depth":`, `"depth":9`}} {
		f.Add([]byte(strings.Replace(body, change[0], change[1], 1)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := decodeManifest(data, ""); err == nil && string(data) != string(whole) {
			if encoded, _ := (&manifest{}).encode(""); len(encoded) > len(data) {
				t.Errorf("taken: %q", data)
			}
		}
		m, err := decodeBody(data)
		if err != nil {
			return
		}
		var l level
		copy(l.begin[:], m.Begin)
		copy(l.end[:], m.End)
		if m.Position > l.size() || m.Distinct < m.Expanded {
			t.Errorf("taken: position %d of %d, %d of %d states expanded", m.Position, l.size(), m.Expanded, m.Distinct)
		}
		for _, found := range m.Found {
			if found.State.index() >= m.Shards[found.State.shard()].States {
				t.Errorf("taken: finding in a state that is not there")
			}
		}
	})
}
