package model_test

import (
	"context"
	"fmt"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// reachable counts the states by going through all of them, with the decisions of the spec.
func reachable(t *testing.T, s *model.Scenario, m *spec.Scheduler) int {
	t.Helper()
	catalog := model.NewCatalog()
	machine, err := model.NewMachine(s, catalog)
	if err != nil {
		t.Fatal(err)
	}
	tables, builder := model.NewTables(catalog, m), machine.NewQuestionBuilder()
	seen := map[string]bool{}
	var queue []string
	find := func(a *model.Arrangement) {
		a.Canonical()
		state := make([]byte, machine.Width())
		if machine.Pack(a, state); !seen[string(state)] {
			seen[string(state)] = true
			queue = append(queue, string(state))
		}
	}
	machine.Initial(func(state []byte) {
		seen[string(state)] = true
		queue = append(queue, string(state))
	})
	for len(queue) > 0 {
		var now, next model.Arrangement
		machine.Unpack([]byte(queue[0]), &now)
		queue = queue[1:]
		now.Environment(machine.Scenario, func(action model.Action) {
			next.CopyFrom(&now)
			next.Act(machine.Scenario, action, 0)
			find(&next)
		})
		for _, pending := range now.PendingPods(machine.Scenario, nil) {
			builder.Enter(&now)
			_, order := builder.Build(pending)
			q := builder.Question(pending)
			evaluation := tables.Evaluate(q)
			for _, outcome := range evaluation.Expected.Outcomes {
				move, err := q.Move(outcome, evaluation.PodsOf)
				if err != nil {
					t.Fatal(err)
				}
				if move.Node >= 0 {
					move.Node = order[move.Node]
				}
				next.CopyFrom(&now)
				next.Apply(machine.Scenario, pending, move)
				find(&next)
			}
		}
	}
	return len(seen)
}

// estimated is a scenario of two node templates and two of pod, in which every cluster of the given size is a
// beginning.
func estimated(nodes, arrivals int, high int32, change func(*model.Scenario)) *model.Scenario {
	node := func(name, cpu string) *v1.Node {
		return &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Status: v1.NodeStatus{Allocatable: v1.ResourceList{
			v1.ResourceCPU: resource.MustParse(cpu), v1.ResourcePods: resource.MustParse("10"),
		}}}
	}
	pod := func(name, cpu string, priority int32) *v1.Pod {
		return &v1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
			Spec: v1.PodSpec{Priority: &priority, Containers: []v1.Container{{
				Name: "c", Resources: v1.ResourceRequirements{
					Requests: v1.ResourceList{v1.ResourceCPU: resource.MustParse(cpu)}},
			}}},
		}
	}
	s := &model.Scenario{
		Name: "estimated",
		Nodes: []model.NodeTemplate{
			{Name: "small", Node: node("small", "2")},
			{Name: "large", Node: node("large", "3")},
		},
		Pods: []model.PodTemplate{
			{Name: "low", Pod: pod("low", "1", 0)},
			{Name: "high", Pod: pod("high", "2", high)},
		},
		Actions: model.Actions{Arrivals: arrivals, Preempt: true, VictimGone: true},
	}
	for large := 0; large <= nodes; large++ {
		var cluster model.Cluster
		for i := range nodes {
			template := 0
			if i < large {
				template = 1
			}
			cluster.Nodes = append(cluster.Nodes, model.ClusterNode{Template: template})
		}
		s.Initial = append(s.Initial, cluster)
	}
	if change != nil {
		change(s)
	}
	return s
}

// evicting lets the scenario begin with so many pods on its node, no two alike, which all have to go for the one
// that waits.
func evicting(s *model.Scenario, victims int) {
	s.Initial = s.Initial[:1]
	cluster := &s.Initial[0]
	for i := range victims {
		template := model.PodTemplate{Name: fmt.Sprintf("victim-%d", i), Pod: s.Pods[0].Pod.DeepCopy()}
		template.Pod.Name = template.Name
		template.Pod.Labels = map[string]string{"app": template.Name}
		template.Pod.Spec.Containers[0].Resources.Requests[v1.ResourceCPU] = resource.MustParse("10m")
		cluster.Nodes[0].Bound = append(cluster.Nodes[0].Bound, model.ClusterPod{Template: len(s.Pods)})
		s.Pods = append(s.Pods, template)
	}
	cluster.Pending = []model.ClusterPod{{Template: 1}}
}

