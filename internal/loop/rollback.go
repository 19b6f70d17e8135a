package loop

import (
	"fmt"
	"slices"
	"strings"

	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// rollBack returns the property that a failed cycle leaves nothing behind.
func rollBack() Property {
	return Property{
		Name: "roll-back",
		Doc: "After a failure at PreFilter, Filter, Score, Reserve, Permit, PreBind or Bind the cache, reserved volumes " +
			"and all other objects are as if the cycle had not run, and the pod is back in the queue, and not among those " +
			"that wait on permit. What PreBind wrote of volumes and their claims stays, and so does the allocation of " +
			"a ResourceClaim, but not its reservation.",
		Broken: func(t *Transition) (broken []Violation) {
			pod := t.Step.Popped
			q, queued := t.After.Queued(pod)
			if pod == "" || !t.madeToFail() || !queued || q.Waits || len(t.evicted()) > 0 || t.evictsAgain() ||
				t.filtersReject() {
				return nil // or it is yet to fail, or came not so far: a pod that is rejected may give devices back
			}
			if slices.Contains(t.After.LeftWaiting, pod) {
				broken = append(broken, Violation{About: "wait", Pod: pod, Known: t.has(preFlightLeavesWaiting), But: fmt.Sprintf(
					"the failed attempt for %s left it among the pods that wait on permit", pod)})
			}
			prebound := t.Action.Fault >= FailPreBind
			tried := in(t.Before.View(), pod)
			if !slices.Equal(t.Before.Cache, t.After.Cache) {
				v := Violation{About: t.Action.Fault.String(), Pod: pod,
					But: fmt.Sprintf("before the attempt for %s the cache had %s, after it %s", pod,
						listed(without(t.Before.Cache, t.After.Cache)), listed(without(t.After.Cache, t.Before.Cache)))}
				if t.forgetsPorts() {
					v.Known = hostPortForgotten
				}
				return append(broken, v)
			}
			others := func(s *State) (rest []string) {
				for _, object := range Objects(s.API) {
					ref := RefOf(object)
					written := prebound && (ref.Kind == "PersistentVolume" || ref.Kind == "PersistentVolumeClaim")
					if claim, ok := object.(*resourcev1.ResourceClaim); ok {
						if (t.Action.Fault == RejectPreFilter || t.Action.Fault == FailRollBack) && tried != nil &&
							(namesClaim(tried, claim) || metav1.IsControlledBy(claim, tried)) {
							continue // who is rejected may give its devices back, and others may not
						}
						claim = s.inUse(claim) // and what it had for the pod before may be given up
						claim.Status.ReservedFor = slices.DeleteFunc(claim.Status.ReservedFor,
							func(by resourcev1.ResourceClaimConsumerReference) bool {
								return claim.Namespace+"/"+by.Name == pod && reservedBefore(t.Before.API, claim, by)
							})
						if prebound {
							claim = withoutAllocation(claim)
						}
						object = claim
					}
					if !written && (ref.Kind != "Pod" || ref.Key() != pod) {
						rest = append(rest, s.canonical(object))
					}
				}
				for _, object := range s.Reserved {
					if !s.written(object.Object) { // else the API has it, whatever is forgotten
						rest = append(rest, "reserved "+s.canonical(object.Object))
					}
				}
				for _, pair := range s.Nominated {
					if pair.Pod != pod {
						rest = append(rest, fmt.Sprintf("%s nominated to %s", pair.Pod, pair.Node))
					}
				}
				return rest
			}
			before, after := others(t.Before), others(t.After)
			if slices.Equal(before, after) {
				return broken // that the pod is back in the queue is conservation
			}
			lost, made := without(before, after), without(after, before)
			v := Violation{About: t.Action.Fault.String(), Pod: pod, But: fmt.Sprintf(
				"the failed attempt for %s changed %s into %s", pod, listed(lost), listed(made))}
			if freed := t.sharedFreed(); len(made) == 0 && len(freed) == len(lost) {
				v.Known = t.has(sharedReservationFreed)
			}
			return append(broken, v)
		},
	}
}

// madeToFail reports whether the action makes the cycle fail. Somebody who writes first does not where only claims for
// devices are written: "We may run into a ResourceVersion conflict because there may be some benign concurrent changes.
// In that case we get the latest claim and try again." (comment of bindClaim in the plugin DynamicResources, but for
// line breaks.) Whoever has no node makes one attempt to give devices back; what becomes of it then, retried asks.
func (t *Transition) madeToFail() bool {
	if slices.Contains(atPlugin, t.Action.Fault) { // unless it is not asked; that the cycle goes on is told by aborted
		return slices.ContainsFunc(t.errors(), func(text string) bool { return strings.Contains(text, FaultPlugin) })
	}
	switch t.Action.Fault {
	case NoFault, WaitPermit, Busy, SlowBind, SlowPreBind:
		return false
	case Outrun:
		return len(t.Before.told().PersistentVolumeClaims) > 0 || !feasible(t.Model, t.Step.Popped, t.Before.View())
	}
	return true
}

// withoutAllocation returns what is left of a claim when its allocation, and the finalizer that goes with it, are not
// looked at.
func withoutAllocation(claim *resourcev1.ResourceClaim) *resourcev1.ResourceClaim {
	rest := *claim
	rest.Status.Allocation, rest.Finalizers = nil, nil
	return &rest
}
