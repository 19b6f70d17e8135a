package spec

import v1 "k8s.io/api/core/v1"

// SharedPortFreed is a defect of kube-scheduler v1.36. What a node's pods occupy is kept as a set of ports, so
// taking one of two pods away that share a port, as a dry run of preemption does, frees the port. Who is put back
// occupies it again, and so does a nominated pod, which is put there later; who was never taken away, because its
// priority is not lower, does not.
func SharedPortFreed() Quirk {
	return Quirk{
		Name: "shared-port-freed", Class: Unconfirmed, Upstream: "not reported",
		Title:  "evicting one of two pods that share a host port frees it",
		Plugin: "NodePorts",
		Doc: "Used host ports are a set: in the dry run of a preemption, evicting one of two pods that share a " +
			"port frees it.",
		Change: func(p *Predicates) {
			p.Ports.used = func(r PortRules, pod *v1.Pod, node *v1.Node, s *Snapshot) []HostPort {
				taken, put := moves(s)
				freed := union(filter(taken, func(gone *v1.Pod) bool { return gone.Spec.NodeName == node.Name }), r.of)
				return union(PodsOn(node, s), func(other *v1.Pod) []HostPort {
					return filter(r.of(other), func(port HostPort) bool {
						return Priority(other) < Priority(pod) || contains(put, other) || !contains(freed, port)
					})
				})
			}
		},
	}
}

// SidecarPortsOverlooked is a defect of kube-scheduler v1.33.
func SidecarPortsOverlooked() Quirk {
	return Quirk{
		Name: "sidecar-ports-overlooked", Class: Reported, Upstream: "kubernetes/kubernetes#132037",
		Mended: "v1.34", Backports: []string{"v1.33.6"},
		Title:  "host ports of sidecars do not count",
		Plugin: "NodePorts",
		Doc: "Host ports of init containers with restartPolicy Always count neither for a pod that comes nor for one that " +
			"is there.",
		Needs: func(_ *Profile, pod *v1.Pod, s *Snapshot) bool {
			published := func(p *v1.Pod) bool { return len(hostPorts(Sidecars(p))) > 0 }
			return published(pod) || exists(s.Pods, published)
		},
		Change: func(p *Predicates) {
			p.Ports.of = func(pod *v1.Pod) []HostPort { return hostPorts(pod.Spec.Containers) }
		},
	}
}
