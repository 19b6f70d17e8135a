package conformance

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"

	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestQuirks keeps the smallest clusters that show the defects. It fails when production is mended, or is told so
// by the model.
func TestQuirks(t *testing.T) {
	tests := []struct {
		reason  string
		quirk   spec.Quirk
		pending *v1.Pod
		bound   *v1.Pod
		want    []string
	}{
		{
			reason:  "2Gi stated for the pod as a whole count as 200Mi",
			quirk:   spec.PodRequestsOverlooked(),
			pending: podLevel(pod("pending", ""), "memory", "2Gi"),
			want: []string{"NodeResourcesFit scores node a 95; the model 72",
				"NodeResourcesFit scores node b 95; the model 72"},
		},
		{
			reason:  "the second container counts 0 instead of 100m",
			quirk:   spec.MissingRequestsOfBound(),
			pending: pod("pending", "0"),
			bound:   podLevel(pod("bound", "500m", ""), "memory", "1Gi"),
			want:    []string{"NodeResourcesFit scores node a 72; the model 70"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			c := newChecker(t, defaultConfig(t))
			q := spec.Question{
				Pod:      tt.pending,
				Snapshot: &spec.Snapshot{Nodes: []*v1.Node{node("a"), node("b")}, Pods: []*v1.Pod{tt.pending}},
			}
			if tt.bound != nil {
				tt.bound.Spec.NodeName = "a"
				q.Snapshot.Pods = append(q.Snapshot.Pods, tt.bound)
			}
			q = admitted(t, q)
			var reasons []string
			_, breaches := invariants.ScoresConform().Decision(c.ask(q))
			for _, breach := range breaches {
				reasons = append(reasons, breach.Reason)
			}
			if diff := cmp.Diff(tt.want, reasons); diff != "" {
				t.Errorf("the defect shows otherwise than known (-want +got); is it mended?\n%s", diff)
			}
			check(t, c.with(tt.quirk).ask(q))
			if diff := cmp.Diff([]string{tt.quirk.Name}, quirkNames(c.explain(q, c.production.Decide(q)))); diff != "" {
				t.Errorf("quirks that explain it (-want +got):\n%s", diff)
			}
		})
	}
}

// node returns a node with 2 CPUs and 4Gi.
func node(name string) *v1.Node {
	n := &v1.Node{}
	n.Name, n.UID = name, types.UID(name)
	n.Status.Allocatable = v1.ResourceList{
		v1.ResourceCPU: resource.MustParse("2"), v1.ResourceMemory: resource.MustParse("4Gi"),
		v1.ResourcePods: resource.MustParse("110"),
	}
	return n
}

// pod returns a pod with a container for each of the CPU requests, of which an empty one is not stated.
func pod(name string, cpus ...string) *v1.Pod {
	priority := int32(0)
	p := &v1.Pod{}
	p.Name, p.Namespace, p.UID, p.Spec.Priority = name, "default", types.UID(name), &priority
	for _, cpu := range cpus {
		c := v1.Container{Name: "c" + string(rune('0'+len(p.Spec.Containers))), Image: "image"}
		if cpu != "" {
			c.Resources.Requests = v1.ResourceList{v1.ResourceCPU: resource.MustParse(cpu)}
		}
		p.Spec.Containers = append(p.Spec.Containers, c)
	}
	return p
}

func podLevel(p *v1.Pod, name v1.ResourceName, quantity string) *v1.Pod {
	p.Spec.Resources = &v1.ResourceRequirements{Requests: v1.ResourceList{name: resource.MustParse(quantity)}}
	return p
}

// TestPreferenceByNoInteger: the API server admits a preferred term whose bound of Gt or Lt is no integer. The
// model says that it does not match; production fails as soon as there are two nodes to choose from, and binds the
// pod if there is one. So generated clusters do not have such terms.
func TestPreferenceByNoInteger(t *testing.T) {
	c := newChecker(t, defaultConfig(t))
	pending := pod("pending", "1")
	pending.Spec.Affinity = &v1.Affinity{NodeAffinity: &v1.NodeAffinity{
		PreferredDuringSchedulingIgnoredDuringExecution: []v1.PreferredSchedulingTerm{{
			Weight: 1,
			Preference: v1.NodeSelectorTerm{MatchExpressions: []v1.NodeSelectorRequirement{
				{Key: "cores", Operator: v1.NodeSelectorOpGt, Values: []string{"many"}},
			}},
		}},
	}}
	for _, row := range []struct {
		reason  string
		nodes   []*v1.Node
		failure string
	}{
		{"one node, so nothing is scored", []*v1.Node{node("a")}, ""},
		{"two nodes", []*v1.Node{node("a"), node("b")},
			`running PreScore plugin "NodeAffinity": [0].matchExpressions[0].values[0]: Invalid value: "many": for 'Gt', 'Lt' operators, the value must be an integer`},
	} {
		answer := c.ask(admitted(t,
			spec.Question{Pod: pending, Snapshot: &spec.Snapshot{Nodes: row.nodes, Pods: []*v1.Pod{pending}}}))
		if diff := cmp.Diff(row.failure, answer.Decision.Failure); diff != "" {
			t.Errorf("%s: production (-want +got):\n%s", row.reason, diff)
		}
		if len(answer.Expected.Outcomes) != len(row.nodes) {
			t.Errorf("%s: the model has the outcomes %v, want each node", row.reason, answer.Expected.Outcomes)
		}
	}
}
