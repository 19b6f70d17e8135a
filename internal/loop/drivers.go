package loop

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// drivers returns what drivers report of allocated devices with conditions to be bound that are neither ready nor
// failed: that all conditions hold, which is their work, or that the device failed, which is an event.
//
// Source: KEP-5007, "Handling attachment failures", and field docs of Device.bindingConditions and
// bindingFailureConditions.
func drivers(state *State, fail bool) []Action {
	var actions []Action
	for _, claim := range state.API.ResourceClaims {
		if claim.Status.Allocation == nil || len(claim.Status.ReservedFor) == 0 {
			continue
		}
		for _, result := range claim.Status.Allocation.Devices.Results {
			if len(result.BindingConditions) == 0 || reported(claim, result, result.BindingConditions, true) ||
				reported(claim, result, result.BindingFailureConditions, false) {
				continue
			}
			switch {
			case !fail:
				ready := report(claim, result, result.BindingConditions, "is ready")
				ready.Controller = true
				actions = append(actions, ready)
			case len(result.BindingFailureConditions) > 0:
				actions = append(actions, report(claim, result, result.BindingFailureConditions[:1], "failed"))
			}
		}
	}
	return actions
}

// reported reports whether the driver says of the device that all, or some, of the conditions hold.
func reported(claim *resourcev1.ResourceClaim, result resourcev1.DeviceRequestAllocationResult, conditions []string,
	all bool) bool {
	holds := func(condition string) bool {
		return slices.ContainsFunc(claim.Status.Devices, func(d resourcev1.AllocatedDeviceStatus) bool {
			return d.Driver == result.Driver && d.Pool == result.Pool && d.Device == result.Device &&
				meta.IsStatusConditionTrue(d.Conditions, condition)
		})
	}
	if all {
		return !slices.ContainsFunc(conditions, func(condition string) bool { return !holds(condition) })
	}
	return slices.ContainsFunc(conditions, holds)
}

// report returns the write by which the driver says that conditions of the device hold.
func report(claim *resourcev1.ResourceClaim, result resourcev1.DeviceRequestAllocationResult, conditions []string,
	what string) Action {
	after := claim.DeepCopy()
	status := resourcev1.AllocatedDeviceStatus{Driver: result.Driver, Pool: result.Pool, Device: result.Device}
	if result.ShareID != nil {
		status.ShareID = new(string(*result.ShareID))
	}
	i := slices.IndexFunc(after.Status.Devices, func(d resourcev1.AllocatedDeviceStatus) bool {
		return d.Driver == status.Driver && d.Pool == status.Pool && d.Device == status.Device &&
			equality.Semantic.DeepEqual(d.ShareID, status.ShareID)
	})
	if i < 0 {
		i, after.Status.Devices = len(after.Status.Devices), append(after.Status.Devices, status)
	}
	for _, condition := range conditions {
		meta.SetStatusCondition(&after.Status.Devices[i].Conditions, metav1.Condition{Type: condition,
			Status: metav1.ConditionTrue, Reason: "Driver", LastTransitionTime: metav1.Unix(946684800, 0)}) // when runs begin
	}
	return Action{Verb: Update, Ref: RefOf(claim), Object: after,
		Doc: fmt.Sprintf("device: its driver says that %s %s", result.Device, what)}
}

// overdue returns the ends of the time that drivers have, for each allocated claim of which a device is neither ready
// nor failed. Nobody hears of it: kube-scheduler looks at the clock.
//
// Source: field doc of DynamicResourcesArgs.bindingTimeout in kubescheduler.config.k8s.io/v1.
func overdue(state *State) []Action {
	var actions []Action
	for _, claim := range state.API.ResourceClaims {
		if spec.Timed(claim) && !spec.ReadyToBind(claim) && !spec.FailedToBind(claim) &&
			!claim.Status.Allocation.AllocationTimestamp.Before(&state.API.Now) {
			actions = append(actions, Action{Verb: Expire, Ref: RefOf(claim)})
		}
	}
	return actions
}

// EndsTimeOfDrivers reports whether with the action the time is over in which devices of a claim are to become ready.
func (a Action) EndsTimeOfDrivers() bool { return a.Verb == Expire && a.Ref.Kind == "ResourceClaim" }

// failedGivenBack returns the property that devices which failed, or are late, are given back.
//
// Source: field doc of DynamicResourcesArgs.bindingTimeout ("If the timeout elapses before all required conditions are
// true (or any bindingFailureConditions become true), the allocation is cleared"), KEP-5007 ("If any one of the
// conditions in the BindingFailureConditions becomes `True`, clear the allocation in the `ResourceClaim` and reschedule
// the Pod"), and Deallocatable of spec.Profile: not while another pod uses the claim.
func failedGivenBack() Property {
	return Property{
		Name: "failed-given-back",
		Doc: "A pod that is tried while a device of a claim, which nobody else uses, has failed to be bound, or is late, " +
			"gives the devices of such a claim back, if a node is feasible for it but for such claims.",
		Broken: func(t *Transition) []Violation {
			filtered := t.filteredIn()
			pod := filtered.Pod(t.Step.Popped)
			if pod == nil || t.Action.Fault != NoFault {
				return nil
			}
			view, profile := filtered.View(), t.model(pod).Profile
			useless := profile.Deallocatable(pod, view)
			failed := slices.DeleteFunc(slices.Clone(useless), func(claim *resourcev1.ResourceClaim) bool {
				return !spec.FailedToBind(claim) && !profile.Late(claim, view)
			})
			unheard := func(claim *resourcev1.ResourceClaim) bool { return filtered.unheardAbout(RefOf(claim)) }
			if len(failed) == 0 || slices.ContainsFunc(useless, unheard) || slices.ContainsFunc(useless, t.givenBack) ||
				hopeless(t.Model, pod, view) {
				return nil
			}
			v := Violation{Pod: t.Step.Popped, But: fmt.Sprintf("claim %s keeps a device that failed, or is late",
				Key(failed[0]))}.explained(t)
			if v.Known == "" {
				v.Known = t.explanation(v.Pod, filtered, hopeless)
			}
			return []Violation{v}
		},
	}
}

// givenBack reports whether the claim has no devices after the step.
func (t *Transition) givenBack(claim *resourcev1.ResourceClaim) bool {
	return !slices.ContainsFunc(t.After.API.ResourceClaims, func(c *resourcev1.ResourceClaim) bool {
		return Key(c) == Key(claim) && c.UID == claim.UID && c.Status.Allocation != nil
	})
}

// hopeless reports whether no node is feasible for the pod either if it uses none of the claims whose devices may be
// given back: then that would not help it.
func hopeless(m *spec.Scheduler, pod *v1.Pod, view *spec.Snapshot) bool {
	if m = m.For(pod); m.TurnsAway(pod, view) {
		return true // no claim is looked at
	}
	useless, rest := m.Profile.Deallocatable(pod, view), pod.DeepCopy()
	rest.Spec.ResourceClaims = slices.DeleteFunc(rest.Spec.ResourceClaims, func(entry v1.PodResourceClaim) bool {
		alone := *pod
		alone.Spec.ResourceClaims = []v1.PodResourceClaim{entry}
		return slices.ContainsFunc(spec.ResourceClaims(&alone, view),
			func(claim *resourcev1.ResourceClaim) bool { return slices.Contains(useless, claim) })
	})
	return len(m.Feasible(rest, view)) == 0
}
