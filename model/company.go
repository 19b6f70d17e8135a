package model

import (
	"encoding/binary"
	"slices"
)

// A company is who asks, which kinds of pod are there beside, however many and wherever, and what is around: whether a predicate is idle
// depends on nothing else.

// companyOf gives the number of the question's company.
func (c *Catalog) companyOf(q *Question) uint32 {
	kinds := make([]uint32, 0, 32)
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
	key := binary.LittleEndian.AppendUint32(make([]byte, 0, 128), uint32(q.around.number))
	key = binary.LittleEndian.AppendUint32(key, asker)
	for _, kind := range slices.Compact(kinds) {
		key = binary.LittleEndian.AppendUint32(key, kind)
	}
	c.mu.RLock()
	number, known := c.companies[string(key)]
	c.mu.RUnlock()
	if known {
		return number
	}
	return intern(c, c.companies, string(key), func() uint32 { return uint32(len(c.companies)) })
}
