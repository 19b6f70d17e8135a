package spec

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// BuiltInSpreadWithoutKeys is a defect of kube-scheduler v1.36, or of the page that says that nodes without the
// keys are not scored: pull request 105046 wants nodes spread over where there are no zones, and leaves open what
// happens where some nodes have one. Nodes without a label of the topology are one more domain; every node is a
// domain of host names.
func BuiltInSpreadWithoutKeys() Quirk {
	return Quirk{
		Name: "built-in-spread-without-keys", Class: Documentation,
		Upstream: "kubernetes/kubernetes#105046, which calls it undefined",
		Title:    "default spreading scores nodes that lack a topology key",
		Plugin:   "PodTopologySpread",
		Doc: "With the built-in default constraints, nodes that lack one of the topology keys are scored by the " +
			"other, and their pods count.",
		Needs: func(p *Profile, pod *v1.Pod, s *Snapshot) bool {
			return builtIn(p, pod) && !all(s.Nodes, func(n *v1.Node) bool { return labelled(n, BuiltInSpread()) })
		},
		Change: func(p *Predicates) {
			complete, domain := p.Spread.complete, p.Spread.domain
			p.Spread.complete = func(profile *Profile, pod *v1.Pod, node *v1.Node,
				soft []v1.TopologySpreadConstraint) bool {
				return builtIn(profile, pod) || complete(profile, pod, node, soft)
			}
			p.Spread.domain = func(profile *Profile, pod *v1.Pod, c v1.TopologySpreadConstraint,
				node *v1.Node) (string, bool) {
				switch {
				case !builtIn(profile, pod):
					return domain(profile, pod, c, node)
				case c.TopologyKey == v1.LabelHostname:
					return node.Name, true
				default:
					return node.Labels[c.TopologyKey], true
				}
			}
		},
	}
}

// builtIn reports whether the built-in default constraints are the pod's.
func builtIn(p *Profile, pod *v1.Pod) bool {
	return p.Spread.Defaulting != "List" && len(pod.Spec.TopologySpreadConstraints) == 0
}

// ExternalNameServes is a defect of kube-scheduler v1.36.
func ExternalNameServes() Quirk {
	return Quirk{
		Name: "external-name-serves", Class: Unconfirmed, Upstream: "not reported",
		Title:  "pods spread over those of an ExternalName Service",
		Plugin: "PodTopologySpread",
		Doc: "The selector of a Service of type ExternalName, which is to be ignored, makes pods belong to it, so " +
			"default constraints apply to them.",
		Needs: func(_ *Profile, _ *v1.Pod, s *Snapshot) bool {
			return exists(
				s.Services,
				func(service *v1.Service) bool { return service.Spec.Type == v1.ServiceTypeExternalName },
			)
		},
		Change: func(p *Predicates) { p.Spread.serves = selectedBy },
	}
}

// ReleasedPodSpreads is a defect of kube-scheduler v1.36. Where services and a ReplicationController ask for
// different values of a label, the latter counts.
func ReleasedPodSpreads() Quirk {
	return Quirk{
		Name: "released-pod-spreads", Class: Interpretation, Upstream: "not reported",
		Title:  "a pod its controller no longer selects is spread like its pods",
		Plugin: "PodTopologySpread",
		Doc:    "A pod that its controller's selector does not match any more is spread over those that it matches.",
		Needs:  func(_ *Profile, pod *v1.Pod, s *Snapshot) bool { return len(controllerSelectors(pod, s)) > 0 },
		Change: func(p *Predicates) {
			p.Spread.memberships = func(r SpreadRules, pod *v1.Pod, s *Snapshot) []*metav1.LabelSelector {
				services, controller := r.serviceSelectors(pod, s), controllerSelectors(pod, s)
				if owner := metav1.GetControllerOfNoCopy(pod); owner != nil && owner.Kind == "ReplicationController" &&
					len(controller) > 0 {
					services = each(services, func(selector *metav1.LabelSelector) *metav1.LabelSelector {
						return without(selector, controller[0].MatchLabels)
					})
				}
				return append(services, controller...)
			}
		},
	}
}

// ExcludedHostCounts is a defect of kube-scheduler v1.36, by which the same constraint gives other scores if its
// key is a copy of the host name. It takes a node that is feasible and yet does not meet the pod's node affinity or
// has a taint that the pod does not tolerate, so a profile without one of these filters.
func ExcludedHostCounts() Quirk {
	return Quirk{
		Name: "excluded-host-counts", Class: Interpretation, Upstream: "not reported",
		Title:  "pods on nodes that a spread constraint excludes count",
		Plugin: "PodTopologySpread",
		Doc: "Where nodes are scored by host name, the pods on a node count although the constraint's " +
			"nodeAffinityPolicy or nodeTaintsPolicy excludes it.",
		Needs: func(_ *Profile, pod *v1.Pod, s *Snapshot) bool {
			return !all(s.Nodes, func(n *v1.Node) bool { return meetsOwnAffinity(pod, n) && toleratesTaints(pod, n) })
		},
		Change: func(p *Predicates) {
			crowds := p.Spread.crowds
			p.Spread.crowds = func(c v1.TopologySpreadConstraint, pod *v1.Pod, node *v1.Node, s *Snapshot) bool {
				return c.TopologyKey == v1.LabelHostname || crowds(c, pod, node, s)
			}
		},
	}
}

// without returns the selector without what it says of some labels.
func without(selector *metav1.LabelSelector, labels map[string]string) *metav1.LabelSelector {
	less := &metav1.LabelSelector{MatchLabels: map[string]string{}}
	for key, value := range selector.MatchLabels {
		if _, said := labels[key]; !said {
			less.MatchLabels[key] = value
		}
	}
	return less
}
