package loop

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// volumesBound returns the property that a pod gets a node only with its volumes.
//
// Source: https://kubernetes.io/docs/concepts/storage/storage-classes/#volume-binding-mode and doc comment of
// SchedulerVolumeBinder in k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding: PreBind waits until the
// claims of the pod are bound. Field doc of PluginSet.Enabled: plugins are called in the order of the profile.
func volumesBound() Property {
	return Property{
		Name: "volumes-bound",
		Doc: "When the scheduler binds a pod, the claims that it uses for volumes are bound, or were in what it has heard; " +
			"also when a plugin is asked at PreBind that comes after VolumeBinding.",
		Broken: func(t *Transition) []Violation {
			var broken []Violation
			pods := t.newlyBound()
			if pod := in(t.After.API, t.Step.PreBound); pod != nil {
				pods = append(pods, pod)
			}
			for _, pod := range pods {
				if !t.runs("VolumeBinding", pod) {
					continue
				}
				for _, claim := range spec.Claims(pod, t.After.API) {
					if !spec.ClaimBound(claim) && !boundIn(claim, t.After.told()) {
						what := "is bound to " + pod.Spec.NodeName
						if pod.Spec.NodeName == "" {
							what = "is past VolumeBinding at PreBind"
						}
						broken = append(broken, Violation{Pod: Key(pod), But: fmt.Sprintf(
							"%s %s, and its claim %s is not bound", Key(pod), what, claim.Name)})
					}
				}
			}
			return broken
		},
	}
}

// boundIn reports whether the claim of that name is bound in the snapshot.
func boundIn(claim *v1.PersistentVolumeClaim, s *spec.Snapshot) bool {
	return slices.ContainsFunc(s.PersistentVolumeClaims, func(c *v1.PersistentVolumeClaim) bool {
		return RefOf(c) == RefOf(claim) && spec.ClaimBound(c)
	})
}

// volumesSuffice returns the property that what is bound for a pod is not in vain.
//
// Source: as volumesBound: what PreBind waits for is that the claims of the pod are bound. Comment of checkBindings in
// k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding: "We tolerate NotFound error here, because PV is
// possibly not found because of API delay".
func volumesSuffice() Property {
	return Property{
		Name: "volumes-suffice",
		Doc: "A pod that waits for its volumes does not fail as the last of them is bound, or made, on the node where it " +
			"is to be, unless for its claims of devices or for a volume that was meant for it, which the node cannot reach.",
		Broken: func(t *Transition) []Violation {
			if !t.Action.Controller || t.Action.Ref.Kind != "PersistentVolumeClaim" {
				return nil
			}
			var broken []Violation
			for _, was := range t.Before.Queue {
				is, queued := t.After.Queued(was.Pod)
				if !was.Volumes || was.Fault != NoFault || !queued || is.Waits ||
					devicesFail(t.errorsAbout(was.Pod), "") {
					continue
				}
				view := t.After.View()
				view.PersistentVolumes = t.After.API.PersistentVolumes
				pod, node := in(view, was.Pod), nodeOf(t.After, t.Before.AssumedOn(was.Pod))
				there := t.After.Pod(was.Pod) // else the scheduler has not heard that it is gone, or bound by somebody else
				if pod == nil || node == nil || there == nil || deleting(there) || there.Spec.NodeName != "" ||
					!slices.ContainsFunc(spec.Claims(pod, view), func(claim *v1.PersistentVolumeClaim) bool {
						return RefOf(claim) == t.Action.Ref
					}) ||
					!t.model(pod).Feasibility(pod, node, view) || outOfReach(pod, node, view) {
					continue
				}
				if !slices.ContainsFunc(spec.Claims(pod, view),
					func(claim *v1.PersistentVolumeClaim) bool { return !spec.ClaimBound(claim) }) {
					broken = append(broken, Violation{Pod: was.Pod, But: fmt.Sprintf(
						"%s is not bound to %s, and all its claims are bound", was.Pod, node.Name)})
				}
			}
			return broken
		},
	}
}

