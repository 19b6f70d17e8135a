package spec_test

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

func ExampleMatchesPod() {
	snapshot := &spec.Snapshot{Namespaces: []*v1.Namespace{
		{ObjectMeta: metav1.ObjectMeta{Name: "prod", Labels: map[string]string{"env": "prod"}}},
		{ObjectMeta: metav1.ObjectMeta{Name: "dev", Labels: map[string]string{"env": "dev"}}},
	}}
	web, db := examplePod("web", "1", 0), examplePod("db", "1", 0)
	web.Namespace, db.Namespace, db.Labels = "dev", "prod", map[string]string{"app": "db"}

	own := v1.PodAffinityTerm{
		TopologyKey:   "zone",
		LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "db"}},
	}
	everywhere := own
	everywhere.NamespaceSelector = &metav1.LabelSelector{}
	fmt.Println(spec.MatchesPod(own, web, db, snapshot), spec.MatchesPod(everywhere, web, db, snapshot))
	// Output: false true
}

func ExamplePodTopologySpread() {
	var nodes []*v1.Node
	for _, zone := range []string{"a", "b", "c"} {
		node := exampleNode("in-"+zone, "4")
		node.Labels = map[string]string{"zone": zone}
		nodes = append(nodes, node)
	}
	pod, first := examplePod("second", "1", 0), examplePod("first", "1", 0)
	pod.Labels, first.Labels, first.Spec.NodeName = map[string]string{
		"app": "web",
	}, map[string]string{
		"app": "web",
	}, "in-a"
	pod.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{
		TopologyKey: "zone", MaxSkew: 1, WhenUnsatisfiable: v1.DoNotSchedule,
		LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
	}}
	snapshot := &spec.Snapshot{Nodes: nodes, Pods: []*v1.Pod{pod, first}}

	filter, profile := spec.PodTopologySpread(), spec.DefaultProfile()
	for _, node := range nodes {
		fmt.Println(node.Name, filter.Holds(profile, pod, node, snapshot))
	}
	// Output:
	// in-a false
	// in-b true
	// in-c true
}
