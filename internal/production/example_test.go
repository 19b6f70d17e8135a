package production_test

import (
	"context"
	"fmt"
	"log"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/spec"
)

func ExampleScheduler_Decide() {
	cfg, err := production.DefaultConfig()
	if err != nil {
		log.Fatal(err)
	}
	scheduler, err := production.New(context.Background(), cfg, v1.DefaultSchedulerName, production.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer scheduler.Close()

	node := func(name string, taints ...v1.Taint) *v1.Node {
		return &v1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name, UID: "1"},
			Spec:       v1.NodeSpec{Taints: taints},
			Status:     v1.NodeStatus{Allocatable: v1.ResourceList{v1.ResourcePods: resource.MustParse("10")}},
		}
	}
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web", UID: "2"}}
	decision := scheduler.Decide(spec.Question{Pod: pod, Snapshot: &spec.Snapshot{
		Nodes: []*v1.Node{node("a", v1.Taint{Key: "gpu", Effect: v1.TaintEffectNoSchedule}), node("b")},
		Pods:  []*v1.Pod{pod},
	}})

	for k, plugin := range decision.Filters {
		if status := decision.Nodes[0].Statuses[k]; status != spec.Fits {
			fmt.Printf("a: %s %s\n", plugin, status)
		}
	}
	for _, outcome := range decision.Outcomes {
		fmt.Println(outcome.Type, outcome.Node)
	}
	// Output:
	// a: TaintToleration unresolvable
	// bind 1
}

func ExampleLoadConfig() {
	cfg, err := production.LoadConfig("scheduler.yaml", []byte(`
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: packing
  pluginConfig:
  - name: NodeResourcesFit
    args: {scoringStrategy: {type: MostAllocated}}
`))
	if err != nil {
		log.Fatal(err)
	}
	profile, err := cfg.Spec("packing")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(cfg.Profiles(), profile.Fit.Strategy)
	// Output: [packing] MostAllocated
}
