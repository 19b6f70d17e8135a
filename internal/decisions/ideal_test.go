package decisions_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestIdealSorts: of every sort of preemption that is documented and not ideal there is a cluster, kube-scheduler
// does so there, and no node, pod or budget of it can be left out.
func TestIdealSorts(t *testing.T) {
	o := kubeScheduler(t, production.Options{})
	decider, err := o.NewDecider()
	if err != nil {
		t.Fatal(err)
	}
	defer decider.Close()
	files, err := filepath.Glob("../../testdata/ideal/*.yaml")
	if err != nil || len(files) != len(invariants.IdealSorts()) {
		t.Errorf("%d files for %d sorts, error %v", len(files), len(invariants.IdealSorts()), err)
	}
	for _, sort := range invariants.IdealSorts() {
		t.Run(sort, func(t *testing.T) {
			manifests, err := scenario.Read([]string{"../../testdata/ideal/" + sort + ".yaml"}, strings.NewReader(""),
				admission.Admit)
			if err != nil {
				t.Fatal(err)
			}
			shows := func(s *spec.Snapshot) bool {
				i := slices.IndexFunc(s.Pods, func(p *v1.Pod) bool { return p.Spec.NodeName == "" })
				_, findings := decisions.NewSession(o.Spec, nil, decider).Ask(spec.Question{Pod: s.Pods[i], Snapshot: s})
				for _, f := range findings {
					if f.Class == decisions.New {
						t.Errorf("found as well: %s", describe(f))
					}
				}
				return slices.ContainsFunc(
					findings,
					func(f decisions.Finding) bool { return f.ID == "ideal-preemption/by-design/"+sort },
				)
			}
			whole := manifests.Snapshot()
			if !shows(whole) {
				t.Fatal("it does not show the sort")
			}
			for i, pod := range whole.Pods {
				less := *whole
				if less.Pods = slices.Delete(slices.Clone(whole.Pods), i, i+1); pod.Spec.NodeName != "" &&
					shows(&less) {
					t.Errorf("pod %s can be left out", pod.Name)
				}
			}
			for i, node := range whole.Nodes {
				less := *whole
				less.Nodes = slices.Delete(slices.Clone(whole.Nodes), i, i+1)
				less.Pods = slices.DeleteFunc(
					slices.Clone(whole.Pods),
					func(p *v1.Pod) bool { return p.Spec.NodeName == node.Name },
				)
				if shows(&less) {
					t.Errorf("node %s can be left out", node.Name)
				}
			}
			if less := *whole; len(whole.PodDisruptionBudgets) > 0 {
				if less.PodDisruptionBudgets = nil; shows(&less) {
					t.Error("the budget can be left out")
				}
			}
		})
	}
}