// estimate is EstimateStates without an end.
func estimate(s *model.Scenario, m *spec.Scheduler, effort int) (model.Estimate, error) {
	return model.EstimateStates(context.Background(), s, m, effort)
}

func TestEstimateStates(t *testing.T) {
	const effort = 10_000
	tests := []struct {
		reason   string
		scenario *model.Scenario
		effort   int
		// The estimate may be so many times the number, at least and at most.
		least, most float64
	}{
		{"without preemption it is exact", estimated(2, 4, 0, nil), effort, 1, 1},
		{"with more nodes and pods too", estimated(3, 5, 0, nil), effort, 1, 1},
		{
			"with pods that complete too",
			estimated(2, 4, 0, func(s *model.Scenario) { s.Actions.Completions = 1 }),
			effort,
			1,
			1,
		},
		{
			"with pods bound by hand too",
			estimated(2, 3, 0, func(s *model.Scenario) { s.Actions.Placements = 2 }),
			effort,
			1,
			1,
		},
		{"with pods that pend in the initial state too", estimated(2, 2, 0, func(s *model.Scenario) {
			for i := range s.Initial {
				s.Initial[i].Pending = []model.ClusterPod{{Template: 0}, {Template: 0}, {Template: 1}}
			}
		}), effort, 1, 1},
		{"with nothing to arrive it counts what is there", estimated(2, 0, 0, func(s *model.Scenario) {
			for i := range s.Initial {
				s.Initial[i].Pending = []model.ClusterPod{{Template: 0}, {Template: 1}}
			}
		}), effort, 1, 1},
		{"preemptions put it off a little", estimated(2, 5, 10, nil), effort, 0.9, 1.2},
		{"so do deletions", estimated(2, 4, 0, func(s *model.Scenario) { s.Actions.Deletions = 1 }), effort, 0.9, 1.2},
		{
			"evicted pods that come back too, though more may be pending than in the initial state",
			estimated(1, 0, 10, func(s *model.Scenario) {
				evicting(s, 3)
				s.Actions.Recreations = 3
			}),
			effort,
			0.9,
			2,
		},
		{
			"pods that were evicted are not decided about",
			estimated(1, 0, 10, func(s *model.Scenario) { evicting(s, 8) }),
			60,
			0.2,
			4,
		},
		{"little effort gives more than there are, not less", estimated(3, 5, 0, nil), 60, 1, 4},
	}
	m := spec.New(spec.DefaultProfile())
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			got, err := estimate(tt.scenario, m, tt.effort)
			if err != nil {
				t.Fatal(err)
			}
			want := float64(reachable(t, tt.scenario, m))
			if ratio := got.States / want; ratio < tt.least || ratio > tt.most {
				t.Errorf("the estimate is %g (exact %t), there are %g: %.2f times as many", got.States, got.Exact, want,
					ratio)
			}
			if got.Exact != (tt.effort == effort) {
				t.Errorf("exact is %t", got.Exact)
			}
		})
	}
}

// An estimate of what cannot be counted is large, and takes no time.
func TestEstimateOfTheImmense(t *testing.T) {
	got, err := estimate(estimated(8, 240, 10, nil), spec.New(spec.DefaultProfile()), 100)
	if err != nil {
		t.Fatal(err)
	}
	if got.Exact || !(got.States > 1e9) {
		t.Errorf("estimate %+v", got)
	}
}

func TestEstimateRefusesWhatExceedsTheEncoding(t *testing.T) {
	if got, err := estimate(estimated(1, 251, 0, nil), spec.New(spec.DefaultProfile()), 100); err == nil {
		t.Errorf("251 pods are estimated at %+v, want an error", got)
	}
}

func ExampleEstimateStates() {
	states, err := model.EstimateStates(
		context.Background(), estimated(2, 3, 0, nil), spec.New(spec.DefaultProfile()), 1000)
	fmt.Println(states.States, states.Exact, err)
	// Output: 110 true <nil>
}
