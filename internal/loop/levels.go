package loop

import (
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// levelsAgree returns the property that what is found of single decisions holds of the scheduler as a whole, and the
// other way round.
func levelsAgree() Property {
	return Property{
		Name: "levels-agree",
		Doc: "What a scheduling cycle does with a pod is what kube-scheduler decides when it is asked about that pod " +
			"in that state alone.",
		Broken: func(t *Transition) []Violation { return t.eitherWay(t.disagrees) },
	}
}

// disagrees returns how kube-scheduler decides otherwise when it is asked alone in the state; nil if it does not.
func (t *Transition) disagrees(began *State) []Violation {
	before := began.trying(t.Step.Popped)
	view := before.View()
	pod := t.asked(view)
	if pod == nil || deleting(pod) || spec.Gated(pod) || t.Ask == nil || takesAny(pod, view) {
		return nil
	}
	view = started(view)
	got := t.outcome(pod, view)
	decided, failure := t.alone(pod, view)
	v := Violation{Pod: Key(pod)}
	switch {
	case failure != "" && t.failed(), failure == "" && t.permits(decided, got, pod, view),
		got.Type == spec.Wait && before.beingAllocated(pod): // asked alone it finds the claim allocated
		return nil
	case failure != "":
		v.About = "no decision"
		v.But = fmt.Sprintf("kube-scheduler lets %s %s; asked alone it gives no decision: %s", Key(pod),
			describe(got, view), failure)
	default:
		v.But = fmt.Sprintf("kube-scheduler lets %s %s; asked alone it decides: %s", Key(pod),
			describe(got, view), describeAll(decided, view))
	}
	for _, defect := range t.defects() {
		if seen := defect.seen(before, Key(pod)); seen != nil {
			seen = started(seen)
			asked := in(seen, Key(pod))
			got := t.outcome(asked, seen)
			if decided, failure := t.alone(asked, seen); failure == "" && t.permits(decided, got, asked, seen) {
				v.Known = defect.Name
				break
			}
		}
	}
	if t.claimsUnbound() {
		v.Known = t.unboundBy(pod, view)
	}
	if v.Known == "" && failure == "" {
		v.Known = t.heardOtherwise(before, pod, view, decided)
	}
	if v.Known == "" && failure == "" {
		v.Known = t.countedOtherwiseAlone(decided, pod, view)
	}
	if v = v.explained(t); v.Known == "" {
		v.Known = t.forgetsBeside(before, pod, view, decided)
	}
	return []Violation{v}
}

// takesAny reports whether several volumes are reserved for a claim of the pod: asked alone, kube-scheduler takes the
// first in the order of a map.
func takesAny(pod *v1.Pod, s *spec.Snapshot) bool {
	return slices.ContainsFunc(s.PersistentVolumes, func(volume *v1.PersistentVolume) bool {
		return uses(pod, volume, s) && reservedToo(volume, s)
	})
}

// allows reports whether the model allows all that is decided alone.
func (t *Transition) allows(m *spec.Scheduler, decided []spec.Outcome, pod *v1.Pod, view *spec.Snapshot) bool {
	return !slices.ContainsFunc(decided, func(o spec.Outcome) bool {
		return !t.permits(outcomes(m, pod, view, o), o, pod, view)
	})
}

// alone returns what kube-scheduler decides about the pod when it is asked about it alone, or why it decides nothing.
func (t *Transition) alone(pod *v1.Pod, view *spec.Snapshot) (decided []spec.Outcome, failure string) {
	for _, reading := range readings(view) {
		alone := t.Ask(spec.Question{Pod: in(reading, Key(pod)), Snapshot: reading})
		if alone.Failure != "" {
			return nil, alone.Failure
		}
		decided = append(decided, alone.Outcomes...)
	}
	return decided, ""
}

// started returns the view in which pods that have a node and no start, which nobody notes of a pod that is only
// assumed, start together, after all others. kube-scheduler would take the present for it whenever it looks, and so
// choose between their nodes by the wall clock.
func started(view *spec.Snapshot) *spec.Snapshot {
	var last metav1.Time
	for _, pod := range view.Pods {
		if start := pod.Status.StartTime; start != nil && last.Before(start) {
			last = *start
		}
	}
	with := *view
	with.Pods = slices.Clone(view.Pods)
	for i, pod := range with.Pods {
		if pod.Spec.NodeName != "" && pod.Status.StartTime == nil {
			with.Pods[i] = pod.DeepCopy()
			with.Pods[i].Status.StartTime = &metav1.Time{Time: last.Add(time.Hour)}
		}
	}
	return &with
}

// asked returns the pod that the step decided about, as the view before the step has it; nil if the step took no
// decision, or made one fail.
func (t *Transition) asked(view *spec.Snapshot) *v1.Pod {
	if t.Step.Popped == "" || t.madeToFail() {
		return nil
	}
	pod := in(view, t.Step.Popped)
	if pod == nil || pod.Spec.NodeName != "" {
		return nil // it went while it was in the queue: conservation
	}
	if t.refused(pod) {
		return nil // what was decided cannot be seen
	}
	return pod
}
