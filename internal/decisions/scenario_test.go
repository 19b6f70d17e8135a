package decisions_test

import (
	"fmt"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-a3f26817/modelcheck/internal/decisionstest"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

var (
	everything    = decisionstest.Everything
	themes        = decisionstest.Themes
	theme         = decisionstest.Theme
	kubeScheduler = decisionstest.KubeScheduler
	run           = decisionstest.Run
	describe      = decisionstest.Describe
	golden        = decisionstest.Golden
)

// someThemes returns every fifth theme, for what must hold of a run whatever the theme.
func someThemes(t testing.TB, nodes, pods int) []*model.Scenario {
	t.Helper()
	var some []*model.Scenario
	for i, s := range themes(t, nodes, pods) {
		if i%5 == 0 {
			some = append(some, s)
		}
	}
	return some
}

// clusters returns the scenario that begins with every cluster of up to so many nodes of these templates, and in which
// pods of these templates arrive.
func clusters(t testing.TB, nodes int, actions model.Actions, objects ...runtime.Object) *model.Scenario {
	t.Helper()
	admitted, errs := admission.Admit(objects)
	s := &spec.Snapshot{}
	for i, object := range admitted {
		if len(errs[i]) > 0 {
			t.Fatal(errs[i].ToAggregate())
		}
		switch object := object.(type) {
		case *v1.Node:
			s.Nodes = append(s.Nodes, object)
		case *v1.Pod:
			s.Pods = append(s.Pods, object)
		}
	}
	return scenario.EveryCluster("test", "", s, nodes, actions)
}

// node returns a node with so many CPUs, and taints given as effects.
func node(name, cpus string, taints ...v1.TaintEffect) *v1.Node {
	n := &v1.Node{}
	n.Name = name
	for i, effect := range taints {
		n.Spec.Taints = append(n.Spec.Taints, v1.Taint{Key: fmt.Sprintf("key-%d", i), Effect: effect})
	}
	n.Status.Allocatable = v1.ResourceList{
		v1.ResourceCPU: resource.MustParse(cpus), v1.ResourceMemory: resource.MustParse("4Gi"),
		v1.ResourcePods: resource.MustParse("2"),
	}
	return n
}

// pod returns a pod that requests so many CPUs. It has a UID, as admission takes a stated priority from stored pods
// only.
func pod(name, cpus string, priority int32) *v1.Pod {
	p := &v1.Pod{}
	p.Name, p.Namespace, p.UID = name, "default", "stored"
	p.Spec.Priority = &priority
	p.Spec.Containers = []v1.Container{{Name: "c", Image: "c", Resources: v1.ResourceRequirements{
		Requests: v1.ResourceList{v1.ResourceCPU: resource.MustParse(cpus)},
	}}}
	return p
}
