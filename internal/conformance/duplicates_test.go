package conformance

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/seed-a3f26817/modelcheck/internal/generate"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestDuplicates: whatever is in a list twice, as far as an API server lets it in, no decision is one that nothing
// known explains. Each list of every kind of object is tried in a few drawn clusters, and in the smallest ones of the
// known defects, whose lists are those that matter.
func TestDuplicates(t *testing.T) {
	const clusters, tries = 200, 8
	d := duplicates{T: t, checker: newChecker(t, defaultConfig(t)), asked: map[string]int{}, refused: map[string]int{},
		tries: tries}
	questions := generate.DrawQuestion(generate.Scope{Nodes: 3, Pods: 4})
	for seed := range clusters {
		d.try(fmt.Sprint("seed ", seed), questions.Example(seed))
	}
	for _, list := range []string{"Nodes.Status.Images", "Nodes.Status.Images.Names", "Pods.Spec.Tolerations",
		"Pods.Spec.Volumes.Ephemeral.VolumeClaimTemplate.Spec.AccessModes", "PodDisruptionBudgets",
		"Pods.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution"} {
		if d.asked[list] == 0 {
			t.Errorf("nothing was asked with an element of %s twice; asked %v, refused %v", list, d.asked, d.refused)
		}
	}
	files, err := filepath.Glob("../../testdata/deviations/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, error %v", len(files), err)
	}
	for _, file := range files {
		manifests, err := scenario.Read([]string{file}, nil, admission.Admit)
		if err != nil {
			t.Fatal(err)
		}
		if config := manifests.SchedulerConfiguration; config != nil {
			cfg, err := production.LoadConfig(file, config)
			if err != nil {
				t.Fatal(err)
			}
			d.checker = newChecker(t, cfg)
		} else {
			d.checker = newChecker(t, defaultConfig(t))
		}
		d.asked, d.refused = map[string]int{}, map[string]int{}
		s := manifests.Snapshot()
		for _, pod := range spec.Unbound(s) {
			d.try(filepath.Base(file), spec.Question{Pod: pod, Snapshot: s})
		}
	}
}

// duplicates asks about clusters in which something is twice.
type duplicates struct {
	*testing.T
	checker *checker
	// asked and refused count the questions by the list that has something twice. Of each there are up to tries.
	asked, refused map[string]int
	tries          int
}

// allocated begins the lists that an API server looks into when the scheduler writes them, and admission here does not.
const allocated = "ResourceClaims.Status.Allocation."

// try doubles an element of each list of the question in turn.
func (d *duplicates) try(from string, q spec.Question) {
	for list := range listsOf(q.Snapshot) {
		if d.asked[list] >= d.tries || d.refused[list] >= d.tries || strings.HasPrefix(list, allocated) {
			continue
		}
		doubled := copyOf(q)
		places := listsOf(doubled.Snapshot)[list]
		places[d.asked[list]%len(places)]()
		admitted, err := generate.Admitted(doubled, admission.Admit)
		if err != nil {
			d.refused[list]++
			continue
		}
		if generate.LeftToChance(admitted) {
			continue
		}
		d.asked[list]++
		answer := d.checker.ask(admitted)
		broken := breaches(answer)
		if len(broken) > 0 && d.checker.explain(admitted, answer.Decision) == nil {
			d.Errorf("%s, with an element of %s twice: %v", from, list, broken)
		}
	}
}

// copyOf returns the question with objects of its own, whose pods name no PriorityClass: there is none among them.
func copyOf(q spec.Question) spec.Question {
	from := q.Snapshot
	q.Snapshot = from.Without()
	lists := reflect.ValueOf(q.Snapshot).Elem()
	for i := range lists.NumField() {
		list := lists.Field(i)
		if !list.CanSet() || list.Kind() != reflect.Slice || list.Len() == 0 {
			continue
		}
		copied := reflect.MakeSlice(list.Type(), 0, list.Len())
		for j := range list.Len() {
			copied = reflect.Append(copied, reflect.ValueOf(list.Index(j).Interface().(runtime.Object).DeepCopyObject()))
		}
		list.Set(copied)
	}
	for i, pod := range q.Snapshot.Pods {
		pod.Spec.PriorityClassName = ""
		if from.Pods[i] == q.Pod {
			q.Pod = pod
		}
	}
	return q
}

// listsOf returns, by the path of each list in the snapshot, what doubles an element of it at each of its places.
func listsOf(s *spec.Snapshot) map[string][]func() {
	lists := map[string][]func(){}
	snapshot := reflect.ValueOf(s).Elem()
	for i := range snapshot.NumField() {
		if snapshot.Field(i).CanSet() {
			visitLists(snapshot.Field(i), snapshot.Type().Field(i).Name, lists)
		}
	}
	return lists
}

func visitLists(v reflect.Value, path string, lists map[string][]func()) {
	switch v.Interface().(type) {
	case resource.Quantity, metav1.Time, metav1.MicroTime:
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			visitLists(v.Elem(), path, lists)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			if field.Anonymous {
				visitLists(v.Field(i), path, lists)
			} else {
				visitLists(v.Field(i), path+"."+field.Name, lists)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			lists[path] = append(lists[path], func() { v.Set(reflect.Append(v, again(v.Index(i)))) })
			visitLists(v.Index(i), path, lists)
		}
	}
}

// again returns the element to be added. No two objects of a kind have one name, and no two nodes one host name.
func again(element reflect.Value) reflect.Value {
	object, isObject := element.Interface().(runtime.Object)
	if !isObject {
		return element
	}
	second := object.DeepCopyObject()
	named := second.(metav1.Object)
	named.SetName(named.GetName() + "-again")
	if named.GetUID() != "" {
		named.SetUID(types.UID(named.GetUID() + "-again"))
	}
	if labels := named.GetLabels(); labels[v1.LabelHostname] != "" {
		labels[v1.LabelHostname] = named.GetName()
	}
	return reflect.ValueOf(second)
}
