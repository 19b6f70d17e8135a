package decisions_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Minimised examples have the steps and the reasons of the others, say less, and are the same every time.
func TestMinimise(t *testing.T) {
	chatty := func() *model.Scenario {
		large, low, urgent := node("large", "2"), pod("low", "1", 0), pod("urgent", "1", 10)
		large.Labels = map[string]string{"zone": "a", "disk": "ssd"}
		low.Labels, urgent.Labels = map[string]string{"app": "low"}, map[string]string{"app": "urgent"}
		urgent.Spec.Tolerations = []v1.Toleration{{Key: "a", Operator: v1.TolerationOpExists}}
		return clusters(t, 1, model.Actions{Arrivals: 2, Preempt: true}, large, low, urgent)
	}
	bindsAll := func(q spec.Question, d *spec.Decision) {
		if len(q.Snapshot.Nodes) > 0 {
			d.Outcomes = []spec.Outcome{{Type: spec.Bind}}
		}
	}
	for _, row := range []struct {
		reason, property string
		lie              func(q spec.Question, d *spec.Decision)
		arrivals         int
	}{
		{"a decision", "no-needless-preemption", evicting(func(pod *v1.Pod) bool { return spec.Priority(pod) < 10 }, 0),
			2},
		{"a node", "no-overcommit", bindsAll, 3},
	} {
		find := func(minimise bool) decisions.Finding {
			s := chatty()
			s.Actions.Arrivals = row.arrivals
			o := lying(t, row.lie)
			o.Minimise = minimise
			findings := run(t, o, s).Findings
			i := slices.IndexFunc(
				findings,
				func(f decisions.Finding) bool { return f.Property.Name == row.property && f.Class == decisions.New },
			)
			if i < 0 {
				t.Fatalf("%s: %s is not broken", row.reason, row.property)
			}
			return findings[i]
		}
		shortest, smaller := find(false), find(true)
		if diff := cmp.Diff(shortest.Example.Reasons, smaller.Example.Reasons); diff != "" {
			t.Errorf("%s: other reasons (-shortest +smaller):\n%s", row.reason, diff)
		}
		if diff := cmp.Diff(steps(shortest), steps(smaller)); diff != "" {
			t.Errorf("%s: other steps (-shortest +smaller):\n%s", row.reason, diff)
		}
		first := smaller.Example.Stages[0].Cluster.Nodes[0]
		if _, labelled := first.Labels["disk"]; labelled {
			t.Errorf("%s: the node still says where its disk is", row.reason)
		}
		last := smaller.Example.Stages[len(smaller.Example.Stages)-1].Cluster
		for _, p := range last.Pods {
			if len(p.Labels)+len(p.Spec.Tolerations) > 0 {
				t.Errorf("%s: pod %s still has labels or tolerations", row.reason, p.Name)
			}
		}
		if again := find(true); describe(again) != describe(smaller) || said(t, again) != said(t, smaller) {
			t.Errorf("%s: another example the second time", row.reason)
		}
	}
}

func steps(f decisions.Finding) []string {
	var all []string
	for _, stage := range f.Example.Stages {
		if stage.Step != nil {
			all = append(all, stage.Step.Class.String()+" "+stage.Step.Pod.Name)
		}
	}
	return all
}

func said(t *testing.T, f decisions.Finding) string {
	t.Helper()
	text, err := json.Marshal(f.Example.Stages[len(f.Example.Stages)-1].Cluster)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
