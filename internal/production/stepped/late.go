package stepped

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
)

// unheard is a change that the scheduler has not been told of, with the action that made it.
type unheard struct {
	change
	action loop.Action
}

// hear tells the scheduler of the oldest change of a kind that it has not heard of: each kind has a watch of its own,
// on which changes come in their order.
func (s *Scheduler) hear(a loop.Action) error {
	i := slices.IndexFunc(s.unheard, func(u unheard) bool { return u.ref.Kind == a.Ref.Kind })
	if i < 0 || s.unheard[i].ref != a.Ref {
		return fmt.Errorf("there is no such change that the scheduler has not heard of")
	}
	next := s.unheard[i].change
	s.unheard = slices.Delete(s.unheard, i, i+1)
	return s.informers[next.ref.Kind].deliver(next)
}

// told returns what the scheduler has been told of.
func (s *Scheduler) told() map[loop.Ref]runtime.Object {
	if len(s.unheard) == 0 {
		return s.api.objects
	}
	objects := maps.Clone(s.api.objects)
	for _, u := range slices.Backward(s.unheard) {
		if u.old == nil {
			delete(objects, u.ref)
		} else {
			objects[u.ref] = u.old
		}
	}
	return objects
}
