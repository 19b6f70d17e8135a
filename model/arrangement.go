package model

import (
	"slices"
)

// Pod is a pod of an arrangement: its template, its phase, the rank of its start and, in traces, who it is.
// Templates, phases and ranks order pods, identities do not.
type Pod uint64

// A pod is its template and phase, rankBits of rank, and idBits of identity, from the highest bits to the lowest.
const (
	idBits   = 16
	rankBits = 5
	maxRank  = 1<<rankBits - 1
)

func newPod(template int, phase Phase, id int) Pod {
	return Pod(template*phases+int(phase))<<(idBits+rankBits) | Pod(id)
}

// Template indexes Scenario.Pods.
func (p Pod) Template() int { return int(p>>(idBits+rankBits)) / phases }

// Phase is Running for pods that are not bound.
func (p Pod) Phase() Phase { return Phase(p >> (idBits + rankBits) % phases) }

// Rank is the place of the pod's start among those of bound pods of its priority, from 1, if pods start in the
// order of binding; else 0. Of a pod that is not bound it is where the queue has it, in the order of the queue; else 0.
func (p Pod) Rank() int { return int(p >> idBits & maxRank) }

// ID tells the pods of a trace apart; 0 in states.
func (p Pod) ID() int { return int(p & (1<<idBits - 1)) }

// code is what a pod is, whoever it is.
func (p Pod) code() uint32 { return uint32(p >> idBits) }

func podOfCode(code uint32) Pod { return Pod(code) << idBits }

func (p Pod) withPhase(phase Phase) Pod {
	return newPod(p.Template(), phase, p.ID()).withRank(p.Rank())
}

func (p Pod) withRank(rank int) Pod { return p&^(maxRank<<idBits) | Pod(rank)<<idBits }

// NodeState is a node of an arrangement with its pods.
type NodeState struct {
	// Template indexes Scenario.Nodes.
	Template int
	// Changed is how the node differs from its template.
	Changed NodeChange
	// ID tells the nodes of a trace apart; 0 in states.
	ID int
	// Bound and Nominated are sorted.
	Bound, Nominated []Pod
}

// Arrangement is a state, unpacked. It is a scratch value: reading and changing one allocates
// nothing once its slices have grown.
type Arrangement struct {
	Nodes []NodeState
	// Pending are the pods without node and nomination, sorted.
	Pending []Pod
	// Left says how often actions may still happen.
	Left Left
	// ArrivalsOfTemplate is how many pods of each template may still arrive; nil for no such bound.
	ArrivalsOfTemplate []int
	// Owed is how many pods of each template controllers are to create in the place of evicted ones; nil if they do
	// not.
	Owed []int
	// Budgets is what each disruption budget allows, if that is counted anew: 0 for what its manifest says, else
	// one more than the number of disruptions; nil if it is not.
	Budgets []uint8
}

// Left says how often actions of the environment may still happen.
type Left struct{ Arrivals, Completions, Deletions, Placements, NodeChanges uint8 }

// CopyFrom makes a a copy of b that shares no memory with it.
func (a *Arrangement) CopyFrom(b *Arrangement) {
	for len(a.Nodes) < len(b.Nodes) {
		a.Nodes = append(a.Nodes, NodeState{})
	}
	a.Nodes = a.Nodes[:len(b.Nodes)]
	for i := range b.Nodes {
		from, to := &b.Nodes[i], &a.Nodes[i]
		to.Template, to.Changed, to.ID = from.Template, from.Changed, from.ID
		to.Bound = append(to.Bound[:0], from.Bound...)
		to.Nominated = append(to.Nominated[:0], from.Nominated...)
	}
	a.Pending = append(a.Pending[:0], b.Pending...)
	a.Left = b.Left
	a.ArrivalsOfTemplate = append(a.ArrivalsOfTemplate[:0], b.ArrivalsOfTemplate...)
	a.Owed = append(a.Owed[:0], b.Owed...)
	a.Budgets = append(a.Budgets[:0], b.Budgets...)
}

// Canonical sorts the pods of each node, then the nodes: the one representative of all
// arrangements that differ only in who is who.
func (a *Arrangement) Canonical() {
	for i := range a.Nodes {
		sortPods(a.Nodes[i].Bound)
		sortPods(a.Nodes[i].Nominated)
	}
	sortPods(a.Pending)
	// Insertion sort: a step changes one node or two, so the rest is in order already.
	for i := 1; i < len(a.Nodes); i++ {
		for j := i; j > 0 && compareNodes(&a.Nodes[j], &a.Nodes[j-1]) < 0; j-- {
			a.Nodes[j], a.Nodes[j-1] = a.Nodes[j-1], a.Nodes[j]
		}
	}
}

func sortPods(pods []Pod) {
	for i := 1; i < len(pods); i++ {
		for j := i; j > 0 && pods[j] < pods[j-1]; j-- {
			pods[j], pods[j-1] = pods[j-1], pods[j]
		}
	}
}

func compareNodes(a, b *NodeState) int {
	if c := compareContents(a, b); c != 0 {
		return c
	}
	return comparePods(a.Nominated, b.Nominated, 0)
}

// compareContents compares nodes wherever the queue has the pods nominated to them: no decision depends on that.
func compareContents(a, b *NodeState) int {
	if a.Template != b.Template {
		return a.Template - b.Template
	}
	if a.Changed != b.Changed {
		return int(a.Changed) - int(b.Changed)
	}
	if c := comparePods(a.Bound, b.Bound, 0); c != 0 {
		return c
	}
	return comparePods(a.Nominated, b.Nominated, rankBits)
}

// comparePods compares what the pods are, not who they are, without the last bits of their codes.
func comparePods(a, b []Pod, without int) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	for i := range a {
		if p, q := a[i].code()>>without, b[i].code()>>without; p != q {
			return int(p) - int(q)
		}
	}
	return 0
}

// remove takes the pod at index i away and keeps the order.
func remove(pods []Pod, i int) []Pod { return slices.Delete(pods, i, i+1) }
