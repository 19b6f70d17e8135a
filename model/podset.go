package model

import (
	"encoding/binary"
	"slices"
)

// A set of pods is who asks, which pod templates are there beside, however many and wherever, and what is around:
// whether a predicate is idle depends on nothing else.

// podSetOf returns the number of the question's set of pods.
func (c *Catalog) podSetOf(q *CanonicalQuestion) uint32 {
	templates := make([]uint32, 0, 32)
	for _, content := range q.Nodes {
		for _, p := range content.Bound {
			templates = append(templates, p.code()>>rankBits)
		}
		for _, p := range content.Nominated {
			templates = append(templates, 1<<16|p.code()>>rankBits)
		}
	}
	slices.Sort(templates)
	pending := newPod(q.Pending, Running, 0).code() >> rankBits
	if q.Nomination >= 0 {
		pending |= 1 << 16
	}
	key := binary.LittleEndian.AppendUint32(make([]byte, 0, 128), uint32(q.around.number))
	key = binary.LittleEndian.AppendUint32(key, pending)
	for _, template := range slices.Compact(templates) {
		key = binary.LittleEndian.AppendUint32(key, template)
	}
	c.mu.RLock()
	number, known := c.podSets[string(key)]
	c.mu.RUnlock()
	if known {
		return number
	}
	return intern(c, c.podSets, string(key), func() uint32 { return uint32(len(c.podSets)) })
}
