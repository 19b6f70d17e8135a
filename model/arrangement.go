package model

import (
	"slices"
)

// Pod is a pod of an arrangement: its kind, its phase and, in traces, who it is. Kinds and
// phases order pods, identities do not.
type Pod uint32

func newPod(kind int, phase Phase, id int) Pod { return Pod(kind*phases+int(phase))<<16 | Pod(id) }

// Kind indexes Scenario.Pods.
func (p Pod) Kind() int { return int(p>>16) / phases }

// Phase is Running for pods that are not bound.
func (p Pod) Phase() Phase { return Phase(p >> 16 % phases) }

// ID tells the pods of a trace apart; 0 in states.
func (p Pod) ID() int { return int(p & 0xffff) }

func (p Pod) code() uint16 { return uint16(p >> 16) }

func (p Pod) withPhase(phase Phase) Pod { return newPod(p.Kind(), phase, p.ID()) }

// Place is a node of an arrangement with its pods.
type Place struct {
	// Kind indexes Scenario.Nodes.
	Kind int
	// ID tells the nodes of a trace apart; 0 in states.
	ID int
	// Bound and Nominated are sorted.
	Bound, Nominated []Pod
}

// Arrangement is a state, unpacked. It is a scratch value: reading and changing one allocates
// nothing once its slices have grown.
type Arrangement struct {
	Places []Place
	// Pending are the pods without node and nomination, sorted.
	Pending []Pod
	// Left says how often actions may still happen.
	Left Left
	// ArrivalsOfKind is how many pods of each kind may still arrive; nil for no such bound.
	ArrivalsOfKind []int
	// Owed is how many pods of each kind controllers are to create in the place of evicted ones; nil if they do not.
	Owed []int
}

// Left says how often actions of the environment may still happen.
type Left struct{ Arrivals, Completions, Deletions, Placements uint8 }

// CopyFrom makes a a copy of b that shares no memory with it.
func (a *Arrangement) CopyFrom(b *Arrangement) {
	for len(a.Places) < len(b.Places) {
		a.Places = append(a.Places, Place{})
	}
	a.Places = a.Places[:len(b.Places)]
	for i := range b.Places {
		from, to := &b.Places[i], &a.Places[i]
		to.Kind, to.ID = from.Kind, from.ID
		to.Bound = append(to.Bound[:0], from.Bound...)
		to.Nominated = append(to.Nominated[:0], from.Nominated...)
	}
	a.Pending = append(a.Pending[:0], b.Pending...)
	a.Left = b.Left
	a.ArrivalsOfKind = append(a.ArrivalsOfKind[:0], b.ArrivalsOfKind...)
	a.Owed = append(a.Owed[:0], b.Owed...)
}

// Canonical sorts the pods of each node, then the nodes: the one representative of all
// arrangements that differ only in who is who.
func (a *Arrangement) Canonical() {
	for i := range a.Places {
		sortPods(a.Places[i].Bound)
		sortPods(a.Places[i].Nominated)
	}
	sortPods(a.Pending)
	// Insertion sort: a step changes one node or two, so the rest is in order already.
	for i := 1; i < len(a.Places); i++ {
		for j := i; j > 0 && comparePlaces(&a.Places[j], &a.Places[j-1]) < 0; j-- {
			a.Places[j], a.Places[j-1] = a.Places[j-1], a.Places[j]
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

func comparePlaces(a, b *Place) int {
	if a.Kind != b.Kind {
		return a.Kind - b.Kind
	}
	if c := comparePods(a.Bound, b.Bound); c != 0 {
		return c
	}
	return comparePods(a.Nominated, b.Nominated)
}

// comparePods compares what the pods are, not who they are.
func comparePods(a, b []Pod) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	for i := range a {
		if a[i].code() != b[i].code() {
			return int(a[i].code()) - int(b[i].code())
		}
	}
	return 0
}

// remove takes the pod at index i away and keeps the order.
func remove(pods []Pod, i int) []Pod { return slices.Delete(pods, i, i+1) }
