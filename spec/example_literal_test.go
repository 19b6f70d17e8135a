package spec_test

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// The model as first written compares requests with all that a node has, whoever is on it: erratum E3.
func ExampleNewLiteral() {
	one := v1.ResourceList{v1.ResourceCPU: resource.MustParse("1"), v1.ResourcePods: resource.MustParse("10")}
	node := &v1.Node{Status: v1.NodeStatus{Allocatable: one}}
	node.Name = "node"
	pod := func(name string) *v1.Pod {
		p := &v1.Pod{
			Spec: v1.PodSpec{
				Containers: []v1.Container{
					{
						Resources: v1.ResourceRequirements{
							Requests: v1.ResourceList{v1.ResourceCPU: one[v1.ResourceCPU]},
						},
					},
				},
			},
		}
		p.Name = name
		return p
	}
	old, young := pod("old"), pod("young")
	old.Spec.NodeName = "node"
	s := &spec.Snapshot{Nodes: []*v1.Node{node}, Pods: []*v1.Pod{old, young}}

	m := spec.NewLiteral(spec.DefaultProfile())
	for _, erratum := range m.Explanations() {
		if erratum.Erratum == nil {
			continue
		}
		if mended := m.With(erratum); mended.Feasibility(young, node, s) != m.Feasibility(young, node, s) {
			fmt.Println(m.Reading(), "reading:", m.Feasibility(young, node, s), "but",
				mended.Feasibility(young, node, s), "with", erratum.Name, "mended")
		}
	}
	fmt.Println(spec.Kubernetes, "reading:", m.Documented().Feasibility(young, node, s))
	// Output:
	// literal reading: true but false with E3 mended
	// kubernetes reading: false
}
