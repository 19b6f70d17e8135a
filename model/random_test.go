package model

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/seed-a3f26817/modelcheck/internal/generate"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// drawScenario draws a few templates. Its only initial cluster has room for the arrangements that are drawn.
func drawScenario(t *rapid.T) *Scenario {
	s := &Scenario{
		Name:    "random",
		Actions: Actions{Arrivals: 12, Completions: 3, Deletions: 2, Placements: 1, Preempt: true, VictimGone: true},
	}
	for i := range rapid.IntRange(1, 3).Draw(t, "node templates") {
		node := generate.Node().Draw(t, "node")
		node.Labels[v1.LabelHostname] = ""
		s.Nodes = append(s.Nodes, NodeTemplate{Name: fmt.Sprintf("n%d", i), Node: node})
	}
	for i := range rapid.IntRange(1, 4).Draw(t, "pod templates") {
		pod := generate.Pod().Draw(t, "pod")
		if rapid.Bool().Draw(t, "starts later") {
			later := StartTime()
			later.Time = later.Add(1e9)
			pod.Status.StartTime = &later
		}
		keepsCompany(t, pod)
		s.Pods = append(s.Pods, PodTemplate{Name: fmt.Sprintf("p%d", i), Pod: pod})
	}
	if rapid.Bool().Draw(t, "budget") {
		s.Around.PodDisruptionBudgets = []*policyv1.PodDisruptionBudget{{
			ObjectMeta: metav1.ObjectMeta{Name: "budget", Namespace: "default"},
			Spec:       policyv1.PodDisruptionBudgetSpec{Selector: appX},
			Status: policyv1.PodDisruptionBudgetStatus{
				DisruptionsAllowed: rapid.Int32Range(0, 2).Draw(t, "allowed"),
			},
		}}
	}
	s.Initial = []Cluster{{Nodes: make([]ClusterNode, 4)}}
	return s
}

var appX = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "x"}}

// keepsCompany returns the pod a label and, rarely, wishes about other pods: predicates that look across nodes.
func keepsCompany(t *rapid.T, pod *v1.Pod) {
	pod.Labels = map[string]string{"app": rapid.SampledFrom([]string{"x", "y"}).Draw(t, "app")}
	terms := []v1.PodAffinityTerm{{LabelSelector: appX, TopologyKey: "zone"}}
	if pod.Spec.Affinity == nil {
		pod.Spec.Affinity = &v1.Affinity{}
	}
	switch rapid.IntRange(0, 9).Draw(t, "set of pods") {
	case 6:
		pod.Spec.Affinity.PodAffinity = &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: terms}
	case 7:
		pod.Spec.Affinity.PodAntiAffinity = &v1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: terms}
	case 8:
		pod.Spec.Affinity.PodAntiAffinity = &v1.PodAntiAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: []v1.WeightedPodAffinityTerm{
				{Weight: 10, PodAffinityTerm: terms[0]},
			},
		}
	case 9:
		pod.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{
			MaxSkew: 1, TopologyKey: v1.LabelHostname, LabelSelector: appX,
			WhenUnsatisfiable: rapid.SampledFrom([]v1.UnsatisfiableConstraintAction{v1.DoNotSchedule,
				v1.ScheduleAnyway}).Draw(t, "action"),
		}}
	}
}

// drawArrangement draws up to 4 nodes with up to 12 pods of the scenario.
func drawArrangement(t *rapid.T, s *Scenario) *Arrangement {
	a := &Arrangement{Left: Left{
		Arrivals:    rapid.Uint8().Draw(t, "arrivals"),
		Completions: rapid.Uint8().Draw(t, "completions"),
		Deletions:   rapid.Uint8().Draw(t, "deletions"),
		Placements:  rapid.Uint8().Draw(t, "placements"),
	}}
	left := 12
	pods := func(label string, anyPhase bool) []Pod {
		var pods []Pod
		for range rapid.IntRange(0, min(left, 4)).Draw(t, label) {
			phase := Running
			if anyPhase {
				phase = rapid.SampledFrom([]Phase{Running, Running, Preempted, Terminating}).Draw(t, "phase")
			}
			pods = append(pods, newPod(rapid.IntRange(0, len(s.Pods)-1).Draw(t, "kind"), phase, 0))
		}
		left -= len(pods)
		return pods
	}
	for range rapid.IntRange(1, 4).Draw(t, "nodes") {
		a.Nodes = append(a.Nodes, NodeState{
			Template:  rapid.IntRange(0, len(s.Nodes)-1).Draw(t, "node"),
			Bound:     pods("bound", true),
			Nominated: pods("nominated", false),
		})
	}
	a.Pending = pods("pending", false)
	return a
}

// shuffled returns the arrangement with its nodes, and their pods, in another order.
func shuffled(t *rapid.T, a *Arrangement) *Arrangement {
	b := &Arrangement{}
	b.CopyFrom(a)
	shuffle := func(pods []Pod) []Pod {
		if len(pods) == 0 {
			return pods
		}
		return rapid.Permutation(pods).Draw(t, "pods")
	}
	b.Nodes = rapid.Permutation(b.Nodes).Draw(t, "nodes")
	for i := range b.Nodes {
		b.Nodes[i].Bound, b.Nodes[i].Nominated = shuffle(b.Nodes[i].Bound), shuffle(b.Nodes[i].Nominated)
	}
	b.Pending = shuffle(b.Pending)
	return b
}

// packed returns the state of an arrangement.
func packed(m *Machine, a *Arrangement) string {
	canonical := &Arrangement{}
	canonical.CopyFrom(a)
	canonical.Canonical()
	state := make([]byte, m.Width())
	m.Pack(canonical, state)
	return string(state)
}

// newMachine returns the machine of a scenario, and a formal model to decide in it.
func newMachine(t interface {
	Helper()
	Fatal(...any)
}, s *Scenario) (*Machine, *spec.Scheduler) {
	t.Helper()
	m, err := NewMachine(s, NewCatalog())
	if err != nil {
		t.Fatal(err)
	}
	return m, spec.New(spec.DefaultProfile())
}
