package model

import (
	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Namer returns states in API objects, for whoever looks at all of a state. In a state, alike pods and nodes have
// no names; here they get them in the order in which they stand, so which of them has which name means nothing. It
// makes each object once: the same one is the same pointer in every state. It is for one worker.
type Namer struct {
	machine *Machine
	who     *identities
	pods    map[namedPod]*v1.Pod
	nodes   map[changedNode]*v1.Node
}

type namedNode struct{ template, id int }

type changedNode struct {
	namedNode
	changed NodeChange
}

type namedPod struct {
	pod       Pod
	node      namedNode
	nominated bool
}

// NewNamer returns a namer for states of the machine.
func (m *Machine) NewNamer() *Namer {
	return &Namer{machine: m, pods: map[namedPod]*v1.Pod{}, nodes: map[changedNode]*v1.Node{}}
}

// Number returns a copy of the arrangement whose nodes and pods are numbered, by template, in the order in which
// they stand.
func (n *Namer) Number(a *Arrangement) *Arrangement {
	numbered := &Arrangement{}
	numbered.CopyFrom(a)
	n.who = &identities{make([]int, len(n.machine.Scenario.Nodes)), make([]int, len(n.machine.Scenario.Pods))}
	number := func(pods []Pod) {
		for i, p := range pods {
			pods[i] = newPod(p.Template(), p.Phase(), n.who.pod(p.Template(), 0)).withRank(p.Rank())
		}
	}
	for i := range numbered.Nodes {
		nodeState := &numbered.Nodes[i]
		nodeState.ID = n.who.node(nodeState.Template, 0)
		number(nodeState.Bound)
		number(nodeState.Nominated)
	}
	number(numbered.Pending)
	return numbered
}

// Snapshot returns a numbered arrangement in API objects.
func (n *Namer) Snapshot(a *Arrangement) *spec.Snapshot {
	snapshot := around(&n.machine.Scenario.Around, a.Budgets)
	for i := range a.Nodes {
		nodeState := &a.Nodes[i]
		at := namedNode{nodeState.Template, nodeState.ID}
		as := changedNode{at, nodeState.Changed}
		node := n.nodes[as]
		if node == nil {
			node = n.machine.nodeNamed(nodeState)
			n.nodes[as] = node
		}
		snapshot.Nodes = append(snapshot.Nodes, node)
		for _, p := range nodeState.Bound {
			snapshot.Pods = append(snapshot.Pods, n.pod(namedPod{pod: p, node: at}, node))
		}
		for _, p := range nodeState.Nominated {
			snapshot.Pods = append(snapshot.Pods, n.pod(namedPod{p, at, true}, node))
		}
	}
	for _, p := range a.Pending {
		snapshot.Pods = append(snapshot.Pods, n.pod(namedPod{pod: p}, nil))
	}
	return &snapshot
}

func (n *Namer) pod(key namedPod, node *v1.Node) *v1.Pod {
	pod := n.pods[key]
	if pod != nil {
		return pod
	}
	pod = n.machine.PodNamed(key.pod)
	if node != nil && !key.nominated {
		SetBound(pod, node, key.pod.Phase(), key.pod.Rank())
	} else {
		setUnbound(pod, node)
	}
	n.pods[key] = pod
	return pod
}

// Take carries out an action on an arrangement: one of the environment, or the move of a pending pod. It gives the
// states before and after in API objects, with the same names, and the step between them.
func (n *Namer) Take(a *Arrangement, action Action, pending PendingPod,
	move Move) (before, after *spec.Snapshot, step *NamedStep) {
	now := n.Number(a)
	next := &Arrangement{}
	next.CopyFrom(now)
	if action.Class.Decided() {
		step = n.machine.decisionStep(now, pending, move)
		next.Apply(n.machine.Scenario, pending, move)
	} else {
		id := 0
		if action.Class.Creates() {
			id = n.who.pod(int(action.Pod), 0)
		}
		step = n.machine.environmentStep(now, action, id)
		next.Act(n.machine.Scenario, action, id)
	}
	return n.Snapshot(now), n.Snapshot(next), step
}
