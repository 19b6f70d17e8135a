package invariants

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

func TestAllowsNoMore(t *testing.T) {
	bind := func(node int) spec.Outcome { return spec.Outcome{Type: spec.Bind, Node: node} }
	for _, row := range []struct {
		reason                           string
		production, expected, documented []spec.Outcome
		unmodelled                       []string
		want                             []string
	}{
		{"the model and production agree", []spec.Outcome{bind(0)}, []spec.Outcome{bind(0)}, nil, nil, nil},
		{"production is another property's business", []spec.Outcome{bind(0)}, []spec.Outcome{bind(1)},
			[]spec.Outcome{bind(1)}, nil, nil},
		{"documented, though production does not take it", []spec.Outcome{bind(0)}, []spec.Outcome{bind(0), bind(1)},
			[]spec.Outcome{bind(0), bind(1)}, nil, nil},
		{
			"nobody documents it", []spec.Outcome{bind(0)}, []spec.Outcome{bind(0), bind(1)}, []spec.Outcome{bind(0)},
			nil,
			[]string{"as written, the scheduler may bind the pod to b; kube-scheduler may only bind the pod to a"},
		},
		{"the model cannot tell", []spec.Outcome{bind(0)}, []spec.Outcome{bind(1)}, nil, []string{"Unknown"},
			[]string{silent}},
	} {
		c := newCase()
		c.Decision.Outcomes, c.Expected.Outcomes, c.Unmodelled = row.production, row.expected, row.unmodelled
		c.Documented = func() *spec.Expected { return &spec.Expected{Outcomes: row.documented} }
		if diff := cmp.Diff(row.want, said(AllowsNoMore().Decision(c))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
}

func TestHighestPriorityFirst(t *testing.T) {
	kind := func(name string, priority int32) model.PodTemplate {
		return model.PodTemplate{Name: name, Pod: &v1.Pod{Spec: v1.PodSpec{Priority: &priority}}}
	}
	s := &model.Scenario{
		Name:  "three priorities",
		Nodes: []model.NodeTemplate{{Name: "node", Node: &v1.Node{}}},
		Pods:  []model.PodTemplate{kind("low", 0), kind("mid", 5), kind("high", 10), kind("peer", 10)},
		Initial: []model.Cluster{
			{
				Nodes: []model.ClusterNode{
					{Bound: []model.ClusterPod{{Template: 0}, {Template: 1}, {Template: 2}, {Template: 3}}},
				},
			},
		},
	}
	m, err := model.NewMachine(s, model.NewCatalog())
	if err != nil {
		t.Fatal(err)
	}
	pods := podsByTemplate(m)
	for _, row := range []struct {
		reason         string
		class          model.Class
		taken          int
		pending, stuck []int
		want           []string
	}{
		{"the pod of the highest priority is taken", model.Bind, 2, []int{0, 2}, nil, []string{silent}},
		{"nobody else waits", model.Preempt, 0, []int{0}, nil, []string{silent}},
		{"no decision takes a pod", model.Arrive, 0, []int{0, 2}, []int{2}, []string{silent}},
		{"the other would go on if asked", model.Bind, 0, []int{0, 2}, nil, nil},
		{"one of two of the highest priority would go on", model.Bind, 0, []int{0, 2, 3}, []int{2}, nil},
		{"a pod below is stuck too", model.Bind, 0, []int{0, 1, 2}, []int{1}, nil},
		{
			"the highest is stuck", model.Bind, 0, []int{0, 1, 2}, []int{2},
			[]string{"kube-scheduler leaves high of priority 10 pending and goes on with low of priority 0"},
		},
		{
			"both of the highest are stuck", model.Preempt, 1, []int{1, 2, 3}, []int{3, 2},
			[]string{"kube-scheduler leaves high of priority 10 pending and goes on with mid of priority 5"},
		},
	} {
		before := &model.Arrangement{Nodes: make([]model.NodeState, 1)}
		for _, k := range row.pending {
			before.Pending = append(before.Pending, pods[k])
		}
		step := &Step{
			Scenario: m.Scenario, Action: model.Action{Class: row.class, Pod: uint32(row.taken), Node: -1},
			Before: before,
			Stuck: func() (stuck []model.PendingPod) {
				for _, k := range row.stuck {
					stuck = append(stuck, model.PendingPod{Template: k, Node: -1})
				}
				return stuck
			},
		}
		if diff := cmp.Diff(row.want, said(HighestPriorityFirst().Step(step))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
}
