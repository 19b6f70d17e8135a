package fields

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestSeen: what was seen of fields that are left out, empty and set, in this order and any other, and after it was
// written and read.
func TestSeen(t *testing.T) {
	class := ""
	pods := []*v1.Pod{
		{Spec: v1.PodSpec{
			NodeSelector: map[string]string{"disk": "ssd"},
			Tolerations:  []v1.Toleration{{Key: "a", Operator: v1.TolerationOpExists}, {}},
			Overhead:     v1.ResourceList{v1.ResourceCPU: resource.MustParse("1000m")},
			Affinity: &v1.Affinity{
				PodAffinity: &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{
					{LabelSelector: &metav1.LabelSelector{}}, {Namespaces: []string{"x", "y"}},
				}},
			},
		}},
		{Spec: v1.PodSpec{NodeSelector: map[string]string{}, Affinity: &v1.Affinity{}}},
		{},
	}
	claims := []*v1.PersistentVolumeClaim{{Spec: v1.PersistentVolumeClaimSpec{StorageClassName: &class}}, {}}
	want := map[string]Seen{
		"Pod.spec.nodeSelector":           {Unset: true, Empty: true, Set: true, Values: []string{"disk=ssd"}},
		"Pod.spec.tolerations":            {Unset: true, Set: true},
		"Pod.spec.tolerations[].key":      {Unset: true, Set: true, Values: []string{"a"}},
		"Pod.spec.tolerations[].operator": {Unset: true, Set: true, Values: []string{"Exists"}},
		"Pod.spec.overhead":               {Unset: true, Set: true, Values: []string{"cpu=1"}},
		"Pod.spec.affinity":               {Unset: true, Empty: true, Set: true},
		"Pod.spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[].labelSelector": {
			Unset: true,
			Empty: true,
		},
		"Pod.spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[].namespaces": {
			Unset:  true,
			Set:    true,
			Values: []string{"x", "y"},
		},
		"Pod.spec.priority":                           {Unset: true},
		"PersistentVolumeClaim.spec.storageClassName": {Unset: true, Empty: true},
	}
	for _, backwards := range []bool{false, true} {
		if backwards {
			slices.Reverse(pods)
		}
		var one, other, together Coverage
		one.Add(&spec.Snapshot{Pods: pods[:1]})
		other.Add(&spec.Snapshot{Pods: pods[1:], PersistentVolumeClaims: claims})
		for _, part := range []Coverage{one, other} {
			text, err := json.Marshal(part.Seen())
			var read map[string]Seen
			if err == nil {
				err = json.Unmarshal(text, &read)
			}
			if err != nil {
				t.Fatal(err)
			}
			together.Merge(read)
		}
		for path, want := range want {
			if diff := cmp.Diff(want, together.Seen()[path]); diff != "" {
				t.Errorf("%s, backwards %v (-want +got):\n%s", path, backwards, diff)
			}
		}
		if _, seen := together.Seen()["Pod.spec.containers[].livenessProbe"]; seen {
			t.Error("what nobody reads was looked at")
		}
	}
}

// TestPaths: the fields are those of the API's types that are not in the table.
func TestPaths(t *testing.T) {
	all := Paths()
	for path, want := range map[string]bool{
		"Pod.spec.topologySpreadConstraints[].minDomains": true,
		"Pod.spec.containers[].resources.requests":        true,
		"Pod.spec.initContainers[].restartPolicy":         true,
		"Node.status.images[].sizeBytes":                  true,
		"PodDisruptionBudget.status.disruptionsAllowed":   true,
		"CSINode.spec.drivers[].allocatable.count":        true,
		"Pod.metadata":                                          false, // it is always there
		"Pod.spec.containers[].livenessProbe":                   false,
		"Pod.spec.initContainers[].livenessProbe.periodSeconds": false,
		"Pod.spec.securityContext.runAsUser":                    false,
	} {
		if slices.Contains(all, path) != want {
			t.Errorf("%s is among the fields: %v, want %v", path, !want, want)
		}
	}
	if !slices.IsSorted(all) || len(slices.Compact(slices.Clone(all))) != len(all) {
		t.Error("the fields are not in order, or twice there")
	}
}

func TestNeverVaried(t *testing.T) {
	got := NeverVaried([]Field{
		{"Pod.spec.affinity", Seen{Unset: true}},
		{"Pod.spec.affinity.nodeAffinity", Seen{}},
		{"Pod.spec.nodeSelector", Seen{Unset: true, Empty: true}},
		{"Pod.spec.priority", Seen{Set: true, Values: []string{"0"}}},
		{"Pod.spec.tolerations", Seen{Set: true}},
		{"Pod.spec.tolerations[].key", Seen{Set: true, Values: []string{"a", "b"}}},
		{"Pod.spec.tolerations[].operator", Seen{Unset: true}},
	})
	want := []Group{
		{"Pod.spec", []string{"affinity", "priority=0"}},
		{"Pod.spec.tolerations[]", []string{"operator"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("never varied (-want +got):\n%s", diff)
	}
}

// TestEveryKind: whatever a snapshot holds is covered.
func TestEveryKind(t *testing.T) {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[spec.Snapshot]()) {
		if !field.IsExported() || field.Type.Kind() != reflect.Slice {
			continue
		}
		object := reflect.New(field.Type.Elem().Elem())
		object.Elem().FieldByName("Name").SetString("a")
		snapshot := &spec.Snapshot{}
		reflect.ValueOf(snapshot).Elem().FieldByIndex(field.Index).Set(reflect.Append(reflect.Zero(field.Type), object))
		var c Coverage
		c.Add(snapshot)
		if kind := object.Elem().Type().Name(); kinds[kind] == nil || !c.Seen()[kind+".metadata.name"].Set {
			t.Errorf("%s of the snapshot are not covered", field.Name)
		}
	}
}
