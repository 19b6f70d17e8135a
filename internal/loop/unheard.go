package loop

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// assumedChangesUnheard is the defect that a pod is taken to be what it was when it was assumed.
func assumedChangesUnheard() Known {
	return Known{
		Name:  "assumed-changes-unheard",
		Class: spec.Unconfirmed,
		Upstream: "not reported; by its release note kubernetes/kubernetes#54008 has changes of annotations ignored, " +
			"which nothing is decided by",
		Doc: "What changes of a pod while it waits on permit, or is being bound, is not heard: until it is bound others " +
			"are placed by the labels and requests that it had when it was assumed.",
		Explains: func(t *Transition, pod *v1.Pod) bool {
			changed := t.Action.Verb == Update && t.Action.Ref.Kind == "Pod" && t.Before.AssumedOn(t.Action.Ref.Key()) != ""
			seen := asAssumed(t.Before)
			return changed || seen != nil && t.Step.Popped == Key(pod) && t.decidedBy(seen, pod)
		},
		Sees: func(s *State, _ *v1.Pod) *spec.Snapshot { return asAssumed(s) },
	}
}

// resizedUnheard reports whether the cache has a pod with other requests than it has by now, as it was assumed so.
func (s *State) resizedUnheard() bool {
	return slices.ContainsFunc(s.AssumedAs, func(as *v1.Pod) bool {
		is := s.heard(Key(as))
		return is != nil && !equality.Semantic.DeepEqual(spec.Requests(as), spec.Requests(is))
	})
}

// asAssumed returns the view in which assumed pods are as the cache has them; nil if they are so anyway.
func asAssumed(s *State) *spec.Snapshot {
	if len(s.AssumedAs) == 0 {
		return nil
	}
	view := s.View()
	for i, pod := range view.Pods {
		for _, as := range s.AssumedAs {
			if Key(as) == Key(pod) {
				view.Pods[i] = as
			}
		}
	}
	return view
}

// decidedBy reports whether the model, alone or with known defects of decisions, allows by what is seen what the step
// did with the pod.
func (t *Transition) decidedBy(seen *spec.Snapshot, pod *v1.Pod) bool {
	asked := in(seen, Key(pod))
	return asked != nil &&
		(t.allowedBy(t.Model, asked, seen) || t.leastQuirks(Key(pod), seen, t.allowedBy) != "")
}

// nominatedChangesUnheard is the defect that nobody is told of what changes of a pod that holds room by a nomination.
func nominatedChangesUnheard() Known {
	return Known{
		Name:     "nominated-changes-unheard",
		Class:    spec.Unconfirmed,
		Upstream: "not reported; kubernetes/kubernetes#129058 tells of a nomination that goes",
		Doc: "A nominated pod is respected as if it were on its node, but what changes of its labels or requests, or that " +
			"its nomination goes, wakes no pod that was rejected for its sake: its labels, or that it goes, none of " +
			"InterPodAffinity and PodTopologySpread, its requests none of NodeResourcesFit.",
		Explains: func(t *Transition, pod *v1.Pod) bool {
			resized := t.Action.Class() == "Pod resize" && t.rejectedBy(pod, "NodeResourcesFit")
			return (resized || t.rejectedBySome(pod, "InterPodAffinity", "PodTopologySpread")) &&
				slices.ContainsFunc(t.Before.told().Pods, func(was *v1.Pod) bool {
					is := t.After.heard(Key(was))
					held := was.Status.NominatedNodeName != "" && was.Spec.NodeName == "" && Key(was) != Key(pod)
					return held && is != nil && is.Spec.NodeName == "" && (is.Status.NominatedNodeName == "" ||
						t.Action.Verb == Update && t.Action.Ref == RefOf(was))
				})
		},
	}
}

// rejectedBySome reports whether one of the plugins rejected the pod.
func (t *Transition) rejectedBySome(pod *v1.Pod, plugins ...string) bool {
	return slices.ContainsFunc(plugins, func(plugin string) bool { return t.rejectedBy(pod, plugin) })
}

// deletionUnheard explains that a pod which the plugin rejected is not retried when an object of the kind is deleted.
func deletionUnheard(plugin, kind string) func(*Transition, *v1.Pod) bool {
	return func(t *Transition, pod *v1.Pod) bool {
		return t.rejectedBy(pod, plugin) && t.Action.Ref.Kind == kind && t.Action.Verb == Delete
	}
}
