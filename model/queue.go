package model

import (
	"cmp"
	"math"
	"slices"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Order says which of the pending pods is scheduled next.
type Order uint8

const (
	// AnyOrder: any of them.
	AnyOrder Order = iota
	// QueueOrder: the one that kube-scheduler's queue has first.
	//
	// First come the pods that were not tried yet, by priority, then in the order of their creation; those that come
	// while others wait are behind these, in any order among themselves, as they may have come in any. Behind them come
	// the pods that failed, by priority, as soon as anything has changed since; until then they are not tried again.
	//
	// The real queue is explored by the loop. It asks queueing hints which change may help a pod, and lets it wait
	// (backoff) the longer the more often it failed; here every change wakes, and backoff lasts until all others were
	// tried.
	QueueOrder
)

// Orders names the orders, by number.
func Orders() []string { return []string{"any", "queue"} }

// String returns the name of the order.
func (o Order) String() string { return Orders()[o] }

// What the rank of a pod that is not bound says, in the order of the queue: where the queue has it. Of pods that are
// alike the lower one is tried first.
const (
	inTheBeginning = iota // not tried yet, and there from the beginning
	later                 // not tried yet, and came later
	again                 // failed, and something changed since
	parked                // failed, and nothing did
)

// inQueue reports whether pods are scheduled in the order of the queue.
func (s *Scenario) inQueue() bool { return s.Actions.Order == QueueOrder }

// newcomer is a pod that comes while others wait.
func (s *Scenario) newcomer(template, id int) Pod {
	pod := newPod(template, Running, id)
	if s.inQueue() {
		pod = pod.withRank(later)
	}
	return pod
}

// changed wakes the pods that failed.
func (a *Arrangement) changed(s *Scenario) {
	if !s.inQueue() {
		return
	}
	wake := func(pods []Pod) {
		for i := range pods {
			if pods[i].Rank() == parked {
				pods[i] = pods[i].withRank(again)
			}
		}
	}
	wake(a.Pending)
	for i := range a.Nodes {
		wake(a.Nodes[i].Nominated)
	}
}

// untried counts the pods that were not tried yet.
func (a *Arrangement) untried() int {
	n := 0
	count := func(pods []Pod) {
		for _, p := range pods {
			if p.Rank() < again {
				n++
			}
		}
	}
	count(a.Pending)
	for i := range a.Nodes {
		count(a.Nodes[i].Nominated)
	}
	return n
}

// failed returns the pod as one that was tried in vain.
func (s *Scenario) failed(p Pod) Pod {
	if s.inQueue() {
		p = p.withRank(parked)
	}
	return p
}

// Leads reports whether the scenario carries the move out, and it leads anywhere.
func (s *Scenario) Leads(pending PendingPod, m Move) bool {
	return !m.Idle(pending) && (m.Type != spec.Preempt || s.Actions.Preempt)
}

// Park is the move of a decision that leads nowhere, in the order of the queue: the pod is not tried again until
// something changes.
func Park() Move { return Move{Type: spec.Wait, Node: -1, KeepsNomination: true} }

// Parks reports whether a decision with the moves may leave the pod as it is, which is a step in the order of the
// queue.
func (s *Scenario) Parks(pending PendingPod, moves []Move) bool {
	return s.inQueue() && (len(moves) == 0 ||
		slices.ContainsFunc(moves, func(m Move) bool { return !s.Leads(pending, m) }))
}

// Steps returns the moves that are steps: those that lead on, and Park where that is one.
func (s *Scenario) Steps(pending PendingPod, moves []Move) []Move {
	leading := slices.DeleteFunc(slices.Clone(moves), func(m Move) bool { return !s.Leads(pending, m) })
	if s.Parks(pending, moves) {
		leading = append(leading, Park())
	}
	return leading
}

// turn is how soon a pod is tried.
type turn struct {
	failed   bool
	priority int32
	rank     int
	created  int
}

func (t turn) compare(other turn) int {
	return cmp.Or(
		cmp.Compare(of(t.failed), of(other.failed)), cmp.Compare(other.priority, t.priority),
		cmp.Compare(t.rank, other.rank), cmp.Compare(t.created, other.created),
	)
}

func of(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Next returns the pending pods of which one is scheduled next, as PendingPods does: in the order of the queue the
// first one, or several that may be.
func (a *Arrangement) Next(s *Scenario, next []PendingPod) []PendingPod {
	if !s.inQueue() {
		return a.PendingPods(s, next)
	}
	next = next[:0]
	var first turn
	each := func(pods []Pod, node int) {
		for i := 0; i < len(pods); {
			p, n := pods[i], 1
			for i+n < len(pods) && pods[i+n].code() == p.code() {
				n++
			}
			i += n
			template := &s.Pods[p.Template()]
			if p.Rank() == parked || spec.Gated(template.Pod) {
				continue
			}
			at := turn{p.Rank() == again, template.Priority(), p.Rank(), s.created(p, n)}
			switch before := at.compare(first); {
			case len(next) == 0 || before < 0:
				next, first = append(next[:0], PendingPod{p.Template(), node}), at
			case before == 0 && p.Rank() == later:
				next = append(next, PendingPod{p.Template(), node})
			}
		}
	}
	each(a.Pending, -1)
	for i := range a.Nodes {
		if len(a.Nodes[i].Nominated) > 0 {
			each(a.Nodes[i].Nominated, i)
		}
	}
	return next
}

// created orders pods by their creation. Of n pods of a template that are left of those in the beginning, the one
// that was created first: they are tried in that order, so it tells which are left. Of those that come later and
// have not been tried nobody knows.
func (s *Scenario) created(p Pod, n int) int {
	turns := s.turns[p.Template()]
	switch {
	case p.Rank() == later:
		return 0
	case len(turns) == 0:
		return math.MaxInt32 + p.Template()
	case p.Rank() == inTheBeginning:
		return turns[max(0, len(turns)-n)]
	default:
		return turns[0]
	}
}

// turnsOf returns, for each pod template, the turns of the pods that wait in the beginning, in the initial cluster
// that has most of them.
func (s *Scenario) turnsOf() [][]int {
	most := make([][]int, len(s.Pods))
	for _, cluster := range s.Initial {
		turns := make(map[int][]int)
		add := func(pods []ClusterPod) {
			for _, pod := range pods {
				turns[pod.Template] = append(turns[pod.Template], pod.Turn)
			}
		}
		add(cluster.Pending)
		for _, node := range cluster.Nodes {
			add(node.Nominated)
		}
		for template, of := range turns {
			if len(of) > len(most[template]) {
				slices.Sort(of)
				most[template] = of
			}
		}
	}
	return most
}
