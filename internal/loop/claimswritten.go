package loop

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// claimsWritten returns the property that others can go by what is written of claims for devices: what keeps a claim
// from being deleted, who uses it, and, for a claim that was made for extended resources, which container gets what.
//
// Source: doc of Finalizer ("gets set for claims which were allocated through a builtin controller", but for the line
// break) and field docs of ResourceClaimConsumerReference in k8s.io/api/resource/v1; field docs of
// PodExtendedResourceClaimStatus in k8s.io/api/core/v1 ("identifies the mapping of <container, extended resource backed
// by DRA> to  device request in the generated ResourceClaim", but for the line break).
func claimsWritten() Property {
	return Property{
		Name: "claims-written",
		Doc: "A claim that the scheduler allocates has the finalizer that keeps it, whom it reserves one for is a pod, by " +
			"name and uid, and the status of a pod for which it makes a claim maps each of its containers that wants " +
			"devices to requests of that claim.",
		Broken: func(t *Transition) []Violation {
			if t.Action.Verb.Event() {
				return nil
			}
			var broken []Violation
			for _, claim := range newlyAllocated(t.Before.API, t.After.API) {
				if !slices.Contains(claim.Finalizers, resourcev1.Finalizer) {
					broken = append(broken, Violation{About: "finalizer", But: fmt.Sprintf(
						"claim %s is allocated, and has no finalizer that keeps it", Key(claim))})
				}
			}
			for _, claim := range t.After.API.ResourceClaims {
				for _, consumer := range claim.Status.ReservedFor {
					if !reservedBefore(t.Before.API, claim, consumer) && !t.podConsumes(claim, consumer) {
						broken = append(broken, Violation{About: "consumer", But: fmt.Sprintf(
							"claim %s is reserved for %s %s, which is no pod that is there", Key(claim), consumer.Resource,
							consumer.Name)})
					}
				}
			}
			for _, pod := range t.newlyBound() {
				if !t.runs("DynamicResources", pod) ||
					slices.Contains(t.model(pod).Profile.Lacks, spec.DevicesAsResources().Name) {
					continue // a claim that says it was made for it is nothing to the pod
				}
				if spec.EarlierClaim(pod, t.Before.API) != nil && spec.EarlierClaim(pod, t.filteredIn().told()) == nil {
					continue // nor is one that somebody else made, and the scheduler has not heard of
				}
				if t.Action.Verb != Schedule && spec.EarlierClaim(pod, t.Before.API) != nil &&
					!reserved(pod, spec.EarlierClaim(pod, t.After.API)) {
					continue // nor one that somebody else made while the pod waited
				}
				if wrong := unmapped(pod, t.Before.API, t.After.API); wrong != "" {
					v := Violation{About: "mapping", Pod: Key(pod), But: wrong}
					if was := spec.EarlierClaim(pod, t.Before.API); was != nil && len(was.Spec.Devices.Requests) == 0 {
						v.Known = spec.EarlierClaimDeleted().Name
					}
					if stillNames(t.Before.Pod(Key(pod)), pod, t.After.API) {
						v.Known = deletedClaimNamed
					}
					broken = append(broken, v)
				}
			}
			return broken
		},
	}
}

// reservedBefore reports whether the claim was reserved for the consumer before.
func reservedBefore(s *spec.Snapshot, claim *resourcev1.ResourceClaim,
	consumer resourcev1.ResourceClaimConsumerReference) bool {
	return slices.ContainsFunc(s.ResourceClaims, func(was *resourcev1.ResourceClaim) bool {
		return Key(was) == Key(claim) && slices.Contains(was.Status.ReservedFor, consumer)
	})
}

// podConsumes reports whether the consumer is a pod of the claim's namespace, as the scheduler has heard of it.
func (t *Transition) podConsumes(claim *resourcev1.ResourceClaim,
	consumer resourcev1.ResourceClaimConsumerReference) bool {
	return consumer.APIGroup == "" && consumer.Resource == "pods" &&
		slices.ContainsFunc(t.Before.told().Pods, func(pod *v1.Pod) bool {
			return pod.Namespace == claim.Namespace && pod.Name == consumer.Name && pod.UID == consumer.UID
		})
}
