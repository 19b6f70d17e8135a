package checker

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"math/bits"
	"os"
	"slices"
	"sort"
)

// index finds states in the file of a shard on disk without going through all of it, for levels that are small
// against what is known. It is a file of entries that ascend, one for each of the first states of the shard: 38 bits
// of the state's hash, then the state's number. Hashes lie evenly, so the place of one is known but for a few blocks.
// It can be made again from the states, and is no part of a checkpoint.
type index struct {
	entries *recordFile
	// debt is the number of states that levels went through since the index was made, because it lacks them.
	debt int64
}

const (
	entryBytes = 8
	// lookupCosts is the number of states that are gone through in the time that it takes to look one up: two or
	// three reads of a block each, which may wait for the disk.
	lookupCosts = 1 << 10
	// blockEntries is how many entries are read at a time.
	blockEntries = 512
)

// entryOf is the entry of the state of that hash. Who knows the shard knows the highest bits.
func entryOf(h uint64, number uint32) uint64 { return h<<shardBits&^maxShard | uint64(number) }

// known returns those of the found states that the shard's file has. If they are few against the file, they are looked
// up in the index, and only what it lacks is gone through. It is made anew once as many states were gone through
// as there are, which costs about as much again: so a level costs what it holds, and not what is known.
func (e *explorer) known(s, found *shard) (*shard, error) {
	known := newShard(e.width, 0)
	from := int64(0)
	if int64(found.count)*e.lookupCosts < s.file.count {
		if s.index == nil {
			s.index = &index{entries: e.store.index(shardOf(hash(found.state(0))))}
		}
		s.index.debt += s.file.count - s.index.entries.count
		if s.index.debt > s.file.count {
			if err := s.index.cover(s, e.settleBytes()/2/entryBytes); err != nil {
				return nil, err
			}
		}
		if from = s.index.entries.count; from > 0 {
			for i := range found.count {
				state := found.state(i)
				h := hash(state)
				if has, err := s.index.has(s.file, h, state); err != nil {
					return nil, err
				} else if has {
					known.add(h, state, noParent)
				}
			}
		}
	}
	return known, s.file.each(from, func(record []byte) error {
		state := record[:e.width:e.width]
		if h := hash(state); found.has(h, state) {
			known.add(h, state, noParent)
		}
		return nil
	})
}

// cover makes the index anew, of all states of the shard. It holds about so many entries at a time.
func (x *index) cover(s *shard, most int64) error {
	parts := uint64(s.file.count/max(1, most) + 1)
	x.entries.count, x.debt = 0, 0
	entries := make([]uint64, 0, s.file.count/int64(parts))
	for part := range parts {
		entries = entries[:0]
		number := uint32(0)
		err := s.file.each(0, func(record []byte) error {
			entry := entryOf(hash(record[:s.width:s.width]), number)
			if in, _ := bits.Mul64(entry, parts); in == part {
				entries = append(entries, entry)
			}
			number++
			return nil
		})
		if err != nil {
			return err
		}
		slices.Sort(entries)
		block := make([]byte, 0, blockBytes)
		for chunk := range slices.Chunk(entries, blockBytes/entryBytes) {
			block = block[:0]
			for _, entry := range chunk {
				block = binary.LittleEndian.AppendUint64(block, entry)
			}
			if err := x.entries.append(block); err != nil {
				return err
			}
		}
	}
	return nil
}

// has reports whether the file has the state of hash h among the states that the index covers.
func (x *index) has(file *recordFile, h uint64, state []byte) (bool, error) {
	first := entryOf(h, 0)
	at, err := x.search(first)
	for ; err == nil && at < x.entries.count; at++ {
		var entry []byte
		if entry, err = x.entries.read(at, 1, nil); err != nil {
			break
		}
		candidate := binary.LittleEndian.Uint64(entry)
		if candidate&^maxShard != first {
			return false, nil
		}
		var record []byte
		if record, err = file.read(int64(candidate&maxShard), 1, nil); err != nil {
			break
		}
		if string(record[:len(state)]) == string(state) {
			return true, nil
		}
	}
	return false, err
}

// search returns the place of the first entry that is not less than the given one.
func (x *index) search(entry uint64) (int64, error) {
	// The place is from low to high. It is guessed from the entry, and then from those around the guess.
	low, high := int64(0), x.entries.count
	guess, _ := bits.Mul64(entry, uint64(high))
	buffer := make([]byte, blockEntries*entryBytes)
	for at, tries := int64(guess), 0; low < high; tries++ {
		from := max(low, min(at-blockEntries/2, high-blockEntries))
		block, err := x.entries.read(from, int(min(blockEntries, high-from)), buffer)
		if err != nil {
			return 0, err
		}
		n := len(block) / entryBytes
		nth := func(i int) uint64 { return binary.LittleEndian.Uint64(block[i*entryBytes:]) }
		switch i := sort.Search(n, func(i int) bool { return nth(i) >= entry }); {
		case i == 0:
			high = from
			less, _ := bits.Mul64(nth(0)-entry, uint64(x.entries.count))
			at = from - int64(less)
		case i == n:
			low = from + int64(n)
			more, _ := bits.Mul64(entry-nth(n-1), uint64(x.entries.count))
			at = low + int64(more)
		default:
			return from + int64(i), nil
		}
		if tries > 4 { // hashes do not lie evenly here
			at = low + (high-low)/2
		}
	}
	return low, nil
}

// remove removes the file.
func (x *index) remove() error {
	if x == nil {
		return nil
	}
	err := x.entries.close()
	if removed := os.Remove(x.entries.path); !errors.Is(removed, fs.ErrNotExist) {
		err = errors.Join(err, removed)
	}
	return err
}
