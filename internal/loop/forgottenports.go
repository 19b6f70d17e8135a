package loop

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// hostPortForgotten is the name of the defect that cache-agrees tells by what the cache lacks.
const hostPortForgotten = "host-port-forgotten"

// HeldPort is the line of State.Cache that says that a host port of a node is used.
func HeldPort(node, ip, protocol string, port int32) string {
	return fmt.Sprintf("%s: host port %s %d on %s", node, protocol, port, ip)
}

// nodeOfPort returns the node of such a line.
func nodeOfPort(line string) string {
	node, _, _ := strings.Cut(line, ":")
	return node
}

func heldPort(node string, port spec.HostPort) string {
	return HeldPort(node, port.IP, string(port.Protocol), port.Port)
}

// forgotten returns the lines of host ports that pods on nodes have and the cache has not.
func (s *State) forgotten(view *spec.Snapshot) []string {
	var lines []string
	for _, pod := range view.Pods {
		for _, port := range spec.HostPorts(pod) {
			line := heldPort(pod.Spec.NodeName, port)
			if slices.Contains(s.Expected, line) && !slices.Contains(s.Cache, line) && !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// withoutForgottenPorts returns the view in which nobody has a host port that the cache forgot; nil if there is none.
func withoutForgottenPorts(s *State) *spec.Snapshot {
	view := s.View()
	forgotten := s.forgotten(view)
	if len(forgotten) == 0 {
		return nil
	}
	pods := view.Pods
	view.Pods = nil
	for _, pod := range pods {
		if pod.Spec.NodeName != "" && slices.ContainsFunc(spec.HostPorts(pod), func(port spec.HostPort) bool {
			return slices.Contains(forgotten, heldPort(pod.Spec.NodeName, port))
		}) {
			pod = pod.DeepCopy()
			for _, containers := range [][]v1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
				for i := range containers {
					containers[i].Ports = slices.DeleteFunc(containers[i].Ports, func(p v1.ContainerPort) bool {
						alone := &v1.Pod{Spec: v1.PodSpec{Containers: []v1.Container{{Ports: []v1.ContainerPort{p}}}}}
						return slices.ContainsFunc(spec.HostPorts(alone), func(port spec.HostPort) bool {
							return slices.Contains(forgotten, heldPort(pod.Spec.NodeName, port))
						})
					})
				}
			}
		}
		view.Pods = append(view.Pods, pod)
	}
	return view
}

// forgetsPorts reports whether all that the cache lacks are host ports, each of which it lacked before, or a pod with
// it went in the step, or was taken and does not stay on the node, while another stays.
func (t *Transition) forgetsPorts() bool {
	forgotten, before := t.After.forgotten(t.After.View()), t.Before.View()
	lost := func(line string) bool {
		return slices.Contains(forgotten, line) &&
			(slices.Contains(t.Before.forgotten(before), line) || slices.ContainsFunc(before.Pods, func(pod *v1.Pod) bool {
				was, is := pod.Spec.NodeName, in(t.After.View(), Key(pod))
				if Key(pod) == t.Step.Popped && !t.runs("NodePorts", pod) { // else it is put on no node where another has the port
					was = nodeOfPort(line)
				}
				return (is == nil || is.Spec.NodeName != was) &&
					slices.ContainsFunc(spec.HostPorts(pod), func(port spec.HostPort) bool {
						return heldPort(was, port) == line
					})
			}))
	}
	lacks := without(t.After.Expected, t.After.Cache)
	return len(without(t.After.Cache, t.After.Expected)) == 0 && len(lacks) > 0 &&
		!slices.ContainsFunc(lacks, func(line string) bool { return !lost(line) })
}

// takesForgottenPort reports whether the pod, which the step bound, has a host port in conflict with one of the node
// that the cache had forgotten.
func (t *Transition) takesForgottenPort(pod *v1.Pod) bool {
	view := t.Before.View()
	forgotten := t.Before.forgotten(view)
	node := cmp.Or(pod.Spec.NodeName, t.After.AssumedOn(Key(pod)))
	return t.Step.Popped == Key(pod) && node != "" && slices.ContainsFunc(view.Pods, func(other *v1.Pod) bool {
		return other.Spec.NodeName == node && slices.ContainsFunc(spec.HostPorts(other), func(held spec.HostPort) bool {
			return slices.Contains(forgotten, heldPort(node, held)) && slices.ContainsFunc(spec.HostPorts(pod), held.Conflicts)
		})
	})
}
