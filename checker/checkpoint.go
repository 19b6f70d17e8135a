package checker

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Checkpoint says where a run keeps what it found, so that it can be ended at any moment and gone on with. The
// directory also takes the states for which there is no room in memory.
//
// It holds, for each shard of states, a file to which records are appended (a state and its parent), and a
// manifest, which says how many of the records count, has their digests, and all the rest. A checkpoint is made by
// writing what is new, and then the manifest, whole or not at all. What a run that was killed wrote after that is
// written over.
type Checkpoint struct {
	// Dir is the directory. It is made if it is missing.
	Dir string
	// Identity tells apart runs that could find something else: by what is explored and by the build.
	Identity string
	// Every is the time between two checkpoints; 0 means five minutes. One is made at the end in any case.
	Every time.Duration
	// Resume goes on with the checkpoint in the directory, if there is one. Without Resume there must be none.
	Resume bool
	// Resumed, if set, is told how many distinct states the checkpoint has that the run goes on with.
	Resumed func(distinct int64)

	open opener // nil means openFile
}

// CheckpointError tells that a run did not begin: its checkpoint cannot be used.
type CheckpointError struct {
	// Path is the file or directory, and Problem what is wrong with it.
	Path, Problem string
	// Err is the error of the file system behind it; nil if there is none.
	Err error
}

// Unwrap returns the error of the file system.
func (e *CheckpointError) Unwrap() error { return e.Err }

// Error names the file and says what is wrong.
func (e *CheckpointError) Error() string { return e.Path + ": " + e.Problem }

const (
	manifestName = "checkpoint"
	// lockName is the file that a run has locked as long as it uses the directory. It is never removed: somebody
	// may be about to lock it.
	lockName = "lock"
)

// store is the directory of a run.
type store struct {
	Checkpoint
	locked  *os.File
	record  int // bytes of a state and its parent
	saved   time.Time
	garbage []string // files that the next checkpoint does without
	// generation numbers the files of delayed steps, and kept is the one that the last checkpoint has.
	generation, kept int
}

// openStore opens the directory, which nobody else may use until close. The manifest is nil if the run is to begin
// anew.
func openStore(c Checkpoint, width int) (*store, *manifest, error) {
	s := &store{Checkpoint: c, record: width + 4, saved: time.Now()}
	if s.open == nil {
		s.open = openFile
	}
	if err := os.MkdirAll(c.Dir, 0o777); err != nil {
		return nil, nil, &CheckpointError{Path: c.Dir, Problem: fmt.Sprintf("it cannot be made: %v", err), Err: err}
	}
	if err := s.ours(); err != nil {
		return nil, nil, err
	}
	if err := s.lock(); err != nil {
		return nil, nil, err
	}
	m, err := s.read()
	if err == nil {
		if m != nil {
			s.generation, s.kept = m.Generation, m.Generation
		}
		err = s.tidy()
	}
	if err != nil {
		s.close()
		return nil, nil, err
	}
	return s, m, nil
}

// read reads the manifest; nil if there is none.
func (s *store) read() (*manifest, error) {
	path := s.path(manifestName)
	data, err := ReadRegular(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, &CheckpointError{Path: path, Problem: fmt.Sprintf("it cannot be read: %v", err)}
	case !s.Resume:
		return nil, &CheckpointError{Path: s.Dir,
			Problem: "there is a checkpoint in it already: resume it, or take another directory"}
	}
	m, err := decodeManifest(data, s.Identity)
	if err != nil {
		return nil, &CheckpointError{Path: path, Problem: err.Error()}
	}
	return m, nil
}

// lock keeps other runs out. It makes a file, so it also finds out whether that is possible.
func (s *store) lock() error {
	f, err := openRegular(s.path(lockName), os.O_RDWR|os.O_CREATE)
	if err != nil {
		return &CheckpointError{Path: s.Dir, Problem: fmt.Sprintf("nothing can be written there: %v", err), Err: err}
	}
	got, err := lockFile(f)
	switch {
	case err != nil:
		err = &CheckpointError{
			Path:    f.Name(),
			Problem: fmt.Sprintf("it cannot be locked: %v; take a directory on a file system with locks", err),
		}
	case !got:
		err = &CheckpointError{Path: s.Dir,
			Problem: "it is in use by another run: wait until that ends, or take another directory"}
	default:
		s.locked = f
		return nil
	}
	_ = f.Close() // nothing was written
	return err
}

// close lets others use the directory.
func (s *store) close() { _ = s.locked.Close() }

// tidy removes what a run that was killed did not come to remove: delayed steps that were settled, indexes, and a
// manifest that was being written.
func (s *store) tidy() error {
	entries, err := os.ReadDir(s.Dir)
	for _, entry := range entries {
		name := entry.Name()
		if delayedName.MatchString(name) && !strings.HasPrefix(name, fmt.Sprintf("steps-%d-", s.generation)) ||
			indexName.MatchString(name) || name == manifestName+unfinished {
			err = errors.Join(err, os.Remove(s.path(name)))
		}
	}
	if err != nil {
		return &CheckpointError{Path: s.Dir,
			Problem: fmt.Sprintf("what a run left that was ended cannot be removed: %v", err), Err: err}
	}
	return nil
}

