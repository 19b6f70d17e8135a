package decisions_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// own makes a user's own property of states, which nothing explains.
func own(name string, broken func(s *invariants.State) bool) invariants.Property {
	return invariants.Property{Name: name, Own: true, State: func(s *invariants.State) (bool, []invariants.Breach) {
		if broken(s) {
			return true, []invariants.Breach{
				{Reason: name, Because: func() string { return fmt.Sprint(len(s.Cluster.Pods)) }},
			}
		}
		return true, nil
	}}
}

// whereabouts writes where every pod of a cluster is.
func whereabouts(s *spec.Snapshot) map[string]string {
	where := map[string]string{}
	for _, p := range s.Pods {
		where[p.Name] = p.Spec.NodeName + "/" + p.Status.NominatedNodeName + "/" +
			fmt.Sprint(p.DeletionTimestamp != nil)
	}
	return where
}

// TestOwnProperties: properties of states are asked of every state, with end where nothing can happen; of steps,
// with the names of before and after; a counterexample is a shortest one, for any number of workers.
func TestOwnProperties(t *testing.T) {
	scenario := clusters(t, 1, everything(3), node("n", "2"), pod("low", "1", 0), pod("high", "2", 10))
	var unsteady string
	moved := func(s *invariants.Step) (bool, []invariants.Breach) {
		named := s.Named()
		before, after := whereabouts(named.Before), whereabouts(named.After)
		for _, name := range slices.Sorted(maps.Keys(before)) {
			involved := name == named.Step.Pod.Name ||
				slices.ContainsFunc(named.Step.Victims, func(v *v1.Pod) bool { return v.Name == name })
			// Whoever is nominated to the node of a preemption and less important loses that.
			if after[name] != before[name] && !involved && !strings.HasPrefix(before[name], "/") {
				unsteady = fmt.Sprintf("%s by %s: %v, then %v", name, named.Step.Class, before, after)
			}
		}
		if named.Step.Class == model.Preempt {
			return true, []invariants.Breach{{Reason: "a preemption"}}
		}
		return true, nil
	}
	for _, workers := range []int{1, 2} {
		o := kubeScheduler(t, production.Options{})
		o.Workers = workers
		o.Properties = append(invariants.All(),
			own("at-most-two", func(s *invariants.State) bool { return len(s.Cluster.Pods) > 2 }),
			own("ends-placed", func(s *invariants.State) bool {
				return s.End &&
					slices.ContainsFunc(s.Cluster.Pods, func(p *v1.Pod) bool { return p.Spec.NodeName == "" })
			}),
			invariants.Property{Name: "no-preemption", Own: true, Step: moved},
		)
		result := run(t, o, scenario)
		if unsteady != "" {
			t.Errorf("a step changes the names of pods: %s", unsteady)
		}
		two := finding(t, result, "at-most-two/new")
		if steps := len(two.Example.Stages) - 1; steps != 3 {
			t.Errorf("three pods are there after %d steps, want 3", steps)
		}
		if diff := cmp.Diff([]string{"at-most-two, as 3"}, two.Example.Reasons); diff != "" {
			t.Errorf("reasons (-want +got):\n%s", diff)
		}
		ended := finding(t, result, "ends-placed/new")
		if ended.Count == 0 || len(ended.Example.Reasons) != 1 {
			t.Errorf("an end with a pod that waits: %d states, reasons %q", ended.Count, ended.Example.Reasons)
		}
		if reasons := finding(t, result, "no-preemption/new").Example.Reasons; !slices.Equal(reasons,
			[]string{"a preemption"}) {
			t.Errorf("reasons %q", reasons)
		}
		for _, p := range result.Properties {
			if p.State != nil && p.Exercised != result.Distinct {
				t.Errorf("%s was asked of %d states, of %d", p.Name, p.Exercised, result.Distinct)
			}
		}
	}
}

// TestWitness: what is to be found is found, or said to be missing, and is never a violation by itself.
func TestWitness(t *testing.T) {
	scenario := clusters(t, 1, everything(2), node("n", "2"), pod("low", "1", 0))
	witness := func(name string, pods int) invariants.Property {
		p := own(name, nil)
		p.Witness = true
		p.State = func(s *invariants.State) (bool, []invariants.Breach) {
			if len(s.Cluster.Pods) == pods {
				return true, []invariants.Breach{{Reason: name, Found: true}}
			}
			return true, nil
		}
		return p
	}
	o := kubeScheduler(t, production.Options{})
	o.Properties = []invariants.Property{witness("two", 2), witness("three", 3)}
	result := run(t, o, scenario)
	if f := finding(t, result, "two/witness"); f.Class != decisions.Witness || len(f.Example.Stages) != 3 {
		t.Errorf("two pods: class %s, %d stages", f.Class, len(f.Example.Stages))
	}
	var got []string
	for _, p := range result.Properties {
		got = append(got, fmt.Sprint(p.Name, " ", p.Verdict(), " ", p.Missing()))
	}
	if diff := cmp.Diff([]string{"two reachable false", "three not reached true"}, got); diff != "" {
		t.Errorf("witnesses (-want +got):\n%s", diff)
	}
}

// TestOwnDoesNotHideKnown: a property of a user's own that a decision breaks does not keep a known defect from
// being recognised in it.
func TestOwnDoesNotHideKnown(t *testing.T) {
	o := kubeScheduler(t, production.Options{})
	o.Properties = append(
		invariants.All(),
		invariants.Property{Name: "nothing", Own: true, Decision: func(*invariants.Case) (bool, []invariants.Breach) {
			return true, []invariants.Breach{{Reason: "always"}}
		}},
	)
	result := run(t, o, themes(t, 2, 2)...)
	known := 0
	for _, f := range result.Findings {
		switch {
		case len(f.Quirks) > 0:
			known++
		case f.Class == decisions.New && f.Property.Name != "nothing":
			t.Errorf("%s is new beside a property that is always broken", f.ID)
		}
	}
	if known == 0 {
		t.Error("no known defect in two nodes and two pods: the test shows nothing")
	}
}
