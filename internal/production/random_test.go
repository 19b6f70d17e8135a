package production

import (
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	st "k8s.io/kubernetes/pkg/scheduler/testing"
	"pgregory.net/rapid"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// objectPool has the objects that the questions of one test share, so that the same object is behind the
// same pointer in all of them.
type objectPool struct {
	nodes   []*v1.Node
	pending []*v1.Pod
	// placed has, for each pod, one object per node it may be bound to.
	placed  [][]*v1.Pod
	budgets []*policyv1.PodDisruptionBudget
}

func drawPool(t *rapid.T) *objectPool {
	p := &objectPool{}
	for i := range oneOf(t, "nodes", 3, 2, 4, 1) {
		p.nodes = append(p.nodes, drawNode(t, fmt.Sprintf("n%d", i)))
	}
	for i := range oneOf(t, "pods", 6, 5, 4, 3, 2, 1) {
		name := fmt.Sprintf("p%d", i)
		blank := drawPod(t, name, len(p.nodes))
		p.pending = append(p.pending, blank)
		started := metav1.Time{Time: epoch.Add(time.Duration(rapid.IntRange(0, 2).Draw(t, "started")) * time.Second)}
		terminates := oneOf(t, "terminates", 0, 1, 2, 3, 4, 5) == 5
		var placed []*v1.Pod
		for _, node := range p.nodes {
			bound := blank.DeepCopy()
			bound.Spec.NodeName = node.Name
			bound.Status.NominatedNodeName = ""
			bound.Status.StartTime = &started
			if terminates {
				evicted(bound)
			}
			placed = append(placed, bound)
		}
		p.placed = append(p.placed, placed)
	}
	if rapid.Bool().Draw(t, "budget") {
		p.budgets = append(p.budgets, &policyv1.PodDisruptionBudget{
			ObjectMeta: metav1.ObjectMeta{Name: "budget", Namespace: "default", UID: "budget"},
			Spec: policyv1.PodDisruptionBudgetSpec{
				Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "x"}},
			},
			Status: policyv1.PodDisruptionBudgetStatus{
				DisruptionsAllowed: int32(rapid.IntRange(0, 1).Draw(t, "allowed")),
			},
		})
	}
	return p
}

func drawNode(t *rapid.T, name string) *v1.Node {
	n := node(name, oneOf(t, "cpus", 2, 3, 1, 4)).Label("zone", rapid.SampledFrom([]string{"z0", "z1"}).Draw(t, "zone"))
	if oneOf(t, "tainted", 0, 1, 2, 3) == 3 {
		effect := rapid.SampledFrom([]v1.TaintEffect{v1.TaintEffectNoSchedule, v1.TaintEffectPreferNoSchedule}).Draw(t,
			"effect")
		n.Taints([]v1.Taint{{Key: "k", Effect: effect}})
	}
	if oneOf(t, "cordoned", 0, 1, 2, 3, 4, 5) == 5 {
		n.Unschedulable(true)
	}
	if oneOf(t, "image", 0, 1, 2, 3) == 3 {
		n.Images(map[string]int64{"registry.k8s.io/app:v1": 500 << 20})
	}
	return n.Obj()
}

func drawPod(t *rapid.T, name string, nodes int) *v1.Pod {
	p := pod(name, oneOf(t, "request", 2, 1, 3, 0)).
		Priority(int32(oneOf(t, "priority", 2, 0, 1))).
		Label("app", rapid.SampledFrom([]string{"x", "y"}).Draw(t, "app"))
	app := &metav1.LabelSelector{MatchLabels: map[string]string{"app": "x"}}
	topology := rapid.SampledFrom([]string{"zone", "kubernetes.io/hostname"}).Draw(t, "topology")
	switch rapid.SampledFrom([]string{"", "", "anti-affinity", "affinity", "preferred", "spread", "port", "toleration",
		"selector", "image", "field"}).Draw(t, "trait") {
	case "anti-affinity":
		p.PodAntiAffinity(topology, app, st.PodAntiAffinityWithRequiredReq)
	case "affinity":
		p.PodAffinity(topology, app, st.PodAffinityWithRequiredReq)
	case "preferred":
		p.PodAntiAffinity(topology, app, st.PodAntiAffinityWithPreferredReq)
	case "spread":
		p.SpreadConstraint(1, topology, v1.DoNotSchedule, app, nil, nil, nil, nil)
	case "port":
		p.HostPort(80)
	case "toleration":
		p.Toleration("k")
	case "selector":
		p.NodeSelector(map[string]string{"zone": "z0"})
	case "image":
		p.Container("registry.k8s.io/app:v1")
	case "field":
		p.NodeAffinityIn(metav1.ObjectNameField, []string{"n0", "n2"}, st.NodeSelectorTypeMatchFields)
	}
	if oneOf(t, "never", 0, 1, 2, 3, 4, 5) == 5 {
		p.PreemptionPolicy(v1.PreemptNever)
	}
	if oneOf(t, "nominated", 0, 1, 2) == 2 {
		p.NominatedNodeName(fmt.Sprintf("n%d", rapid.IntRange(0, nodes-1).Draw(t, "to")))
	}
	return p.Obj()
}

// drawQuestion arranges some of the pool's objects.
func (p *objectPool) drawQuestion(t *rapid.T) spec.Question {
	asked := slices.Index(p.pending, rapid.SampledFrom(p.pending).Draw(t, "asked"))
	s := &spec.Snapshot{
		Pods:                 []*v1.Pod{p.pending[asked]},
		PodDisruptionBudgets: p.budgets,
		Namespaces: []*v1.Namespace{
			{ObjectMeta: metav1.ObjectMeta{Name: "default", UID: types.UID("default")}},
		},
	}
	for _, node := range p.nodes {
		if oneOf(t, "left out", 0, 1, 2, 3, 4) < 4 {
			s.Nodes = append(s.Nodes, node)
		}
	}
	for i := range p.pending {
		if i == asked {
			continue
		}
		switch at := rapid.SampledFrom(p.nodes).Draw(t, "at"); oneOf(t, "where", "bound", "bound", "bound", "pending",
			"absent") {
		case "pending":
			s.Pods = append(s.Pods, p.pending[i])
		case "bound":
			if slices.Contains(s.Nodes, at) {
				s.Pods = append(s.Pods, p.placed[i][slices.Index(p.nodes, at)])
			}
		}
	}
	return spec.Question{Pod: p.pending[asked], Snapshot: s}
}

// oneOf draws one of the values, each with the same chance.
func oneOf[T any](t *rapid.T, label string, values ...T) T {
	return rapid.SampledFrom(values).Draw(t, label)
}
