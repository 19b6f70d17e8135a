package loop

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// noVainWait returns the property that what can succeed does not need an expiry. A wait that always ends by expiry,
// and a retry, breaks nothing else.
//
// Source: https://github.com/kubernetes/design-proposals-archive/blob/main/storage/volume-topology-scheduling.md
// (the scheduler asks for volumes in the API, waits until the claims are bound, and then binds the pod).
func noVainWait() Property {
	return Property{
		Name: "no-vain-wait",
		Doc: "A pod waits for its volumes only while a claim of it is not bound, and the API asks for that claim: a " +
			"volume is reserved for it, or a node selected. What can succeed does not need an expiry.",
		Broken: func(t *Transition) []Violation {
			var broken []Violation
			for _, q := range t.After.Queue {
				if q.Volumes && q.Waits {
					broken = append(broken, t.vainWait(q.Pod)...)
				}
			}
			return broken
		},
	}
}

// vainWait returns why the pod that waits for its volumes waits in vain, unless it did so before the step.
func (t *Transition) vainWait(key string) []Violation {
	about, but := vain(t.After, key)
	if about == "" {
		return nil
	}
	if q, _ := t.Before.Queued(key); q.Volumes {
		if was, _ := vain(t.Before, key); was == about {
			return nil
		}
	}
	v := Violation{Pod: key, About: about, But: fmt.Sprintf("%s waits for its volumes until that expires: %s", key, but)}
	return []Violation{v.explained(t)}
}

// vain returns why the pod would wait in vain for its volumes; empty if it is right to wait. A claim or volume that is
// gone gives no answer: whoever waits for it may. Nor does one that is asked for: what becomes of it ends the wait.
func vain(s *State, key string) (about, but string) {
	pod := s.Pod(key)
	if pod == nil {
		return "", ""
	}
	if s.unheardOf("PersistentVolume")+s.unheardOf("PersistentVolumeClaim") > 0 {
		return "", "" // kube-scheduler does not know yet
	}
	for _, claim := range claimsOf(pod, s.API) {
		switch {
		case claim == nil, claim.Spec.VolumeName != "" && !hasVolume(s, claim.Spec.VolumeName),
			claim.Spec.VolumeName == "" && asked(s, claim):
			return "", ""
		case claim.Spec.VolumeName == "":
			about = "not asked for"
			but = fmt.Sprintf("claim %s is not bound, no volume is reserved for it and no node selected", Key(claim))
		}
	}
	if about == "" {
		return "bound", "all its claims are bound"
	}
	return about, but
}

// claimsOf returns the claims of the pod's volumes; nil for one that is not there.
func claimsOf(pod *v1.Pod, s *spec.Snapshot) []*v1.PersistentVolumeClaim {
	var claims []*v1.PersistentVolumeClaim
	for _, volume := range pod.Spec.Volumes {
		name := ""
		switch {
		case volume.PersistentVolumeClaim != nil:
			name = volume.PersistentVolumeClaim.ClaimName
		case volume.Ephemeral != nil:
			name = pod.Name + "-" + volume.Name
		default:
			continue
		}
		i := slices.IndexFunc(s.PersistentVolumeClaims, func(claim *v1.PersistentVolumeClaim) bool {
			return claim.Namespace == pod.Namespace && claim.Name == name
		})
		if i < 0 {
			claims = append(claims, nil)
		} else {
			claims = append(claims, s.PersistentVolumeClaims[i])
		}
	}
	return claims
}

func hasVolume(s *State, name string) bool {
	return slices.ContainsFunc(s.API.PersistentVolumes, func(v *v1.PersistentVolume) bool { return v.Name == name })
}

// asked reports whether the API asks for a volume for the claim.
func asked(s *State, claim *v1.PersistentVolumeClaim) bool {
	return claim.Annotations[selectedNode] != "" ||
		slices.ContainsFunc(s.API.PersistentVolumes, func(v *v1.PersistentVolume) bool { return reservedFor(v, claim) })
}
