package fields

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/seed-a3f26817/modelcheck/internal/generate"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestUnread: kube-scheduler decides the same whatever is in the fields that nobody is said to read.
func TestUnread(t *testing.T) {
	config, err := production.DefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	scheduler, err := production.New(context.Background(), config, v1.DefaultSchedulerName, production.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer scheduler.Close()
	questions := questions(t, 40)
	var before []string
	for _, q := range questions {
		before = append(before, said(scheduler.Decide(q)))
	}
	for _, group := range unreadFields {
		if group.elsewhere {
			continue
		}
		for _, path := range group.paths {
			changed := 0
			for i, q := range questions {
				other, did := perturbed(q, path)
				if !did {
					continue
				}
				changed++
				if diff := cmp.Diff(before[i], said(scheduler.Decide(other))); diff != "" {
					t.Errorf("%s is said to be unread (%s), and changes a decision (-before +after):\n%s", path,
						group.reason, diff)
					break
				}
			}
			if changed == 0 {
				t.Errorf("no object has a field %s", path)
			}
		}
	}
}

// TestUnreadNotices: the test would notice a field that is read.
func TestUnreadNotices(t *testing.T) {
	config, err := production.DefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	scheduler, err := production.New(context.Background(), config, v1.DefaultSchedulerName, production.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer scheduler.Close()
	questions := questions(t, 40)
	for _, path := range []string{"Pod.spec.nodeSelector", "Node.spec.unschedulable", "Node.spec.taints[].key",
		"Pod.spec.volumes[].name", "PersistentVolumeClaim.spec.volumeName"} {
		if !slices.ContainsFunc(questions, func(q spec.Question) bool {
			other, did := perturbed(q, path)
			return did && said(scheduler.Decide(q)) != said(scheduler.Decide(other))
		}) {
			t.Errorf("%s changes no decision", path)
		}
	}
}

// TestUnreadOnce: no field is in the table twice, not even as a part of another.
func TestUnreadOnce(t *testing.T) {
	var all []string
	for _, group := range unreadFields {
		all = append(all, group.paths...)
	}
	for i, path := range all {
		for j, other := range all {
			if i != j && (path == other || strings.HasPrefix(path, other+".") || strings.HasPrefix(path, other+"[")) {
				t.Errorf("%s is in the table, and so is %s", path, other)
			}
		}
	}
}

// questions draws so many questions.
func questions(t *testing.T, n int) []spec.Question {
	t.Helper()
	drawn := generate.DrawQuestion(generate.Scope{Nodes: 3, Pods: 6})
	var all []spec.Question
	for seed := 0; len(all) < n; seed++ {
		q, err := generate.Admitted(drawn.Example(seed), admission.Admit)
		if err != nil {
			t.Fatal(err)
		}
		if generate.LeftToChance(q) {
			continue
		}
		for _, pod := range q.Snapshot.Pods {
			pod.Spec.Containers[0].VolumeMounts = []v1.VolumeMount{{Name: "any", MountPath: "/any"}}
			if pod.Spec.NodeName != "" {
				reported(pod)
			}
		}
		all = append(all, q)
	}
	return all
}

// reported lets the kubelet report what the containers of the pod were given.
func reported(pod *v1.Pod) {
	pod.Status.Resources = pod.Spec.Resources.DeepCopy()
	pod.Status.ContainerStatuses = nil
	for _, c := range pod.Spec.Containers {
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, v1.ContainerStatus{
			Name: c.Name, AllocatedResources: c.Resources.Requests, Resources: c.Resources.DeepCopy(),
		})
	}
}

// said writes a decision, in the names of objects.
func said(d *spec.Decision) string {
	var text strings.Builder
	fmt.Fprintln(&text, d.Failure)
	for _, node := range d.Nodes {
		fmt.Fprintln(&text, node.Filtered, node.Overall, node.Statuses, node.Scores, node.Total)
	}
	for _, outcome := range d.Outcomes {
		fmt.Fprint(&text, outcome.Type, outcome.Node, outcome.KeepsNomination)
		for _, victim := range outcome.Victims {
			fmt.Fprint(&text, " ", victim.Name)
		}
		fmt.Fprintln(&text)
	}
	return text.String()
}

// perturbed returns the question with something else in every field of the path, and whether there was one.
func perturbed(q spec.Question, path string) (spec.Question, bool) {
	copied := spec.Question{Snapshot: &spec.Snapshot{}}
	did := false
	from, to := reflect.ValueOf(q.Snapshot).Elem(), reflect.ValueOf(copied.Snapshot).Elem()
	for i := range from.NumField() {
		if !from.Type().Field(i).IsExported() || from.Field(i).Kind() != reflect.Slice {
			continue
		}
		for j := range from.Field(i).Len() {
			object := from.Field(i).Index(j)
			other := reflect.ValueOf(object.Interface().(runtime.Object).DeepCopyObject())
			kind := other.Type().Elem().Name()
			if of, rest, _ := strings.Cut(path, "."); of == kind || of == "" {
				did = perturb(other.Elem(), strings.Split(rest, ".")) || did
			}
			if object.Interface() == any(q.Pod) {
				copied.Pod = other.Interface().(*v1.Pod)
			}
			to.Field(i).Set(reflect.Append(to.Field(i), other))
		}
	}
	copied.Snapshot.Now = q.Snapshot.Now
	return copied, did
}

// perturb puts something else into a field, if what it is a field of is there.
func perturb(v reflect.Value, path []string) bool {
	if v.Kind() == reflect.Pointer {
		return !v.IsNil() && perturb(v.Elem(), path)
	}
	if len(path) == 0 {
		fill(v, 0)
		return true
	}
	name, isList := strings.CutSuffix(path[0], "[]")
	did := false
	for of, field := range fieldsOf(v.Type()) {
		at := v.FieldByIndex(field.Index)
		switch {
		case of == "":
			did = perturb(at, path) || did
		case of != name && !(name == "containers" && of == "initContainers") &&
			!(name == "containerStatuses" && of == "initContainerStatuses"):
		case isList:
			for i := range at.Len() {
				did = perturb(at.Index(i), path[1:]) || did
			}
		case len(path) == 1:
			fill(at, 0)
			did = true
		default:
			did = perturb(at, path[1:]) || did
		}
	}
	return did
}

// fill puts something else into a value.
func fill(v reflect.Value, depth int) {
	switch old := v.Interface().(type) {
	case resource.Quantity:
		v.Set(reflect.ValueOf(resource.MustParse("7")))
		return
	case metav1.Time:
		v.Set(reflect.ValueOf(metav1.Unix(1_234_567_890, 0)))
		return
	case intstr.IntOrString:
		v.Set(reflect.ValueOf(intstr.FromInt32(old.IntVal + 3)))
		return
	case metav1.FieldsV1:
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "other")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(v.Int() + 3)
	case reflect.Uint8, reflect.Uint32, reflect.Uint64:
		v.SetUint(v.Uint() + 3)
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		fill(v.Elem(), depth+1)
	case reflect.Struct:
		for _, field := range fieldsOf(v.Type()) {
			if depth < 6 {
				fill(v.FieldByIndex(field.Index), depth+1)
			}
		}
	case reflect.Slice:
		element := reflect.New(v.Type().Elem()).Elem()
		fill(element, depth+1)
		v.Set(reflect.Append(v, element))
	case reflect.Map:
		key, element := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, depth+1)
		fill(element, depth+1)
		grown := reflect.MakeMap(v.Type())
		for _, k := range v.MapKeys() {
			grown.SetMapIndex(k, v.MapIndex(k))
		}
		grown.SetMapIndex(key, element)
		v.Set(grown)
	}
}
