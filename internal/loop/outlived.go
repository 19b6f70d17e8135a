package loop

import "github.com/seed-a3f26817/modelcheck/spec"

// deletedWhileTried is the defect that a pod which is deleted while it is being tried goes on to be bound.
func deletedWhileTried() Known {
	return Known{
		Name: "deleted-while-tried", Class: spec.Unconfirmed,
		Upstream: "not reported; kubernetes/kubernetes#134157 forgets a pod that is deleted once it is assumed",
		Doc: "A pod that is deleted while it is being tried, before it waits on permit or for devices, waits all the same " +
			"until that wait is over, as nobody hears of its deletion a second time: it keeps what is reserved for it, and " +
			"its room, too, if it was not assumed yet.",
	}
}

// outlives returns the defect by which kube-scheduler goes on with the pod of the step, which has been deleted since
// its cycle began; "" if it has not.
func (t *Transition) outlives() string {
	if is := t.Before.heard(t.Step.Popped); is == nil || deleting(is) {
		return deletedWhileTried().Name
	}
	return ""
}
