package loop

import (
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// A step that breaks a property is explained as a single decision is: by known defects, as few as possible, with which
// the model, or what the scheduler sees, makes it right. Defects of decisions are spec's Quirks, those between
// decisions Defects; several are joined by "+".

// explanation returns the known defects with which the pod, in the state, is right; "" if there are none. right is told
// of models and views, and its pod is one of the view.
func (t *Transition) explanation(pod string, s *State,
	right func(*spec.Scheduler, *v1.Pod, *spec.Snapshot) bool) string {
	view := s.View()
	if quirks := t.leastQuirks(pod, view, right); quirks != "" {
		return quirks
	}
	if asked := in(view, pod); asked != nil && s.forgetsClasses() {
		forgets := spec.ExtendedResourceClassForgotten(s.Classes)
		if right(t.model(asked).With(forgets), asked, view) {
			return forgets.Name
		}
	}
	for _, defect := range t.defects() {
		seen := defect.seen(s, pod)
		if seen == nil {
			continue
		}
		if asked := in(seen, pod); right(t.model(asked), asked, seen) {
			return defect.Name
		}
		if quirks := t.leastQuirks(pod, seen, right); quirks != "" {
			return defect.Name + "+" + quirks
		}
	}
	return ""
}

// seen returns what kube-scheduler sees by the defect in the place of the state, if that is something else, and the pod
// is in it; nil if not.
func (k Known) seen(s *State, pod string) *spec.Snapshot {
	if k.Sees == nil {
		return nil
	}
	asked := s.heard(pod)
	if asked == nil {
		return nil
	}
	seen := k.Sees(s, asked)
	if seen == nil || in(seen, pod) == nil {
		return nil
	}
	return seen
}

// leastQuirks returns the first quirk with which it is right, or else several of which none can be left out.
func (t *Transition) leastQuirks(pod string, view *spec.Snapshot,
	right func(*spec.Scheduler, *v1.Pod, *spec.Snapshot) bool) string {
	asked := in(view, pod)
	if asked == nil {
		return ""
	}
	model := t.model(asked)
	profile := model.Profile
	quirks := slices.DeleteFunc(spec.Quirks(), func(q spec.Quirk) bool {
		return !q.In(profile.Release) || q.Idle(profile, asked, view)
	})
	with := func(quirks ...spec.Quirk) bool { return right(model.With(quirks...), asked, view) }
	for _, quirk := range quirks {
		if with(quirk) {
			return quirk.Name
		}
	}
	if len(quirks) < 2 || !with(quirks...) {
		return ""
	}
	for i := len(quirks) - 1; i >= 0; i-- {
		if less := slices.Delete(slices.Clone(quirks), i, i+1); with(less...) {
			quirks = less
		}
	}
	var names []string
	for _, quirk := range quirks {
		names = append(names, quirk.Name)
	}
	return strings.Join(names, "+")
}

// errors returns the errors that the step reports about the pod it took.
func (t *Transition) errors() []string { return t.errorsAbout(t.Step.Popped) }

// errorsAbout returns the errors that the step reports about the pod, "ns/name"; none if that is empty.
func (t *Transition) errorsAbout(pod string) []string {
	return slices.DeleteFunc(slices.Clone(t.Step.Errors), func(text string) bool {
		return pod == "" || !strings.Contains(text+",", "pod="+pod+",")
	})
}

// failed reports whether the cycle of the step ended in an error before there was a decision.
func (t *Transition) failed() bool {
	return slices.ContainsFunc(t.errors(), func(text string) bool {
		return strings.HasPrefix(text, "Error selecting node for pod")
	})
}

// allowedBy reports whether the model allows, of a pod as the view has it, what the step did with it: also that it came
// to no decision, which only a quirk allows.
func (t *Transition) allowedBy(m *spec.Scheduler, pod *v1.Pod, view *spec.Snapshot) bool {
	got := t.outcome(pod, view)
	if m = m.For(pod); !m.Decides(pod, view) {
		return t.failed() && got.Type == spec.Wait
	}
	return t.permits(outcomes(m, pod, view, got), got, pod, view)
}

// triedFirst returns the node that the step tries first for the pod: that of its nomination, or what the cycle before
// left; empty if there is none.
func (t *Transition) triedFirst(pod *v1.Pod) string {
	if nominated := pod.Status.NominatedNodeName; nominated != "" || t.Before.Batch == nil {
		return nominated
	}
	return t.Before.Batch.Nodes[0]
}

// takesOutdated reports whether the pod takes what the cycle before left, and the cluster has changed since by another
// thing than the cycles of pods.
func (t *Transition) takesOutdated(pod *v1.Pod) bool {
	return t.Before.Batch != nil && t.Before.Batch.Changed && t.takesLeft(pod)
}

// takesLeft reports whether the pod was put on a node, feasible for it, if only by defects of decisions, that the cycle
// before left for it: on the first, or, where their scores are kept and none of them is gone, on whichever is best by
// these, of which only that of the node which was chosen before is made anew.
func (t *Transition) takesLeft(pod *v1.Pod) bool {
	left := t.Before.Batch
	if left == nil || t.Step.Popped != Key(pod) {
		return false
	}
	view := t.Before.View()
	was := in(view, Key(pod))
	if was == nil {
		return false
	}
	fits := func(name string) bool {
		node := nodeOf(t.Before, name)
		feasible := func(m *spec.Scheduler, pod *v1.Pod, view *spec.Snapshot) bool {
			return m.Feasibility(pod, node, view)
		}
		return node != nil && (feasible(t.model(was), was, view) || t.leastQuirks(Key(pod), view, feasible) != "")
	}
	nodes := left.Nodes[:1]
	if left.Scores != "" {
		all := append(slices.Clone(left.Nodes), left.Chosen)
		gone := slices.ContainsFunc(all, func(name string) bool { return !hasNode(t.Before, name) })
		if gone && fits(left.Chosen) {
			return false
		}
		if !gone {
			nodes = all
		}
	}
	got := t.outcome(was, view)
	return got.Type == spec.Bind && got.Node >= 0 && slices.Contains(nodes, view.Nodes[got.Node].Name) &&
		fits(view.Nodes[got.Node].Name)
}
