package spec

import (
	"slices"

	v1 "k8s.io/api/core/v1"
)

// Copies returns how many copies of a pending pod each node takes, if they come one after the other and kube-scheduler
// evicts nobody for them: the largest k such that the node is feasible for each of k of them when those before it are
// bound there.
//
//	Copies(Pod, Node) == Max({k : \A i \in 1..k : Feasibility(Pod, Node, Snapshot with i-1 copies on Node)})
//
// It is false if that is not known of each node by itself: a copy on another node, or a volume, may make a difference;
// or if a node takes any number.
func (m *Scheduler) Copies(pod *v1.Pod, x *Index) (byNode []int, known bool) {
	if m.text != nil || len(m.quirks) > 0 || len(x.Snapshot.gone) > 0 || len(claiming(pod)) > 0 {
		return nil, false
	}
	q := m.indexed(pod, x)
	for _, ask := range q.asks {
		alone := !ask.Footprint.LooksAcross() ||
			ask.Idle != nil && ask.Idle(m.Profile, pod, []*v1.Pod{pod}, x.Snapshot) // whatever other copies there are
		if !alone {
			return nil, false
		}
	}
	for n := range x.Snapshot.Nodes {
		copies := q.copies(n)
		if copies >= anyNumber {
			return nil, false
		}
		byNode = append(byNode, copies)
	}
	return byNode, true
}

// anyNumber is more pods than any node takes that counts them.
const anyNumber = 1 << 16

// copies doubles the number until the node takes no more, and then halves the step. Every copy leaves less room.
func (q *indexed) copies(n int) int {
	if !q.on(n).Feasible {
		return 0
	}
	most := 1
	for q.takes(n, most) { // so many, and one more
		if most *= 2; most >= anyNumber {
			return most
		}
	}
	least := max(1, most/2)
	for least < most {
		if middle := (least + most) / 2; q.takes(n, middle) {
			least = middle + 1
		} else {
			most = middle
		}
	}
	return least
}

// takes reports whether the node takes one more when so many copies are on it.
func (q *indexed) takes(n, there int) bool {
	put := slices.Repeat([]*v1.Pod{q.pod}, there)
	at := &stage{node: q.x.Snapshot.Nodes[n], n: n, put: put, q: q}
	if !q.passesPut(at) {
		return false
	}
	more := q.withRespected(&stage{node: at.node, n: n, q: q})
	return more == nil || q.passesPut(&stage{node: at.node, n: n, put: slices.Concat(put, more.put), q: q})
}

// passesPut is passes of a node that was feasible before the pods were put there.
func (q *indexed) passesPut(at *stage) bool {
	return all(q.asks, func(ask indexedFilter) bool {
		return ask.Footprint == ReadsNode || ask.Footprint == ReadsNodes || ask.ask(at)
	})
}
