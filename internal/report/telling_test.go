package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"pgregory.net/rapid"

	"github.com/seed-a3f26817/modelcheck/internal/generate"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestClusterTellsWhatMatters: what makes no difference to the drawing of a cluster makes none to what the model
// expects there, be it as documented or with all the known defects. So a reader of the text alone has every fact
// that either turns on. The differences tried are single things that an object no longer says, and objects that are
// missing.
func TestClusterTellsWhatMatters(t *testing.T) {
	documented := spec.New(spec.DefaultProfile())
	models := []*spec.Scheduler{documented, documented.With(spec.Quirks()...)}
	questions := generate.DrawQuestion(generate.Scope{Nodes: 2, Pods: 2})
	untold := 0
	rapid.Check(t, func(t *rapid.T) {
		q := asWritten(t, questions.Draw(t, "question"))
		text := drawing(q)
		var expected []string
		for _, other := range changes(t, q) {
			if drawing(other.question) != text {
				continue
			}
			untold++
			if expected == nil {
				expected = expectations(models, q)
			}
			if diff := cmp.Diff(expected, expectations(models, other.question)); diff != "" {
				t.Fatalf("%s makes a difference, but not to the text (-with +without):\n%s\n%s", other.what, diff, text)
			}
		}
	})
	if untold == 0 {
		t.Error("every change was told")
	}
}

// asWritten returns the question with its objects as an API server has them, which tells no empty list from none: they
// are written and read again, as those are of which something is left out.
func asWritten(t *rapid.T, q spec.Question) spec.Question {
	for _, object := range objectsOf(q.Snapshot) {
		raw, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		read := reflect.New(reflect.TypeOf(object).Elem()).Interface().(runtime.Object)
		if err := json.Unmarshal(raw, read); err != nil {
			t.Fatal(err)
		}
		q = replaced(q, object, read)
	}
	return q
}

func drawing(q spec.Question) string {
	p := &page{}
	p.cluster("", q.Snapshot, nil)
	return p.String()
}

// expectations are what models expect of a question, but for the choice of victims: their start times stand beside
// the candidates.
func expectations(models []*spec.Scheduler, q spec.Question) []string {
	var all []string
	for _, m := range models {
		e := m.Expect(q)
		for n, node := range e.Nodes {
			all = append(all, fmt.Sprint(q.Snapshot.Nodes[n].Name, e.Filters, node.Statuses, node.Feasible,
				e.ScorePlugins, node.Scores))
		}
		for _, o := range e.Outcomes {
			all = append(all, outcome(q, o))
		}
	}
	return all
}

// change is a question with one thing less.
type change struct {
	what     string
	question spec.Question
}

// changes returns all that can be left out of a question one at a time: an object, or a field, element or entry of one.
func changes(t *rapid.T, q spec.Question) []change {
	var all []change
	for _, object := range objectsOf(q.Snapshot) {
		var tree map[string]any
		raw, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(raw, &tree); err != nil {
			t.Fatal(err)
		}
		called := fmt.Sprintf("%T %s", object, object.(metav1.Object).GetName())
		if object != runtime.Object(q.Pod) {
			all = append(all, change{"leaving out " + called, replaced(q, object, nil)})
		}
		for _, path := range pathsOf(tree, nil) {
			raw, err := json.Marshal(without(tree, path))
			if err != nil {
				t.Fatal(err)
			}
			less := reflect.New(reflect.TypeOf(object).Elem()).Interface().(runtime.Object)
			if json.Unmarshal(raw, less) == nil { // else the field must be there
				all = append(all, change{called + " without " + strings.Join(path, "."), replaced(q, object, less)})
			}
		}
	}
	return all
}

// pathsOf returns the ways to all that can be left out of an object. What identifies objects, operators, without
// which the API server refuses a selector, the scheduler, which it never leaves empty, and the start times that
// stand elsewhere stay.
func pathsOf(value any, at []string) [][]string {
	last := ""
	if len(at) > 0 {
		last = at[len(at)-1]
	}
	if slices.Contains([]string{"name", "namespace", "uid", "operator", "startTime", "creationTimestamp",
		"schedulerName"}, last) &&
		len(at) > 1 {
		return nil
	}
	paths := [][]string{at}
	switch value := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			paths = append(paths, pathsOf(value[key], append(slices.Clone(at), key))...)
		}
	case []any:
		for i, element := range value {
			paths = append(paths, pathsOf(element, append(slices.Clone(at), fmt.Sprint(i)))...)
		}
	}
	return slices.DeleteFunc(paths, func(path []string) bool { return len(path) < 2 })
}

// without returns a copy of the value without what is at the path.
func without(value any, path []string) any {
	if len(path) == 0 {
		return value
	}
	switch value := value.(type) {
	case map[string]any:
		less := maps.Clone(value)
		if delete(less, path[0]); len(path) > 1 {
			less[path[0]] = without(value[path[0]], path[1:])
		}
		return less
	case []any:
		var less []any
		for i, element := range value {
			if fmt.Sprint(i) != path[0] {
				less = append(less, element)
			} else if len(path) > 1 {
				less = append(less, without(element, path[1:]))
			}
		}
		return less
	default:
		return value
	}
}

func objectsOf(s *spec.Snapshot) []runtime.Object {
	var all []runtime.Object
	rebuilt(s, func(object runtime.Object) runtime.Object { all = append(all, object); return object })
	return all
}

// replaced returns the question with another object in the place of one; nil leaves it out.
func replaced(q spec.Question, object, other runtime.Object) spec.Question {
	swap := func(o runtime.Object) runtime.Object {
		if o == object {
			return other
		}
		return o
	}
	return spec.Question{Pod: swap(q.Pod).(*v1.Pod), Snapshot: rebuilt(q.Snapshot, swap)}
}

func rebuilt(s *spec.Snapshot, to func(runtime.Object) runtime.Object) *spec.Snapshot {
	return &spec.Snapshot{
		Nodes: rebuiltList(s.Nodes, to), Pods: rebuiltList(s.Pods, to), Namespaces: rebuiltList(s.Namespaces, to),
		PodDisruptionBudgets:   rebuiltList(s.PodDisruptionBudgets, to),
		PersistentVolumes:      rebuiltList(s.PersistentVolumes, to),
		PersistentVolumeClaims: rebuiltList(s.PersistentVolumeClaims, to), StorageClasses: rebuiltList(s.StorageClasses,
			to),
		CSINodes: rebuiltList(s.CSINodes, to), VolumeAttachments: rebuiltList(s.VolumeAttachments, to),
		CSIDrivers: rebuiltList(s.CSIDrivers, to), CSIStorageCapacities: rebuiltList(s.CSIStorageCapacities, to),
		ResourceClaims: rebuiltList(s.ResourceClaims, to), ResourceSlices: rebuiltList(s.ResourceSlices, to),
		DeviceClasses: rebuiltList(s.DeviceClasses, to),
	}
}

func rebuiltList[T runtime.Object](objects []T, to func(runtime.Object) runtime.Object) []T {
	var all []T
	for _, object := range objects {
		if other := to(object); other != nil {
			all = append(all, other.(T))
		}
	}
	return all
}
