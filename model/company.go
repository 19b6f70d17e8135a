package model

import (
	"encoding/binary"
	"slices"
)

// company is who asks, and which kinds of pod are there beside, however many and wherever: whether a predicate is idle depends on
// nothing else.
type company struct {
	around *surroundings
	kinds  string
}

func companyOf(q *Question) company {
	var kinds []uint32
	for _, content := range q.Places {
		for _, p := range content.Bound {
			kinds = append(kinds, p.code()>>rankBits)
		}
		for _, p := range content.Nominated {
			kinds = append(kinds, 1<<16|p.code()>>rankBits)
		}
	}
	slices.Sort(kinds)
	asker := newPod(q.Asker, Running, 0).code() >> rankBits
	if q.Nomination >= 0 {
		asker |= 1 << 16
	}
	key := binary.LittleEndian.AppendUint32(make([]byte, 0, 64), asker)
	for _, kind := range slices.Compact(kinds) {
		key = binary.LittleEndian.AppendUint32(key, kind)
	}
	return company{q.around, string(key)}
}
