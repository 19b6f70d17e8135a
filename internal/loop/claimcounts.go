package loop

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// ClaimCount is how many pods the scheduler takes to use a claim, "ns/name", and how many do on nodes that are there.
type ClaimCount struct {
	Claim          string
	Counted, Users int
	// Latent is set if the next cycle counts anew, unless the nodes become those of the last one again before it.
	Latent bool
}

// returnedClaims is the name of a defect that exclusive tells by what kube-scheduler counts.
const returnedClaims = "returned-claims-free"

// returnedClaimsFree is the defect that claims are taken for unused after a node that had a pod with them has gone.
func returnedClaimsFree() Known {
	return Known{
		Name: returnedClaims, Class: spec.Unconfirmed, Since: "v1.37",
		Upstream: "not reported; kubernetes/kubernetes#139238 made it so",
		Doc: "When a node is deleted, the claims of its pods count as free, and they are counted down once more when the " +
			"pods go: a claim for one pod, which another one has taken over meanwhile, is given to a third. They are not " +
			"counted as in use either when the node is created again with its pods, before another pod is tried.",
		Sees: func(s *State, pod *v1.Pod) *spec.Snapshot {
			if !s.usesFree(pod) {
				return nil
			}
			return s.withoutUsers(pod)
		},
	}
}

// free reports whether the volume is a claim that is taken for unused, and is not.
func (s *State) free(pod *v1.Pod, v v1.Volume) bool {
	return v.PersistentVolumeClaim != nil && slices.ContainsFunc(s.Miscounted, func(c ClaimCount) bool {
		return !c.Latent && c.Counted < 1 && c.Claim == pod.Namespace+"/"+v.PersistentVolumeClaim.ClaimName
	})
}

// claimsCounted returns the claims of which the scheduler has come to miscount the users.
func (t *Transition) claimsCounted() []Violation {
	var broken []Violation
	for _, c := range t.After.Miscounted {
		was := t.Before.offBy(c)
		if c.Latent || was != nil && !was.Latent {
			continue
		}
		v := Violation{About: "claims", But: fmt.Sprintf("of claim %s the next cycle takes it that %d pods use it, and %d do",
			c.Claim, c.Counted, c.Users)}
		if was != nil || t.ofLostNode(c.Claim) { // what was latent came of nodes that come and go
			v.Known = t.has(returnedClaims)
		}
		broken = append(broken, v)
	}
	return broken
}

// offBy returns how the claim was miscounted by as many; nil if it was not.
func (s *State) offBy(c ClaimCount) *ClaimCount {
	for i, was := range s.Miscounted {
		if was.Claim == c.Claim && was.Users-was.Counted == c.Users-c.Counted {
			return &s.Miscounted[i]
		}
	}
	return nil
}

// ofLostNode reports whether a pod that uses the claim is on a node that was gone, or that goes for another reason than
// that it is deleted the first time, which counts its pods down as it should.
func (t *Transition) ofLostNode(claim string) bool {
	first := t.Action.Ref.Kind == "Node" && t.Action.Verb == Delete && !t.Before.ListsAnew
	return t.Before.usedOnLostNode(claim) || !first && t.After.usedOnLostNode(claim)
}

// usedOnLostNode reports whether a pod that uses the claim, "ns/name", is on a node that is gone.
func (s *State) usedOnLostNode(claim string) bool {
	return slices.ContainsFunc(s.View().Pods, func(pod *v1.Pod) bool {
		return pod.Spec.NodeName != "" && !hasNode(s, pod.Spec.NodeName) &&
			slices.ContainsFunc(pod.Spec.Volumes, func(v v1.Volume) bool {
				return pod.Namespace+"/"+spec.ClaimName(pod, v) == claim
			})
	})
}

// usesFree reports whether the pod uses such a claim.
func (s *State) usesFree(pod *v1.Pod) bool {
	return slices.ContainsFunc(pod.Spec.Volumes, func(v v1.Volume) bool { return s.free(pod, v) })
}

// withoutUsers returns the view without such claims of all pods but this one.
func (s *State) withoutUsers(pod *v1.Pod) *spec.Snapshot {
	view := *s.View()
	view.Pods = slices.Clone(view.Pods)
	for i, other := range view.Pods {
		if Key(other) != Key(pod) && s.usesFree(other) {
			other = other.DeepCopy()
			other.Spec.Volumes = slices.DeleteFunc(other.Spec.Volumes, func(v v1.Volume) bool { return s.free(other, v) })
			view.Pods[i] = other
		}
	}
	return &view
}

// lostNodeUnheard is the defect that pods are not told of nodes that go with their pods.
func lostNodeUnheard() Known {
	return Known{
		Name: "lost-node-unheard", Class: spec.Unconfirmed, Upstream: "not reported",
		Doc: "A node that is deleted takes its pods out of kube-scheduler's view, though they are deleted later; " +
			"VolumeRestrictions and InterPodAffinity do not hear of it: whom those pods kept away is not retried before that.",
		Explains: func(t *Transition, pod *v1.Pod) bool {
			return t.Action.Ref.Kind == "Node" && t.Action.Verb == Delete &&
				(t.rejectedBy(pod, "VolumeRestrictions") || t.rejectedBy(pod, "InterPodAffinity")) &&
				slices.ContainsFunc(t.Before.View().Pods,
					func(other *v1.Pod) bool { return other.Spec.NodeName == t.Action.Ref.Name })
		},
	}
}
