package checker

import (
	"encoding/binary"
	"math/bits"
	"testing"
)

// TestHashIsFixed pins the hash: it decides which of several shortest traces is shown, and so the goldens.
func TestHashIsFixed(t *testing.T) {
	for _, test := range []struct {
		state string
		want  uint64
	}{
		{"", 0x9c786325f68f2ea5},
		{"\x00", 0x80f836c4c6b63205},
		{"a", 0x3a0c122d48699a5},
		{"12345678", 0xf1803fabd6549147},
		{"123456789", 0x59bf9a798a25770f},
		{"the quick brown fox jumps", 0x2a21f9fea69d9bd8},
	} {
		if got := hash([]byte(test.state)); got != test.want {
			t.Errorf("hash of %q is %#x, want %#x", test.state, got, test.want)
		}
	}
}

// TestHashAvalanche flips each bit of a state: about half of the hash's bits must flip, and each of
// them sometimes.
func TestHashAvalanche(t *testing.T) {
	for _, width := range []int{1, 4, 8, 9, 12, 16, 31} {
		const rounds = 2000
		state := make([]byte, width)
		for bit := range 8 * width {
			var flips [64]int
			total := 0
			for i := range uint64(rounds) {
				for at := range state {
					state[at] = byte(mix(i+1, 0x9e3779b97f4a7c15+uint64(at)<<32))
				}
				before := hash(state)
				state[bit/8] ^= 1 << (bit % 8)
				diff := before ^ hash(state)
				total += bits.OnesCount64(diff)
				for b := range flips {
					flips[b] += int(diff >> b & 1)
				}
			}
			if mean := float64(total) / rounds; mean < 30 || mean > 34 {
				t.Errorf("width %d: bit %d flips %.1f bits on average", width, bit, mean)
			}
			for b, n := range flips {
				if n < rounds/3 || n > rounds*2/3 {
					t.Errorf("width %d: bit %d flips bit %d of the hash in %d of %d states", width, bit, b, n, rounds)
				}
			}
		}
	}
}

// TestHashSpreads hashes states that differ little: shards, places and tags must be taken evenly.
func TestHashSpreads(t *testing.T) {
	const states = 1 << 16
	for _, test := range []struct {
		name  string
		state func(i uint64) []byte
	}{
		{"low bytes", func(i uint64) []byte { return binary.LittleEndian.AppendUint64(nil, i) }},
		{"high bytes", func(i uint64) []byte { return binary.BigEndian.AppendUint64(nil, i) }},
		{"second word", func(i uint64) []byte { return binary.LittleEndian.AppendUint32(make([]byte, 8), uint32(i)) }},
		{"two bits a byte", func(i uint64) []byte {
			state := make([]byte, 12)
			for at := range 8 {
				state[at] = byte(i >> (2 * at) & 3)
			}
			return state
		}},
		{"two words", func(i uint64) []byte {
			return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, i%256), i/256)
		}},
	} {
		parts := map[string]*[64]int{"shards": {}, "high places": {}, "low places": {}, "tags": {}}
		for i := range uint64(states) {
			h := hash(test.state(i))
			parts["shards"][shardOf(h)]++
			parts["high places"][placeOf(h)>>26]++
			parts["low places"][placeOf(h)%64]++
			parts["tags"][tagOf(h)>>indexBits]++
		}
		for part, counts := range parts {
			for i, n := range counts {
				// 1024 are expected, with a standard deviation of 32.
				if n < 1024-6*32 || n > 1024+6*32 {
					t.Errorf("%s: %d of %d in one of 64 %s (%d)", test.name, n, states, part, i)
				}
			}
		}
	}
}

// TestHashWord: a narrow state has the hash it has as a word, so that the order of states does not depend on how
// they are kept.
func TestHashWord(t *testing.T) {
	state := []byte{0x81, 0x42, 0, 0xff, 7, 0x90, 0x11, 0xfe}
	for width := range len(state) + 1 {
		word := wordOf(state[:width])
		if got, want := hashWord(word, width), hash(state[:width]); got != want {
			t.Errorf("width %d: hash of word %#x is %#x, want %#x", width, word, got, want)
		}
	}
}
