package model

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/seed-a3f26817/modelcheck/spec"
)

func TestRecreationEnabled(t *testing.T) {
	low, high := newPod(0, Running, 0), newPod(1, Running, 0)
	tests := []struct {
		reason string
		only   bool
		change func(*Arrangement)
		want   []uint32
	}{
		{"nobody was evicted", false, func(a *Arrangement) { a.Owed = []int{0, 0} }, nil},
		{"one was", false, func(*Arrangement) {}, []uint32{0}},
		{"of each template", false, func(a *Arrangement) { a.Owed = []int{2, 1} }, []uint32{0, 1}},
		{"controllers are not part of the scenario", false, func(a *Arrangement) { a.Owed = nil }, nil},
		{
			"another victim was replaced and terminates still",
			false,
			func(a *Arrangement) { a.Pending = append(a.Pending, low) },
			nil,
		},
		{"pods that may arrive still need room", false, func(a *Arrangement) { a.Left.Arrivals = 1 }, nil},
		{"the pod's name is its own, and is taken", true, func(*Arrangement) {}, nil},
		{"... and free again", true, func(a *Arrangement) { a.Nodes[0].Bound = nil }, []uint32{0}},
	}
	for _, tt := range tests {
		s := smallScenario(0)
		s.Actions.Arrivals, s.Actions.Recreations, s.Pods[0].Only = 2, 1, tt.only
		a := &Arrangement{
			Nodes: []NodeState{{Bound: []Pod{low.withPhase(Preempted)}, Nominated: []Pod{high}}}, Owed: []int{1, 0},
		}
		tt.change(a)
		var got []uint32
		a.Environment(s, func(action Action) {
			if action.Class == Recreate {
				got = append(got, action.Pod)
			}
		})
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: templates %v may be created, want %v", tt.reason, got, tt.want)
		}
	}
}

// TestRecreations: a victim comes back once, and no more pods are there at once than may be.
func TestRecreations(t *testing.T) {
	s := smallScenario(0, 0)
	s.Actions.Arrivals, s.Actions.Recreations, s.Actions.Completions = 4, 2, 0
	e := explore(t, s)
	replaced := 0
	for _, state := range e.order {
		var a Arrangement
		e.machine.Unpack([]byte(state), &a)
		terminating := a.count(func(p Pod) bool { return p.Phase() == Preempted })
		owed := a.Owed[0] + a.Owed[1]
		alive := a.count(nil) - terminating
		if arrived := s.Actions.Arrivals - int(a.Left.Arrivals); alive+owed != arrived {
			t.Fatalf("%d pods arrived, %d are alive and %d are owed: %+v", arrived, alive, owed, a)
		}
		replaced = max(replaced, terminating-owed)
	}
	if replaced != 2 {
		t.Errorf("at most %d pods are replaced and terminating, want 2", replaced)
	}
}

// TestNamedSteps: forgetting the names, the steps from an arrangement with names are the steps from the one
// without, and names are neither lost nor doubled.
func TestNamedSteps(t *testing.T) {
	for name, s := range environments() {
		t.Run(name, func(t *testing.T) { testNamedSteps(t, s) })
	}
}

