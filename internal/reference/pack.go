package reference

import "encoding/binary"

// A packed state is a row of bits: its fields one after the other, the unbound pods first. The bits are kept in
// words, from the lowest bit up, and given as bytes, the lowest first. Rows of words have a word to spare, so that
// a field that ends with the state can be read like any other.

// Width is the number of bytes of a state.
func (m *Model) Width() int { return (m.bits() + 7) / 8 }

// bits is the number of bits of a state: at least one.
func (m *Model) bits() int {
	sum := 0
	for _, width := range m.widths {
		sum += width
	}
	return max(1, sum)
}

// rowWords is the number of words of a row.
func (m *Model) rowWords() int { return (m.bits()+63)/64 + 1 }

// pack writes fields into a state.
func (m *Model) pack(fields []uint64, state []byte) {
	row := make([]uint64, m.rowWords())
	at := 0
	for i, field := range fields {
		setBits(row, at, m.widths[i], field)
		at += m.widths[i]
	}
	for i := range state {
		state[i] = byte(row[i/8] >> (i % 8 * 8))
	}
}

// unpack reads the fields of a state.
func (m *Model) unpack(state []byte, fields []uint64) {
	row := make([]uint64, m.rowWords())
	rowOf(state, row)
	at := 0
	for i, width := range m.widths {
		fields[i] = bitsAt(row, at, width)
		at += width
	}
}

// rowOf reads a state into a row.
func rowOf(state []byte, row []uint64) {
	i := 0
	for ; len(state) >= 8; i++ {
		row[i], state = binary.LittleEndian.Uint64(state), state[8:]
	}
	row[i] = 0
	for j, b := range state {
		row[i] |= uint64(b) << (8 * j)
	}
}

// bitsAt returns n bits of a row, 64 at most.
func bitsAt(row []uint64, from, n int) uint64 {
	word, shift := uint(from)/64, uint(from)%64
	bits := row[word] >> shift
	if shift+uint(n) > 64 {
		bits |= row[word+1] << (64 - shift)
	}
	return bits & (1<<uint(n) - 1)
}

// setBits writes n bits of a row, 64 at most.
func setBits(row []uint64, from, n int, bits uint64) {
	word, shift := uint(from)/64, uint(from)%64
	mask := uint64(1)<<uint(n) - 1
	row[word] = row[word]&^(mask<<shift) | bits<<shift
	if shift+uint(n) > 64 {
		row[word+1] = row[word+1]&^(mask>>(64-shift)) | bits>>(64-shift)
	}
}

// copyBits writes n bits of one row to another place of another row.
func copyBits(to []uint64, at int, row []uint64, from, n int) {
	for ; n > 64; n -= 64 {
		setBits(to, at, 64, bitsAt(row, from, 64))
		at, from = at+64, from+64
	}
	setBits(to, at, n, bitsAt(row, from, n))
}
