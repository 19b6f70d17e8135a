package decisions

import (
	"hash/maphash"
	"sync"
	"sync/atomic"

	"github.com/seed-a3f26817/modelcheck/model"
)

// cacheEntry is what became of one question.
type cacheEntry struct {
	key recordKey
	// settled: the rest is there. Until then mu is held by whoever asks the question.
	settled atomic.Bool
	mu      sync.Mutex
	// moves are those to follow: allowed by the spec, or taken by production. They begin in first, beside the rest
	// of the record, since most questions have one, and a look-up mostly waits for memory.
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

// recordKey is the key of a question. One of four nodes or less lies in short, n bytes long; others are long.
type recordKey struct {
	n     uint8
	short [23]byte
	long  string
}

func newRecordKey(key []byte) recordKey {
	if len(key) > len(recordKey{}.short) {
		return recordKey{long: string(key)}
	}
	k := recordKey{n: uint8(len(key))}
	copy(k.short[:], key)
	return k
}

func (k *recordKey) is(key []byte) bool {
	if k.n == 0 {
		return k.long == string(key)
	}
	return string(k.short[:k.n]) == string(key)
}

func (k *recordKey) bytes() []byte {
	if k.n == 0 {
		return []byte(k.long)
	}
	return append([]byte(nil), k.short[:k.n]...)
}

// tryLock reports whether the caller is to settle the record, and then to unlock it, settled or not.
func (r *cacheEntry) tryLock() bool {
	if r.settled.Load() || !r.mu.TryLock() {
		return false
	}
	if r.settled.Load() {
		r.mu.Unlock()
		return false
	}
	return true
}

// touch reads the memory that a look-up and who follows the moves need. It gives nothing of use.
func (r *cacheEntry) touch() byte {
	if !r.settled.Load() {
		return r.key.n
	}
	return r.key.n ^ byte(r.first[0].Node)
}

// table has the records of questions by their keys. It is safe for concurrent use. A look-up mostly waits for
// memory, so it takes no lock and reads two places, a slot and the record.
type table struct {
	segments [64]records
}

// records is a part of a table: open addressing with linear probing.
type records struct {
	// slots are a power of two in number, and at most three in four are taken; nil if none is.
	slots atomic.Pointer[[]slot]

	mu sync.Mutex // of who adds a record
	n  int
}

// slot holds a record, and before that its hash; nil if it is free.
type slot struct {
	hash   uint64
	record atomic.Pointer[cacheEntry]
}

// seed is of hashes that only say where a record lies.
var seed = maphash.MakeSeed()

// hashOf returns the hash of a key.
func hashOf(key []byte) uint64 { return maphash.Bytes(seed, key) }

func (t *table) segment(hash uint64) *records { return &t.segments[hash>>58] }

// touch reads the memory that get will need for a key of this hash, so that of several look-ups all wait at the
// same time. It gives nothing of use.
func (t *table) touch(hash uint64) byte {
	slots := t.segment(hash).slots.Load()
	if slots == nil {
		return 0
	}
	record := (*slots)[hash&uint64(len(*slots)-1)].record.Load()
	if record == nil {
		return 0
	}
	return record.touch()
}

// get returns the record of the question. hash is that of the key.
func (t *table) get(hash uint64, key []byte) *cacheEntry {
	r := t.segment(hash)
	if known := r.find(hash, key); known != nil {
		return known
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	known := r.find(hash, key)
	if known == nil {
		known = &cacheEntry{key: newRecordKey(key)}
		r.add(hash, known)
	}
	return known
}

// find returns the record of the question, nil if there is none, or if it was added while this looked.
func (r *records) find(hash uint64, key []byte) *cacheEntry {
	slots := r.slots.Load()
	if slots == nil {
		return nil
	}
	for i := hash; ; i++ {
		at := &(*slots)[i&uint64(len(*slots)-1)]
		record := at.record.Load()
		if record == nil || at.hash == hash && record.key.is(key) {
			return record
		}
	}
}

func (r *records) add(hash uint64, added *cacheEntry) {
	slots := r.slots.Load()
	if slots == nil || 4*r.n >= 3*len(*slots) {
		slots = r.grow(slots)
	}
	put(*slots, hash, added)
	r.n++
}

// grow doubles the slots. Who looks at the old ones meanwhile may miss a record that is new.
func (r *records) grow(before *[]slot) *[]slot {
	slots := make([]slot, 64)
	if before != nil {
		slots = make([]slot, 2*len(*before))
		for i := range *before {
			if moved := &(*before)[i]; moved.record.Load() != nil {
				put(slots, moved.hash, moved.record.Load())
			}
		}
	}
	r.slots.Store(&slots)
	return &slots
}

func put(slots []slot, hash uint64, added *cacheEntry) {
	i := hash & uint64(len(slots)-1)
	for slots[i].record.Load() != nil {
		i = (i + 1) & uint64(len(slots)-1)
	}
	slots[i].hash = hash
	slots[i].record.Store(added)
}

// each calls do with every record.
func (t *table) each(do func(*cacheEntry)) {
	for i := range t.segments {
		slots := t.segments[i].slots.Load()
		if slots == nil {
			continue
		}
		for j := range *slots {
			if record := (*slots)[j].record.Load(); record != nil {
				do(record)
			}
		}
	}
}
