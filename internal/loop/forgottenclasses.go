package loop

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Classes are device classes by the extended resources that they stand for.
type Classes map[v1.ResourceName]*resourcev1.DeviceClass

const implicitNameLost = "implicit-name-lost"

// classForgotten is the defect that of several classes for one extended resource only one is remembered.
func classForgotten() Known {
	quirk := spec.ExtendedResourceClassForgotten(nil)
	return Known{
		Name: quirk.Name, Class: quirk.Class, Upstream: quirk.Upstream, Doc: quirk.Doc, Since: quirk.Since,
		Explains: func(t *Transition, pod *v1.Pod) bool {
			lost := spec.ImplicitNameLost() // of the decision, which comes first
			if t.Step.Popped == Key(pod) && t.Before.forgetsClasses() {
				return t.decidedWith(spec.ExtendedResourceClassForgotten(t.Before.Classes), pod) && !t.decidedWith(lost, pod)
			}
			return t.After.forgetsClasses() &&
				t.sleepsBy(spec.ExtendedResourceClassForgotten(t.After.Classes), pod) && !t.sleepsBy(lost, pod)
		},
	}
}

// implicitName returns the extended resource that a class stands for whatever name it has.
func implicitName(class *resourcev1.DeviceClass) v1.ResourceName {
	return v1.ResourceName(resourcev1.ResourceDeviceClassPrefix + class.Name)
}

// explicitName returns the extended resource that a class says it stands for; "" if it says none.
func explicitName(class *resourcev1.DeviceClass) v1.ResourceName {
	if class == nil || class.Spec.ExtendedResourceName == nil {
		return ""
	}
	return v1.ResourceName(*class.Spec.ExtendedResourceName)
}

// classes returns the classes of the extended resources as the scheduler was told of them.
func (s *State) classes() Classes {
	told, is := s.told(), Classes{}
	for _, class := range told.DeviceClasses {
		for _, name := range []v1.ResourceName{implicitName(class), explicitName(class)} {
			if name != "" {
				is[name] = spec.ClassFor(name, told)
			}
		}
	}
	return is
}

// forgetsClasses reports whether the scheduler's classes of extended resources are others than it was told of.
func (s *State) forgetsClasses() bool { return s.Classes != nil && !s.Classes.same(s.classes()) }

// same reports whether the same classes stand for the same resources, so far as it matters.
func (c Classes) same(other Classes) bool { return maps.EqualFunc(c, other, sameClass) }

func sameClass(a, b *resourcev1.DeviceClass) bool {
	return a.Name == b.Name && a.CreationTimestamp.Equal(&b.CreationTimestamp) &&
		equality.Semantic.DeepEqual(a.Spec, b.Spec)
}

