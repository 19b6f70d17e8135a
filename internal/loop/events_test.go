package loop_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestEvents has for each kind of event those that are made for one state.
func TestEvents(t *testing.T) {
	meta := func(namespace, name string, labels map[string]string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: labels}
	}
	capacity := func(cpu string) v1.NodeStatus {
		return v1.NodeStatus{Allocatable: v1.ResourceList{"cpu": resource.MustParse(cpu)}}
	}
	asks := func(cpu string) v1.PodSpec {
		requests := v1.ResourceList{"cpu": resource.MustParse(cpu)}
		return v1.PodSpec{Containers: []v1.Container{{Resources: v1.ResourceRequirements{Requests: requests}}}}
	}
	on := func(node string, s v1.PodSpec) v1.PodSpec {
		s.NodeName = node
		return s
	}
	tainted := v1.NodeSpec{Taints: []v1.Taint{{Key: "dedicated", Effect: v1.TaintEffectNoSchedule}}}
	kinds := &spec.Snapshot{
		Namespaces: []*v1.Namespace{
			{ObjectMeta: meta("", "prod", map[string]string{"env": "prod", v1.LabelMetadataName: "prod"})},
			{ObjectMeta: meta("", "dev", map[string]string{v1.LabelMetadataName: "dev"})},
			{ObjectMeta: meta("", "test", map[string]string{v1.LabelMetadataName: "test"})},
		},
		Nodes: []*v1.Node{
			{ObjectMeta: meta("", "n", map[string]string{"disk": "ssd", v1.LabelHostname: "n"}), Status: capacity("1")},
			{
				ObjectMeta: meta("", "m", map[string]string{"disk": "hdd", v1.LabelHostname: "m"}),
				Status:     capacity("2"),
				Spec:       tainted,
			},
		},
		Pods: []*v1.Pod{
			{ObjectMeta: meta("prod", "p", map[string]string{"app": "x"})},
			{ObjectMeta: meta("prod", "q", nil), Spec: asks("2")},
		},
		StorageClasses: []*storagev1.StorageClass{
			{ObjectMeta: meta("", "fast", nil)},
			{ObjectMeta: meta("", "slow", nil)},
		},
	}
	state := &loop.State{API: &spec.Snapshot{
		Namespaces: kinds.Namespaces[:2], Nodes: loop.Clusters(kinds, 1, 1)[0].Nodes,
		StorageClasses: kinds.StorageClasses[:1],
		Pods: []*v1.Pod{
			{ObjectMeta: meta("prod", "bound", map[string]string{"app": "x"}), Spec: on("n-1", asks("1"))},
			{
				ObjectMeta: meta("prod", "gated", nil),
				Spec:       v1.PodSpec{SchedulingGates: []v1.PodSchedulingGate{{Name: "g"}}},
			},
			{ObjectMeta: meta("prod", "pending", nil)},
		},
	}}
	for kind, want := range map[loop.EventType][]string{
		loop.NodeLabels:   {"Node n-1: labels: it has disk=hdd instead", "Node n-1: labels: it loses disk"},
		loop.NodeTaints:   {"Node n-1: taints: it has those of m"},
		loop.NodeCordon:   {"Node n-1: cordon: it is cordoned"},
		loop.NodeCapacity: {"Node n-1: capacity: it has that of m"},
		loop.NodeRemoved:  nil, // a pod is bound to it
		loop.NodeAdded:    {"Node n-2 is created", "Node m-1 is created"},
		loop.PodDeleted:   {"Pod prod/bound is deleted", "Pod prod/gated is deleted", "Pod prod/pending is deleted"},
		loop.PodLabels: {"Pod prod/bound: labels: it has none", "Pod prod/gated: labels: it has app=x",
			"Pod prod/pending: labels: it has app=x"},
		loop.PodBound: {"Pod prod/pending: binding: somebody else binds it to n-1"},
		loop.PodNominated: {
			"Pod prod/gated: nomination: somebody else nominates it to n-1",
			"Pod prod/pending: nomination: somebody else nominates it to n-1",
		},
		loop.PodUngated: {"Pod prod/gated: gates: they are removed",
			"Pod prod/gated: gates: they are removed, and it gets a label and a toleration"},
		loop.PodCompleted:     {"Pod prod/bound completes"},
		loop.PodResized:       {"Pod prod/bound: resize: it has the requests of q"},
		loop.NamespaceAdded:   {"Namespace test is created"},
		loop.NamespaceRemoved: {"Namespace dev is deleted"},
		loop.NamespaceLabels:  {"Namespace prod: labels: it has none", "Namespace dev: labels: it has env=prod"},
		loop.ObjectRemoved:    {"StorageClass fast is deleted"},
		loop.ObjectAdded:      {"StorageClass slow is created"},
		loop.Restarted:        {"the scheduler restarts"},
	} {
		scope := &loop.Scope{Templates: kinds, Events: 1, Happens: []loop.EventType{kind}}
		var got []string
		for _, action := range scope.Actions(state, loop.Used{}) {
			got = append(got, action.String())
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", kind, diff)
		}
		if scope.Nodes = 1; kind == loop.NodeAdded && len(scope.Actions(state, loop.Used{})) > 0 {
			t.Error("a second node is added, and there may be one")
		}
		if left := scope.Actions(state, loop.Used{Events: 1}); left != nil {
			t.Errorf("%s: there is no event left, and yet %v", kind, left)
		}
	}
}

// TestEventsOfBareNode: a node without labels may get those that others have.
func TestEventsOfBareNode(t *testing.T) {
	bare := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "bare"}}
	kinds := &spec.Snapshot{
		Nodes: []*v1.Node{bare, {ObjectMeta: metav1.ObjectMeta{Name: "n", Labels: map[string]string{"disk": "ssd"}}}},
	}
	scope := &loop.Scope{Templates: kinds, Events: 1, Happens: []loop.EventType{loop.NodeLabels}}
	actions := scope.Actions(&loop.State{API: &spec.Snapshot{Nodes: []*v1.Node{bare}}}, loop.Used{})
	if len(actions) != 1 || actions[0].String() != "Node bare: labels: it has disk=ssd" || bare.Labels != nil {
		t.Errorf("actions %v, and the node has %v", actions, bare.Labels)
	}
}

// TestClusters: every multiset of kinds is one cluster, smallest first.
func TestClusters(t *testing.T) {
	kinds := &spec.Snapshot{
		Nodes: []*v1.Node{{ObjectMeta: metav1.ObjectMeta{Name: "n"}}, {ObjectMeta: metav1.ObjectMeta{Name: "m"}}},
	}
	var got [][]string
	for _, cluster := range loop.Clusters(kinds, 1, 2) {
		var names []string
		for _, node := range cluster.Nodes {
			names = append(names, node.Name)
		}
		got = append(got, names)
	}
	want := [][]string{{"n-1"}, {"m-1"}, {"n-1", "n-2"}, {"n-1", "m-1"}, {"m-1", "m-2"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("clusters (-want +got):\n%s", diff)
	}
}
