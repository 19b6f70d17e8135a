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

// point is a state, and how much of the scope a run to it used up, with a shortest such run.
type point struct {
	state   hash
	used    Used
	initial int
	// from is the point before, and action leads here from it; nil for an initial state.
	from   *point
	action Action
	// index is the number of the action among those of from.
	index, depth int
	// actions is how many actions may be taken here. If it is none, end is how things stand for ever, if that is asked.
	actions int
	end     *situation
	// expanded: nothing more is to be explored from here.
	expanded bool
}

// key is the point as the checker knows it.
func (p *point) key() []byte {
	key := append(make([]byte, 0, pointWidth), p.state[:]...)
	for _, n := range []int{p.used.Arrivals, p.used.Events, p.used.Faults} {
		key = binary.BigEndian.AppendUint32(key, uint32(n))
	}
	return key
}

// run gives the actions that lead to the point.
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

// at gives the point of a key.
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

// covered tells whether a run that is no longer came to the same state and used up less of the scope. All that may go on from here may then
// go on from there, and is explored there.
func (all points) covered(p *point) bool {
	return slices.ContainsFunc(all[p.state], func(q *point) bool {
		return q.used != p.used && q.depth <= p.depth &&
			q.used.Arrivals <= p.used.Arrivals && q.used.Events <= p.used.Events && q.used.Faults <= p.used.Faults
	})
}

// wanted gives how many actions are still to be taken from the state, at most.
func (all points) wanted(state hash) int {
	n := 0
	for _, p := range all[state] {
		if !p.expanded && !all.covered(p) {
			n += p.actions
		}
	}
	return n
}

// pool keeps systems in the middle of their runs, by the states they are in.
type pool struct {
	room    int
	systems map[hash][]System
}

// put keeps the system that is in the state; false if there is no room.
func (k *pool) put(state hash, system System) bool {
	if k.room == 0 {
		return false
	}
	k.room--
	k.systems[state] = append(k.systems[state], system)
	return true
}

// take gives a system that is in the state; nil if there is none.
func (k *pool) take(state hash) System {
	systems := k.systems[state]
	if len(systems) == 0 {
		return nil
	}
	k.room++
	if last := len(systems) - 1; last > 0 {
		k.systems[state] = systems[:last]
	} else {
		delete(k.systems, state)
	}
	return systems[len(systems)-1]
}

// takeAll gives all that are in the state.
func (k *pool) takeAll(state hash) []System {
	systems := k.systems[state]
	k.room += len(systems)
	delete(k.systems, state)
	return systems
}
