package loop

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// claimController returns what the controller of claims of devices does: pods that are gone, or have ended, use a claim
// no longer, and one that nobody uses gives its devices back; and the garbage collector, with claims whose owners are
// gone.
//
// Source: field doc of ResourceClaimStatus.reservedFor ("A claim that is in use or might be in use because it has been
// reserved must not get deallocated"). That the end of the last user gives devices back, and not that there is no user,
// is what comments of kube-controller-manager's controller of claims say.
func claimController(state *State) []Action {
	var actions []Action
	for _, claim := range state.API.ResourceClaims {
		if state.orphaned(claim) {
			actions = append(actions, collected(claim))
			continue
		}
		used := slices.DeleteFunc(slices.Clone(claim.Status.ReservedFor),
			func(by resourcev1.ResourceClaimConsumerReference) bool { return !stillUses(state, claim, by) })
		if len(used) == len(claim.Status.ReservedFor) {
			continue
		}
		after := claim.DeepCopy()
		after.Status.ReservedFor = used
		doc := "reservation: the pod that used it is gone"
		if len(used) == 0 {
			after.Status.ReservedFor, after.Status.Allocation, after.Status.Devices = nil, nil, nil
			after.Finalizers = slices.DeleteFunc(after.Finalizers,
				func(finalizer string) bool { return finalizer == resourcev1.Finalizer })
			doc += ", so its devices are given back"
		}
		actions = append(actions, Action{Verb: Update, Ref: RefOf(claim), Object: after, Doc: doc, Controller: true})
	}
	return actions
}

// orphaned reports whether the claim belongs to a pod that is gone.
func (s *State) orphaned(claim metav1.Object) bool {
	owner := metav1.GetControllerOfNoCopy(claim)
	return owner != nil && owner.Kind == "Pod" && !s.has(owner.UID)
}

// collected returns that the garbage collector deletes the claim.
func collected(claim runtime.Object) Action {
	return Action{Verb: Delete, Ref: RefOf(claim), Controller: true, Doc: "claim: the pod that owns it is gone"}
}

// beingAllocated reports whether the scheduler has devices for a claim of the pod, and the API server does not know of
// them yet: another pod is to have them written. Until then kube-scheduler lets the pod wait, and the claim that is
// written wakes it.
//
// Stated in code alone: DynamicResources.PreFilter ("Allocation in flight? Better wait for that to finish").
func (s *State) beingAllocated(pod *v1.Pod) bool {
	told := s.told()
	return pod != nil && s.AssumedOn(Key(pod)) == "" && slices.ContainsFunc(s.Reserved, func(r Reservation) bool {
		claim, is := r.Object.(*resourcev1.ResourceClaim)
		return is && claim.Status.Allocation != nil && claim.Name != Unmade && uses(pod, claim, told) &&
			slices.ContainsFunc(told.ResourceClaims, func(known *resourcev1.ResourceClaim) bool {
				return RefOf(known) == RefOf(claim) && known.Status.Allocation == nil
			})
	})
}

// has reports whether there is a pod of the UID.
func (s *State) has(uid types.UID) bool {
	return slices.ContainsFunc(s.API.Pods, func(pod *v1.Pod) bool { return pod.UID == uid })
}

// stillUses reports whether who has reserved the claim is a pod that is there and has not ended; anybody else is left
// alone.
func stillUses(state *State, claim *resourcev1.ResourceClaim, by resourcev1.ResourceClaimConsumerReference) bool {
	if by.Resource != "pods" || by.APIGroup != "" {
		return true
	}
	return slices.ContainsFunc(state.API.Pods, func(pod *v1.Pod) bool {
		return pod.Namespace == claim.Namespace && pod.UID == by.UID && !ended(pod)
	})
}

// inUse returns the claim without reservations for pods that are gone, which are given up at any time.
func (s *State) inUse(claim *resourcev1.ResourceClaim) *resourcev1.ResourceClaim {
	used := claim.DeepCopy()
	used.Status.ReservedFor = slices.DeleteFunc(used.Status.ReservedFor,
		func(by resourcev1.ResourceClaimConsumerReference) bool { return !stillUses(s, claim, by) })
	if len(used.Status.ReservedFor) == 0 {
		used.Status.ReservedFor = nil
	}
	return used
}

