package model

import (
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestStartsInOrder: along every trace pods start in the order in which they are bound, and one that is bound
// starts after all others of its priority; in states, ranks have no gaps.
func TestStartsInOrder(t *testing.T) {
	s := environments()["pods start in order"]
	e := explore(t, s)
	ranks := 0
	for _, state := range e.order {
		states, actions := e.trace(state)
		stages, err := e.machine.Walk(states, actions, e.moves)
		if err != nil {
			t.Fatal(err)
		}
		var order []string // bound pods that can be preempted, in the order of binding
		for i, stage := range stages {
			there := map[string]*v1.Pod{}
			for _, pod := range stage.Cluster.Pods {
				if pod.Spec.NodeName != "" && spec.Priority(pod) == 0 {
					there[pod.Name] = pod
				}
			}
			order = slices.DeleteFunc(order, func(name string) bool { return there[name] == nil })
			if i > 0 {
				if step := stages[i-1].Step; (step.Class == Bind || step.Class == ByHand) &&
					spec.Priority(step.Pod) == 0 {
					order = append(order, step.Pod.Name)
				}
			}
			if len(order) != len(there) {
				t.Fatalf("%d pods are bound, %d were", len(there), len(order))
			}
			for j, name := range order {
				if want := startOf(&v1.Pod{}, j+1); !there[name].Status.StartTime.Equal(want) {
					t.Fatalf("%s was bound as number %d of those there, and starts at %v, want %v", name, j+1,
						there[name].Status.StartTime, want)
				}
			}
			ranks = max(ranks, len(order))
		}
	}
	if ranks < 2 {
		t.Errorf("no more than %d pods were ranked", ranks)
	}
}

// TestRankAll: what is bound in the initial state is ranked by what its template says of its start, and equal
// starts are equal.
func TestRankAll(t *testing.T) {
	s := smallScenario(0, 0)
	s.Actions.StartInOrder = true
	later := s.Pods[0]
	later.Name, later.Pod = "later", later.Pod.DeepCopy()
	later.Pod.Status.StartTime = startOf(&v1.Pod{}, 9)
	s.Pods = append(s.Pods, later)
	a := &Arrangement{
		Nodes: []NodeState{
			{Bound: []Pod{newPod(2, Running, 1), newPod(0, Running, 2)}},
			{Bound: []Pod{newPod(0, Running, 3), newPod(1, Running, 4)}},
		},
	}
	a.rankAll(s)
	got := map[int]int{}
	for _, nodeState := range a.Nodes {
		for _, p := range nodeState.Bound {
			got[p.ID()] = p.Rank()
		}
	}
	if diff := cmp.Diff(map[int]int{1: 2, 2: 1, 3: 1, 4: 0}, got); diff != "" {
		t.Errorf("ranks (-want +got):\n%s", diff)
	}
	// One of two that are equal goes: the other keeps its rank, and nobody moves up. Then it goes too.
	a.Nodes[0].Bound = a.Nodes[0].Bound[:1]
	a.closeRank(s, newPod(0, Running, 2).withRank(1))
	if rank := a.Nodes[0].Bound[0].Rank(); rank != 2 {
		t.Errorf("beside one of rank 1 it has rank %d, want 2", rank)
	}
	a.Nodes[1].Bound = nil
	a.closeRank(s, newPod(0, Running, 3).withRank(1))
	if rank := a.Nodes[0].Bound[0].Rank(); rank != 1 {
		t.Errorf("alone it has rank %d, want 1", rank)
	}
}

// TestNodesChange: a node that changes keeps its name, in traces and in questions, and comes back to what it was.
func TestNodesChange(t *testing.T) {
	s := environments()["nodes change"]
	e := explore(t, s)
	changes := map[string]bool{}
	for _, state := range e.order {
		var a Arrangement
		e.machine.Unpack([]byte(state), &a)
		for _, pending := range a.PendingPods(e.machine.Scenario, nil) {
			e.builder.Enter(&a)
			e.builder.Build(pending)
			q, _ := e.machine.Catalog.Objects(e.builder.Question(pending))
			names := map[string]bool{}
			for _, node := range q.Snapshot.Nodes {
				names[node.Name] = true
				words := ""
				if node.Spec.Unschedulable {
					words += "cordoned "
				}
				for _, taint := range node.Spec.Taints {
					words += taint.ToString()
				}
				changes[words] = true
			}
			if !names["small-1"] || !names["large-1"] {
				t.Fatalf("the nodes are called %v", names)
			}
		}
	}
	const taint = "node.kubernetes.io/not-ready:NoSchedule"
	if diff := cmp.Diff(map[string]bool{"": true, "cordoned ": true, taint: true, "cordoned " + taint: true},
		changes); diff != "" {
		t.Errorf("how nodes change (-want +got):\n%s", diff)
	}
	template := NodeTemplate{
		Name: "n",
		Node: &v1.Node{Spec: v1.NodeSpec{Unschedulable: true, Taints: []v1.Taint{notReady}}},
	}
	back := template.changed(cordonChanged | taintChanged)
	if back.Node.Spec.Unschedulable || len(back.Node.Spec.Taints) > 0 || len(template.Node.Spec.Taints) != 1 {
		t.Errorf("a node that is cordoned and not ready in the initial state changes to %+v", back.Node.Spec)
	}
}

// TestBudgetsAreRefreshed: after a Refresh the status is what counting gives, whatever it was; and only then.
func TestBudgetsAreRefreshed(t *testing.T) {
	s := environments()["budgets are refreshed"]
	e := explore(t, s)
	seen := map[int32]bool{}
	for _, state := range e.order {
		states, actions := e.trace(state)
		stages, err := e.machine.Walk(states, actions, e.moves)
		if err != nil {
			t.Fatal(err)
		}
		for i := 1; i < len(stages); i++ {
			allowed := func(stage Stage) int32 {
				return stage.Cluster.PodDisruptionBudgets[0].Status.DisruptionsAllowed
			}
			step, want := stages[i-1].Step, allowed(stages[i-1])
			if step.Class == Refresh {
				healthy := 0
				for _, pod := range stages[i].Cluster.Pods {
					if pod.Spec.NodeName != "" && pod.DeletionTimestamp == nil {
						healthy++
					}
				}
				if want = int32(max(0, healthy-1)); step.Allowed != want || want == allowed(stages[i-1]) {
					t.Fatalf("the step allows %d, want %d; before it was %d", step.Allowed, want, allowed(stages[i-1]))
				}
				seen[want] = true
			}
			if got := allowed(stages[i]); got != want {
				t.Fatalf("after %s the budget allows %d, want %d", step.Class, got, want)
			}
		}
	}
	if !seen[0] || !seen[1] {
		t.Errorf("the budget came to allow %v, want 0 and 1", seen)
	}
}

// TestAllowanceIsCanonical: a budget that allows again what its manifest says is as it was, unless the manifest has
// pods that are being evicted.
func TestAllowanceIsCanonical(t *testing.T) {
	s := environments()["budgets are refreshed"]
	budget := s.Around.PodDisruptionBudgets[0]
	m, err := NewMachine(s, NewCatalog())
	if err != nil {
		t.Fatal(err)
	}
	a := m.arrange(0, nil)
	a.Nodes[0].Bound = []Pod{newPod(0, Running, 0), newPod(0, Preempted, 0)}
	for _, row := range []struct {
		reason string
		status policyv1.PodDisruptionBudgetStatus
		want   uint8
	}{
		{"nothing changes", policyv1.PodDisruptionBudgetStatus{}, 0},
		{"it allowed more", policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: 1}, 1},
		{"somebody was being evicted",
			policyv1.PodDisruptionBudgetStatus{DisruptedPods: map[string]metav1.Time{"low": {}}}, 1},
	} {
		budget.Status = row.status
		if got := a.allowance(m.Scenario, 0); got != row.want {
			t.Errorf("%s: %d, want %d", row.reason, got, row.want)
		}
	}
}
