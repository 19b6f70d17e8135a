package loop

import (
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// withoutFields leaves out of the objects of a drawn run, and of those that others are made like, what is not needed to
// show the finding: a pointer, an entry of a list or map, a text or number, the outermost first. Each object stays one
// that the API server admits.
func (e *explorer) withoutFields(key string, best *walk, finding *Finding) (*walk, *Finding, error) {
	if best.scope.Admitted == nil {
		return best, finding, nil
	}
	for _, ref := range refs(best.scope.Initial[0], best.scope.Templates) {
		for left := 0; ; {
			if e.interrupted() {
				return best, finding, nil
			}
			simpler, more := best.scope.simpler(ref, left)
			if !more {
				break
			}
			if simpler == nil {
				left++
				continue
			}
			with, found, err := e.retake(key, simpler, 0, best.actions)
			if err != nil {
				return best, finding, err
			}
			if found == nil {
				left++
				continue
			}
			best, finding = with, found
		}
	}
	return best, finding, nil
}

// withoutArguments leaves out of the configuration of a drawn run what is not needed to show the finding.
func (e *explorer) withoutArguments(key string, best *walk, finding *Finding) (*walk, *Finding, error) {
	if best.scope.Subject == nil || best.scope.Less == nil {
		return best, finding, nil
	}
	for again := true; again && !e.interrupted(); {
		again = false
		for less := range best.scope.Less(best.scope) {
			with, found, err := e.retake(key, less, 0, best.actions)
			if err != nil {
				return best, finding, err
			}
			if found != nil {
				best, finding, again = with, found, true
				break
			}
		}
	}
	return best, finding, nil
}

// simpler returns the scope with the object less its i-th part, where it is in the cluster and where others are made
// like it; nil if the API server would refuse that, or fills the part in again. false: it has no more parts.
func (s *Scope) simpler(ref Ref, i int) (simpler *Scope, more bool) {
	less := *s
	less.Initial = slices.Clone(s.Initial)
	changed := false
	for _, in := range []**spec.Snapshot{&less.Initial[0], &less.Templates} {
		at := slices.IndexFunc(Objects(*in), func(o runtime.Object) bool { return RefOf(o) == ref })
		if at < 0 {
			continue
		}
		object := lessPart(Objects(*in)[at], i)
		if object == nil {
			continue
		}
		more = true
		is := s.Admitted(snapshotWith(*in, at, object))
		if is == nil {
			return nil, true
		}
		if size(Objects(is)[at]) < size(Objects(*in)[at]) { // so that this comes to an end
			*in, changed = is, true
		}
	}
	if !changed {
		return nil, more
	}
	return &less, true
}

// refs returns the names of all objects of the snapshots, each once.
func refs(snapshots ...*spec.Snapshot) []Ref {
	var all []Ref
	for _, s := range snapshots {
		for _, object := range Objects(s) {
			if ref := RefOf(object); !slices.Contains(all, ref) {
				all = append(all, ref)
			}
		}
	}
	return all
}

// lessPart returns a copy of the object less the i-th of its parts; nil if it has no more of them.
func lessPart(object runtime.Object, i int) runtime.Object {
	less := object.DeepCopyObject()
	parts := partsOf(reflect.ValueOf(less).Elem(), nil)
	if i >= len(parts) {
		return nil
	}
	parts[i]()
	return less
}

// size returns how many parts the object has.
func size(object runtime.Object) int { return len(partsOf(reflect.ValueOf(object).Elem(), nil)) }

// staying are fields that make the object what it is in a run.
var staying = []string{"NodeName", "SchedulerName", "Phase", "Priority"}

// partsOf appends what takes single parts away from the value, which can be set, the outermost first.
func partsOf(v reflect.Value, parts []func()) []func() {
	switch v.Interface().(type) {
	case metav1.TypeMeta, metav1.Time, metav1.MicroTime, resource.Quantity, intstr.IntOrString:
		return parts
	case metav1.ObjectMeta: // what an object is known by stays
		for _, name := range []string{"Labels", "Annotations", "OwnerReferences"} {
			parts = partsOf(v.FieldByName(name), parts)
		}
		return parts
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if name := v.Type().Field(i).Name; !slices.Contains(staying, name) {
				parts = partsOf(v.Field(i), parts)
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			parts = partsOf(v.Elem(), append(parts, v.SetZero))
		}
	case reflect.Slice:
		for i := v.Len() - 1; i >= 0; i-- { // so that those before keep their place
			parts = partsOf(v.Index(i), append(parts, func() { v.Set(removed(v, i)) }))
		}
	case reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(x, y reflect.Value) int { return strings.Compare(x.String(), y.String()) })
		for _, key := range keys {
			parts = append(parts, func() {
				if v.SetMapIndex(key, reflect.Value{}); v.Len() == 0 {
					v.SetZero()
				}
			})
		}
	default:
		if !v.IsZero() {
			parts = append(parts, v.SetZero)
		}
	}
	return parts
}

// removed returns the list without its i-th element, nil if it was the only one.
func removed(list reflect.Value, i int) reflect.Value {
	if list.Len() == 1 {
		return reflect.Zero(list.Type())
	}
	return reflect.AppendSlice(list.Slice3(0, i, i), list.Slice(i+1, list.Len()))
}
