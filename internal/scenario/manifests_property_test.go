package scenario_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
)

// TestReadBack checks that objects written as a List or as documents, in YAML or JSON, are
// read back as they are admitted, and that what was read, written once more, is read back the same.
func TestReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		objects := drawObjects(t)
		format := rapid.SampledFrom([]string{"YAML list", "YAML documents", "JSON list", "JSON values"}).Draw(t,
			"format")

		admitted, errs := admission.Admit(objects)
		for i, err := range errs {
			if len(err) > 0 {
				t.Fatalf("drawn object is invalid: %v", err)
			}
			complete(admitted[i].(metav1.Object))
		}
		got := readBack(t, format, objects)
		if diff := cmp.Diff(admitted, got); diff != "" {
			t.Fatalf("read back (-admitted +read):\n%s", diff)
		}
		if diff := cmp.Diff(got, readBack(t, format, got)); diff != "" {
			t.Fatalf("read back twice (-once +twice):\n%s", diff)
		}
	})
}

// complete does by hand what Read does to an object beyond admission.
func complete(object metav1.Object) {
	if namespace := object.GetNamespace(); namespace == "" {
		object.SetUID(types.UID(object.GetName()))
	} else {
		object.SetUID(types.UID(namespace + "/" + object.GetName()))
	}
	if pod, ok := object.(*v1.Pod); ok && pod.Spec.NodeName != "" && pod.Status.StartTime == nil {
		start := scenario.StartTime()
		pod.Status.StartTime = &start
	}
}

// readBack writes the objects and reads them: nodes, then pods, then budgets, as drawObjects gives them.
func readBack(t *rapid.T, format string, objects []runtime.Object) []runtime.Object {
	m, err := scenario.Read([]string{"-"}, bytes.NewReader(write(t, format, objects)), admission.Admit)
	if err != nil {
		t.Fatal(err)
	}
	var read []runtime.Object
	for _, node := range m.Nodes {
		read = append(read, node)
	}
	for _, pod := range m.Pods {
		read = append(read, pod)
	}
	for _, budget := range m.PodDisruptionBudgets {
		read = append(read, budget)
	}
	return read
}

func write(t *rapid.T, format string, objects []runtime.Object) []byte {
	var values []any
	for _, object := range objects {
		object := object.DeepCopyObject()
		switch object := object.(type) {
		case *v1.Node:
			object.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Node"}
		case *v1.Pod:
			object.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}
		case *policyv1.PodDisruptionBudget:
			object.TypeMeta = metav1.TypeMeta{APIVersion: "policy/v1", Kind: "PodDisruptionBudget"}
		}
		values = append(values, object)
	}
	marshal, separator := json.Marshal, "\n"
	if format == "YAML list" || format == "YAML documents" {
		marshal, separator = func(v any) ([]byte, error) { return yaml.Marshal(v) }, "---\n"
	}
	if format == "YAML list" || format == "JSON list" {
		values = []any{map[string]any{"apiVersion": "v1", "kind": "List", "items": values}}
	}
	var text [][]byte
	for _, value := range values {
		one, err := marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, one)
	}
	return bytes.Join(text, []byte(separator))
}

// drawObjects draws a cluster: nodes, pods that are bound, pending, nominated or terminating, and budgets.
func drawObjects(t *rapid.T) []runtime.Object {
	var objects []runtime.Object
	var names []string
	for i := range rapid.IntRange(1, 3).Draw(t, "nodes") {
		names = append(names, fmt.Sprintf("node-%d", i))
		objects = append(objects, drawNode(t, names[i]))
	}
	for i := range rapid.IntRange(0, 4).Draw(t, "pods") {
		objects = append(objects, drawPod(t, fmt.Sprintf("pod-%d", i), names))
	}
	for i := range rapid.IntRange(0, 1).Draw(t, "budgets") {
		one := intstr.FromInt32(1)
		objects = append(objects, &policyv1.PodDisruptionBudget{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("budget-%d", i), Namespace: drawNamespace(t)},
			Spec: policyv1.PodDisruptionBudgetSpec{
				MaxUnavailable: &one,
				Selector:       &metav1.LabelSelector{MatchLabels: drawLabels(t)},
			},
			Status: policyv1.PodDisruptionBudgetStatus{
				DisruptionsAllowed: rapid.Int32Range(0, 3).Draw(t, "disruptions"),
			},
		})
	}
	return objects
}

func drawNode(t *rapid.T, name string) *v1.Node {
	node := &v1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: drawLabels(t)},
		Spec:       v1.NodeSpec{Unschedulable: rapid.Bool().Draw(t, "unschedulable")},
		Status: v1.NodeStatus{Capacity: v1.ResourceList{
			v1.ResourceCPU: drawQuantity(t), v1.ResourceMemory: drawQuantity(t),
			v1.ResourcePods: resource.MustParse("110"),
		}},
	}
	if rapid.Bool().Draw(t, "tainted") {
		effect := rapid.SampledFrom([]v1.TaintEffect{v1.TaintEffectNoSchedule, v1.TaintEffectPreferNoSchedule,
			v1.TaintEffectNoExecute})
		node.Spec.Taints = []v1.Taint{{Key: "dedicated", Value: "batch", Effect: effect.Draw(t, "effect")}}
	}
	return node
}

func drawPod(t *rapid.T, name string, nodes []string) *v1.Pod {
	pod := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: drawNamespace(t), Labels: drawLabels(t)},
		Spec: v1.PodSpec{
			PriorityClassName: rapid.SampledFrom([]string{"", "system-cluster-critical"}).Draw(t, "class"),
			Containers: []v1.Container{{
				Name: "c", Image: "registry.example/c:1",
				Resources: v1.ResourceRequirements{Requests: v1.ResourceList{v1.ResourceCPU: drawQuantity(t)}},
			}},
		},
	}
	when := metav1.NewTime(time.Date(2026, time.January, 5, 8, rapid.IntRange(0, 59).Draw(t, "minute"), 0, 0,
		time.UTC).Local())
	switch rapid.SampledFrom([]string{"pending", "nominated", "bound", "started", "terminating"}).Draw(t, "phase") {
	case "nominated":
		pod.Status.NominatedNodeName = nodes[0]
	case "bound":
		pod.Spec.NodeName = nodes[0]
	case "started":
		pod.Spec.NodeName, pod.Status.StartTime = nodes[len(nodes)-1], &when
	case "terminating":
		pod.Spec.NodeName, pod.Status.StartTime = nodes[0], &when
		seconds := int64(30)
		pod.DeletionTimestamp, pod.DeletionGracePeriodSeconds = &when, &seconds
	}
	return pod
}

func drawNamespace(t *rapid.T) string {
	return rapid.SampledFrom([]string{"default", "shop"}).Draw(t, "namespace")
}

// drawLabels draws values that YAML would take for something other than strings if they were not quoted.
func drawLabels(t *rapid.T) map[string]string {
	return map[string]string{
		"app": rapid.SampledFrom([]string{"web", "true", "1e3", "null", "007", "no", ""}).Draw(t, "app"),
	}
}

// drawQuantity draws a quantity in the form in which it is always written.
func drawQuantity(t *rapid.T) resource.Quantity {
	return resource.MustParse(rapid.SampledFrom([]string{"100m", "1", "2", "1Gi", "1500M"}).Draw(t, "quantity"))
}
