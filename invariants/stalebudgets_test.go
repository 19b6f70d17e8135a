package invariants

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

var staleRows = []struct {
	reason string
	// wanted is minAvailable of a budget of two pods that run, and status what it says it allows.
	wanted, status int32
	refreshed      bool
	victims        []int
	want           []string
}{
	{"up to date, and it allows the one", 1, 1, true, []int{0}, nil},
	{"out of date, but it allows the one all the same", 0, 1, true, []int{0}, nil},
	{"up to date, and it allows nothing: the preemption breaks it knowingly", 2, 0, true, []int{0}, nil},
	{"out of date", 2, 1, true, []int{0}, []string{
		"by design: DefaultPreemption: 1 of the pods of budget default/web are evicted: its status allows 1, but " +
			"counted at that moment it allows 0",
	}},
	{"out of date for the second of two", 1, 2, true, []int{0, 1}, []string{
		"by design: DefaultPreemption: 2 of the pods of budget default/web are evicted: its status allows 2, but " +
			"counted at that moment it allows 1",
	}},
	{"nobody of it is evicted", 2, 1, true, []int{2}, []string{silent}},
	{"budgets are as they are", 2, 1, false, []int{0}, []string{silent}},
}

func TestNoStaleDisruption(t *testing.T) {
	for _, row := range staleRows {
		pod := func(app string, priority int32) *v1.Pod {
			return &v1.Pod{
				ObjectMeta: metav1.ObjectMeta{Namespace: "default", Labels: map[string]string{"app": app}},
				Spec:       v1.PodSpec{Priority: &priority},
			}
		}
		wanted := intstr.FromInt32(row.wanted)
		s := &model.Scenario{
			Name: "a budget", Nodes: []model.NodeTemplate{{Name: "node", Node: &v1.Node{}}},
			Pods: []model.PodTemplate{
				{Name: "web", Pod: pod("web", 0)},
				{Name: "other", Pod: pod("other", 0)},
				{Name: "high", Pod: pod("high", 1)},
			},
			Around: spec.Snapshot{PodDisruptionBudgets: []*policyv1.PodDisruptionBudget{{
				ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"},
				Spec: policyv1.PodDisruptionBudgetSpec{
					MinAvailable: &wanted,
					Selector:     &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
				},
				Status: policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: row.status},
			}}},
			Initial: []model.Cluster{{
				Nodes: []model.ClusterNode{
					{Bound: []model.ClusterPod{{Template: 0}, {Template: 0}, {Template: 1}}},
				}, Pending: []model.ClusterPod{{Template: 2}},
			}},
			Actions: model.Actions{RefreshBudgets: row.refreshed},
		}
		m, err := model.NewMachine(s, model.NewCatalog())
		if err != nil {
			t.Fatal(err)
		}
		before, after := &model.Arrangement{}, &model.Arrangement{}
		m.Initial(func(state []byte) { m.Unpack(state, before) })
		after.CopyFrom(before)
		after.Apply(m.Scenario, model.PendingPod{Template: 2, Node: -1},
			model.Move{Type: spec.Preempt, Victims: row.victims})
		step := &Step{
			Scenario: m.Scenario,
			Action:   model.Action{Class: model.Preempt, Pod: 2, Node: -1},
			Before:   before,
			After:    after,
		}
		if diff := cmp.Diff(row.want, said(NoStaleDisruption().Step(step))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
}
