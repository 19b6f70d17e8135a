package scenario

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// ownerOf returns the pod whose ephemeral volume the claim was made for; nil if there is none.
func ownerOf(claim *v1.PersistentVolumeClaim, s *spec.Snapshot) *v1.Pod {
	owner := metav1.GetControllerOf(claim)
	if owner == nil || owner.Kind != "Pod" {
		return nil
	}
	i := slices.IndexFunc(s.Pods, func(pod *v1.Pod) bool {
		return pod.Namespace == claim.Namespace && pod.UID == owner.UID
	})
	if i < 0 {
		return nil
	}
	return s.Pods[i]
}

// owners are the names of the pods that a claim was made for, or is named for all the same.
func owners(s *spec.Snapshot) map[string]bool {
	named := map[string]bool{}
	for _, pod := range s.Pods {
		for _, volume := range pod.Spec.Volumes {
			if volume.Ephemeral != nil &&
				slices.ContainsFunc(s.PersistentVolumeClaims, func(c *v1.PersistentVolumeClaim) bool {
					return c.Namespace == pod.Namespace && c.Name == spec.ClaimName(pod, volume)
				}) {
				named[pod.Name] = true
			}
		}
	}
	claimPods(s, func(pod *v1.Pod) { named[pod.Name] = true })
	return named
}

// around returns the objects that do not change. Claims made for a pod are owned by the pod of that name.
func around(s *spec.Snapshot) spec.Snapshot {
	kept := *s
	kept.Nodes, kept.Pods, kept.PersistentVolumeClaims = nil, nil, nil
	for _, claim := range s.PersistentVolumeClaims {
		if owner := ownerOf(claim, s); owner != nil {
			claim = claim.DeepCopy()
			metav1.GetControllerOfNoCopy(claim).UID = model.PodUID(owner.Namespace, owner.Name)
		}
		kept.PersistentVolumeClaims = append(kept.PersistentVolumeClaims, claim)
	}
	ownedDevices(s, &kept)
	return kept
}

// arrivals lets pods that claims are named for arrive once at most.
func (k *templates) arrivals(actions model.Actions) model.Actions {
	if len(k.owners) == 0 {
		return actions
	}
	actions.ArrivalsOfTemplate = nil
	for i := range k.pods {
		most := actions.Arrivals
		if k.pods[i].Only {
			most = min(most, 1)
		}
		actions.ArrivalsOfTemplate = append(actions.ArrivalsOfTemplate, most)
	}
	return actions
}
