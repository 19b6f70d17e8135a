package loop

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
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
	for _, condition := range conditions {
		status.Conditions = append(status.Conditions, metav1.Condition{Type: condition, Status: metav1.ConditionTrue,
			Reason: "Driver", LastTransitionTime: metav1.Unix(946684800, 0)}) // when runs begin
	}
	after.Status.Devices = append(after.Status.Devices, status)
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
			"gives the devices of such a claim back.",
		Broken: func(t *Transition) []Violation {
			pod := t.Before.Pod(t.Step.Popped)
			if pod == nil || t.Action.Fault != NoFault {
				return nil
			}
			view, profile := t.Before.View(), t.Model.Profile
			useless := profile.Deallocatable(pod, view)
			failed := slices.DeleteFunc(slices.Clone(useless), func(claim *resourcev1.ResourceClaim) bool {
				return !spec.FailedToBind(claim) && !profile.Late(claim, view)
			})
			if len(failed) == 0 || slices.ContainsFunc(useless, t.givenBack) || t.outOf(pod) {
				return nil
			}
			return []Violation{Violation{Pod: t.Step.Popped, But: fmt.Sprintf("claim %s keeps a device that failed, or is late",
				Key(failed[0]))}.explained(t)}
		},
	}
}

// givenBack reports whether the claim has no devices after the step.
func (t *Transition) givenBack(claim *resourcev1.ResourceClaim) bool {
	return !slices.ContainsFunc(t.After.API.ResourceClaims, func(c *resourcev1.ResourceClaim) bool {
		return Key(c) == Key(claim) && c.UID == claim.UID && c.Status.Allocation != nil
	})
}

// outOf reports whether another plugin keeps the pod from all nodes, so that its claims are not looked at.
func (t *Transition) outOf(pod *v1.Pod) bool {
	others := t.Model.Only(func(f spec.Filter) bool { return f.Plugin != spec.DynamicResources().Plugin })
	view := t.Before.View()
	return len(others.Feasible(pod, view)) == 0 || t.Model.TurnsAway(pod, view)
}
