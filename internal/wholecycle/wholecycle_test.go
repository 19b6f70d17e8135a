package main

import (
	"context"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// pair is what both said to a question.
type pair struct {
	question      spec.Question
	driven, whole *spec.Decision
}

// asked returns some questions of every theme, with what both said.
func asked(t *testing.T) []pair {
	t.Helper()
	scenarios, err := scope{nodes: 2, pods: 3}.themes()
	if err != nil {
		t.Fatal(err)
	}
	var all []pair
	for _, s := range scenarios {
		var few []model.Cluster // from all over the theme, as the smallest come first
		for i := range 2 {
			few = append(few, s.Initial[len(s.Initial)-1-i*len(s.Initial)/3])
		}
		s.Initial = few
		before := len(all)
		c := &crosscheck{oneIn: 5, compared: func(q spec.Question, driven, whole *spec.Decision) {
			all = append(all, pair{q, driven, whole})
		}}
		if _, err := c.explore(t.Context(), []*model.Scenario{s}, 2); err != nil {
			t.Fatal(err)
		}
		if len(all) == before {
			t.Errorf("theme %s: nothing was asked", s.Name)
		}
	}
	return all
}

// TestWholeCycle: kube-scheduler as a whole decides as the driven cycle does, and each of several faults of the driven
// cycle would have been noticed. For more questions: go run ./internal/wholecycle.
func TestWholeCycle(t *testing.T) {
	all := asked(t)
	outcomes := map[spec.OutcomeType]int{}
	for _, p := range all {
		for _, o := range p.whole.Outcomes {
			outcomes[o.Type]++
		}
		if found := differences(p.driven, p.whole); len(found) > 0 {
			t.Errorf("%s:\n  %s", words(p.question), strings.Join(found, "\n  "))
		}
	}
	t.Logf("%d questions: %v", len(all), outcomes)
	if len(all) < 500 || len(outcomes) < 3 {
		t.Errorf("%d questions with outcomes %v; want at least 500 with all sorts of outcome", len(all), outcomes)
	}
	for _, fault := range faults {
		t.Run(fault.name, func(t *testing.T) {
			config, err := production.DefaultConfig()
			if err != nil {
				t.Fatal(err)
			}
			driven, err := production.NewProfiles(context.Background(), config, config.Profiles()[0],
				production.Options{Messages: true})
			if err != nil {
				t.Fatal(err)
			}
			defer driven.Close()
			noticed := 0
			for _, p := range all {
				decision := driven.Decide(fault.asked(p.question))
				if len(differences(decision, p.whole)) > 0 {
					noticed++
				}
			}
			t.Logf("noticed by %d questions", noticed)
			if noticed == 0 {
				t.Error("no question shows it")
			}
		})
	}
}

// faults are such that the driven cycle could have, had on purpose by asking it another question than the one at hand.
var faults = []struct {
	name  string
	asked func(spec.Question) spec.Question
}{
	{"nominations of others are forgotten", func(q spec.Question) spec.Question {
		return changed(q, func(pod *v1.Pod) { pod.Status.NominatedNodeName = "" })
	}},
	{"budgets are not seen", func(q spec.Question) spec.Question {
		less := *q.Snapshot
		less.PodDisruptionBudgets = nil
		return spec.Question{Pod: q.Pod, Snapshot: &less}
	}},
	{"nodes lack their images", func(q spec.Question) spec.Question {
		less := *q.Snapshot
		less.Nodes = nil
		for _, node := range q.Snapshot.Nodes {
			node = node.DeepCopy()
			node.Status.Images = nil
			less.Nodes = append(less.Nodes, node)
		}
		return spec.Question{Pod: q.Pod, Snapshot: &less}
	}},
	{"pods are put on the nodes in the opposite order", func(q spec.Question) spec.Question {
		other := *q.Snapshot
		other.Pods = slices.Clone(other.Pods)
		slices.Reverse(other.Pods)
		return spec.Question{Pod: q.Pod, Snapshot: &other}
	}},
	{"the pod's own nominated node is not tried first", func(q spec.Question) spec.Question {
		pod := q.Pod.DeepCopy()
		pod.Status.NominatedNodeName = ""
		other := *q.Snapshot
		other.Pods = slices.Clone(other.Pods)
		other.Pods[slices.Index(other.Pods, q.Pod)] = pod
		return spec.Question{Pod: pod, Snapshot: &other}
	}},
}

// changed returns the question with a change of every pod but the one that asks.
func changed(q spec.Question, change func(*v1.Pod)) spec.Question {
	other := *q.Snapshot
	other.Pods = nil
	for _, pod := range q.Snapshot.Pods {
		if pod != q.Pod {
			pod = pod.DeepCopy()
			change(pod)
		}
		other.Pods = append(other.Pods, pod)
	}
	return spec.Question{Pod: q.Pod, Snapshot: &other}
}

// TestDifferences: whatever the driven cycle says otherwise is a difference.
func TestDifferences(t *testing.T) {
	victim := &v1.Pod{}
	said := func() *spec.Decision {
		return &spec.Decision{
			Nodes: []spec.NodeDecision{{
				Filtered: true, Overall: spec.Unschedulable, Reasons: []string{"full"}, Scores: []spec.Score{{Value: 3}}, Total: 3,
			}},
			Candidates: []spec.Candidate{{Node: 0, Victims: []*v1.Pod{victim}}},
			Outcomes:   []spec.Outcome{{Type: spec.Preempt, Victims: []*v1.Pod{victim}}},
			Writes:     []spec.Write{{Verb: "delete", Resource: "pods", Pod: victim}},
			Message:    "0/1 nodes",
		}
	}
	for _, row := range []struct {
		want   string
		change func(*spec.Decision)
	}{
		{"", func(*spec.Decision) {}},
		{"", func(d *spec.Decision) { d.Outcomes = append(d.Outcomes, spec.Outcome{Type: spec.Bind}) }},
		{"failure", func(d *spec.Decision) { d.Failure = "hang" }},
		{"outcome", func(d *spec.Decision) { d.Outcomes[0].Victims = nil }},
		{"outcome", func(d *spec.Decision) { d.Outcomes[0].Node = 1 }},
		{"outcome", func(d *spec.Decision) { d.Outcomes[0].KeepsNomination = true }},
		{"message", func(d *spec.Decision) { d.Message = "" }},
		{"status", func(d *spec.Decision) { d.Nodes[0].Filtered = false }},
		{"status", func(d *spec.Decision) { d.Nodes[0].Overall = spec.Unresolvable }},
		{"reasons", func(d *spec.Decision) { d.Nodes[0].Reasons = nil }},
		{"scores", func(d *spec.Decision) { d.Nodes[0].Scores[0].Value++ }},
		{"scores", func(d *spec.Decision) { d.Nodes[0].Scores[0].Skipped = true }},
		{"scores", func(d *spec.Decision) { d.Nodes[0].Total++ }},
		{"candidates", func(d *spec.Decision) { d.Candidates = nil }},
		{"candidates", func(d *spec.Decision) { d.Candidates[0].Victims = nil }},
		{"writes", func(d *spec.Decision) { d.Writes = nil }},
	} {
		driven := said()
		row.change(driven)
		found := strings.Join(differences(driven, said()), "\n")
		if row.want == "" && found != "" || !strings.HasPrefix(found, row.want) {
			t.Errorf("got %q, want %q", found, row.want)
		}
	}
}