// ours sees to it that there is a checkpoint in the directory, or nothing but what is left of a run that was ended
// before its first one.
func (s *store) ours() error {
	if _, err := os.Lstat(s.path(manifestName)); err == nil {
		return nil
	}
	entries, err := os.ReadDir(s.Dir)
	if err != nil {
		return &CheckpointError{Path: s.Dir, Problem: fmt.Sprintf("it cannot be read: %v", err)}
	}
	for _, entry := range entries {
		name := entry.Name()
		if statesName.MatchString(name) || delayedName.MatchString(name) || indexName.MatchString(name) ||
			slices.Contains([]string{manifestName, manifestName + unfinished, lockName}, name) {
			continue
		}
		return &CheckpointError{
			Path:    s.path(name),
			Problem: "it belongs to no checkpoint: take a directory of its own for checkpoints",
		}
	}
	return nil
}

// unfinished ends the name of a manifest that is being written.
const unfinished = ".part"

// statesName, delayedName and indexName are the names that states, delayed and index give.
var (
	statesName  = regexp.MustCompile(`^states-\d\d$`)
	delayedName = regexp.MustCompile(`^steps-\d+-\d\d$`)
	indexName   = regexp.MustCompile(`^index-\d\d$`)
)

func (s *store) path(name string) string { return filepath.Join(s.Dir, name) }

// states is the file of a shard's states and parents.
func (s *store) states(shard int) *recordFile {
	return newRecordFile(s.path(fmt.Sprintf("states-%02d", shard)), s.record, s.open)
}

// delayed is the file of the steps to a shard's states in the level being expanded: state, parent, action.
func (s *store) delayed(shard int) *recordFile {
	return newRecordFile(s.path(fmt.Sprintf("steps-%d-%02d", s.generation, shard)), s.record+4, s.open)
}

// index is the file of a shard's index.
func (s *store) index(shard int) *recordFile {
	f := newRecordFile(s.path(fmt.Sprintf("index-%02d", shard)), entryBytes, s.open)
	f.sum = nil
	return f
}

// discard closes a file of delayed steps that were settled, and removes it; if the last checkpoint has it, only when
// there is another.
func (s *store) discard(delayed *recordFile, generation int) error {
	if generation == s.kept {
		s.garbage = append(s.garbage, delayed.path)
		return delayed.close()
	}
	if delayed.file == nil {
		return nil // no step was written
	}
	return errors.Join(delayed.close(), os.Remove(delayed.path))
}

// due reports whether it is time for a checkpoint.
func (s *store) due() bool { return time.Since(s.saved) >= cmp.Or(s.Every, 5*time.Minute) }

// write replaces the manifest: whole, or not at all.
func (s *store) write(m *manifest) error {
	data, err := m.encode(s.Identity)
	if err != nil {
		return err
	}
	part := s.path(manifestName + unfinished)
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := s.open(part)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(data, 0)
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(part, s.path(manifestName)); err != nil {
		return err
	}
	if err := SyncDir(s.Dir); err != nil {
		return err
	}
	for _, path := range s.garbage {
		_ = os.Remove(path) // nobody reads it any more
	}
	s.garbage = nil
	s.kept = m.Generation
	s.saved = time.Now()
	return nil
}

// SyncDir sees to it that new names in a directory survive a failure of the machine, where the system can do that.
func SyncDir(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	err = dir.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) {
		err = nil // this file system cannot
	}
	return errors.Join(err, dir.Close())
}

// keep writes records of states and parents that are not in the shard's file yet.
func (s *shard) keep() error {
	for at := s.file.count; at < int64(s.count); at = s.file.count {
		record := int64(s.width + 4)
		page := s.pages[at/pageStates]
		if err := s.file.append(page[at%pageStates*record:]); err != nil {
			return err
		}
	}
	return nil
}

// save makes a checkpoint.
func (e *explorer) save() error {
	m := e.manifest()
	for i, s := range e.shards {
		if !s.onDisk {
			if err := s.keep(); err != nil {
				return err
			}
		} else if err := s.flush(); err != nil {
			return err
		}
		m.Shards[i] = shardManifest{States: s.count, Sum: s.file.digest(), First: s.first, OnDisk: s.onDisk}
		if s.onDisk {
			m.Shards[i].Delayed, m.Shards[i].DelayedSum = s.delayed.count, s.delayed.digest()
		}
	}
	errs := make([]error, shardCount)
	parallel(shardCount, shardCount, func(_, i int) {
		s := e.shards[i]
		errs[i] = s.file.sync()
		if s.onDisk {
			errs[i] = errors.Join(errs[i], s.delayed.sync())
		}
	})
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return e.store.write(m)
}

