package spec

import v1 "k8s.io/api/core/v1"

// filters returns the filters of the text, and for each filter plugin that it leaves out one that holds for every
// pod and node.
func (t *text) filters() []Filter {
	filters := append(
		[]Filter{t.schedulability(), t.resources(), t.taints(), t.nodeAffinity(), t.podAffinity()},
		t.further...)
	absent := filter(Filters(), func(documented Filter) bool {
		return !exists(filters, func(f Filter) bool { return f.Plugin == documented.Plugin })
	})
	return append(filters, each(absent, leftOut)...)
}

// leftOut is what the text says about a plugin that it does not know: TRUE.
func leftOut(f Filter) Filter {
	return Filter{Plugin: f.Plugin, Holds: func(*Profile, *v1.Pod, *v1.Node, *Snapshot) bool { return true }}
}

// schedulability is the filter "1.1 schedulability and lifecycle phase":
//
//	Filter(Pod, Node) ==
//	    /\ Node.Spec.Unschedulable = False
//	    /\ Node.Status.Phase = "Running"
func (t *text) schedulability() Filter {
	return Filter{Plugin: "NodeUnschedulable", Holds: func(_ *Profile, pod *v1.Pod, node *v1.Node, _ *Snapshot) bool {
		return !t.closed(pod, node) && t.running(node)
	}}
}

func runningAsWritten(node *v1.Node) bool {
	return contains([]v1.NodePhase{"", v1.NodeRunning}, node.Status.Phase)
}

// resources is the filter "1.2 resource requirements and resource availability":
//
//	Resources(Pod, Node) ==
//	    /\ 1 <= Node.Status.Allocatable["pods"]
//	    /\ Max({I \in DOMAIN Pod.Spec.InitContainer : Pod.Spec.InitContainer[I].Resources.Required["cpu"]}) <= Node.Status.Allocatable["cpu"]
//	    /\ Sum({I \in DOMAIN Pod.Spec.Container : Pod.Spec.Container[I].Resources.Required["cpu"]}) <= Node.Status.Allocatable["cpu"]
//	    /\ likewise for "mem" and all other resources
func (t *text) resources() Filter {
	return Filter{
		Plugin:    "NodeResourcesFit",
		Footprint: ReadsNodePodsAndDevices,
		Holds: func(p *Profile, pod *v1.Pod, node *v1.Node, s *Snapshot) bool {
			return fits(
				t.amounts,
				t.requests(pod),
				each(t.occupants(node, s), t.requests),
				node,
				func(name v1.ResourceName) bool {
					return t.exempt(p, name) || t.amounts.classes.on(p, name, node, s) != nil
				},
			)
		},
	}
}

func requestsAsWritten(pod *v1.Pod) v1.ResourceList {
	of := func(c v1.Container) v1.ResourceList { return c.Resources.Requests }
	return greatest(append(each(pod.Spec.InitContainers, of), total(each(pod.Spec.Containers, of)...))...)
}

// taints is the filter "1.4 node taints and pod tolerations":
//
//	Filter(Pod, Node) == \A Taint \in Node.Spec.Taints : \E Toleration \in Pod.Spec.Tolerations : Match(Toleration, Taint)
func (t *text) taints() Filter {
	return Filter{Plugin: "TaintToleration", Holds: func(_ *Profile, pod *v1.Pod, node *v1.Node, _ *Snapshot) bool {
		return all(filter(node.Spec.Taints, t.repels), func(taint v1.Taint) bool {
			return exists(
				pod.Spec.Tolerations,
				func(toleration v1.Toleration) bool { return t.match(toleration, taint) },
			)
		})
	}}
}

// matchAsWritten is
//
//	Match(Toleration, Taint) ==
//	    /\ CASE Toleration.Operator = "Exists" -> Toleration.Key = Taint.Key
//	         [] Toleration.Operator = "Equal"  -> Toleration.Key = Taint.Key /\ Toleration.Value = Taint.Value
//	         [] OTHER                          -> FALSE
//	    /\ Toleration.Effect = Taint.Effect
func matchAsWritten(toleration v1.Toleration, taint v1.Taint) bool {
	if toleration.Key != taint.Key || toleration.Effect != taint.Effect {
		return false
	}
	switch toleration.Operator {
	case v1.TolerationOpExists:
		return true
	case v1.TolerationOpEqual:
		return toleration.Value == taint.Value
	default:
		return false
	}
}

// nodeAffinity is the filter "1.3 node selector" with the first conjunct of "1.5 affinity":
//
//	/\ \A Label \in DOMAIN Pod.Spec.NodeSelector :
//	       Label \in DOMAIN Node.Labels /\ Pod.Spec.NodeSelector[Label] = Node.Labels[Label]
//	/\ \E Term \in Pod.Spec.Affinity.NodeAffinity.Required.NodeSelectorTerms : Match_NS(Term, Node)
func (t *text) nodeAffinity() Filter {
	return Filter{Plugin: "NodeAffinity", Holds: func(p *Profile, pod *v1.Pod, node *v1.Node, _ *Snapshot) bool {
		return hasLabels(node, pod.Spec.NodeSelector) &&
			all(t.affinities(p, pod), func(a *v1.NodeAffinity) bool {
				required := a.RequiredDuringSchedulingIgnoredDuringExecution
				return required == nil ||
					exists(
						required.NodeSelectorTerms,
						func(term v1.NodeSelectorTerm) bool { return t.matches(term, node) },
					)
			})
	}}
}

// matchesAsWritten asks all requirements of the term, which are about labels. For the six operators the text says
// what MatchesLabels does.
func matchesAsWritten(term v1.NodeSelectorTerm, node *v1.Node) bool {
	return all(term.MatchExpressions, func(r v1.NodeSelectorRequirement) bool { return MatchesLabels(r, node) })
}

// podAffinity is the filter made of the other conjuncts of "1.5 affinity":
//
//	/\ \A Term \in Pod.Spec.Affinity.PodAffinity.Required     : P_Affinity(Term, Node)
//	/\ \A Term \in Pod.Spec.Affinity.AntiPodAffinity.Required : ~P_Affinity(Term, Node)
func (t *text) podAffinity() Filter {
	return Filter{
		Plugin:    "InterPodAffinity",
		Footprint: ReadsCluster,
		Holds: func(_ *Profile, pod *v1.Pod, node *v1.Node, s *Snapshot) bool {
			return t.attracted(pod, node, s) && !DocumentedAffinity().repelled(pod, node, s) &&
				!t.repelledBy(pod, node, s)
		},
	}
}

func attractedAsWritten(pod *v1.Pod, node *v1.Node, s *Snapshot) bool {
	return all(requiredAffinity(pod), func(term v1.PodAffinityTerm) bool { return found(term, pod, node, s) })
}