// whose says of the uid of a pod whether it is that of the pod of this name: nothing if it is.
func (s *State) whose(namespace, name string, uid types.UID) types.UID {
	same := slices.ContainsFunc(s.API.Pods, func(pod *v1.Pod) bool {
		return pod.Namespace == namespace && pod.Name == name && pod.UID == uid
	})
	return map[bool]types.UID{true: "", false: "that of another pod"}[same]
}

// withoutOwnerIDs takes out of a claim the uids of the pods that own it, which are drawn anew each time that the same
// happens, and are or are not those of the pods of these names.
func (s *State) withoutOwnerIDs(claim metav1.Object) {
	owners := slices.Clone(claim.GetOwnerReferences())
	for i := range owners {
		owners[i].UID = s.whose(claim.GetNamespace(), owners[i].Name, owners[i].UID)
	}
	claim.SetOwnerReferences(owners)
}

// withoutIDs takes out of a claim what is drawn anew each time that the same happens: the uids of its owner and of who
// uses it, and the IDs of shares.
func (s *State) withoutIDs(claim *resourcev1.ResourceClaim) {
	s.withoutOwnerIDs(claim)
	for i := range claim.Status.ReservedFor {
		by := &claim.Status.ReservedFor[i]
		by.UID = s.whose(claim.Namespace, by.Name, by.UID)
	}
	if claim.Status.Allocation == nil {
		return
	}
	for i := range claim.Status.Allocation.Devices.Results {
		if share := &claim.Status.Allocation.Devices.Results[i].ShareID; *share != nil {
			some := types.UID("some")
			*share = &some
		}
	}
	for i := range claim.Status.Devices {
		if share := &claim.Status.Devices[i].ShareID; *share != nil {
			some := "some"
			*share = &some
		}
	}
}

// Unmade is the name, in no namespace, of a reserved claim for extended resources that is yet to be made.
const Unmade = "yet-to-be-made"

// unmade returns how many devices are reserved for claims that are yet to be made.
func (s *State) unmade() int {
	for _, object := range s.Reserved {
		if claim, is := object.Object.(*resourcev1.ResourceClaim); is && claim.Name == Unmade {
			return len(claim.Status.Allocation.Devices.Results)
		}
	}
	return 0
}

// allocationTimeAdded is the name of a defect that ends binding cycles.
const allocationTimeAdded = "allocation-time-added"

// emptyClaimUnbound is the name of another.
const emptyClaimUnbound = "empty-claim-unbound"

// claimsUnbound reports whether the step ended in an error as claims of devices could not be bound: the API server did
// not reserve one for the pod, or the plugin had made one for nothing.
func (t *Transition) claimsUnbound() bool {
	return t.unboundAs("add reservation to claim") || t.emptyClaim()
}

// emptyClaim reports whether the step ended in an error as the plugin had made a claim for extended resources of which
// none are devices.
func (t *Transition) emptyClaim() bool { return t.unboundAs("nil or empty request mappings") }

func (t *Transition) unboundAs(text string) bool { return devicesFail(t.errors(), text) }

// devicesFail reports whether one of the errors is that claims of devices could not be bound, in words that begin so.
func devicesFail(errors []string, text string) bool {
	return slices.ContainsFunc(errors, func(reported string) bool {
		return strings.Contains(reported, `PreBind plugin "DynamicResources": `+text)
	})
}

// unboundBy returns the name of the deviation by which claims of the pod could not be bound; "" if none is known. view
// is how the scheduler saw the cluster.
func (t *Transition) unboundBy(pod *v1.Pod, view *spec.Snapshot) string {
	if t.emptyClaim() && len(pod.Spec.ResourceClaims) > 0 && fromPlugins(pod, view) {
		return emptyClaimUnbound
	}
	for _, claim := range spec.ResourceClaims(pod, view) {
		switch {
		case len(claim.Status.ReservedFor) >= resourcev1.ResourceClaimReservedForMaxSize:
			return spec.FullClaimReserved().Name
		case claim.Status.Allocation != nil && claim.Status.Allocation.AllocationTimestamp == nil:
			return allocationTimeAdded
		}
	}
	return ""
}

