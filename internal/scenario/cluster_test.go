package scenario_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/seed-a3f26817/modelcheck/internal/generate"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestOfClusterIsTheCluster: the scenario begins with the cluster it was made of: the same nodes and pods, by name,
// in the same places, and the model says the same of every pending pod. So sorting into kinds loses nothing that a
// scheduler reads.
func TestOfClusterIsTheCluster(t *testing.T) {
	scheduler := spec.New(spec.DefaultProfile())
	rapid.Check(t, func(t *rapid.T) {
		original := generate.DrawQuestion(generate.Scope{Nodes: 3, Pods: 6}).Draw(t, "question").Snapshot
		for _, pod := range original.Pods { // a node that is gone is no node to be nominated to
			if !slices.ContainsFunc(
				original.Nodes,
				func(n *v1.Node) bool { return n.Name == pod.Status.NominatedNodeName },
			) {
				pod.Status.NominatedNodeName = ""
			}
		}
		stage := begin(t, scenario.OfCluster("test", original, model.Actions{}))
		if diff := cmp.Diff(nodeStates(original), nodeStates(stage)); diff != "" {
			t.Fatalf("where pods are (-original +scenario):\n%s", diff)
		}
		for _, pod := range spec.Unbound(original) {
			again := stage.Pods[slices.IndexFunc(stage.Pods, func(p *v1.Pod) bool { return p.Name == pod.Name })]
			want, got := outcomes(scheduler, pod, original), outcomes(scheduler, again, stage)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("outcomes for %s (-original +scenario):\n%s", pod.Name, diff)
			}
		}
	})
}

