package spec

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
)

func TestBound(t *testing.T) {
	n := node("n")
	here, gone, pending, stranger := bound(pod("here"), n), bound(pod("gone"), node("m")), pod("pending"),
		bound(pod("stranger"), n)
	s := &Snapshot{Nodes: []*v1.Node{n}, Pods: []*v1.Pod{here, gone, pending}}
	if !BoundTo(here, n, s) || !Bound(here, s) {
		t.Error("a pod that names a node of the snapshot is bound to it")
	}
	if Bound(stranger, s) {
		t.Error("a pod outside the snapshot is not bound in it")
	}
	if diff := cmp.Diff([]string{"gone", "pending"}, names(Unbound(s))); diff != "" {
		t.Errorf("a node that is not there binds nobody (-want +got):\n%s", diff)
	}
}

func TestWithBoundLeavesTheSnapshotAlone(t *testing.T) {
	n := node("n")
	p := nominated(pod("p"), n)
	s := &Snapshot{Nodes: []*v1.Node{n}, Pods: []*v1.Pod{p, bound(pod("q"), n)}}
	if diff := cmp.Diff([]string{"q", "p"}, names(PodsOn(n, s.WithBound(n, p)))); diff != "" {
		t.Errorf("both are on the node (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"q"}, names(PodsOn(n, s.Without(p)))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if p.Spec.NodeName != "" || len(s.Pods) != 2 || len(NominatedTo(n, s)) != 1 {
		t.Error("the snapshot has changed")
	}
}
