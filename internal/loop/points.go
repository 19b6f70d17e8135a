package loop

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"
)

// hash is what a state is known by: see State.Hash.
type hash = [sha256.Size]byte

// pointWidth is the number of bytes of a point's key.
const pointWidth = sha256.Size + 3*4

// pathKey is a state, and how much of the scope is used up.
type pathKey struct {
	state hash
	used  Used
}

// point is a place with a shortest run to it.
type point struct {
	pathKey
	initial int
	// from is the point before, and action leads here from it; nil for an initial state.
	from   *point
	action Action
	// index is the number of the action among those of from.
	index, depth int
	// expanded: nothing more is to be explored from here.
	expanded bool
	// settling: the state is known by its settledHash.
	settling bool
}

// key is the point as the checker knows it.
func (p *point) key() []byte {
	key := append(make([]byte, 0, pointWidth), p.state[:]...)
	for _, n := range []int{p.used.Arrivals, p.used.Events, p.used.Faults} {
		key = binary.BigEndian.AppendUint32(key, uint32(n))
	}
	return key
}

// run returns the actions that lead to the point.
func (p *point) run() []Action {
	var actions []Action
	for ; p.from != nil; p = p.from {
		actions = append(actions, p.action)
	}
	slices.Reverse(actions)
	return actions
}

// less orders runs of one length to the same point: by the point before, then by the number of the action.
func less(p, q *point) bool {
	return cmp.Or(slices.Compare(p.from.key(), q.from.key()), cmp.Compare(p.index, q.index)) < 0
}

// points are all that were found, by their states.
type points map[hash][]*point

// at returns the point of a key.
func (all points) at(key []byte) *point {
	for _, p := range all[hash(key[:sha256.Size])] {
		if slices.Equal(p.key(), key) {
			return p
		}
	}
	return nil
}

// add keeps of all shortest runs to a point the first by less, whatever the order in which workers find them.
func (all points) add(p *point) {
	there := all[p.state]
	for i, known := range there {
		if known.used == p.used {
			if known.depth == p.depth && p.from != nil && known.from != nil && less(p, known) {
				there[i] = p
			}
			return
		}
	}
	all[p.state] = append(there, p)
}

// expanded reports whether nothing more is to be explored from the place.
func (all points) expanded(at pathKey) bool {
	return slices.ContainsFunc(all[at.state], func(p *point) bool { return p.pathKey == at && p.expanded })
}

// covered reports whether a run that is no longer came to the same state and used up less of the scope. All that
// may go on from here may then go on from there, and is explored there.
func (all points) covered(p *point) bool {
	return slices.ContainsFunc(all[p.state], func(q *point) bool {
		return q.used != p.used && q.depth <= p.depth &&
			q.used.Arrivals <= p.used.Arrivals && q.used.Events <= p.used.Events && q.used.Faults <= p.used.Faults
	})
}
