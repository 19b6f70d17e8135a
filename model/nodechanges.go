package model

import (
	"slices"

	v1 "k8s.io/api/core/v1"
)

// NodeChange is how a node differs from its template, as a set of bits.
type NodeChange uint8

const (
	// cordonChanged: it is cordoned and its template is not, or the contrary.
	cordonChanged NodeChange = 1 << iota
	// taintChanged: it has notReady and its template does not, or the contrary.
	taintChanged

	nodeChanges = 1 << iota
)

// notReady is the taint that a node gets and loses: the one by which the node controller says that it is not ready,
// with the effect that concerns schedulers.
//
// Source: https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/#taint-nodes-by-condition
var notReady = v1.Taint{Key: v1.TaintNodeNotReady, Effect: v1.TaintEffectNoSchedule}

// changed returns the template as it is with the change.
func (k *NodeTemplate) changed(change NodeChange) NodeTemplate {
	if change == 0 {
		return *k
	}
	other := *k
	other.Node = k.Node.DeepCopy()
	if change&cordonChanged != 0 {
		other.Node.Spec.Unschedulable = !other.Node.Spec.Unschedulable
	}
	if change&taintChanged != 0 {
		before := len(other.Node.Spec.Taints)
		other.Node.Spec.Taints = slices.DeleteFunc(other.Node.Spec.Taints, isNotReady)
		if len(other.Node.Spec.Taints) == before {
			other.Node.Spec.Taints = append(other.Node.Spec.Taints, notReady)
		}
	}
	return other
}

func isNotReady(t v1.Taint) bool { return t.Key == notReady.Key && t.Effect == notReady.Effect }

// nodeChanges calls each with every change that somebody may make to a node.
func (a *Arrangement) nodeChanges(s *Scenario, each func(Action)) {
	if a.Left.NodeChanges == 0 {
		return
	}
	for i := range a.Nodes {
		nodeState := &a.Nodes[i]
		node := s.Nodes[nodeState.Template].Node
		cordon, taint := Cordon, Taint
		if node.Spec.Unschedulable != (nodeState.Changed&cordonChanged != 0) {
			cordon = Uncordon
		}
		if slices.ContainsFunc(node.Spec.Taints, isNotReady) != (nodeState.Changed&taintChanged != 0) {
			taint = Untaint
		}
		each(Action{Class: cordon, Node: i})
		each(Action{Class: taint, Node: i})
	}
}

// changeNode makes the change.
func (a *Arrangement) changeNode(action Action) {
	a.Left.NodeChanges--
	nodeState := &a.Nodes[action.Node]
	if action.Class == Cordon || action.Class == Uncordon {
		nodeState.Changed ^= cordonChanged
	} else {
		nodeState.Changed ^= taintChanged
	}
}
