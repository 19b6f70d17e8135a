package checker

import (
	"bytes"
	"encoding/binary"
	"math"
)

const (
	shardBits  = 6
	shardCount = 1 << shardBits
	// indexBits is what the shard's number leaves of the 32 bits of a stateID.
	indexBits = 32 - shardBits
	// maxShard is the largest number of states in a shard. One less than there are indices, so that no slot
	// is taken for empty and no stateID is noParent.
	maxShard = 1<<indexBits - 1

	// pageStates is the number of states in a page of the arena: large enough that the page's
	// header does not count, small enough that 64 half-empty pages do not either.
	pageStates = 1 << 10
	// firstStates is the number of states the first page has room for at first. It doubles.
	firstStates = 16
	// firstSlots is the size of a new table. It grows by half.
	firstSlots = 32
)

// stateID numbers a state: its shard, then its index there.
type stateID uint32

// noParent is the parent of an initial state.
const noParent = ^stateID(0)

func idOf(shard int, index uint32) stateID { return stateID(uint32(shard)<<indexBits | index) }

func (id stateID) shard() int    { return int(id >> indexBits) }
func (id stateID) index() uint32 { return uint32(id) & maxShard }

// shard is a set of states and their parents, in the order in which they were added. One goroutine
// at a time may add; as long as none does, any number may read.
type shard struct {
	width int
	count uint32
	// narrow: the states are words, and in table, or in smallTable if they are small too. Else they are found by slots.
	narrow, small bool
	table         wordTable[uint64]
	smallTable    wordTable[uint32]
	// pages hold pageStates records each; the first is smaller until it is full. A record is a state and the
	// 4 bytes of its parent.
	pages [][]byte
	// slots is an open-addressing table with linear probing, for states that are not narrow. A slot is 0 if it is
	// empty, else the tag of the state's hash and its index plus one. The tag spares most comparisons with other
	// states.
	// Invariant: 4*count <= 3*len(slots).
	slots []uint32
	// file has the records too, those that were written to it: all of them if the shard is on disk; nil if the run
	// keeps nothing on disk.
	file *recordFile
	// onDisk: there is neither a table nor a page. index, if not nil, finds states in file. delayed are the steps to
	// the shard's states that are not looked up yet; those in waiting are not in its file yet, and recent are states
	// that were led to lately (nil: none).
	onDisk  bool
	index   *index
	delayed *recordFile
	waiting []byte
	recent  *shard
	// touched keeps what touch reads.
	touched uint64
	// first counts the states by the class of the action that found them; nil without classes.
	first []int64

	_ [cacheLine]byte
}

func newShard(width, classes int) *shard {
	s := &shard{
		width:  width,
		narrow: width <= narrowWidth,
		small:  width <= smallWidth,
		first:  make([]int64, classes, classes+cacheLine/8),
	}
	switch {
	case s.small:
		s.smallTable = wordTable[uint32]{words: make([]uint32, firstSlots), width: width}
	case s.narrow:
		s.table = wordTable[uint64]{words: make([]uint64, firstSlots), width: width}
	default:
		s.slots = make([]uint32, firstSlots)
	}
	return s
}

// state returns the bytes of the index-th state, for reading. The shard is not on disk.
func (s *shard) state(index uint32) []byte { return s.record(index)[:s.width:s.width] }

// record returns the bytes of the index-th state and of its parent, for reading. The shard is not on disk.
func (s *shard) record(index uint32) []byte {
	at := int(index%pageStates) * (s.width + 4)
	return s.pages[index/pageStates][at : at+s.width+4 : at+s.width+4]
}

// fetch returns the index-th state and its parent, from wherever they are.
func (s *shard) fetch(index uint32) (state []byte, parent stateID, err error) {
	var record []byte
	if !s.onDisk {
		record = s.record(index)
	} else if record, err = s.file.read(int64(index), 1, nil); err != nil {
		return nil, noParent, err
	}
	return record[:s.width:s.width], stateID(binary.LittleEndian.Uint32(record[s.width:])), nil
}

// has reports whether the state of hash h is in the set. The shard is not on disk.
func (s *shard) has(h uint64, state []byte) bool {
	switch {
	case s.small:
		return s.smallTable.has(h, uint32(wordOf(state)))
	case s.narrow:
		return s.table.has(h, wordOf(state))
	}
	tag := tagOf(h)
	for at := s.home(h); s.slots[at] != 0; at = s.after(at) {
		if slot := s.slots[at]; slot&^maxShard == tag && bytes.Equal(s.state(slot&maxShard-1), state) {
			return true
		}
	}
	return false
}