// fromPlugins reports whether a node has all extended resources that the pod requests by device plugins.
func fromPlugins(pod *v1.Pod, s *spec.Snapshot) bool {
	return slices.ContainsFunc(s.Nodes, func(node *v1.Node) bool {
		for name := range spec.ByContainers(pod) {
			if has := node.Status.Allocatable[name]; spec.ClassFor(name, s) != nil && has.IsZero() {
				return false
			}
		}
		return true
	})
}

// devicesOnce returns the property that what is not for several is one claim's.
func devicesOnce() Property {
	return Property{
		Name: "devices-once",
		Doc: "No device is allocated to two claims, written or reserved, but for administrative access and devices that " +
			"allow it.",
		Broken: func(t *Transition) []Violation {
			if t.Action.Verb != Schedule {
				return nil
			}
			var broken []Violation
			t.After.eachTwice(func(id spec.DeviceID, other string, claim *resourcev1.ResourceClaim) {
				if t.newlyAllocated(claim, other) {
					broken = append(broken, Violation{Pod: t.Step.Popped, But: fmt.Sprintf("device %s/%s/%s is allocated to %s "+
						"and to %s", id.Driver, id.Pool, id.Device, other, Key(claim))}.explained(t))
				}
			})
			return broken
		},
	}
}

// eachTwice calls for each device that a claim has and another one, "ns/name", has, too.
func (s *State) eachTwice(twice func(id spec.DeviceID, other string, claim *resourcev1.ResourceClaim)) {
	held := map[spec.DeviceID]string{}
	for _, claim := range s.allocated() {
		if claim.Status.Allocation == nil {
			continue
		}
		for _, result := range claim.Status.Allocation.Devices.Results {
			id := spec.DeviceID{Driver: result.Driver, Pool: result.Pool, Device: result.Device}
			if result.ShareID != nil || result.AdminAccess != nil && *result.AdminAccess {
				continue
			}
			if other := held[id]; other != "" {
				twice(id, other, claim)
			}
			held[id] = Key(claim)
		}
	}
}

// allocatesTwice reports whether two claims have one device.
func (s *State) allocatesTwice() (found bool) {
	s.eachTwice(func(spec.DeviceID, string, *resourcev1.ResourceClaim) { found = true })
	return found
}

// allocated returns the claims as kube-scheduler has to see them, which allocates them all: as the API has them where
// it has devices for them, whatever kube-scheduler makes of that.
func (s *State) allocated() []*resourcev1.ResourceClaim {
	claims := slices.Clone(s.View().ResourceClaims)
	for i, claim := range claims {
		for _, is := range s.API.ResourceClaims {
			if claim.Status.Allocation == nil && is.Status.Allocation != nil && RefOf(is) == RefOf(claim) {
				claims[i] = is
			}
		}
	}
	return claims
}

// newlyAllocated reports whether one of the claims had no devices before the step.
func (t *Transition) newlyAllocated(claim *resourcev1.ResourceClaim, other string) bool {
	return slices.ContainsFunc(t.Before.View().ResourceClaims, func(before *resourcev1.ResourceClaim) bool {
		return (Key(before) == Key(claim) || Key(before) == other) && before.Status.Allocation == nil
	})
}

// sliceGoneUnheard is the defect that a pool becomes complete by a slice that goes, and nobody hears of it.
func sliceGoneUnheard() Known {
	return Known{
		Name: "slice-gone-unheard", Class: spec.Unconfirmed, Upstream: "not reported",
		Doc: "DynamicResources does not hear that a ResourceSlice is deleted: a pod that was rejected because its pool had " +
			"more slices than they say is not retried when the pool is complete.",
		Explains: deletionUnheard("DynamicResources", "ResourceSlice"),
	}
}
