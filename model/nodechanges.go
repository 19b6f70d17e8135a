package model

import (
	"slices"

	v1 "k8s.io/api/core/v1"
)

// NodeChange is how a node differs from its kind, as a set of bits.
type NodeChange uint8

const (
	// cordonChanged: it is cordoned and its kind is not, or the contrary.
	cordonChanged NodeChange = 1 << iota
	// taintChanged: it has notReady and its kind does not, or the contrary.
	taintChanged

	nodeChanges = 1 << iota
)

// notReady is the taint that a node gets and loses: the one by which the node controller says that it is not ready, with the effect that
// concerns schedulers.
//
// Source: https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/#taint-nodes-by-condition
var notReady = v1.Taint{Key: v1.TaintNodeNotReady, Effect: v1.TaintEffectNoSchedule}

// changed gives the kind as it is with the change.
func (k *NodeKind) changed(change NodeChange) NodeKind {
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
	for i := range a.Places {
		place := &a.Places[i]
		node := s.Nodes[place.Kind].Node
		cordon, taint := Cordon, Taint
		if node.Spec.Unschedulable != (place.Changed&cordonChanged != 0) {
			cordon = Uncordon
		}
		if slices.ContainsFunc(node.Spec.Taints, isNotReady) != (place.Changed&taintChanged != 0) {
			taint = Untaint
		}
		each(Action{Class: cordon, Place: i})
		each(Action{Class: taint, Place: i})
	}
}

// changeNode makes the change.
func (a *Arrangement) changeNode(action Action) {
	a.Left.NodeChanges--
	place := &a.Places[action.Place]
	if action.Class == Cordon || action.Class == Uncordon {
		place.Changed ^= cordonChanged
	} else {
		place.Changed ^= taintChanged
	}
}