// add puts the state of hash h into the set and reports whether it is new.
func (s *shard) add(h uint64, state []byte, parent stateID) bool {
	if s.narrow {
		return s.addWord(h, wordOf(state), parent)
	}
	tag := tagOf(h)
	at := s.home(h)
	for ; s.slots[at] != 0; at = s.after(at) {
		slot := s.slots[at]
		if slot&^maxShard == tag && bytes.Equal(s.state(slot&maxShard-1), state) {
			return false
		}
	}
	if 4*(int(s.count)+1) > 3*len(s.slots) {
		s.grow()
		at = s.free(h)
	}
	s.slots[at] = tag | (s.count + 1)
	s.append(state, parent)
	return true
}

// touch reads the memory that add will need for states of these hashes: the slots, and the states they point to.
func (s *shard) touch(hashes []uint64) {
	touched := s.touched
	switch {
	case s.small:
		s.touched ^= uint64(s.smallTable.touch(hashes))
		return
	case s.narrow:
		s.touched ^= s.table.touch(hashes)
		return
	}
	var indices [ahead]uint32
	for i, h := range hashes {
		slot := s.slots[s.home(h)]
		if slot != 0 && slot&^maxShard == tagOf(h) {
			indices[i] = slot & maxShard
		}
	}
	for _, index := range indices {
		if index != 0 {
			touched ^= uint64(s.state(index - 1)[0])
		}
	}
	s.touched = touched
}

// home is where the search for a state of hash h begins.
func (s *shard) home(h uint64) int { return int(placeOf(h) * uint64(len(s.slots)) >> 32) }

func (s *shard) after(slot int) int {
	if slot++; slot < len(s.slots) {
		return slot
	}
	return 0
}

// free is the slot for a state of hash h that is not in the table.
func (s *shard) free(h uint64) int {
	at := s.home(h)
	for s.slots[at] != 0 {
		at = s.after(at)
	}
	return at
}

// grow makes room for more slots. Hashes are not kept: to hash the states again, in the order in which they lie
// in memory, is cheaper than to hold 8 bytes more for each.
func (s *shard) grow() {
	s.slots = make([]uint32, moreSlots(len(s.slots)))
	for index := range s.count {
		h := hash(s.state(index))
		s.slots[s.free(h)] = tagOf(h) | (index + 1)
	}
}

func (s *shard) append(state []byte, parent stateID) {
	record := s.width + 4
	if s.count%pageStates == 0 {
		room := pageStates
		if s.count == 0 {
			room = firstStates
		}
		s.pages = append(s.pages, make([]byte, 0, room*record))
	}
	page := &s.pages[len(s.pages)-1]
	if len(*page) == cap(*page) {
		*page = append(make([]byte, 0, 2*cap(*page)), *page...)
	}
	*page = append(*page, state...)
	*page = binary.LittleEndian.AppendUint32(*page, uint32(parent))
	s.count++
}

// bytes is the memory the shard takes.
func (s *shard) bytes() int64 { return shardBytes(s.width, int64(s.count)) }

// shardBytes is the memory that a shard of so many states takes: pages, their headers, the table.
func shardBytes(width int, states int64) int64 {
	slots := firstSlots
	for 4*states > 3*int64(slots) {
		slots = moreSlots(slots)
	}
	room := int64(firstStates)
	for room < min(states, pageStates) {
		room *= 2
	}
	pages := (states + pageStates - 1) / pageStates
	if pages != 1 {
		room = pages * pageStates
	}
	slotBytes := int64(4)
	if width > smallWidth && width <= narrowWidth {
		slotBytes = 8
	}
	return room*int64(width+4) + pages*24 + int64(slots)*slotBytes
}

func moreSlots(slots int) int { return slots + slots/2 }

// EstimateMemory is about the number of bytes that Check needs to hold so many distinct states of the
// width. Buffers, which take a few megabytes, come on top. It is math.MaxInt64 for more states than Check can hold.
func EstimateMemory(width int, states int64) int64 {
	if states > shardCount*maxShard {
		return math.MaxInt64
	}
	return shardCount * shardBytes(width, (states+shardCount-1)/shardCount)
}
