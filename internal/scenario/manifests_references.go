package scenario

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/equality"
)

// checkReferences checks what objects say of each other. Whatever a live cluster can hold is accepted,
// with a note where it has no effect. It leaves out the pods of nodes that are not given: kube-scheduler, too, leaves
// the pods of nodes that it does not know out of its snapshot.
func (r *reading) checkReferences(objects []object) []object {
	nodes := map[string]bool{}
	for _, o := range objects {
		if node, ok := o.Object.(*v1.Node); ok {
			nodes[node.Name] = true
		}
	}
	objects = slices.DeleteFunc(objects, func(o object) bool {
		pod, isPod := o.Object.(*v1.Pod)
		if !isPod || o.like || pod.Spec.NodeName == "" || nodes[pod.Spec.NodeName] {
			return false
		}
		r.note(o, "left out: spec.nodeName: there is no Node %q, and kube-scheduler leaves the pods of nodes that it "+
			"does not know out of account; give the node, or take nodeName out to have the pod scheduled",
			pod.Spec.NodeName)
		return true
	})
	for _, o := range objects {
		switch object := o.Object.(type) {
		case *v1.Pod:
			r.checkPod(o, object, nodes)
		case *v1.Node:
			if len(object.Status.Allocatable) == 0 {
				r.note(o, "status.allocatable is not stated, so no pod fits on the node")
			}
		case *policyv1.PodDisruptionBudget:
			if equality.Semantic.DeepEqual(object.Status, policyv1.PodDisruptionBudgetStatus{}) {
				r.note(o, "status is not stated, so disruptionsAllowed counts as 0; no controller runs that would "+
					"compute it")
			}
		case *storagev1.CSINode:
			if !nodes[object.Name] {
				r.note(o, "it has no effect: there is no Node of this name")
			}
		case *storagev1.VolumeAttachment:
			if !nodes[object.Spec.NodeName] {
				r.note(o, "spec.nodeName: it has no effect: there is no Node %q", object.Spec.NodeName)
			}
		}
	}
	return objects
}

// checkRead checks that there is anything to go by. If what was found could not be read, that is why.
func (r *reading) checkRead(objects []object) {
	if len(r.errs) > 0 || r.config != nil && len(objects) == 0 {
		return
	}
	if slices.ContainsFunc(objects, func(o object) bool { return o.kind == "Node" }) {
		return
	}
	nothing := r.noPods()
	r.errs = append(r.errs, r.notRead...)
	r.refuse(Source{File: strings.Join(r.named(), ", ")}, "", "", nothing)
}

// named returns what the input was named by.
func (r *reading) named() []string {
	names := slices.Clone(r.Paths)
	if r.Served != nil {
		names = append([]string{r.Served.Name}, names...)
	}
	if r.Kustomization != "" {
		names = append(names, r.Kustomization)
	}
	if len(names) > 0 {
		return names
	}
	return slices.Sorted(maps.Keys(r.rank)) // one name, of what was at hand
}

func (r *reading) checkPod(o object, pod *v1.Pod, nodes map[string]bool) {
	if o.like {
		return
	}
	node, nominee := pod.Spec.NodeName, pod.Status.NominatedNodeName
	switch {
	case node != "" && nominee != "":
		r.note(o, "status.nominatedNodeName %q has no effect: the pod is bound to %q", nominee, node)
	case nominee != "" && !nodes[nominee]:
		// Legal: the node may have gone since the nomination.
		r.note(o, "status.nominatedNodeName has no effect: there is no Node %q", nominee)
	}
	if node != "" {
		return
	}
	if pod.DeletionTimestamp != nil {
		r.note(o, "it is not scheduled: it is pending and is being deleted (metadata.deletionTimestamp)")
	}
	if len(pod.Spec.SchedulingGates) > 0 {
		r.note(o, "it is not scheduled: it waits for its scheduling gates, the first of them %q",
			pod.Spec.SchedulingGates[0].Name)
	}
	// The field has another name in each release.
	for _, field := range []string{"SchedulingGroup", "WorkloadRef"} {
		if group := reflect.ValueOf(pod.Spec).FieldByName(field); group.IsValid() && !group.IsZero() {
			r.note(o, "spec.%s: groups of pods are not read, so it is scheduled by itself",
				strings.ToLower(field[:1])+field[1:])
		}
	}
	for _, entry := range pod.Spec.ResourceClaims {
		if entry.ResourceClaimTemplateName != nil && len(pod.Status.ResourceClaimStatuses) == 0 {
			r.note(o, "spec.resourceClaims: nobody makes claims from templates here, so it waits for that of %q "+
				"(status.resourceClaimStatuses names claims that are made)", entry.Name)
		}
	}
}
