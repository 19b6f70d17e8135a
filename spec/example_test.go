package spec_test

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

func exampleNode(name, cpu string) *v1.Node {
	return &v1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Status: v1.NodeStatus{Allocatable: v1.ResourceList{
			v1.ResourcePods: resource.MustParse("110"), v1.ResourceCPU: resource.MustParse(cpu),
		}},
	}
}

func examplePod(name, cpu string, priority int32) *v1.Pod {
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: v1.PodSpec{
			Priority: &priority,
			Containers: []v1.Container{{
				Name:      "main",
				Resources: v1.ResourceRequirements{Requests: v1.ResourceList{v1.ResourceCPU: resource.MustParse(cpu)}},
			}},
		},
	}
}

func ExampleScheduler_Feasibility() {
	small, large := exampleNode("small", "1"), exampleNode("large", "4")
	pod := examplePod("web", "2", 0)
	snapshot := &spec.Snapshot{Nodes: []*v1.Node{small, large}, Pods: []*v1.Pod{pod}}

	model := spec.New(spec.DefaultProfile())
	for _, node := range snapshot.Nodes {
		fmt.Println(node.Name, model.Feasibility(pod, node, snapshot), model.Overall(pod, node, snapshot))
	}
	// Output:
	// small false [unschedulable unresolvable]
	// large true [fits]
}

func ExampleScheduler_Outcomes() {
	node := exampleNode("only", "4")
	pod := examplePod("urgent", "2", 100)
	batch, index := examplePod("batch", "2", 1), examplePod("index", "2", 2)
	batch.Spec.NodeName, index.Spec.NodeName = node.Name, node.Name
	snapshot := &spec.Snapshot{Nodes: []*v1.Node{node}, Pods: []*v1.Pod{pod, batch, index}}

	model := spec.New(spec.DefaultProfile())
	for _, outcome := range model.Outcomes(pod, snapshot) {
		fmt.Println(outcome.Type, "on", snapshot.Nodes[outcome.Node].Name)
		for _, victim := range outcome.Victims {
			fmt.Println("evicting", victim.Name)
		}
	}
	// Output:
	// preempt on only
	// evicting batch
}

func ExampleScheduler_Scores() {
	half, empty := exampleNode("half full", "4"), exampleNode("empty", "4")
	pod, other := examplePod("web", "1", 0), examplePod("other", "2", 0)
	other.Spec.NodeName = half.Name
	snapshot := &spec.Snapshot{Nodes: []*v1.Node{half, empty}, Pods: []*v1.Pod{pod, other}}

	model := spec.New(&spec.Profile{
		Filters:      []string{"NodeResourcesFit"},
		ScorePlugins: []spec.Weighted{{Plugin: "NodeResourcesFit", Weight: 2}},
		Fit:          spec.FitArgs{Resources: []spec.ResourceWeight{{Resource: v1.ResourceCPU, Weight: 1}}},
	})
	feasible := model.Feasible(pod, snapshot)
	for i, scores := range model.Scores(pod, feasible, snapshot) {
		fmt.Printf("%s: %d\n", feasible[i].Name, spec.Total(scores))
	}
	// Output:
	// half full: 50
	// empty: 150
}

func ExampleRequests() {
	always := v1.ContainerRestartPolicyAlways
	pod := examplePod("web", "1", 0)
	proxy, setup := pod.Spec.Containers[0], pod.Spec.Containers[0]
	proxy.Name, proxy.RestartPolicy = "proxy", &always
	setup.Name, setup.Resources.Requests = "setup", v1.ResourceList{v1.ResourceCPU: resource.MustParse("2")}
	pod.Spec.InitContainers = []v1.Container{proxy, setup}

	requests := spec.Requests(pod)
	fmt.Println("setup runs beside proxy:", requests.Cpu())
	// Output:
	// setup runs beside proxy: 3
}