// without returns what is there and otherwise, or not, among the others, in words.
func (c Classes) without(other Classes) []string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(c)) {
		if is := other[name]; is == nil || !sameClass(c[name], is) {
			line := fmt.Sprintf("%s: device class %s", name, c[name].Name)
			if is != nil && is.Name == c[name].Name {
				line += ", which the other has otherwise"
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// heardOf returns what kube-scheduler remembers of classes when it hears that one was what it was and is what it is,
// nil if it came or is gone: what stands for the name of a class is forgotten with that class, whichever it is; and a
// class with a name that stands for one which it is not picked before, as for itself, is not taken note of.
func (c Classes) heardOf(was, is *resourcev1.DeviceClass) Classes {
	if is != nil {
		if has := c[explicitName(is)]; has != nil && !spec.PickedBefore(is, has) {
			return c
		}
	}
	c = maps.Clone(c)
	if was != nil {
		delete(c, implicitName(was))
		delete(c, explicitName(was))
	}
	if is != nil {
		c[implicitName(is)] = is
		if name := explicitName(is); name != "" {
			c[name] = is
		}
	}
	return c
}

// remembered returns the classes that kube-scheduler has after the step by what it had before, with the defect.
func (t *Transition) remembered() Classes {
	after := t.After.told()
	switch {
	case t.Action.Verb == Restart:
		remembered := Classes{}
		for _, class := range after.DeviceClasses {
			remembered = remembered.heardOf(nil, class)
		}
		return remembered
	case t.Action.Ref.Kind != "DeviceClass":
		return t.Before.Classes
	}
	was, is := t.classIn(t.Before.told()), t.classIn(after)
	if was == nil && is == nil || was != nil && is != nil && was.ResourceVersion == is.ResourceVersion {
		return t.Before.Classes // it is not heard of yet
	}
	remembered := t.Before.Classes
	if t.Action.Missed { // the others are listed anew with it, in the order of their names
		for _, class := range slices.SortedFunc(slices.Values(after.DeviceClasses),
			func(a, b *resourcev1.DeviceClass) int { return strings.Compare(a.Name, b.Name) }) {
			remembered = remembered.heardOf(class, class)
		}
	}
	return remembered.heardOf(was, is)
}

// classIn returns the class that the step is about; nil if it is not there.
func (t *Transition) classIn(s *spec.Snapshot) *resourcev1.DeviceClass {
	for _, class := range s.DeviceClasses {
		if RefOf(class) == t.Action.Ref {
			return class
		}
	}
	return nil
}

// classesAgree returns how the scheduler's classes of extended resources are not those that it was told of.
func (t *Transition) classesAgree() []Violation {
	if !t.After.forgetsClasses() {
		return nil
	}
	told := t.After.classes()
	only, lacks := t.After.Classes.without(told), told.without(t.After.Classes)
	v := Violation{
		About: "classes", But: fmt.Sprintf("the cache has %s; the API server has %s", listed(only), listed(lacks)),
	}
	if t.Before.Classes != nil && t.After.Classes.same(t.remembered()) {
		v.Known = t.has(classForgotten().Name)
		if len(only) == 0 && !slices.ContainsFunc(lacks, func(line string) bool {
			return !strings.HasPrefix(line, resourcev1.ResourceDeviceClassPrefix)
		}) {
			v.Known = implicitNameLost
		}
	}
	return []Violation{v}
}

// sleepsBy reports whether the pod can be placed, or preempt, by the model, and not if it has the quirk.
func (t *Transition) sleepsBy(quirk spec.Quirk, pod *v1.Pod) bool {
	view := t.After.View()
	moves := func(m *spec.Scheduler) bool { return feasible(m, Key(pod), view) || preempts(m, Key(pod), view) }
	return in(view, Key(pod)) != nil && moves(t.model(pod)) && !moves(t.model(pod).With(quirk))
}

// heardOtherwise returns the known defects by which the step and what is decided alone differ, if the step did what is
// right by the classes that the scheduler has, and one that is asked alone hears of the classes in another order, in
// which one loses its implicit name; "" if that is not why.
func (t *Transition) heardOtherwise(began *State, pod *v1.Pod, view *spec.Snapshot, decided []spec.Outcome) string {
	lost, profile := spec.ImplicitNameLost(), t.model(pod).Profile
	if began.Classes == nil || !lost.In(profile.Release) || !lost.Needs(profile, pod, view) {
		return ""
	}
	return t.decidedApart(began, pod, view, decided, implicitNameLost, lost)
}

// forgetsBeside returns the known defects by which the step and what is decided alone differ, if the step did what is
// right by the classes that the scheduler has, and alone it has all of them; "" if that is not why. Nothing may be
// decided alone.
func (t *Transition) forgetsBeside(began *State, pod *v1.Pod, view *spec.Snapshot, decided []spec.Outcome) string {
	if !began.forgetsClasses() {
		return ""
	}
	return t.decidedApart(began, pod, view, decided, classForgotten().Name)
}

// decidedApart returns the name, and the fewest quirks besides, with which the model allows what the step did by the
// classes that the scheduler has, and what is decided alone by the quirks of that; "" if there are none.
func (t *Transition) decidedApart(began *State, pod *v1.Pod, view *spec.Snapshot, decided []spec.Outcome, name string,
	alone ...spec.Quirk) string {
	right := func(m *spec.Scheduler, pod *v1.Pod, view *spec.Snapshot) bool {
		has := m.With(spec.ExtendedResourceClassForgotten(began.Classes))
		if len(decided) == 0 {
			return t.allowedBy(has, pod, view) && !m.With(alone...).For(pod).Decides(pod, view)
		}
		return t.allowedBy(has, pod, view) && t.allows(m.With(alone...), decided, pod, view)
	}
	if right(t.model(pod), pod, view) {
		return name
	}
	if quirks := t.leastQuirks(Key(pod), view, right); quirks != "" {
		return name + "+" + quirks
	}
	return ""
}