// environments are small scenarios that together have every action.
func environments() map[string]*Scenario {
	all := map[string]*Scenario{}
	add := func(name string, change func(*Scenario)) {
		all[name] = smallScenario(0, 0)
		change(all[name])
	}
	add(
		"pods come and go",
		func(s *Scenario) { s.Actions.Deletions, s.Actions.Placements, s.Actions.Recreations = 1, 1, 1 },
	)
	add("nodes change", func(s *Scenario) {
		s.Actions.NodeChanges, s.Initial[0].Nodes[1].Template = 2, 1
		s.Nodes[1].Node.Spec.Taints = []v1.Taint{notReady}
	})
	add(
		"pods start in order",
		func(s *Scenario) { s.Actions.Deletions, s.Actions.Placements, s.Actions.StartInOrder = 1, 1, true },
	)
	add(
		"pods are scheduled in the order of the queue",
		func(s *Scenario) { s.Actions.Recreations, s.Actions.Order = 1, QueueOrder },
	)
	add("a pod is resized in place while it runs", func(s *Scenario) {
		s.Actions.Recreations = 1
		s.Pods[0].Pod.Status = v1.PodStatus{
			AllocatedResources: v1.ResourceList{v1.ResourceCPU: resource.MustParse("500m")},
			Resources:          &v1.ResourceRequirements{},
			ContainerStatuses:  []v1.ContainerStatus{{Name: "c"}}, InitContainerStatuses: []v1.ContainerStatus{{Name: "i"}},
			Conditions: []v1.PodCondition{{Type: v1.PodResizePending}},
		}
	})
	add("budgets are refreshed", func(s *Scenario) {
		s.Actions.RefreshBudgets, s.Actions.Recreations = true, 1
		one := intstr.FromInt32(1)
		s.Around.PodDisruptionBudgets = []*policyv1.PodDisruptionBudget{{
			ObjectMeta: metav1.ObjectMeta{Name: "all"},
			Spec:       policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{}, MinAvailable: &one},
			Status:     policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: 5},
		}}
	})
	return all
}

// checkReports: of a pod that no node has, no kubelet says anything; what its template says is there once it runs.
func checkReports(t *testing.T, s *spec.Snapshot, resizes bool) {
	t.Helper()
	for _, p := range s.Pods {
		says := p.Status.Resources != nil || p.Status.AllocatedResources != nil || len(p.Status.Conditions) > 0 ||
			len(p.Status.ContainerStatuses)+len(p.Status.InitContainerStatuses) > 0
		if says && p.Spec.NodeName == "" {
			t.Fatalf("%s is not bound, and says %+v", p.Name, p.Status)
		}
		if bare := len(p.Status.ContainerStatuses) == 0; bare && resizes && p.Spec.NodeName != "" &&
			strings.HasPrefix(p.Name, "low") {
			t.Fatalf("%s is bound, and says nothing", p.Name)
		}
	}
}

func testNamedSteps(t *testing.T, s *Scenario) {
	e := explore(t, s)
	m := e.machine
	named := map[string]bool{}
	queue := []string{}
	add := func(a *Arrangement) {
		key := string(PackNamed(a, nil))
		if diff := cmp.Diff(key, string(PackNamed(UnpackNamed([]byte(key)), nil))); diff != "" {
			t.Fatal(diff)
		}
		if !named[key] {
			named[key] = true
			queue = append(queue, key)
		}
	}
	add(m.arrange(0, newIdentities(m.Scenario)))
	unnamed := map[string]bool{}
	for ; len(queue) > 0; queue = queue[1:] {
		a := UnpackNamed([]byte(queue[0]))
		unnamed[packed(m, a)] = true
		ids := map[Pod]bool{}
		a.count(func(p Pod) bool {
			who := newPod(p.Template(), Running, p.ID())
			if p.ID() == 0 || ids[who] {
				t.Fatalf("pod %d of template %d is there twice or has no name: %+v", p.ID(), p.Template(), a)
			}
			ids[who] = true
			return true
		})
		stage := m.NamedStage(a, nil)
		checkReports(t, stage.Cluster, s.Pods[0].Pod.Status.Resources != nil)
		got := map[string]bool{}
		m.NamedSteps(a, e.moves, func(step Named) {
			stage.Step = step.NamedStep
			if !step.Idle || s.inQueue() {
				checkNames(t, stage, m.NamedStage(step.To, nil))
				got[packed(m, step.To)] = true
			}
			if step.Pod == nil {
				add(step.To)
				return
			}
			if p := m.PodNamed(step.Who); p.Name != step.Pod.Name {
				t.Fatalf("the step is about %s, and said to be about %s", step.Pod.Name, p.Name)
			}
			add(step.To)
		})
		want := e.after[packed(m, a)]
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("steps from %+v (-want +got):\n%s", a, diff)
		}
	}
	if len(unnamed) != len(e.order) {
		t.Errorf("%d states with names are %d without, want %d", len(named), len(unnamed), len(e.order))
	}
}
