package spec

import (
	"testing"

	v1 "k8s.io/api/core/v1"
)

// TestSharedPortFreed: the port that two pods share is free once one of them is taken away, unless the other one
// comes to the node after that.
func TestSharedPortFreed(t *testing.T) {
	publishes := func(p *v1.Pod) *v1.Pod {
		p.Spec.Containers[0].Ports = []v1.ContainerPort{{HostPort: 80}}
		return p
	}
	n := node("n")
	p, victim := publishes(important(pod("p"), 5)), bound(publishes(important(pod("victim"), 1)), n)
	for _, row := range []struct {
		reason string
		other  *v1.Pod
		want   bool
	}{
		{"a pod of the same priority, which is never taken away", bound(publishes(important(pod("other"), 5)), n),
			true},
		{"a pod of lower priority, which is put back", bound(publishes(important(pod("other"), 1)), n), false},
		{"a nominated pod, which is put there later", nominated(publishes(important(pod("other"), 5)), n), false},
		{"a nominated pod that nobody waits for", nominated(publishes(important(pod("other"), 1)), n), true},
	} {
		s := &Snapshot{Nodes: []*v1.Node{n}, Pods: []*v1.Pod{p, victim, row.other}}
		m := NewReading(Kubernetes, DefaultProfile()).With(SharedPortFreed())
		if got := m.Feasibility(p, n, s.Without(victim)); got != row.want {
			t.Errorf("%s: feasible %v, want %v", row.reason, got, row.want)
		}
		if m.Feasibility(p, n, s) {
			t.Errorf("%s: feasible beside the victim", row.reason)
		}
	}
}

// TestSidecarPortsOverlooked: a sidecar's host ports count neither for a pod that comes nor for one that is there;
// those of containers do.
func TestSidecarPortsOverlooked(t *testing.T) {
	m := New(DefaultProfile()).With(SidecarPortsOverlooked())
	ports := []v1.ContainerPort{{HostPort: 80}}
	for _, row := range []struct {
		comes, there bool // in a sidecar
		want         bool
	}{{false, false, false}, {true, false, true}, {false, true, true}, {true, true, true}} {
		publishing := func(name string, inSidecar bool) *v1.Pod {
			p := pod(name)
			if !inSidecar {
				p.Spec.Containers[0].Ports = ports
				return p
			}
			p.Spec.InitContainers = []v1.Container{sidecar("side")}
			p.Spec.InitContainers[0].Ports = ports
			return p
		}
		n, p := node("n"), publishing("p", row.comes)
		s := &Snapshot{Nodes: []*v1.Node{n}, Pods: []*v1.Pod{p, bound(publishing("other", row.there), n)}}
		if got := m.Feasibility(p, n, s); got != row.want {
			t.Errorf("in sidecars %t and %t: %t", row.comes, row.there, got)
		}
		if New(DefaultProfile()).Feasibility(p, n, s) {
			t.Errorf("in sidecars %t and %t: the model without quirks lets it pass", row.comes, row.there)
		}
	}
}