// begin returns the cluster that a scenario with one initial state begins with.
func begin(t interface{ Fatal(...any) }, s *model.Scenario) *spec.Snapshot {
	m, err := model.NewMachine(s, model.NewCatalog())
	if err != nil {
		t.Fatal(err)
	}
	var states [][]byte
	m.Initial(func(state []byte) { states = append(states, slices.Clone(state)) })
	stages, err := m.Walk(states[:1], nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return stages[0].Cluster
}

// nodeStates says where each pod is.
func nodeStates(s *spec.Snapshot) map[string][]string {
	at := map[string][]string{}
	for _, node := range s.Nodes {
		at[node.Name] = []string{}
	}
	for _, pod := range s.Pods {
		phase := ""
		if pod.DeletionTimestamp != nil {
			phase = " terminating"
		}
		if spec.TerminatingByPreemption(pod) {
			phase = " preempted"
		}
		where := pod.Spec.NodeName
		if where == "" {
			where = "to " + pod.Status.NominatedNodeName
		}
		at[where] = append(at[where], pod.Name+phase)
	}
	for where := range at {
		slices.Sort(at[where])
	}
	return at
}

// outcomes returns what the model allows, by name.
func outcomes(scheduler *spec.Scheduler, pod *v1.Pod, s *spec.Snapshot) []string {
	var all []string
	for _, o := range scheduler.Outcomes(pod, s) {
		text := o.Type.String()
		if o.Node >= 0 {
			text += " on " + s.Nodes[o.Node].Name
		}
		if o.KeepsNomination {
			text += " keeping the nomination"
		}
		var victims []string
		for _, victim := range o.Victims {
			victims = append(victims, victim.Name)
		}
		slices.Sort(victims)
		for _, victim := range victims {
			text += " " + victim
		}
		all = append(all, text)
	}
	slices.Sort(all)
	return all
}

// TestEveryCluster: all multisets of node kinds, smallest first, and a node that is referred to by name at most once.
func TestEveryCluster(t *testing.T) {
	a, b := named("a"), named("b")
	a.Labels = map[string]string{"disk": "ssd"}
	pinned := named("pinned")
	pod := &v1.Pod{}
	pod.Name = "picky"
	pod.Spec.NodeSelector = map[string]string{v1.LabelHostname: "pinned"}
	nominee := &v1.Pod{}
	nominee.Name = "p"
	nominee.Status.NominatedNodeName = "b"
	leaving := &v1.Pod{}
	leaving.Name = "p"
	leaving.DeletionTimestamp = &metav1.Time{}
	leaving.Spec.NodeName = "a"
	settled := leaving.DeepCopy()
	settled.Status.NominatedNodeName = "a"
	for _, row := range []struct {
		reason string
		s      *spec.Snapshot
		nodes  int
		want   [][]string
	}{
		{"one kind", &spec.Snapshot{Nodes: []*v1.Node{a}}, 3, [][]string{{"a"}, {"a", "a"}, {"a", "a", "a"}}},
		{"two kinds", &spec.Snapshot{Nodes: []*v1.Node{a, b}}, 2, [][]string{{"a"}, {"b"}, {"a", "a"}, {"a", "b"},
			{"b", "b"}}},
		{"two nodes of one kind are one kind", &spec.Snapshot{Nodes: []*v1.Node{b, named("c")}}, 2,
			[][]string{{"b"}, {"b", "b"}}},
		{
			"a node that a pod names is there once", &spec.Snapshot{Nodes: []*v1.Node{b, pinned}, Pods: []*v1.Pod{pod}},
			2,
			[][]string{{"b"}, {"pinned"}, {"b", "b"}, {"b", "pinned"}},
		},
		{
			"a pod that is nominated is there from the beginning, too",
			&spec.Snapshot{Nodes: []*v1.Node{a, b}, Pods: []*v1.Pod{nominee}}, 2,
			[][]string{{"a"}, {"b"}, {"b", "<p"}, {"a", "a"}, {"a", "b"}, {"b", "b"}, {"a", "b", "<p"},
				{"b", "<p", "b"}},
		},
		{
			"as is one that is leaving", &spec.Snapshot{Nodes: []*v1.Node{a, b}, Pods: []*v1.Pod{leaving}}, 1,
			[][]string{{"a"}, {"b"}, {"a", "-p"}},
		},
		{
			"and was nominated", &spec.Snapshot{Nodes: []*v1.Node{a, b}, Pods: []*v1.Pod{settled}}, 1,
			[][]string{{"a"}, {"b"}, {"a", "-p"}},
		},
		{
			"both", &spec.Snapshot{Nodes: []*v1.Node{a, b}, Pods: []*v1.Pod{nominee, leaving}}, 2,
			[][]string{{"a"}, {"b"}, {"b", "<p"}, {"a", "-p"}, {"a", "a"}, {"a", "b"}, {"b", "b"}, {"a", "b", "<p"},
				{"b", "<p", "b"}, {"a", "-p", "a"}, {"a", "-p", "b"}, {"a", "-p", "b", "<p"}},
		},
		{"nobody asked for nodes", &spec.Snapshot{Nodes: []*v1.Node{a}}, 0, nil},
	} {
		s := scenario.EveryCluster("test", "", row.s, row.nodes, model.Actions{})
		var got [][]string
		for _, cluster := range s.Initial {
			var kinds []string
			for _, nodeState := range cluster.Nodes {
				kinds = append(kinds, s.Nodes[nodeState.Template].Name)
				for _, pod := range nodeState.Bound {
					kinds = append(kinds, "-"+s.Pods[pod.Template].Name)
				}
				for _, pod := range nodeState.Nominated {
					kinds = append(kinds, "<"+s.Pods[pod.Template].Name)
				}
			}
			got = append(got, kinds)
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
		for _, kind := range s.Nodes {
			if fixed := len(kind.Fixed) > 0; fixed != (kind.Name == "pinned") {
				t.Errorf("%s: nodes of kind %s keep their names: %v", row.reason, kind.Name, fixed)
			}
		}
	}
}

func named(name string) *v1.Node {
	n := &v1.Node{}
	n.Name = name
	return n
}
