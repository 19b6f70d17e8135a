package scenario

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// deviceNodes calls visit with the names and the selectors of nodes that have access to devices.
func deviceNodes(s *spec.Snapshot, name func(string), selector func(*v1.NodeSelector)) {
	visit := func(of *string, by *v1.NodeSelector) {
		if of != nil {
			name(*of)
		}
		selector(by)
	}
	for _, slice := range s.ResourceSlices {
		visit(slice.Spec.NodeName, slice.Spec.NodeSelector)
		for _, device := range slice.Spec.Devices {
			visit(device.NodeName, device.NodeSelector)
		}
	}
	for _, claim := range s.ResourceClaims {
		if claim.Status.Allocation != nil {
			selector(claim.Status.Allocation.NodeSelector)
		}
	}
}

// claimPods calls visit with the pods that own claims of devices, or that these are reserved for.
func claimPods(s *spec.Snapshot, visit func(*v1.Pod)) {
	uids := map[types.UID]bool{}
	for _, claim := range s.ResourceClaims {
		for _, owner := range claim.OwnerReferences {
			uids[owner.UID] = true
		}
		for _, consumer := range claim.Status.ReservedFor {
			uids[consumer.UID] = true
		}
	}
	for _, pod := range s.Pods {
		if uids[pod.UID] {
			visit(pod)
		}
	}
}

// ownedDevices has the claims of devices name the pods that they are made and reserved for by the UIDs that these have
// in states.
func ownedDevices(s, kept *spec.Snapshot) {
	uids := map[types.UID]types.UID{}
	claimPods(s, func(pod *v1.Pod) { uids[pod.UID] = model.PodUID(pod.Namespace, pod.Name) })
	kept.ResourceClaims = nil
	for _, claim := range s.ResourceClaims {
		claim = claim.DeepCopy()
		for i, owner := range claim.OwnerReferences {
			if uid, is := uids[owner.UID]; is {
				claim.OwnerReferences[i].UID = uid
			}
		}
		for i, consumer := range claim.Status.ReservedFor {
			if uid, is := uids[consumer.UID]; is {
				claim.Status.ReservedFor[i].UID = uid
			}
		}
		kept.ResourceClaims = append(kept.ResourceClaims, claim)
	}
}
