package decisions

import (
	"encoding/binary"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"
)

// TestTable: each key has one entry, whatever other keys share of its hash.
func TestTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfN(rapid.SliceOfN(rapid.ByteRange(0, 2), 1, 40), 1, 300).Draw(t, "keys")
		some := rapid.Uint64Range(1, 1000).Draw(t, "number of hashes")
		var table table
		entries := map[string]*cacheEntry{}
		for range 2 {
			for _, key := range keys {
				hash := hashOf(key) % some << 55
				got := table.get(hash, key)
				if known := entries[string(key)]; known != nil && known != got {
					t.Fatalf("%x has two entries", key)
				}
				entries[string(key)] = got
				if string(got.key.bytes()) != string(key) {
					t.Fatalf("the entry of %x is of %x", key, got.key.bytes())
				}
			}
		}
		found := 0
		table.each(func(e *cacheEntry) {
			found++
			if entries[string(e.key.bytes())] != e {
				t.Fatalf("an entry of %x is there that get did not return", e.key.bytes())
			}
		})
		if found != len(entries) {
			t.Fatalf("there are %d entries of %d keys", found, len(entries))
		}
	})
}

// TestTableAtOnce: of workers that look for the same entries while there are more and more of them, one locks
// each, and is waited for. What it found is there then.
func TestTableAtOnce(t *testing.T) {
	const workers, keys = 4, 20_000
	var table table
	var locked atomic.Int64
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() {
			for i := range uint32(keys) {
				key := binary.BigEndian.AppendUint32(nil, (i+uint32(worker)*17)%keys)
				hash := hashOf(key)
				table.touch(hash)
				e := table.get(hash, key)
				if e.tryLock() {
					locked.Add(1)
					e.findings = append(e.findings, string(key))
					e.settled.Store(true)
					e.mu.Unlock()
				}
				e.mu.Lock() // waits for who settles it
				if len(e.findings) != 1 || e.findings[0] != string(key) || !e.settled.Load() {
					t.Errorf("the entry of %x has %q", key, e.findings)
				}
				e.mu.Unlock()
			}
		})
	}
	group.Wait()
	if locked.Load() != keys {
		t.Errorf("%d locks of %d entries", locked.Load(), keys)
	}
}
