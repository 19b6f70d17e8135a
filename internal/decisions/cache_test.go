package decisions

import (
	"encoding/binary"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"
)

// TestTable: each key has one record, whatever other keys share of its hash.
func TestTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfN(rapid.SliceOfN(rapid.ByteRange(0, 2), 1, 40), 1, 300).Draw(t, "keys")
		some := rapid.Uint64Range(1, 1000).Draw(t, "number of hashes")
		var table table
		records := map[string]*cacheEntry{}
		for range 2 {
			for _, key := range keys {
				hash := hashOf(key) % some << 55
				got := table.get(hash, key)
				if known := records[string(key)]; known != nil && known != got {
					t.Fatalf("%x has two records", key)
				}
				records[string(key)] = got
				if string(got.key.bytes()) != string(key) {
					t.Fatalf("the record of %x is of %x", key, got.key.bytes())
				}
			}
		}
		found := 0
		table.each(func(r *cacheEntry) {
			found++
			if records[string(r.key.bytes())] != r {
				t.Fatalf("a record of %x is there that get did not give", r.key.bytes())
			}
		})
		if found != len(records) {
			t.Fatalf("there are %d records of %d keys", found, len(records))
		}
	})
}

// TestTableAtOnce: of workers that look for the same records while there are more and more of them, one claims
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
				r := table.get(hash, key)
				if r.tryLock() {
					locked.Add(1)
					r.findings = append(r.findings, string(key))
					r.settled.Store(true)
					r.mu.Unlock()
				}
				r.mu.Lock() // waits for who claims it
				if len(r.findings) != 1 || r.findings[0] != string(key) || !r.settled.Load() {
					t.Errorf("the record of %x has %q", key, r.findings)
				}
				r.mu.Unlock()
			}
		})
	}
	group.Wait()
	if locked.Load() != keys {
		t.Errorf("%d claims to %d records", locked.Load(), keys)
	}
}
