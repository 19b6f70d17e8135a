package invariants

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

var nodeRows = []struct {
	reason        string
	cpus          []string // of the pods
	pastScheduler bool
	want          []string
}{
	{"nobody is there", nil, false, []string{silent}},
	{"the node is full", []string{"1", "1"}, false, nil},
	{
		"one thousandth too much",
		[]string{"1", "1001m"},
		false,
		[]string{"NodeResourcesFit: node a is overcommitted in cpu by ns/p, ns/p"},
	},
	{
		"too many pods",
		[]string{"0", "0", "0"},
		false,
		[]string{"NodeResourcesFit: node a is overcommitted in pods by ns/p, ns/p, ns/p"},
	},
	{"somebody else put it there", []string{"3"}, true, []string{silent}},
}

func TestNoOvercommit(t *testing.T) {
	node := &v1.Node{}
	node.Name = "a"
	node.Status.Allocatable = v1.ResourceList{
		v1.ResourceCPU:  resource.MustParse("2"),
		v1.ResourcePods: resource.MustParse("2"),
	}
	for _, row := range nodeRows {
		n := Node{Node: node, PastScheduler: row.pastScheduler, Spec: spec.New(spec.DefaultProfile()),
			Cluster: &spec.Snapshot{}}
		for _, cpu := range row.cpus {
			pod := podOf("p", 0, "a")
			pod.Spec.Containers = []v1.Container{
				{
					Resources: v1.ResourceRequirements{
						Requests: v1.ResourceList{v1.ResourceCPU: resource.MustParse(cpu)},
					},
				},
			}
			n.Pods = append(n.Pods, pod)
		}
		if diff := cmp.Diff(row.want, said(NoOvercommit().Node(n))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
}

// stepRows begin with a web pod and a db pod on the first node, and another web pod pending. Each moves pods as it
// says: from and to are the places the step takes a pod of the kind from and puts it on, -1 for none.
var stepRows = []struct {
	reason string
	class  model.Class
	pod    int // the pod template the step is about
	moves  []moved
	want   []string
}{
	{"the pending pod is bound", model.Bind, 0, []moved{{0, -1, 1}}, nil},
	{"it joins one of its kind", model.Bind, 0, []moved{{0, -1, 0}}, nil},
	{"a bound pod completes", model.Complete, 0, []moved{{0, 0, -1}}, nil},
	{"a terminating pod is gone", model.Gone, 1, []moved{{1, 0, -1}}, nil},
	{"nothing happens to bound pods", model.Wait, 0, nil, nil},
	{
		"the scheduler moves a bound pod",
		model.Bind,
		1,
		[]moved{{1, 0, 1}},
		[]string{"a bind step takes a bound pod from its node"},
	},
	{"a bound pod moves when another arrives", model.Arrive, 0, []moved{{1, 0, 1}},
		[]string{"a arrive step takes a bound pod from its node", "a arrive step puts a bound db on another node"}},
	{
		"a step binds another pod than it says",
		model.Bind,
		0,
		[]moved{{1, -1, 1}},
		[]string{"a bind step puts a bound db on another node"},
	},
	{
		"a step binds two",
		model.Bind,
		0,
		[]moved{{0, -1, 1}, {0, -1, 1}},
		[]string{"a bind step puts a bound web on another node"},
	},
	{
		"a victim vanishes at once",
		model.Preempt,
		0,
		[]moved{{1, 0, -1}},
		[]string{"a preempt step takes a bound pod from its node"},
	},
	{"a pod is bound by hand where the step says", model.ByHand, 0, []moved{{0, -1, 1}}, nil},
	{
		"a pod is bound by hand elsewhere",
		model.ByHand,
		0,
		[]moved{{0, -1, 0}},
		[]string{"a bind by hand step puts a bound web on another node"},
	},
}

type moved struct{ kind, from, to int }

func TestBoundPodsStay(t *testing.T) {
	s := &model.Scenario{
		Name:  "two nodes",
		Nodes: []model.NodeTemplate{{Name: "node", Node: &v1.Node{}}},
		Pods:  []model.PodTemplate{{Name: "web", Pod: &v1.Pod{}}, {Name: "db", Pod: &v1.Pod{}}},
		Initial: []model.Cluster{{
			Nodes:   []model.ClusterNode{{Bound: []model.ClusterPod{{Template: 0}, {Template: 1}}}, {}},
			Pending: []model.ClusterPod{{Template: 0}},
		}},
	}
	m, err := model.NewMachine(s, model.NewCatalog())
	if err != nil {
		t.Fatal(err)
	}
	pods := podsByTemplate(m)
	for _, row := range stepRows {
		before := &model.Arrangement{
			Nodes:   []model.NodeState{{Bound: []model.Pod{pods[0], pods[1]}}, {}},
			Pending: []model.Pod{pods[0]},
		}
		after := &model.Arrangement{}
		after.CopyFrom(before)
		for _, move := range row.moves {
			if move.from >= 0 {
				bound := &after.Nodes[move.from].Bound
				for i, p := range *bound {
					if p.Template() == move.kind {
						*bound = append((*bound)[:i], (*bound)[i+1:]...)
						break
					}
				}
			}
			if move.to >= 0 {
				after.Nodes[move.to].Bound = append(after.Nodes[move.to].Bound, pods[move.kind])
			}
		}
		step := &Step{
			Scenario: m.Scenario,
			Action:   model.Action{Class: row.class, Pod: uint32(row.pod), Node: 1},
			Before:   before,
			After:    after,
		}
		if diff := cmp.Diff(row.want, said(BoundPodsStay().Step(step))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
	empty := &model.Arrangement{Nodes: make([]model.NodeState, 1)}
	if applies, _ := BoundPodsStay().Step(&Step{Scenario: m.Scenario, Before: empty, After: empty}); applies {
		t.Error("nobody is bound, and it applies all the same")
	}
}

// podsByKind returns a running pod of each kind, as states have it.
func podsByTemplate(m *model.Machine) []model.Pod {
	var pods []model.Pod
	m.Initial(func(state []byte) {
		a := &model.Arrangement{}
		m.Unpack(state, a)
		for _, nodeState := range a.Nodes {
			pods = append(pods, nodeState.Bound...)
		}
	})
	return pods
}

// TestUnmodelled: where a plugin had a say that the model does not know, properties that rest on what the model says is
// feasible cannot be judged.
func TestUnmodelled(t *testing.T) {
	for _, property := range []Property{NoNeedlessPreemption(), PreemptionIrredundant()} {
		c := newCase()
		schedulable(c)
		preempts(0, 1, 3)(c)
		c.FeasibleWithout = func(int, []*v1.Pod) bool { return true }
		c.Unmodelled = []string{"Unknown"}
		c.Decision.Nodes[0].Statuses[1] = spec.Unschedulable
		if _, breaches := property.Decision(c); len(breaches) > 0 {
			t.Errorf("%s: %v, though Unknown may have rejected the node", property.Name, breaches)
		}
	}
}
