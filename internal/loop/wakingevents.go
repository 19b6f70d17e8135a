package loop

import (
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// source is where events come from that may help a pod.
type source struct {
	name string
	of   func(*State) []Action
}

// sources are those of events in a cluster of the templates, or of what may be undone there. What drivers and the
// scheduler itself do is not among them.
func (w *waking) sources(templates *spec.Snapshot, undo bool) []source {
	var all []source
	for _, kind := range EventTypes() {
		if !slices.Contains([]EventType{PodBound, PodNominated, PodReplaced, ObjectReplaced, ObjectAlike, Missed,
			DeviceFailed, DeviceLate, Restarted}, kind) {
			scope := &Scope{Templates: templates, Happens: []EventType{kind}}
			of := scope.events
			if kind == NodeLabels && topologyOfDrivers(w.templates.Nodes) {
				of = func(s *State) []Action {
					return slices.DeleteFunc(scope.events(s), func(a Action) bool { return strings.Contains(a.Doc, "topology.") })
				}
			}
			all = append(all, source{string(kind), of})
		}
	}
	all = append(all, source{"like others", w.likeOthers}, source{"deallocated", deallocated})
	if undo {
		return append(all, source{"pods come", func(s *State) []Action { return boundPods(s, templates) }})
	}
	return append(all, source{"pods come", func(s *State) []Action {
		return slices.DeleteFunc(boundPods(s, templates), func(a Action) bool { return !w.fits(a, s.API) })
	}})
}

// topologyOfDrivers reports whether nodes have labels from their CSI drivers, which say where they are as those of
// Kubernetes do: these come from one place, and change together if at all.
func topologyOfDrivers(nodes []*v1.Node) bool {
	return slices.ContainsFunc(nodes, func(node *v1.Node) bool {
		for key := range node.Labels {
			if strings.HasPrefix(key, "topology.") && !strings.HasPrefix(key, "topology.kubernetes.io/") {
				return true
			}
		}
		return false
	})
}

// terminatesAt is when pods terminate that do, in seconds.
const terminatesAt = 1_700_003_600

// boundPods returns the arrival of bound pods, some of which terminate.
func boundPods(state *State, templates *spec.Snapshot) []Action {
	var actions []Action
	for _, kind := range templates.Pods {
		if !ready(kind, state.API) {
			continue
		}
		for _, node := range state.API.Nodes {
			runs, ends := boundTo(kind, node, "-runs"), boundTo(kind, node, "-ends")
			ends.DeletionTimestamp = ptr.To(metav1.Unix(terminatesAt, 0))
			ends.DeletionGracePeriodSeconds = ptr.To[int64](30)
			for _, pod := range []*v1.Pod{runs, ends} {
				actions = append(actions, Action{Verb: Create, Ref: RefOf(pod), Object: pod})
			}
		}
	}
	return actions
}

// fits reports whether the pod that comes may have been bound by kube-scheduler: its node is feasible for it.
func (w *waking) fits(comes Action, s *spec.Snapshot) bool {
	bound, _ := comes.Object.(*v1.Pod)
	pod := *bound // nobody changes what both have
	pod.Spec.NodeName = ""
	return slices.ContainsFunc(s.Nodes, func(node *v1.Node) bool {
		return node.Name == bound.Spec.NodeName && w.model.Feasibility(&pod, node, s)
	})
}

// undone returns the event that takes the cluster back from what the event makes of it; false if no such event can
// happen.
func undone(before *spec.Snapshot, event Action) (Action, bool) {
	there := func() runtime.Object {
		for _, object := range Objects(before) {
			if RefOf(object) == event.Ref {
				return object
			}
		}
		return nil
	}
	what, _, _ := strings.Cut(event.Doc, ":")
	pod, _ := event.Object.(*v1.Pod)
	switch {
	case event.Verb == Update && (what == "tolerations" || what == "gates"):
		return Action{}, false // the API server takes these changes in one direction only
	case event.Verb == Update:
		return Action{Verb: Update, Ref: event.Ref, Object: there(), Doc: event.Doc + ", no longer"}, true
	case event.Verb == Delete && event.Ref.Kind != "Pod":
		return Action{Verb: Create, Ref: event.Ref, Object: there()}, true
	case event.Verb == Create && pod == nil:
		return Action{Verb: Delete, Ref: event.Ref}, true
	case event.Verb == Create && pod.DeletionTimestamp != nil:
		return Action{Verb: Gone, Ref: event.Ref}, true
	case event.Verb == Create:
		return Action{Verb: Complete, Ref: event.Ref}, true
	}
	return Action{}, false
}

// mostLike is how many others of its kind an object becomes like.
const mostLike = 2

// likeOthers returns the changes of objects that are neither nodes, pods nor namespaces to what the next ones of their
// kind are like, and to what they were before they were bound or filled in.
func (w *waking) likeOthers(state *State) []Action {
	var actions []Action
	for _, object := range Objects(state.API) {
		changes, known := w.changes[object]
		if !known {
			kind := slices.DeleteFunc(Objects(w.templates), func(o runtime.Object) bool {
				return RefOf(o).Kind != RefOf(object).Kind
			})
			changes = append(likeNext(object, kind, mostLike), unready(object)...)
			w.changes[object] = changes
		}
		actions = append(actions, changes...)
	}
	return actions
}

// unready returns what takes the object back to before it was bound, or filled in.
func unready(object runtime.Object) []Action {
	switch object := object.(type) {
	case *v1.PersistentVolumeClaim:
		before := object.DeepCopy()
		before.Spec.VolumeName, before.Annotations, before.Status.Phase = "", nil, v1.ClaimPending
		return update(object, before, "binding: it is not bound")
	case *resourcev1.ResourceSlice:
		before := object.DeepCopy()
		before.Spec.Devices = nil
		return update(object, before, "devices: it has none")
	case *resourcev1.DeviceClass:
		return unnamed(object)
	}
	return nil
}

// deallocated returns the deallocation of claims of devices, and that one of several pods uses them no more, as a
// controller does it.
func deallocated(state *State) []Action {
	var actions []Action
	for _, claim := range state.API.ResourceClaims {
		if claim.Status.Allocation != nil {
			after := claim.DeepCopy()
			after.Status = resourcev1.ResourceClaimStatus{}
			actions = append(actions, update(claim, after, "status of claim: it is deallocated")...)
			if users := claim.Status.ReservedFor; len(users) > 1 {
				fewer := claim.DeepCopy()
				fewer.Status.ReservedFor = users[1:]
				actions = append(actions, update(claim, fewer, "reservation: one pod less uses it")...)
			}
		}
	}
	return actions
}

// protected reports whether the event is a removal that does not happen: of a volume that is bound, or attached, which
// a finalizer keeps, and of the CSINode of a node, which goes when that goes.
//
// Sources: https://kubernetes.io/docs/concepts/storage/persistent-volumes/#storage-object-in-use-protection; the API
// documentation of CSINode, of its owner.
func protected(cluster *spec.Snapshot, event Action) bool {
	switch {
	case event.Verb != Delete:
		return false
	case event.Ref.Kind == "CSINode":
		return slices.ContainsFunc(cluster.Nodes, func(node *v1.Node) bool { return node.Name == event.Ref.Name })
	}
	return slices.ContainsFunc(cluster.PersistentVolumes, func(volume *v1.PersistentVolume) bool {
		return RefOf(volume) == event.Ref && (volume.Status.Phase == v1.VolumeBound || attached(cluster, event.Ref))
	})
}
