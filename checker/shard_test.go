package checker

import (
	"encoding/binary"
	"testing"

	"pgregory.net/rapid"
)

// TestShardIsASet adds states under hashes that collide in every way: same place, same tag, both.
func TestShardIsASet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(1, 20).Draw(t, "width")
		places := rapid.SampledFrom([]uint64{1, 3, 1 << 32}).Draw(t, "places")
		tags := rapid.SampledFrom([]uint64{1, 2, 64}).Draw(t, "tags")
		states := rapid.SliceOfN(rapid.SliceOfN(rapid.ByteMax(3), width, width), 0, 200).Draw(t, "states")

		s := newShard(width, 0)
		known := map[string]uint32{}
		for i, state := range states {
			h := hash(state)
			h = placeOf(h)%places*(1<<32/places)<<26 | h%tags
			_, before := known[string(state)]
			if added := s.add(h, state, stateID(i)); added == before {
				t.Fatalf("state %x added: %t, known before: %t", state, added, before)
			}
			if !before {
				known[string(state)] = uint32(len(known))
				if _, parent, _ := s.fetch(s.count - 1); parent != stateID(i) {
					t.Fatalf("parent is %d, want %d", parent, i)
				}
			}
			// grow hashes states anew, so with planted hashes the table must not outgrow its first size.
			if len(known) == firstSlots*3/4 {
				break
			}
		}
		for state, index := range known {
			if got := string(s.state(index)); got != state {
				t.Fatalf("state %d is %x, want %x", index, got, state)
			}
		}
	})
}

// TestShardGrows fills a shard over several pages and tables.
func TestShardGrows(t *testing.T) {
	for _, width := range []int{4, 7, 12, 33} {
		s := newShard(width, 0)
		state := make([]byte, width)
		for round := range 2 {
			for i := range uint32(5*pageStates + 1) {
				binary.LittleEndian.PutUint32(state, i)
				if added := s.add(hash(state), state, stateID(i)^5); added != (round == 0) {
					t.Fatalf("width %d, round %d: state %d added: %t", width, round, i, added)
				}
				if round == 0 && takes(s) != s.bytes() {
					t.Fatalf("width %d: %d states take %d bytes, but %d are counted", width, s.count, takes(s),
						s.bytes())
				}
				if 4*int(s.count) > 3*(len(s.slots)+len(s.table.words)+len(s.smallTable.words))+1 {
					t.Fatalf("width %d: %d states in %d slots", width, s.count, len(s.slots)+len(s.table.words)+
						len(s.smallTable.words))
				}
			}
		}
		for i := range s.count {
			binary.LittleEndian.PutUint32(state, i)
			if got, parent, err := s.fetch(i); err != nil || string(got) != string(state) || cap(got) != width ||
				parent != stateID(i)^5 {
				t.Fatalf("width %d: state %d is %x with parent %d", width, i, got, parent)
			}
		}
	}
}

// takes is the memory that the shard has allocated.
func takes(s *shard) int64 {
	sum := int64(len(s.pages))*24 + int64(cap(s.slots))*4 + int64(cap(s.table.words))*8 +
		int64(cap(s.smallTable.words))*4
	for _, page := range s.pages {
		sum += int64(cap(page))
	}
	return sum
}

func TestStateID(t *testing.T) {
	for _, test := range []struct {
		reason string
		shard  int
		index  uint32
	}{
		{"the first of all", 0, 0},
		{"the last of the first shard", 0, maxShard - 1},
		{"the first of the last shard", shardCount - 1, 0},
		{"the last of all", shardCount - 1, maxShard - 1},
	} {
		id := idOf(test.shard, test.index)
		if id.shard() != test.shard || id.index() != test.index || id == noParent {
			t.Errorf("%s: %d is state %d of shard %d", test.reason, id, id.index(), id.shard())
		}
	}
}
