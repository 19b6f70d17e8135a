package decisions

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// large is a question with more in it than any test of smallest asks for.
func large() spec.Question {
	start := metav1.Now()
	named := func(name, node string) *v1.Pod {
		priority := int32(5)
		pod := &v1.Pod{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: "ns",
				Name:      name,
				Labels:    map[string]string{"app": "x", "tier": "y"},
			},
		}
		pod.Spec = v1.PodSpec{NodeName: node, Priority: &priority, Tolerations: []v1.Toleration{{Key: "a"}, {Key: "b"}}}
		pod.Status.StartTime = &start
		return pod
	}
	node := func(name string) *v1.Node {
		n := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
		n.Spec.Unschedulable = true
		n.Spec.Taints = []v1.Taint{{Key: "a"}, {Key: "b"}}
		return n
	}
	pending := named("pending", "")
	pending.Status.NominatedNodeName = "n1"
	namespaces := []*v1.Namespace{
		{ObjectMeta: metav1.ObjectMeta{Name: "ns"}},
		{ObjectMeta: metav1.ObjectMeta{Name: "empty"}},
	}
	return spec.Question{Pod: pending, Snapshot: &spec.Snapshot{
		Nodes: []*v1.Node{node("n1"), node("n2")}, Pods: []*v1.Pod{pending, named("p1", "n1"), named("p2", "n2")},
		Namespaces: namespaces,
	}}
}

func TestSmallest(t *testing.T) {
	tainted := func(q spec.Question) bool {
		return slices.ContainsFunc(q.Snapshot.Nodes, func(n *v1.Node) bool {
			return slices.ContainsFunc(n.Spec.Taints, func(taint v1.Taint) bool { return taint.Key == "b" })
		})
	}
	type said struct {
		Nodes, Pods, Namespaces, Taints, Tolerations, Labels int
		Cordoned                                             bool
		Nomination                                           string
	}
	for _, row := range []struct {
		reason string
		valid  func(runtime.Object) bool
		holds  func(spec.Question) bool
		want   said
	}{
		{"nothing is needed", nil, func(spec.Question) bool { return true }, said{Nodes: 1, Pods: 1, Namespaces: 1}},
		{"everything is needed", nil, func(q spec.Question) bool { return false },
			said{Nodes: 2, Pods: 3, Namespaces: 2, Taints: 4, Tolerations: 6, Labels: 6, Cordoned: true,
				Nomination: "n1"}},
		{"a taint is needed", nil, tainted, said{Nodes: 1, Pods: 1, Namespaces: 1, Taints: 1}},
		{"a pod is needed, and with it its node", nil, func(q spec.Question) bool { return len(q.Snapshot.Pods) > 1 },
			said{Nodes: 1, Pods: 2, Namespaces: 1}},
		{"a nomination is needed", nil, func(q spec.Question) bool { return q.Pod.Status.NominatedNodeName != "" },
			said{Nodes: 1, Pods: 1, Namespaces: 1, Nomination: "n1"}},
		{"a pod without tolerations is not valid", func(o runtime.Object) bool {
			pod, is := o.(*v1.Pod)
			return !is || len(pod.Spec.Tolerations) > 0
		}, func(spec.Question) bool { return true }, said{Nodes: 1, Pods: 1, Namespaces: 1, Tolerations: 1}},
	} {
		q := Smallest(large(), row.valid, row.holds)
		got := said{
			Nodes:      len(q.Snapshot.Nodes),
			Pods:       len(q.Snapshot.Pods),
			Namespaces: len(q.Snapshot.Namespaces),
			Nomination: q.Pod.Status.NominatedNodeName,
		}
		for _, node := range q.Snapshot.Nodes {
			got.Taints += len(node.Spec.Taints)
			got.Cordoned = got.Cordoned || node.Spec.Unschedulable
		}
		for _, pod := range q.Snapshot.Pods {
			got.Tolerations += len(pod.Spec.Tolerations)
			got.Labels += len(pod.Labels)
			if spec.Priority(pod) != 5 || pod.Status.StartTime == nil {
				t.Errorf("%s: pod %s lost its priority or start time", row.reason, pod.Name)
			}
		}
		if !slices.Contains(q.Snapshot.Pods, q.Pod) {
			t.Errorf("%s: the pending pod is not in the snapshot", row.reason)
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
}

func TestKeyOfQuestion(t *testing.T) {
	for _, row := range []struct {
		reason string
		change func(q *spec.Question)
		same   bool
	}{
		{"objects of their own", func(*spec.Question) {}, true},
		{"another name of a pod", func(q *spec.Question) { q.Snapshot.Pods[1].Name = "other" }, true},
		{"another order of pods", func(q *spec.Question) { slices.Reverse(q.Snapshot.Pods) }, true},
		{"another label", func(q *spec.Question) { q.Snapshot.Pods[1].Labels["app"] = "z" }, false},
		{"another node", func(q *spec.Question) { q.Snapshot.Pods[1].Spec.NodeName = "n2" }, false},
		{"a pod less", func(q *spec.Question) { q.Snapshot.Pods = q.Snapshot.Pods[:2] }, false},
		{"another order of nodes, which may matter", func(q *spec.Question) { slices.Reverse(q.Snapshot.Nodes) },
			false},
		{"another pod asks", func(q *spec.Question) {
			q.Pod = q.Snapshot.Pods[1]
		}, false},
		{"another name of a pod that volume claims are made for", func(q *spec.Question) {
			q.Snapshot.Pods[1].Spec.Volumes = []v1.Volume{
				{VolumeSource: v1.VolumeSource{Ephemeral: &v1.EphemeralVolumeSource{}}}}
		}, false},
	} {
		one, other := large(), large()
		for i, pod := range one.Snapshot.Pods {
			other.Snapshot.Pods[i].Status.StartTime = pod.Status.StartTime
		}
		row.change(&other)
		if same := keyOfQuestion(one) == keyOfQuestion(other); same != row.same {
			t.Errorf("%s: the same question: %t, want %t", row.reason, same, row.same)
		}
	}
}
