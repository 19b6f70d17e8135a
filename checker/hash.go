package checker

import (
	"encoding/binary"
	"math/bits"
)

// hash spreads a state over 64 bits. It decides the order of states and so, among equals, which
// trace is shown: it must be the same in every process and on every machine, which
// hash/maphash is not. Each 8 bytes cost one multiplication, as in wyhash.
func hash(state []byte) uint64 {
	// The fraction of the golden ratio, and of the square roots of 2 and 3: odd and without pattern.
	const golden, root2, root3 = 0x9e3779b97f4a7c15, 0x6a09e667f3bcc909, 0xbb67ae8584caa73b
	h := golden ^ uint64(len(state))
	for ; len(state) > 8; state = state[8:] {
		h = mix(h^binary.LittleEndian.Uint64(state), root2)
	}
	var last uint64
	if len(state) == 8 {
		last = binary.LittleEndian.Uint64(state)
	} else {
		for i, b := range state {
			last |= uint64(b) << (8 * i)
		}
	}
	return mix(mix(h^last, root3), golden)
}

// hashWord is hash of a narrow state, given as a word.
func hashWord(word uint64, width int) uint64 {
	const golden, root3 = 0x9e3779b97f4a7c15, 0xbb67ae8584caa73b
	return mix(mix(golden^uint64(width)^word, root3), golden)
}

// mix folds the 128 bits of a product into 64.
func mix(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high ^ low
}

// A hash has three parts that are used for different things, and do not overlap: the shard (the
// highest 6 bits), the place in the shard's table (the next 32), and a tag (the lowest 6).

func shardOf(h uint64) int    { return int(h >> (64 - shardBits)) }
func placeOf(h uint64) uint64 { return h >> (64 - shardBits - 32) & (1<<32 - 1) }
func tagOf(h uint64) uint32   { return uint32(h) << indexBits }
