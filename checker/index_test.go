package checker

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestIndex: the index finds the states that it covers, and no others, however many entries it holds at a time.
func TestIndex(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		width := rapid.SampledFrom([]int{2, 7, 8, 11}).Draw(rt, "width")
		s := newShard(width, 0)
		s.file = newRecordFile(filepath.Join(dir, "states"), width+4, openFile)
		x := &index{entries: newRecordFile(filepath.Join(dir, "index"), entryBytes, openFile)}
		draw := rapid.SliceOfNDistinct(rapid.Uint16(), 0, -1, rapid.ID[uint16])
		stateOf := func(number uint16) []byte {
			state := make([]byte, width)
			binary.LittleEndian.PutUint16(state, number)
			return state
		}
		numbers := draw.Draw(rt, "states")
		if n := rapid.IntRange(0, 5000).Draw(rt, "more states"); n > len(numbers) {
			numbers = nil
			for i := range n {
				numbers = append(numbers, uint16(i*13))
			}
		}
		for _, number := range numbers {
			s.add(hash(stateOf(number)), stateOf(number), noParent)
		}
		if err := s.keep(); err != nil {
			t.Fatal(err)
		}
		if err := x.cover(s, rapid.Int64Range(0, 3000).Draw(rt, "entries at a time")); err != nil {
			t.Fatal(err)
		}
		if x.entries.count != int64(len(numbers)) {
			rt.Fatalf("%d entries for %d states", x.entries.count, len(numbers))
		}
		for _, number := range append(draw.Draw(rt, "others"), numbers...) {
			has, err := x.has(s.file, hash(stateOf(number)), stateOf(number))
			if want := slices.Contains(numbers, number); has != want || err != nil {
				rt.Fatalf("state %d: found is %t, %v; want %t", number, has, err, want)
			}
		}
		if err := errors.Join(s.file.close(), x.remove()); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(x.entries.path); !errors.Is(err, fs.ErrNotExist) {
			rt.Fatalf("the file of the index stays: %v", err)
		}
	})
}

// TestSearchUneven: entries are found wherever they lie, also if all of them lie together, or equals do.
func TestSearchUneven(t *testing.T) {
	for reason, entry := range map[string]func(i uint64) uint64{
		"evenly":           func(i uint64) uint64 { return i << 50 },
		"at the low end":   func(i uint64) uint64 { return i },
		"at the high end":  func(i uint64) uint64 { return 1<<64 - 1<<20 + i },
		"at both":          func(i uint64) uint64 { return i | i&1<<63 },
		"a few far ahead":  func(i uint64) uint64 { return 1 << (i / 300) },
		"many at one spot": func(i uint64) uint64 { return i / 5000 << 60 },
	} {
		x := &index{entries: newRecordFile(filepath.Join(t.TempDir(), "index"), entryBytes, openFile)}
		var entries []uint64
		for i := range uint64(1 << 14) {
			entries = append(entries, entry(i))
		}
		slices.Sort(entries)
		for _, e := range entries {
			if err := x.entries.append(binary.LittleEndian.AppendUint64(nil, e)); err != nil {
				t.Fatal(err)
			}
		}
		for i := 0; i < len(entries); i += 37 {
			for _, wanted := range []uint64{entries[i], entries[i] + 1, entries[i] - 1} {
				want, _ := slices.BinarySearch(entries, wanted)
				if got, err := x.search(wanted); got != int64(want) || err != nil {
					t.Fatalf("%s: entry %x is at %d, %v; want %d", reason, wanted, got, err, want)
				}
			}
		}
		if err := x.remove(); err != nil {
			t.Fatal(err)
		}
	}
}

// comet is a binary tree, whose last node has a long tail of single states. They say when they are expanded.
func comet(levels int, tail uint32, entered func(tail uint32)) toy {
	m := binaryTree(levels)
	tree, first := m.expand, uint32(1)<<levels
	m.expand = func(s []byte, out *Steps) {
		n := binary.LittleEndian.Uint32(s)
		switch {
		case n == first-1, n >= first && n < first+tail:
			next := max(n+1, first)
			if n >= first {
				entered(n - first)
			}
			out.Add(0, binary.LittleEndian.AppendUint32(nil, next))
			out.Add(1, binary.LittleEndian.AppendUint32(nil, next-first)) // what is known long since
		case n < first:
			tree(s, out)
		}
	}
	return m
}

// TestLevelCostsWhatItHolds: levels of one state read a few blocks each, and not what is on the disk.
func TestLevelCostsWhatItHolds(t *testing.T) {
	const tail = 2000
	var bytes, files atomic.Int64
	var at, opened [tail]int64
	m := comet(18, tail, func(n uint32) { at[n], opened[n] = bytes.Load(), files.Load() })
	dir := t.TempDir()
	got := check(t, m, Options{Workers: 1, Memory: 64 << 10, Checkpoint: &Checkpoint{
		Dir: dir, Every: time.Hour,
		open: func(path string) (file, error) {
			opened, err := openFile(path)
			files.Add(1)
			return countedFile{opened, &bytes}, err
		},
	}})
	want := check(t, comet(18, tail, func(uint32) {}), Options{})
	if diff := cmp.Diff(want, got, whereItWas); diff != "" || got.DiskShards < shardCount/2 {
		t.Fatalf("%d shards on disk (-in memory +got):\n%s", got.DiskShards, diff)
	}
	onDisk := got.Distinct * (4 + 4)
	for _, part := range [][2]int{{200, 1000}, {1000, tail - 1}} {
		perLevel := (at[part[1]] - at[part[0]]) / int64(part[1]-part[0])
		t.Logf("levels %d to %d of the tail read %d bytes each; %d are on disk", part[0], part[1], perLevel, onDisk)
		if perLevel > onDisk/40 {
			t.Errorf("levels %d to %d of the tail read %d bytes each, of %d", part[0], part[1], perLevel, onDisk)
		}
	}
	// Steps that there is memory for need no file: there is one for the index of each shard.
	if more := opened[tail-1] - opened[0]; more > shardCount {
		t.Errorf("%d files were opened for the tail", more)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "index-*")); len(left) > 0 {
		t.Errorf("the run left %v", left)
	}
}

// countedFile counts the bytes that are read.
type countedFile struct {
	file
	bytes *atomic.Int64
}

func (f countedFile) ReadAt(p []byte, at int64) (int, error) {
	f.bytes.Add(int64(len(p)))
	return f.file.ReadAt(p, at)
}
