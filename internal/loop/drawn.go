package loop

import (
	"context"
	"reflect"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// RandomOptions say which runs of drawn clusters to follow.
type RandomOptions struct {
	SimulateOptions
	// Draw returns the scope of the run of that number, with one initial cluster, the same one whenever it is asked;
	// nil leaves the run out, an error ends all. It is called by all workers.
	Draw func(number int64) (*Scope, error)
	// For is the time after which no more runs are begun; 0 is no bound, and then Walks is one. The Result is a
	// function of the other options if For does not end it.
	For time.Duration
}

// Random follows runs each of which has a scope of its own, as Simulate does those of one. all is what the runs have
// in common. Of the shortest run that shows a finding, objects of the cluster are left out
// besides actions, and fields if nothing known explains it.
func Random(ctx context.Context, all *Scope, subject Subject, o RandomOptions) (*Result, error) {
	s := newSimulation(ctx, all, subject, o.SimulateOptions)
	s.draw = o.Draw
	if o.For > 0 {
		s.deadline = time.Now().Add(o.For)
	}
	return s.run(ctx)
}

// withoutObjects leaves out of the cluster of a drawn run what is not needed to show the finding: ever smaller groups
// of objects, and single ones until nothing changes.
func (e *explorer) withoutObjects(key string, best *walk, finding *Finding) (*walk, *Finding, error) {
	for size := max(1, len(Objects(best.scope.Initial[0]))/2); size > 0; {
		again := false
		for at := 0; at < len(Objects(best.scope.Initial[0])); {
			if e.interrupted() {
				return best, finding, nil
			}
			smaller := *best.scope
			smaller.Initial = []*spec.Snapshot{snapshotWithout(best.scope.Initial[0], at, size)}
			with, found, err := e.retake(key, &smaller, 0, best.actions)
			if err != nil {
				return best, finding, err
			}
			if found == nil {
				at += size
				continue
			}
			best, finding, again = with, found, true
		}
		if !again || size > 1 {
			size /= 2
		}
	}
	return best, finding, nil
}

// snapshotWithout returns the snapshot without so many of its objects, from the i-th on.
func snapshotWithout(s *spec.Snapshot, i, size int) *spec.Snapshot {
	for range min(size, len(Objects(s))-i) {
		s = snapshotWith(s, i, nil)
	}
	return s
}

// snapshotWith returns the snapshot with another object in the place of its i-th, or none if that is nil.
func snapshotWith(s *spec.Snapshot, i int, instead runtime.Object) *spec.Snapshot {
	old, with := Objects(s)[i], *s
	fields := reflect.ValueOf(&with).Elem()
	for f := range fields.NumField() {
		list := fields.Field(f)
		if !list.CanSet() || list.Kind() != reflect.Slice {
			continue
		}
		kept := reflect.Zero(list.Type())
		for o := range list.Len() {
			switch object := list.Index(o); {
			case object.Interface() != any(old):
				kept = reflect.Append(kept, object)
			case instead != nil:
				kept = reflect.Append(kept, reflect.ValueOf(instead))
			}
		}
		list.Set(kept)
	}
	with.Now = spec.Moment(&with)
	return &with
}
