package stepped

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
)

// unheard is a change that the scheduler has not been told of, with the action that made it, in words of its own if the
// scheduler made it itself.
type unheard struct {
	change
	action loop.Action
	own    bool
	// then are changes that only people read, which the listers have once it has heard of this one.
	then []change
}

// notice tells the scheduler of a change that came of the action, or has that wait for its turn. Where it may lag no
// event tells of what only people read, as whether there is such a change is no part of the state.
func (s *Scheduler) notice(c change, a loop.Action) error {
	c.missed = a.Ref == c.ref && (a.Missed && c.new == nil || a.Verb == loop.Replace)
	var last *unheard
	for i := range s.unheard {
		if s.unheard[i].ref.Kind == c.ref.Kind {
			last = &s.unheard[i]
		}
	}
	switch own := a.Heard || !a.Verb.Event() || a.Ref != c.ref; {
	case !s.late || !loop.MayLag(c.ref.Kind):
		return s.informers[c.ref.Kind].deliver(c)
	case last == nil && c.onlyRead():
		return s.informers[c.ref.Kind].list(c)
	case c.onlyRead():
		last.then = append(last.then, c)
	case own:
		s.unheard = append(s.unheard, unheard{change: c, action: c.byScheduler(), own: true})
	default:
		s.unheard = append(s.unheard, unheard{change: c, action: a})
	}
	return nil
}

// comesBack reports whether a write of the pod's status is that of its own cycle, which has failed. One that begins to
// be bound is assumed, and for others a preemption writes.
func (s *Scheduler) comesBack(pod *v1.Pod) bool {
	assumed, err := s.sched.Cache.IsAssumedPod(pod)
	own := s.popped != nil && s.popped.UID == pod.UID || s.cycles.binding(pod.UID) != nil
	return own && err == nil && !assumed
}

// onlyRead reports whether the change is one of a pending pod's conditions that only people read.
func (c change) onlyRead() bool {
	was, is := asPod(c.old), asPod(c.new)
	if was == nil || is == nil || is.Spec.NodeName != "" {
		return false
	}
	was, is = was.DeepCopy(), is.DeepCopy()
	for _, pod := range []*v1.Pod{was, is} {
		pod.ResourceVersion = ""
		pod.Status.Conditions = slices.DeleteFunc(pod.Status.Conditions,
			func(c v1.PodCondition) bool { return c.Type == v1.PodScheduled })
	}
	return equality.Semantic.DeepEqual(was, is)
}

// byScheduler returns a write of the scheduler as an action.
func (c change) byScheduler() loop.Action {
	a := loop.Action{Verb: loop.Update, Ref: c.ref, Doc: "status: the scheduler changes it"}
	was, is := asPod(c.old), asPod(c.new)
	switch object := c.new.(type) {
	case *v1.PersistentVolume:
		if claim := object.Spec.ClaimRef; claim != nil {
			a.Doc = "reservation: the scheduler reserves it for " + claim.Namespace + "/" + claim.Name
		}
		return a
	case *v1.PersistentVolumeClaim:
		a.Doc = "provisioning: the scheduler selects a node"
		return a
	case *resourcev1.ResourceClaim:
		switch was, ok := c.old.(*resourcev1.ResourceClaim); {
		case !ok:
		case was.Status.Allocation == nil && object.Status.Allocation != nil:
			a.Doc = "allocation: the scheduler gives it devices"
		case was.Status.Allocation != nil && object.Status.Allocation == nil:
			a.Doc = "allocation: the scheduler takes its devices back"
		case len(was.Finalizers) < len(object.Finalizers):
			a.Doc = "finalizers: the scheduler adds one, as it is about to give it devices"
		default:
			a.Doc = cmp.Or(reservation(was, object), a.Doc)
		}
		return a
	}
	switch {
	case c.new == nil, was != nil && is != nil && was.DeletionTimestamp == nil && is.DeletionTimestamp != nil:
		a.Verb, a.Doc = loop.Delete, ""
	case was != nil && is != nil && was.Spec.NodeName != is.Spec.NodeName:
		a.Doc = "binding: the scheduler binds it to " + is.Spec.NodeName
	case was == nil || is == nil || was.Status.NominatedNodeName == is.Status.NominatedNodeName:
	case is.Status.NominatedNodeName == "":
		a.Doc = "nomination: the scheduler takes it away"
	default:
		a.Doc = "nomination: the scheduler nominates it to " + is.Status.NominatedNodeName
	}
	return a
}

// reservation says whom the claim is reserved for since, or is not any more; "" if neither has changed.
func reservation(was, is *resourcev1.ResourceClaim) string {
	another := func(a, b *resourcev1.ResourceClaim) string {
		for _, consumer := range a.Status.ReservedFor {
			if !slices.Contains(b.Status.ReservedFor, consumer) {
				return a.Namespace + "/" + consumer.Name
			}
		}
		return ""
	}
	if pod := another(was, is); pod != "" {
		return "reservation: the scheduler takes it from " + pod
	}
	if pod := another(is, was); pod != "" {
		return "reservation: the scheduler reserves it for " + pod
	}
	return ""
}

// hear tells the scheduler of the oldest change of a kind that it has not heard of: each kind has a watch of its own,
// on which changes come in their order.
func (s *Scheduler) hear(a loop.Action) error {
	i := slices.IndexFunc(s.unheard, func(u unheard) bool { return u.ref.Kind == a.Ref.Kind })
	if i < 0 || s.unheard[i].ref != a.Ref {
		return fmt.Errorf("there is no such change that the scheduler has not heard of")
	}
	next := s.unheard[i]
	s.unheard = slices.Delete(s.unheard, i, i+1)
	informer := s.informers[next.ref.Kind]
	if err := informer.deliver(next.change); err != nil {
		return err
	}
	for _, c := range next.then {
		if err := informer.list(c); err != nil {
			return err
		}
	}
	return nil
}

// tell tells the scheduler of a change at once, and of those of the kind that it has not heard of before it.
func (s *Scheduler) tell(c change) error {
	for {
		i := slices.IndexFunc(s.unheard, func(u unheard) bool { return u.ref.Kind == c.ref.Kind })
		if i < 0 {
			return s.informers[c.ref.Kind].deliver(c)
		}
		if err := s.hear(s.unheard[i].action); err != nil {
			return err
		}
	}
}

// told returns what the scheduler has been told of.
func (s *Scheduler) told() map[loop.Ref]runtime.Object {
	if len(s.unheard) == 0 {
		return s.api.objects
	}
	objects := maps.Clone(s.api.objects)
	for _, u := range slices.Backward(s.unheard) {
		for _, c := range slices.Backward(append([]change{u.change}, u.then...)) {
			switch old := c.old.(type) {
			case nil:
				delete(objects, c.ref)
			case *resourcev1.ResourceClaim:
				objects[c.ref] = s.api.since(old) // nobody has to hear that time is over
			default:
				objects[c.ref] = old
			}
		}
	}
	return objects
}
