package spec_test

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// A pod spreads over all pods of its namespace. Where one is already, it does not fit, as documented; with the
// quirk the model says what kube-scheduler says.
func ExampleScheduler_With() {
	node := func(name string) *v1.Node {
		return &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"zone": name}}}
	}
	there := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "there"}, Spec: v1.PodSpec{NodeName: "west"}}
	pending := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "pending"}, Spec: v1.PodSpec{
		TopologySpreadConstraints: []v1.TopologySpreadConstraint{{
			TopologyKey: "zone", MaxSkew: 1, WhenUnsatisfiable: v1.DoNotSchedule,
			LabelSelector: &metav1.LabelSelector{},
		}},
	}}
	s := &spec.Snapshot{Nodes: []*v1.Node{node("west"), node("east")}, Pods: []*v1.Pod{there, pending}}

	documented := spec.New(&spec.Profile{Filters: []string{"PodTopologySpread"}})
	quirk := spec.SpreadEmptySelector()
	fmt.Println("documented:", documented.Feasibility(pending, s.Nodes[0], s))
	fmt.Println("with", quirk.Name+":", documented.With(quirk).Feasibility(pending, s.Nodes[0], s))
	// Output:
	// documented: false
	// with spread-empty-selector: true
}
