package admission_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
)

func objects(pods ...*v1.Pod) (all []runtime.Object) {
	for _, pod := range pods {
		all = append(all, pod)
	}
	return all
}

// TestAlike: what is wrong with a pod is said, whether or not pods that are otherwise alike are valid.
func TestAlike(t *testing.T) {
	stored := func(change ...func(*v1.Pod)) *v1.Pod {
		all := []func(*v1.Pod){fromCluster, withPriority(0), func(pod *v1.Pod) { pod.Spec.NodeName = "n1" }}
		return pod(append(all, change...)...)
	}
	if key, same := admission.KeyOf(stored()), admission.KeyOf(stored(func(pod *v1.Pod) {
		pod.Name, pod.UID, pod.ResourceVersion, pod.Spec.NodeName, pod.Status.Phase = "b", "6", "7", "n2", v1.PodRunning
	})); key != same {
		t.Error("pods that are alike are not found to be")
	}
	for _, test := range []struct {
		reason string
		change func(*v1.Pod)
	}{
		{"a name that is none", func(pod *v1.Pod) { pod.Name = "A b" }},
		{"no name", func(pod *v1.Pod) { pod.Name = "" }},
		{"a name of a node that is none", func(pod *v1.Pod) { pod.Spec.NodeName = "N_1" }},
		{"a label that is none", func(pod *v1.Pod) { pod.Labels = map[string]string{"a": "b c"} }},
		{"a container without an image", func(pod *v1.Pod) { pod.Spec.Containers[0].Image = "" }},
		{"a condition without a type", func(pod *v1.Pod) { pod.Status.Conditions = []v1.PodCondition{{Type: "a b"}} }},
		{"no namespace", func(pod *v1.Pod) { pod.Namespace = "" }},
	} {
		t.Run(test.reason, func(t *testing.T) {
			_, alone := admission.Admit(objects(stored(test.change)))
			_, after := admission.Admit(objects(stored(), stored(test.change), stored()))
			if len(alone[0]) == 0 || len(after[0])+len(after[2]) > 0 {
				t.Fatalf("errors %v, and of the pods beside it %v and %v", alone[0], after[0], after[2])
			}
			if diff := cmp.Diff(alone[0].ToAggregate().Error(), after[1].ToAggregate().Error()); diff != "" {
				t.Errorf("(-alone +after one that is alike):\n%s", diff)
			}
		})
	}
	t.Run("a mirror pod without a node", func(t *testing.T) {
		mirror := func(pod *v1.Pod) { pod.Annotations = map[string]string{v1.MirrorPodAnnotationKey: "x"} }
		_, errs := admission.Admit(objects(stored(mirror), stored(mirror, func(pod *v1.Pod) { pod.Spec.NodeName = "" })))
		if len(errs[0]) > 0 || len(errs[1]) == 0 {
			t.Errorf("errors %v with a node, %v without", errs[0], errs[1])
		}
	})
}