// volumesReached returns the property that a pod is not bound to a node which cannot reach what was bound for it.
//
// Source: https://kubernetes.io/docs/concepts/storage/persistent-volumes/#node-affinity ("Pods that use a PV will only be
// scheduled to nodes that are selected by the node affinity").
func volumesReached() Property {
	return Property{
		Name: "volumes-reached",
		Doc: "A pod that waits for its volumes is not bound, as the last of them is bound, or made, to a node that cannot " +
			"reach that one, by what the scheduler has heard of both.",
		Broken: func(t *Transition) []Violation {
			claim, is := t.Action.Object.(*v1.PersistentVolumeClaim)
			if !is || !t.Action.Controller {
				return nil
			}
			var broken []Violation
			view := t.After.View()
			for _, pod := range t.newlyBound() {
				node := nodeOf(t.After, t.Before.AssumedOn(Key(pod)))
				if was, _ := t.Before.Queued(Key(pod)); !was.Volumes || node == nil {
					continue
				}
				for _, volume := range view.PersistentVolumes {
					if volume.Name == claim.Spec.VolumeName && uses(pod, claim, view) && !reaches(volume, node, view) {
						v := Violation{Pod: Key(pod), But: fmt.Sprintf(
							"%s is bound to %s, from which %s cannot be accessed, which was bound for it", Key(pod),
							node.Name, volume.Name)}
						if v.Known = t.reachedBy(pod, node); v.Known == "" && reservedToo(volume, t.Before.View()) {
							v.Known = t.has(anotherVolumeBound().Name)
						}
						broken = append(broken, v)
					}
				}
			}
			return broken
		},
	}
}

// reachedBy returns the known defects of decisions by which the node is feasible for the pod with its volumes as they
// are bound; "" if there are none.
func (t *Transition) reachedBy(pod *v1.Pod, node *v1.Node) string {
	view, after := *t.Before.told(), t.After.View()
	view.PersistentVolumes, view.PersistentVolumeClaims = after.PersistentVolumes, after.PersistentVolumeClaims
	return t.leastQuirks(Key(pod), &view, func(m *spec.Scheduler, pod *v1.Pod, view *spec.Snapshot) bool {
		return m.Feasibility(pod, node, view)
	})
}

// anotherVolumeBound is the defect that only the volume which was chosen is looked at.
func anotherVolumeBound() Known {
	return Known{
		Name: "another-volume-bound", Class: spec.Unconfirmed, Upstream: "not reported",
		Doc: "Of the claims that a pod waits for, kube-scheduler looks at the volumes which it has chosen for them, and " +
			"not at those that they are bound to: the pod may be bound to a node that cannot reach its volume.",
	}
}

// outOfReach reports whether a volume that is reserved for a claim of the pod cannot be accessed from the node: the
// scheduler chose it for the pod, and somebody has bound the claim to another one since.
func outOfReach(pod *v1.Pod, node *v1.Node, s *spec.Snapshot) bool {
	return slices.ContainsFunc(s.PersistentVolumes, func(volume *v1.PersistentVolume) bool {
		return volume.Spec.ClaimRef != nil && uses(pod, volume, s) && !reaches(volume, node, s)
	})
}

// reaches reports whether the volume, as it is managed on the node, can be accessed from there.
func reaches(volume *v1.PersistentVolume, node *v1.Node, s *spec.Snapshot) bool {
	return spec.Reaches(spec.OnNode(volume, node, s), node)
}

// newlyBound returns the pods that the scheduler bound in the step, as the API has them since.
func (t *Transition) newlyBound() []*v1.Pod {
	var bound []*v1.Pod
	for _, pod := range t.After.API.Pods {
		if bindsIt(t.Action, pod) || t.Action.Meanwhile != nil && bindsIt(*t.Action.Meanwhile, pod) {
			continue // somebody else has
		}
		if was := t.Before.Pod(Key(pod)); pod.Spec.NodeName != "" && was != nil && was.Spec.NodeName == "" {
			bound = append(bound, pod)
		}
	}
	return bound
}

// bindsIt reports whether the event is that somebody else binds the pod.
func bindsIt(a Action, pod *v1.Pod) bool {
	object, is := a.Object.(*v1.Pod)
	return is && a.Ref == RefOf(pod) && object.Spec.NodeName != ""
}
