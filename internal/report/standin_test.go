package report

import (
	"context"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// standIn decides as the spec does, but for a planted bug. It stands in for production, so that what is reported
// does not depend on kube-scheduler.
type standIn struct {
	spec *spec.Scheduler
	bug  func(q spec.Question, d *spec.Decision)
}

func (s standIn) Close() error { return nil }

func (s standIn) Decide(q spec.Question) *spec.Decision {
	e := s.spec.Expect(q)
	d := &spec.Decision{
		Filters:      e.Filters,
		ScorePlugins: e.ScorePlugins,
		Candidates:   e.Candidates,
		Outcomes:     e.Outcomes,
	}
	scored := 0
	for _, node := range e.Nodes {
		if node.Feasible {
			scored++
		}
	}
	for _, node := range e.Nodes {
		n := spec.NodeDecision{Filtered: true, Overall: spec.Unschedulable}
		if node.Feasible {
			n.Overall = spec.Fits
		}
		for _, allowed := range node.Statuses {
			n.Statuses = append(n.Statuses, verdictOf(allowed))
		}
		if node.Feasible && scored > 1 {
			n.Scores = append(n.Scores, node.Scores...)
			n.Total = spec.Total(n.Scores)
		}
		d.Nodes = append(d.Nodes, n)
	}
	if s.bug != nil {
		s.bug(q, d)
	}
	return d
}

func verdictOf(allowed spec.AllowedStatuses) spec.Status {
	switch {
	case allowed.Holds:
		return spec.Fits
	case allowed.HoldsEmpty:
		return spec.Unschedulable
	default:
		return spec.Unresolvable
	}
}

// plugins is a profile of a few plugins, so that reports stay short.
func plugins() *spec.Profile {
	p := spec.DefaultProfile()
	p.Filters = []string{"NodeUnschedulable", "TaintToleration", "NodeResourcesFit", "FromElsewhere"}
	p.ScorePlugins = []spec.Weighted{{Plugin: "TaintToleration", Weight: 3}, {Plugin: "NodeResourcesFit", Weight: 1}}
	return p
}

// small is a scenario of three node templates, one cordoned, and two pod templates.
func small() *model.Scenario {
	cordoned := node("cordoned", "4")
	cordoned.Spec.Unschedulable = true
	return &model.Scenario{
		Name: "small",
		Doc:  "Two workers and a cordoned node.",
		Nodes: []model.NodeTemplate{
			{Name: "worker", Node: node("worker", "2")},
			{Name: "spare", Node: node("spare", "3")},
			{Name: "cordoned", Node: cordoned},
		},
		Pods:    []model.PodTemplate{{Name: "low", Pod: pod("low", "1", 0)}, {Name: "high", Pod: pod("high", "2", 10)}},
		Initial: []model.Cluster{{Nodes: []model.ClusterNode{{Template: 0}, {Template: 1}, {Template: 2}}}},
		Actions: model.Actions{Arrivals: 2, Preempt: true, VictimGone: true},
	}
}

// full is a scenario of one node that is full of pods of low priority.
func full() *model.Scenario {
	low := model.ClusterPod{Template: 0}
	return &model.Scenario{
		Name:    "full",
		Nodes:   []model.NodeTemplate{{Name: "worker", Node: node("worker", "3")}},
		Pods:    []model.PodTemplate{{Name: "low", Pod: pod("low", "1", 0)}, {Name: "high", Pod: pod("high", "2", 10)}},
		Initial: []model.Cluster{{Nodes: []model.ClusterNode{{Template: 0, Bound: []model.ClusterPod{low, low, low}}}}},
		Actions: model.Actions{Arrivals: 1, Preempt: true, VictimGone: true},
	}
}

func node(name, cpu string) *v1.Node {
	return &v1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{v1.LabelHostname: ""}},
		Status: v1.NodeStatus{Allocatable: v1.ResourceList{
			v1.ResourceCPU: resource.MustParse(cpu), v1.ResourceMemory: resource.MustParse("4Gi"),
			v1.ResourcePods: resource.MustParse("10"),
		}},
	}
}

func pod(name, cpu string, priority int32) *v1.Pod {
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
		Spec: v1.PodSpec{Priority: &priority, Containers: []v1.Container{{
			Name: "c", Resources: v1.ResourceRequirements{Requests: v1.ResourceList{v1.ResourceCPU: resource.MustParse(
				cpu)}},
		}}},
	}
}

// explored explores scenarios with a stand-in and gives the run. Its times are made up.
func explored(t testing.TB, ctx context.Context, bug func(q spec.Question, d *spec.Decision),
	scenarios ...*model.Scenario) *Run {
	t.Helper()
	m := spec.New(plugins())
	result, err := decisions.Run(ctx, scenarios, decisions.Options{
		Spec:       m,
		NewDecider: func() (decisions.Decider, error) { return standIn{m, bug}, nil },
		Workers:    1,
	})
	if err != nil {
		t.Fatal(err)
	}
	result.InProduction = 500 * time.Millisecond
	return &Run{
		KubernetesVersion: "v1.0.0", Spec: m, Result: result, Elapsed: time.Second, Workers: 1,
		Scope: Scope{Nodes: 2, Pods: 3},
	}
}
