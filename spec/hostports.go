package spec

import v1 "k8s.io/api/core/v1"

// anyAddress as a port's host IP means every address of the node.
const anyAddress = "0.0.0.0"

// NodePorts is the filter
//
//	Holds == \A Other \in PodsOn(Node), Wanted \in HostPorts(Pod), Used \in HostPorts(Other) : ~Conflict(Wanted, Used)
//
// It answers for the plugin NodePorts, and reads the node's pods.
//
// Source: https://kubernetes.io/docs/reference/scheduling/config/#scheduling-plugins (NodePorts), and
// https://kubernetes.io/docs/concepts/configuration/overview/ ("each <hostIP, hostPort, protocol>
// combination must be unique").
func NodePorts() Filter { return nodePorts(DocumentedPorts()) }

func nodePorts(r PortRules) Filter {
	return Filter{
		Plugin:    "NodePorts",
		Footprint: ReadsNodeAndPods,
		Holds: func(_ *Profile, pod *v1.Pod, node *v1.Node, s *Snapshot) bool {
			used := r.used(r, pod, node, s)
			return all(r.of(pod), func(wanted HostPort) bool {
				return !exists(used, func(u HostPort) bool { return wanted.Conflicts(u) })
			})
		},
		Idle:     func(_ *Profile, pod *v1.Pod, _ []*v1.Pod, _ *Snapshot) bool { return len(HostPorts(pod)) == 0 },
		Monotone: always,
	}
}

// HostPort is a port of a node that a pod occupies.
type HostPort struct {
	IP       string
	Protocol v1.Protocol
	Port     int32
}

// HostPorts returns the ports of its node that the pod occupies while it runs: those of its containers and
// of its sidecars that have a host port. Protocol TCP and host IP 0.0.0.0 are the defaults.
//
// Source: field docs of ContainerPort. The documents do not say which containers count; ports of an ordinary
// init container are left out, since it is gone before the pod's containers start.
func HostPorts(pod *v1.Pod) []HostPort {
	return append(hostPorts(Sidecars(pod)), hostPorts(pod.Spec.Containers)...)
}

// hostPorts returns those of the containers.
func hostPorts(containers []v1.Container) []HostPort {
	ports := union(containers, func(c v1.Container) []v1.ContainerPort {
		return filter(c.Ports, func(p v1.ContainerPort) bool { return p.HostPort > 0 })
	})
	return each(ports, func(p v1.ContainerPort) HostPort {
		port := HostPort{IP: p.HostIP, Protocol: p.Protocol, Port: p.HostPort}
		if port.IP == "" {
			port.IP = anyAddress
		}
		if port.Protocol == "" {
			port.Protocol = v1.ProtocolTCP
		}
		return port
	})
}

// Conflicts reports whether two pods cannot have these ports on the same node:
//
//	Conflicts(A, B) == /\ A.Port = B.Port /\ A.Protocol = B.Protocol
//	                   /\ A.IP = B.IP \/ A.IP = "0.0.0.0" \/ B.IP = "0.0.0.0"
//
// The documents name no other wildcard: "::" is an address like any other here, which 0.0.0.0 includes.
func (a HostPort) Conflicts(b HostPort) bool {
	return a.Port == b.Port && a.Protocol == b.Protocol &&
		(a.IP == b.IP || contains([]string{a.IP, b.IP}, anyAddress))
}
