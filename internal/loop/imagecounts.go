package loop

import (
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// imageCountOutdated is the defect that nodes are scored by counts of images from before.
func imageCountOutdated() Known {
	quirk := spec.ImageCountOutdated(nil)
	return Known{
		Name: quirk.Name, Class: quirk.Class, Upstream: quirk.Upstream, Doc: quirk.Doc,
		Explains: func(t *Transition, pod *v1.Pod) bool { return t.countsImagesAsBefore(pod) },
	}
}

// countsImagesAsBefore reports whether the decision is right if images are counted as the cycle did.
func (t *Transition) countsImagesAsBefore(pod *v1.Pod) bool {
	return t.countedBefore() && t.decidedWith(t.countedAsBefore(), pod)
}

// countedBefore reports whether the cycle had counts of images that are from before: who reports an image was counted
// then, too.
func (t *Transition) countedBefore() bool {
	return len(t.Before.Images) > 0 &&
		!slices.ContainsFunc(t.Before.Images, func(c ImageCount) bool { return c.Nodes < 1 })
}

// countedAsBefore is the defect with the counts, and sizes, that the cycle had.
func (t *Transition) countedAsBefore() spec.Quirk {
	var counts []spec.ImageCount
	for _, c := range t.Before.Images {
		counts = append(counts, c.ImageCount)
	}
	return spec.ImageCountOutdated(counts)
}

// countedOtherwiseAlone returns the known defects of images by which what the step does and what is decided alone
// differ: the cycle has counts, and sizes, from before, or one that is asked alone takes the size of an image from
// another node, as it hears of them in another order. Then each is right as itself has them, and one of the two is not
// as the other has. It may be another known defect, too, for which outdated counts make up. "" if there are none.
func (t *Transition) countedOtherwiseAlone(decided []spec.Outcome, pod *v1.Pod, view *spec.Snapshot) string {
	differ := func(alone, cycle *spec.Scheduler) bool {
		return t.allows(alone, decided, pod, view) && t.allowedBy(cycle, pod, view) &&
			!(t.allows(cycle, decided, pod, view) && t.allowedBy(alone, pod, view))
	}
	model, first := t.model(pod), spec.ImageSizeOfFirstNode()
	if first.In(model.Profile.Release) && differ(model.With(first), model) {
		return first.Name
	}
	if !t.countedBefore() {
		return ""
	}
	counted := t.countedAsBefore()
	if differ(model, model.With(counted)) {
		return counted.Name
	}
	if t.allows(model, decided, pod, view) || !t.allowedBy(model, pod, view) {
		return ""
	}
	return t.leastQuirks(Key(pod), view, func(m *spec.Scheduler, pod *v1.Pod, view *spec.Snapshot) bool {
		return t.allows(m, decided, pod, view) && t.allowedBy(m.With(counted), pod, view)
	})
}

// decidedWith reports whether the model with the quirk, or with that and known defects of decisions, allows what the
// step did with the pod, and does not without it.
func (t *Transition) decidedWith(quirk spec.Quirk, pod *v1.Pod) bool {
	view := t.Before.View()
	asked := in(view, Key(pod))
	if t.Step.Popped != Key(pod) || asked == nil || t.allowedBy(t.Model, asked, view) {
		return false
	}
	right := func(m *spec.Scheduler, pod *v1.Pod, view *spec.Snapshot) bool {
		return t.allowedBy(m.With(quirk), pod, view)
	}
	return right(t.model(asked), asked, view) || t.leastQuirks(Key(pod), view, right) != ""
}
