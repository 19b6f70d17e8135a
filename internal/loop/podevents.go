package loop

import (
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
)

// podEvents returns the events of the kind that may happen to the pods, to bind or nominate them to one of the nodes
// among them.
func (s *Scope) podEvents(state *State, nodes []*v1.Node, pods []*v1.Pod, kind EventType) []Action {
	of := func(possible func(*v1.Pod) bool, events func(*v1.Pod) []Action) []Action {
		var actions []Action
		for _, pod := range pods {
			if possible(pod) {
				actions = append(actions, events(pod)...)
			}
		}
		return actions
	}
	pending := func(pod *v1.Pod) bool { return pod.Spec.NodeName == "" }
	free := func(pod *v1.Pod) bool { return pending(pod) && state.AssumedOn(Key(pod)) == "" }
	all := func(*v1.Pod) bool { return true }
	switch kind {
	case PodDeleted:
		return of(func(pod *v1.Pod) bool { return !deleting(pod) },
			func(pod *v1.Pod) []Action { return []Action{{Verb: Delete, Ref: RefOf(pod)}} })
	case PodCompleted:
		return of(func(pod *v1.Pod) bool { return !pending(pod) },
			func(pod *v1.Pod) []Action { return []Action{{Verb: Complete, Ref: RefOf(pod)}} })
	case PodReplaced:
		return of(all, s.replaced)
	case PodResized:
		likes := distinct(s.Templates.Pods, sameRequests)
		return of(func(pod *v1.Pod) bool { return !deleting(pod) && (!pending(pod) || free(pod)) },
			func(pod *v1.Pod) []Action { return resizes(pod, likes) })
	case PodLabels:
		sets := distinctLabels(s.Templates.Pods)
		return of(all, func(pod *v1.Pod) []Action { return relabels(pod, sets) })
	case PodTolerations:
		likes := tolerating(s.Templates.Pods)
		return of(pending, func(pod *v1.Pod) []Action { return toleratesMore(pod, likes) })
	case PodUngated:
		return of(func(pod *v1.Pod) bool { return len(pod.Spec.SchedulingGates) > 0 }, ungated)
	case PodBound:
		return of(func(pod *v1.Pod) bool {
			return pending(pod) && !deleting(pod) && len(pod.Spec.SchedulingGates) == 0
		}, func(pod *v1.Pod) []Action {
			return toEach(pod, nodes, "binding: somebody else binds it to ", func(p *v1.Pod, node string) {
				p.Spec.NodeName, p.Status.NominatedNodeName = node, ""
			})
		})
	case PodNominated:
		return of(free, func(pod *v1.Pod) []Action {
			already := func(node *v1.Node) bool { return node.Name == pod.Status.NominatedNodeName }
			return toEach(pod, slices.DeleteFunc(slices.Clone(nodes), already), "nomination: somebody else nominates it to ",
				func(p *v1.Pod, node string) { p.Status.NominatedNodeName = node })
		})
	}
	return nil
}

// changedPod returns the update of the pod.
func changedPod(pod *v1.Pod, doc string, change func(*v1.Pod)) Action {
	after := new(v1.Pod)
	*after = *pod // nobody changes what both have
	change(after)
	return Action{Verb: Update, Ref: RefOf(pod), Object: after, Doc: doc}
}

// toEach returns a change of the pod for each node.
func toEach(pod *v1.Pod, nodes []*v1.Node, doc string, change func(p *v1.Pod, node string)) []Action {
	var actions []Action
	for _, node := range nodes {
		actions = append(actions, changedPod(pod, doc+node.Name, func(p *v1.Pod) { change(p, node.Name) }))
	}
	return actions
}

// sameRequests reports whether a pod would be resized to the same by being like one or the other.
func sameRequests(x, y *v1.Pod) bool {
	return slices.EqualFunc(x.Spec.Containers, y.Spec.Containers, func(a, b v1.Container) bool {
		return equality.Semantic.DeepEqual(a.Resources, b.Resources)
	})
}

// resizes returns that the pod gets the requests of each of the others.
func resizes(pod *v1.Pod, likes []*v1.Pod) []Action {
	var actions []Action
	known := []*v1.Pod{pod}
	for _, like := range likes {
		after := resized(pod, like)
		if after == nil || slices.ContainsFunc(known, func(p *v1.Pod) bool { return sameRequests(p, after) }) {
			continue
		}
		known = append(known, after)
		actions = append(actions, changedPod(pod, "resize: it has the requests of "+like.Name,
			func(p *v1.Pod) { *p = *after }))
	}
	return actions
}

// relabels returns that the pod gets each of the sets of labels.
func relabels(pod *v1.Pod, sets []map[string]string) []Action {
	var actions []Action
	for _, labels := range sets {
		if !maps.Equal(pod.Labels, labels) {
			actions = append(actions,
				changedPod(pod, "labels: it has "+describeLabels(labels), func(p *v1.Pod) { p.Labels = maps.Clone(labels) }))
		}
	}
	return actions
}

// toleration is one that the pod of the name has.
type toleration struct {
	of string
	v1.Toleration
}

// tolerating returns the tolerations that the pods have, each with the first pod that has it.
func tolerating(pods []*v1.Pod) []toleration {
	var all []toleration
	for _, pod := range pods {
		for _, t := range pod.Spec.Tolerations {
			all = append(all, toleration{pod.Name, t})
		}
	}
	return distinct(all, func(x, y toleration) bool { return equality.Semantic.DeepEqual(x.Toleration, y.Toleration) })
}

// toleratesMore returns that the pod gets each of the tolerations that it has not.
func toleratesMore(pod *v1.Pod, more []toleration) []Action {
	var actions []Action
	for _, like := range more {
		has := func(t v1.Toleration) bool { return t.MatchToleration(&like.Toleration) }
		if !slices.ContainsFunc(pod.Spec.Tolerations, has) {
			actions = append(actions, changedPod(pod,
				"tolerations: it gets one of "+like.of+", "+tolerationInWords(like.Toleration), func(p *v1.Pod) {
					p.Spec.Tolerations = append(slices.Clone(pod.Spec.Tolerations), like.Toleration)
				}))
		}
	}
	return actions
}

// ungated returns that the gates of the pod are removed, alone and with other changes: of an update with several the
// queue makes several events, one after the other.
func ungated(pod *v1.Pod) []Action {
	return []Action{changedPod(pod, "gates: they are removed", func(p *v1.Pod) { p.Spec.SchedulingGates = nil }),
		changedPod(pod, "gates: they are removed, and it gets a label and a toleration", func(p *v1.Pod) {
			const free = "ungated"
			p.Spec.SchedulingGates, p.Labels = nil, maps.Clone(p.Labels)
			if p.Labels == nil {
				p.Labels = map[string]string{}
			}
			p.Labels[free] = free
			p.Spec.Tolerations = append(slices.Clone(pod.Spec.Tolerations),
				v1.Toleration{Key: free, Operator: v1.TolerationOpExists})
		})}
}
