package production

import (
	"reflect"
	"slices"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// untouched looks whether production changes objects of the question, which are those of the informers' caches, so that
// later questions would be asked with other objects than there are. To look at all objects after every decision would
// cost more than some decisions do. So all are looked at in the smallest questions, and in one of oneOfQuestions
// others; and in each those for devices that have a quantity which copies of it share, as one of more than 18 digits
// is: only for devices are quantities computed with that are not production's own. Of these production is handed
// copies, so that a change is no other question's.
type untouched struct {
	slices instead[*resourcev1.ResourceSlice]
	claims instead[*resourcev1.ResourceClaim]
	// whole are the objects of the question at hand with copies of them, if it is one of which all are looked at; took is
	// how long that took for all questions so far.
	whole []original
	took  time.Duration
}

type original struct{ object, was runtime.Object }

// oneOfQuestions is of how many questions one has all its objects looked at: by the names in it, so that the same run
// looks at the same ones.
const oneOfQuestions = 128

// small is of how many objects a question is among the smallest, in which all are looked at.
const small = 2

// begin returns the question as production is to be asked it.
func (u *untouched) begin(q spec.Question) spec.Question {
	u.whole = u.whole[:0]
	if chosen(q) {
		defer u.looks(time.Now())
		for _, o := range objectsOf(q) {
			u.whole = append(u.whole, original{o, o.DeepCopyObject()})
		}
	}
	u.slices.set(q.Snapshot.ResourceSlices)
	u.claims.set(q.Snapshot.ResourceClaims)
	if len(u.slices.copied)+len(u.claims.copied) == 0 {
		return q
	}
	s := *q.Snapshot
	s.ResourceSlices, s.ResourceClaims = u.slices.shown, u.claims.shown
	q.Snapshot = &s
	return q
}

// instead is what production is shown in the place of objects of one kind.
type instead[T object] struct {
	// list are the objects, and shown are they with copies in the place of those that share quantities, which copied
	// numbers.
	list, shown []T
	copied      []int
	// known are copies of objects, and themselves where they share nothing.
	known map[T]T
}

// set has the objects be those of the question.
func (i *instead[T]) set(list []T) {
	if slices.Equal(i.list, list) {
		return
	}
	if i.known == nil || len(i.known) > maxHanded {
		i.known = map[T]T{}
	}
	i.list, i.shown, i.copied = slices.Clone(list), slices.Clone(list), nil
	for n, o := range list {
		as, known := i.known[o]
		if !known {
			as = o
			if c, is := o.DeepCopyObject().(T); is && shares(reflect.ValueOf(c)) {
				as = c
			}
			i.known[o] = as
		}
		if as != o {
			i.shown[n], i.copied = as, append(i.copied, n)
		}
	}
}

// changed tells which copies are not as the objects are, and shows others instead.
func (i *instead[T]) changed() (changes []spec.ObjectChange) {
	for _, n := range i.copied {
		if o := i.list[n]; !same(o, i.shown[n]) {
			changes = append(changes, spec.ObjectChange{Object: o, How: changeOf(o, i.shown[n])})
			i.known[o], _ = o.DeepCopyObject().(T)
			i.shown = slices.Clone(i.shown) // whoever was shown it may have kept the list
			i.shown[n] = i.known[o]
		}
	}
	return changes
}

// changed tells what production has changed of the question, and of its snapshot of it, since it began, and puts that
// right: what production was handed is to be handed to it anew. It returns nil if nothing was looked at.
func (u *untouched) changed(s *snapshot) []spec.ObjectChange {
	var changes []spec.ObjectChange
	looked := len(u.whole) > 0
	if looked {
		defer u.looks(time.Now())
		if change := s.changed(); change != "" {
			changes = append(changes, spec.ObjectChange{How: change})
			s.known.forget()
		}
	}
	for _, o := range u.whole {
		if !same(o.object, o.was) {
			changes = append(changes, spec.ObjectChange{Object: o.object, How: changeOf(o.was, o.object)})
			reflect.ValueOf(o.object).Elem().Set(reflect.ValueOf(o.was.DeepCopyObject()).Elem())
		}
	}
	looked = looked || len(u.slices.copied)+len(u.claims.copied) > 0
	changes = slices.Concat(changes, u.slices.changed(), u.claims.changed())
	if looked && changes == nil {
		changes = []spec.ObjectChange{}
	}
	return changes
}

// looks counts the time since it was begun to look.
func (u *untouched) looks(since time.Time) { u.took += time.Since(since) }

// same reports whether two objects say the same. Nearly all are the same to the last bit, which is found in a fifth of
// the time.
func same(a, b runtime.Object) bool {
	return reflect.DeepEqual(a, b) || apiequality.Semantic.DeepEqual(a, b)
}

// chosen reports whether all objects of the question are looked at.
func chosen(q spec.Question) bool {
	if objects := q.Snapshot; len(objects.Nodes) <= 1 && len(objects.Nodes)+len(objects.Pods)+len(objects.ResourceSlices)+
		len(objects.ResourceClaims)+len(objects.PersistentVolumes)+len(objects.PersistentVolumeClaims) <= small {
		return true
	}
	hash := hashed(fnvOffset, q.Pod.Name)
	for _, pod := range q.Snapshot.Pods {
		hash = hashed(hashed(hash, pod.Name), pod.Spec.NodeName)
	}
	return hash>>32%oneOfQuestions == 0 // the lowest bits are those of the last letters alone
}

// fnvOffset and fnvPrime are those of FNV-1a with 64 bits. hash/fnv takes no strings, of which there are many.
const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// hashed returns the hash of what was hashed before, and the text.
func hashed(before uint64, text string) uint64 {
	for i := range len(text) {
		before = (before ^ uint64(text[i])) * fnvPrime
	}
	return before
}

// shares reports whether the value has a quantity that copies of it share.
func shares(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return !v.IsNil() && shares(v.Elem())
	case reflect.Slice:
		for i := range v.Len() {
			if shares(v.Index(i)) {
				return true
			}
		}
	case reflect.Map:
		for entries := v.MapRange(); entries.Next(); {
			if shares(entries.Value()) {
				return true
			}
		}
	case reflect.Struct:
		if !v.CanInterface() {
			return false
		}
		if quantity, is := v.Interface().(resource.Quantity); is {
			return spec.SharedByCopies(quantity)
		}
		for i := range v.NumField() {
			if shares(v.Field(i)) {
				return true
			}
		}
	}
	return false
}
