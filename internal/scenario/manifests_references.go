package scenario

import (
	"errors"
	"fmt"
	"strings"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/equality"
)

// checkReferences checks what objects say of each other. Whatever a live cluster can hold is accepted,
// with a note where it has no effect, but for a pod bound to a node that is not given: it would
// count nowhere.
func (r *reading) checkReferences(objects []object) {
	nodes := map[string]bool{}
	for _, o := range objects {
		if node, ok := o.Object.(*v1.Node); ok {
			nodes[node.Name] = true
		}
	}
	if len(nodes) == 0 && len(r.errs) == 0 && (len(objects) > 0 || r.config == nil) {
		r.fail(Source{File: strings.Join(r.files, ", ")}, "", "", errors.New("there is no Node; give at least one"))
		return
	}
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
}

func (r *reading) checkPod(o object, pod *v1.Pod, nodes map[string]bool) {
	if o.like {
		return
	}
	node, nominee := pod.Spec.NodeName, pod.Status.NominatedNodeName
	switch {
	case node != "" && !nodes[node]:
		r.fail(o.source, o.String(), "spec.nodeName",
			fmt.Errorf("there is no Node %q; give it too, or take nodeName out to have the pod scheduled", node))
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
	if len(pod.Spec.ResourceClaims) > 0 {
		r.note(o, "spec.resourceClaims: ResourceClaims are not read, so those it names do not exist")
	}
}
