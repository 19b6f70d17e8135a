package decisions

import (
	"hash/maphash"
	"sync"
	"sync/atomic"

	"github.com/seed-a3f26817/modelcheck/model"
)

// cacheEntry is the decision about one question.
type cacheEntry struct {
	key entryKey
	// settled: the rest is there. Until then mu is held by the worker that takes the decision.
	settled atomic.Bool
	mu      sync.Mutex
	// moves are those to follow: allowed by the spec, or taken by production. They begin in first, beside the rest
	// of the entry, since most questions have one, and a look-up mostly waits for memory.
	moves []followed
	first [1]followed
	// findings are the keys of the properties that the decision breaks.
	findings []string
}

// followed is a move to follow.
type followed struct {
	model.Move
	// taken: production may make it. allowed: the spec allows it or cannot tell.
	taken, allowed bool
}

// entryKey is the key of a question. One of four nodes or less lies in short, n bytes long; others are long.
type entryKey struct {
	n     uint8
	short [23]byte
	long  string
}

func newEntryKey(key []byte) entryKey {
	if len(key) > len(entryKey{}.short) {
		return entryKey{long: string(key)}
	}
	k := entryKey{n: uint8(len(key))}
	copy(k.short[:], key)
	return k
}

func (k *entryKey) is(key []byte) bool {
	if k.n == 0 {
		return k.long == string(key)
	}
	return string(k.short[:k.n]) == string(key)
}

func (k *entryKey) bytes() []byte {
	if k.n == 0 {
		return []byte(k.long)
	}
	return append([]byte(nil), k.short[:k.n]...)
}

// tryLock reports whether the caller is to settle the entry, and then to unlock it, settled or not.
func (e *cacheEntry) tryLock() bool {
	if e.settled.Load() || !e.mu.TryLock() {
		return false
	}
	if e.settled.Load() {
		e.mu.Unlock()
		return false
	}
	return true
}

// touch reads the memory that a look-up and who follows the moves need. What it returns is of no use.
func (e *cacheEntry) touch() byte {
	if !e.settled.Load() {
		return e.key.n
	}
	return e.key.n ^ byte(e.first[0].Node)
}

// table has the entries of questions by their keys. It is safe for concurrent use. A look-up mostly waits for
// memory, so it takes no lock and reads memory twice, a slot and the entry.
type table struct {
	segments [64]segment
}

// segment is a part of a table: open addressing with linear probing.
type segment struct {
	// slots are a power of two in number, and at most three in four are taken; nil if none is.
	slots atomic.Pointer[[]slot]

	mu sync.Mutex // of who adds an entry
	n  int
}

// slot holds an entry, and before that its hash; nil if it is free.
type slot struct {
	hash  uint64
	entry atomic.Pointer[cacheEntry]
}

// seed is of hashes that only say where an entry lies.
var seed = maphash.MakeSeed()

// hashOf returns the hash of a key.
func hashOf(key []byte) uint64 { return maphash.Bytes(seed, key) }

func (t *table) segment(hash uint64) *segment { return &t.segments[hash>>58] }

// touch reads the memory that get will need for a key of this hash, so that of several look-ups all wait at the
// same time. What it returns is of no use.
func (t *table) touch(hash uint64) byte {
	slots := t.segment(hash).slots.Load()
	if slots == nil {
		return 0
	}
	entry := (*slots)[hash&uint64(len(*slots)-1)].entry.Load()
	if entry == nil {
		return 0
	}
	return entry.touch()
}

// get returns the entry of the question. hash is that of the key.
func (t *table) get(hash uint64, key []byte) *cacheEntry {
	s := t.segment(hash)
	if known := s.find(hash, key); known != nil {
		return known
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.find(hash, key)
	if known == nil {
		known = &cacheEntry{key: newEntryKey(key)}
		s.add(hash, known)
	}
	return known
}

// find returns the entry of the question, nil if there is none, or if it was added while this looked.
func (s *segment) find(hash uint64, key []byte) *cacheEntry {
	slots := s.slots.Load()
	if slots == nil {
		return nil
	}
	for i := hash; ; i++ {
		at := &(*slots)[i&uint64(len(*slots)-1)]
		entry := at.entry.Load()
		if entry == nil || at.hash == hash && entry.key.is(key) {
			return entry
		}
	}
}

func (s *segment) add(hash uint64, added *cacheEntry) {
	slots := s.slots.Load()
	if slots == nil || 4*s.n >= 3*len(*slots) {
		slots = s.grow(slots)
	}
	put(*slots, hash, added)
	s.n++
}

// grow doubles the slots. Who looks at the old ones meanwhile may miss an entry that is new.
func (s *segment) grow(before *[]slot) *[]slot {
	slots := make([]slot, 64)
	if before != nil {
		slots = make([]slot, 2*len(*before))
		for i := range *before {
			if moved := &(*before)[i]; moved.entry.Load() != nil {
				put(slots, moved.hash, moved.entry.Load())
			}
		}
	}
	s.slots.Store(&slots)
	return &slots
}

func put(slots []slot, hash uint64, added *cacheEntry) {
	i := hash & uint64(len(slots)-1)
	for slots[i].entry.Load() != nil {
		i = (i + 1) & uint64(len(slots)-1)
	}
	slots[i].hash = hash
	slots[i].entry.Store(added)
}

// each calls do with every entry.
func (t *table) each(do func(*cacheEntry)) {
	for i := range t.segments {
		slots := t.segments[i].slots.Load()
		if slots == nil {
			continue
		}
		for j := range *slots {
			if entry := (*slots)[j].entry.Load(); entry != nil {
				do(entry)
			}
		}
	}
}
