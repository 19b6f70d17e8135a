package spec

import v1 "k8s.io/api/core/v1"

// SharedPortFreed is a defect of kube-scheduler v1.36. What a node's pods occupy is kept as a set of ports, so
// taking one of two pods away that share a port, as a dry run of preemption does, frees the port. Who is put back
// occupies it again, and so does a nominated pod, which is put there later; who was never taken away, because its
// priority is not lower, does not.
func SharedPortFreed() Quirk {
	f := NodePorts()
	f.Holds = func(_ *Profile, pod *v1.Pod, node *v1.Node, s *Snapshot) bool {
		taken, put := moves(s)
		freed := union(filter(taken, func(gone *v1.Pod) bool { return gone.Spec.NodeName == node.Name }), HostPorts)
		used := union(PodsOn(node, s), func(other *v1.Pod) []HostPort {
			return filter(HostPorts(other), func(port HostPort) bool {
				return Priority(other) < Priority(pod) || contains(put, other) || !contains(freed, port)
			})
		})
		return all(HostPorts(pod), func(wanted HostPort) bool {
			return !exists(used, func(u HostPort) bool { return wanted.Conflicts(u) })
		})
	}
	return Quirk{
		Name: "shared-port-freed", Class: Unconfirmed, Upstream: "not reported",
		Title:  "evicting one of two pods that share a host port frees it",
		Plugin: "NodePorts",
		Doc: "Used host ports are a set: in the dry run of a preemption, evicting one of two pods that share a " +
			"port frees it.",
		Filter: &f,
	}
}
