package loop

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// What is not heard of where a decision is also the profile's.

func hintAddedAffinity() Known {
	return Known{
		Name: "hint-added-affinity", Class: spec.Unconfirmed,
		Upstream: "not reported; kubernetes/kubernetes#127444 made it so",
		Doc: "When the labels of a node change, the hint of NodeAffinity retries a pod only if the node did not match " +
			"the pod's own affinity before: one that comes to match what the profile adds to that is overlooked.",
		Explains: func(t *Transition, pod *v1.Pod) bool {
			was, is := nodeOf(t.Before, t.Action.Ref.Name), nodeOf(t.After, t.Action.Ref.Name)
			meets := func(p *spec.Profile, node *v1.Node) bool {
				return spec.NodeAffinity().Holds(p, pod, node, &spec.Snapshot{})
			}
			profile := t.model(pod).Profile
			return t.rejectedBy(pod, "NodeAffinity") && t.Action.Ref.Kind == "Node" && was != nil && is != nil &&
				meets(&spec.Profile{}, was) && !meets(profile, was) && meets(profile, is)
		},
	}
}

func hintIgnoredResource() Known {
	return Known{
		Name: "hint-ignored-resource", Class: spec.Unconfirmed,
		Upstream: "not reported; kubernetes/kubernetes#119177 made it so",
		Doc: "The hint of NodeResourcesFit for nodes asks whether the node has all that the pod requests, also what the " +
			"profile ignores: a pod that requests such a resource is not retried when a node comes, or gets more.",
		Explains: func(t *Transition, pod *v1.Pod) bool {
			if !t.rejectedBy(pod, "NodeResourcesFit") || t.Action.Ref.Kind != "Node" {
				return false
			}
			was, is, empty := nodeOf(t.Before, t.Action.Ref.Name), nodeOf(t.After, t.Action.Ref.Name), t.After.View()
			empty.Pods = nil
			asked := is != nil && (was == nil || !equality.Semantic.DeepEqual(was.Status.Allocatable, is.Status.Allocatable))
			fits := func(m *spec.Scheduler) bool {
				return m.Only(func(f spec.Filter) bool { return f.Plugin == "NodeResourcesFit" }).Passes(pod, is, empty)
			}
			model := t.model(pod)
			strict := *model.Profile
			strict.Fit.IgnoredResources, strict.Fit.IgnoredResourceGroups = nil, nil
			hint := spec.New(&strict) // which may have forgotten the class that stands for the resource
			return asked && fits(model) &&
				(!fits(hint) || !fits(hint.With(spec.ExtendedResourceClassForgotten(t.After.Classes))))
		},
	}
}

func defaultSpreadUnheard() Known {
	return Known{
		Name: "default-spread-unheard", Class: spec.Unconfirmed, Upstream: "not reported",
		Doc: "No plugin hears of services and workloads: when one goes, comes or selects others, so that the constraints " +
			"of topology spread that the profile has for its pods are none any more, or other ones, no pod is retried.",
		Explains: func(t *Transition, pod *v1.Pod) bool {
			deduced := []string{"Service", "ReplicationController", "ReplicaSet", "StatefulSet"}
			return t.rejectedBy(pod, "PodTopologySpread") && slices.Contains(deduced, t.Action.Ref.Kind) &&
				len(pod.Spec.TopologySpreadConstraints) == 0
		},
	}
}

func hintSpreadLabels() Known {
	return Known{
		Name: "hint-spread-labels", Class: spec.Unconfirmed, Upstream: "not reported",
		Doc: "When the labels of a pod change, and with them by which constraints of topology spread it is rejected, as " +
			"those of the profile are for pods that a service selects, and matchLabelKeys go by its labels, the hint of " +
			"PodTopologySpread looks at those that are left: if the labels have to do with none, it does not retry the pod.",
		Explains: func(t *Transition, pod *v1.Pod) bool {
			was, is := t.Before.heard(Key(pod)), t.After.heard(Key(pod))
			if !t.rejectedBy(pod, "PodTopologySpread") || t.Action.Verb != Update || t.Action.Ref.Kind != "Pod" ||
				t.Action.Ref.Key() != Key(pod) || was == nil || is == nil {
				return false
			}
			touched := func(pod *v1.Pod, s *spec.Snapshot) bool {
				profile := t.model(pod).Profile
				constraints := spec.DocumentedSpread().Constraints(profile, pod, v1.DoNotSchedule, s)
				return slices.ContainsFunc(constraints, func(c v1.TopologySpreadConstraint) bool {
					return spec.SpreadsOver(c, pod, was) != spec.SpreadsOver(c, pod, is)
				})
			}
			return touched(was, t.Before.View()) && !touched(is, t.After.View())
		},
	}
}

func classGoneUnheard() Known {
	return Known{
		Name: "class-gone-unheard", Class: spec.Unconfirmed, Upstream: "not reported",
		Doc: "DynamicResources does not hear that a DeviceClass is deleted: a pod that was rejected for want of its " +
			"devices, which requests them as a resource that the profile ignores where no class stands for it, is not retried.",
		Explains: deletionUnheard("DynamicResources", "DeviceClass"),
	}
}