// manifest is that of the run as it is, but for its shards.
func (e *explorer) manifest() *manifest {
	r := &e.result
	m := &manifest{
		Width: e.width, Classes: e.classes(), Shards: make([]shardManifest, shardCount),
		Begin: e.level.begin[:], End: e.level.end[:], Position: e.position, Depth: e.depth, Degree: e.degree,
		Generation: e.store.generation,
		Levels:     r.Levels, Distinct: r.Distinct, Generated: r.Generated, Expanded: e.expanded, Steps: e.steps,
		LeastOut: r.OutDegree.Min, MostOut: r.OutDegree.Max, ByClass: []int64{}, Ends: e.ends, Counters: r.Counters,
	}
	for _, c := range r.Coverage {
		m.ByClass = append(m.ByClass, c.Generated)
	}
	for _, key := range slices.Sorted(maps.Keys(e.found)) {
		f := e.found[key]
		m.Found = append(m.Found, foundManifest{f.key, f.count, f.depth, f.state, f.size, f.step})
	}
	return m
}

func (e *explorer) classes() []string {
	names := []string{}
	for _, c := range e.result.Coverage {
		names = append(names, c.Class)
	}
	return names
}

// resume takes the run up where the manifest left it.
func (e *explorer) resume(m *manifest) error {
	if m.Width != e.width || !slices.Equal(m.Classes, e.classes()) {
		return &CheckpointError{Path: e.store.path(manifestName), Problem: "it is the checkpoint of another model"}
	}
	errs := make([]error, shardCount)
	parallel(len(e.workers), shardCount, func(_, i int) { errs[i] = e.resumeShard(i, m) })
	for _, err := range errs {
		if err != nil {
			return err // one is enough
		}
	}
	for i := range m.Shards {
		if m.Shards[i].OnDisk {
			e.result.DiskShards++
		}
	}
	copy(e.level.begin[:], m.Begin)
	copy(e.level.end[:], m.End)
	e.position, e.depth, e.degree = m.Position, m.Depth, m.Degree
	e.expanded, e.steps = m.Expanded, m.Steps
	maps.Copy(e.ends, m.Ends)
	for _, f := range m.Found {
		e.found[f.Key] = &found{f.Key, f.Count, f.Depth, f.State, f.Size, f.Step}
	}
	r := &e.result
	r.Levels, r.Distinct, r.Generated, r.Counters = m.Levels, m.Distinct, m.Generated, m.Counters
	r.OutDegree.Min, r.OutDegree.Max = m.LeastOut, m.MostOut
	for i := range r.Coverage {
		r.Coverage[i].Generated = m.ByClass[i]
	}
	e.meter.distinct.Store(r.Distinct)
	e.meter.generated.Store(r.Generated)
	e.meter.expanded.Store(e.expanded)
	e.meter.depth.Store(int64(e.depth) + 2)
	return nil
}

// resumeShard reads the states of a shard. It believes digests, and yet looks at whatever would lead outside of a
// table.
func (e *explorer) resumeShard(i int, manifest *manifest) error {
	s, m := e.shards[i], &manifest.Shards[i]
	copy(s.first, m.First)
	damaged := func(f *recordFile, state []byte, problem string) error {
		return &CheckpointError{Path: f.path, Problem: fmt.Sprintf("it is damaged: state %x %s", state, problem)}
	}
	// parted takes apart a record.
	parted := func(f *recordFile, record []byte) (state []byte, h uint64, parent stateID, err error) {
		state, parent = record[:e.width:e.width], stateID(binary.LittleEndian.Uint32(record[e.width:]))
		if h = hash(state); shardOf(h) != i {
			return state, h, parent, damaged(f, state, "is not of this shard")
		}
		if parent != noParent && parent.index() >= manifest.Shards[parent.shard()].States {
			return state, h, parent, damaged(f, state, fmt.Sprintf("has a parent that is not there, %d", parent))
		}
		return state, h, parent, nil
	}
	if m.OnDisk {
		s.toDisk(e.store.delayed(i))
		err := s.delayed.adopt(m.Delayed, m.DelayedSum, func(record []byte) error {
			state, _, _, err := parted(s.delayed, record)
			if action := binary.LittleEndian.Uint32(record[e.width+4:]); err == nil && e.class != nil {
				if class := e.class(action); class < 0 || class >= len(s.first) {
					err = damaged(s.delayed, state, fmt.Sprintf("is led to by action %d, which is of no class", action))
				}
			}
			return err
		})
		if err != nil {
			return err
		}
		s.count = m.States
	}
	return s.file.adopt(int64(m.States), m.Sum, func(record []byte) error {
		state, h, parent, err := parted(s.file, record)
		if err == nil && !m.OnDisk && !s.add(h, state, parent) {
			err = damaged(s.file, state, "is there twice")
		}
		return err
	})
}
