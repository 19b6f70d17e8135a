package decisions_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// recreating lets pods arrive and evicted ones come back.
func recreating(arrivals int) model.Actions {
	return model.Actions{Arrivals: arrivals, Recreations: 1, Preempt: true, VictimGone: true}
}

// of returns the pod to a scheduler.
func of(scheduler string, p *v1.Pod) *v1.Pod {
	p.Spec.SchedulerName = scheduler
	return p
}

// loner returns a pod that wants no other pod on its node.
func loner(name string) *v1.Pod {
	p := pod(name, "1", 10)
	p.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{
			TopologyKey:   v1.LabelHostname,
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
		}},
	}}
	return p
}

// web returns a pod of low priority that loners refuse.
func web() *v1.Pod {
	p := pod("web", "1", 0)
	p.Labels = map[string]string{"app": "web"}
	return p
}

// roomy lets the node take any number of pods.
func roomy(n *v1.Node) *v1.Node {
	n.Status.Allocatable[v1.ResourcePods] = resource.MustParse("110")
	return n
}

func hostnamed(n *v1.Node) *v1.Node {
	n.Labels = map[string]string{v1.LabelHostname: n.Name}
	return n
}

// TestLiveness: what goes on for ever is found, with the loop that does, and nothing is where its cause lacks.
func TestLiveness(t *testing.T) {
	forgetsNominations := func(q spec.Question, d *spec.Decision) {
		for i := range d.Outcomes {
			d.Outcomes[i].KeepsNomination = false
		}
	}
	keepsNominations := func(q spec.Question, d *spec.Decision) {
		for i := range d.Outcomes {
			if d.Outcomes[i].Type == spec.Wait && q.Pod.Status.NominatedNodeName != "" {
				d.Outcomes[i].KeepsNomination = true
			}
		}
	}
	// Pods of priority 0 go to the first node as long as nobody runs there.
	pushesIn := func(q spec.Question, d *spec.Decision) {
		if spec.Priority(q.Pod) == 0 && len(spec.PodsOn(q.Snapshot.Nodes[0], q.Snapshot)) == 0 {
			d.Outcomes = []spec.Outcome{{Type: spec.Bind, Node: 0}}
		}
	}
	honest := func(spec.Question, *spec.Decision) {}
	tests := []struct {
		reason  string
		lie     func(q spec.Question, d *spec.Decision)
		actions model.Actions
		objects []runtime.Object
		// want has the findings, and loop the steps of the first one's loop.
		want, loop []string
	}{
		{
			"two schedulers, of which one does not know the other's nominations", honest, recreating(2),
			[]runtime.Object{node("n", "1"), of("second", pod("low", "1", 0)), pod("high", "1", 10)},
			[]string{
				"no-preemption-cycle/DefaultPreemption/foreign-nominations",
				"preemptors-settle/DefaultPreemption/foreign-nominations",
			},
			[]string{"recreate low-1", "bind low-1", "preempt high-1", "gone low-1"},
		},
		{
			"one scheduler for both", honest, recreating(2), []runtime.Object{node("n", "1"), pod("low", "1", 0),
				pod("high", "1", 10)}, nil, nil,
		},
		{
			"two schedulers, but nobody comes back", honest, model.Actions{Arrivals: 2, Preempt: true,
				VictimGone: true},
			[]runtime.Object{node("n", "1"), of("second", pod("low", "1", 0)), pod("high", "1", 10)}, nil, nil,
		},
		{
			"required anti-affinity of a nominated pod is overlooked", honest, recreating(2),
			[]runtime.Object{hostnamed(node("n", "2")), web(), loner("loner")},
			[]string{
				"no-preemption-cycle/InterPodAffinity/nominated-repels",
				"preemptors-settle/InterPodAffinity/nominated-repels",
			},
			[]string{"recreate web-1", "bind web-1", "preempt loner-1", "gone web-1"},
		},
		{
			"... and there is room to come back before the victim is gone", honest, recreating(2),
			[]runtime.Object{roomy(hostnamed(node("n", "3"))), web(), loner("loner")},
			[]string{
				"no-preemption-cycle/InterPodAffinity/nominated-repels",
				"preemptors-settle/InterPodAffinity/nominated-repels",
				"no-forced-preemption-cycle/InterPodAffinity/nominated-repels",
			},
			[]string{"recreate web-1", "bind web-1", "preempt loner-1", "gone web-1"},
		},
		{
			"planted: pods of low priority push in", pushesIn, recreating(2),
			[]runtime.Object{node("n", "1"), pod("low", "1", 0), pod("high", "1", 10)},
			[]string{"no-preemption-cycle/new", "preemptors-settle/new"},
			[]string{"recreate low-1", "bind low-1", "preempt high-1", "gone low-1"},
		},
		{
			"planted: a nomination is kept though its node is taken", keepsNominations,
			model.Actions{Arrivals: 3, Preempt: true, VictimGone: true},
			[]runtime.Object{node("n", "1"), pod("low", "1", 0), pod("high", "1", 10), pod("top", "1", 20)},
			[]string{"preemptors-settle/new"}, []string{"wait high-1"},
		},
		{
			"planted: nominations are forgotten", forgetsNominations, recreating(2),
			[]runtime.Object{node("n", "1"), pod("low", "1", 0), pod("high", "1", 10)},
			[]string{"no-preemption-cycle/new"},
			[]string{"bind low-1", "preempt high-1", "wait high-1", "gone low-1", "recreate low-1"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			for _, workers := range []int{1, 3} {
				o := lying(t, tt.lie)
				o.Properties, o.Workers = invariants.Liveness(), workers
				o.Properties = append(o.Properties, invariants.All()...)
				result := run(t, o, clusters(t, 1, tt.actions, tt.objects...))
				var got, loop []string
				for _, f := range result.Findings {
					if f.Property.Behaviour == nil {
						continue
					}
					if got = append(got, f.ID); len(got) == 1 {
						loop = looped(f)
					}
					checkLoop(t, f)
				}
				if diff := cmp.Diff(tt.want, got) + cmp.Diff(tt.loop, loop); diff != "" {
					t.Errorf("%d workers: findings, loop (-want +got):\n%s", workers, diff)
				}
				if len(result.Liveness) != 1 || result.Liveness[0].States == 0 || !result.Complete {
					t.Errorf("%d workers: looked at %+v, complete: %v", workers, result.Liveness, result.Complete)
				}
			}
		})
	}
}

// looped returns the steps of a loop.
func looped(f decisions.Finding) []string {
	var steps []string
	stages := f.Example.Stages
	for _, stage := range stages[len(stages)-1-f.Example.Loop : len(stages)-1] {
		steps = append(steps, fmt.Sprint(stage.Step.Class, " ", stage.Step.Pod.Name))
	}
	return steps
}

// checkLoop: the loop of a finding leads back to where it begins.
func checkLoop(t *testing.T, f decisions.Finding) {
	t.Helper()
	if len(f.Example.Takers) != len(f.Example.Stages)-1 {
		t.Fatalf("%s: it is said of %d steps who may take them, of %d", f.ID, len(f.Example.Takers),
			len(f.Example.Stages)-1)
	}
	for i, who := range f.Example.Takers {
		if step := f.Example.Stages[i].Step; step.Class.Decided() != who.Production {
			t.Errorf("%s, step %d, %s: kube-scheduler takes it: %t", f.ID, i+1, step.Class, who.Production)
		}
	}
	stages := f.Example.Stages
	begin, end := stages[len(stages)-1-f.Example.Loop], stages[len(stages)-1]
	if diff := cmp.Diff(begin.Arrangement(), end.Arrangement()); diff != "" || f.Example.Loop == 0 {
		t.Errorf("%s: the loop of %d steps does not lead back (-begin +end):\n%s", f.ID, f.Example.Loop, diff)
	}
	if len(f.Example.Reasons) != 1 {
		t.Errorf("%s: reasons %q", f.ID, f.Example.Reasons)
	}
}

// TestSettle: a nomination that leads to nothing is found.
func TestSettle(t *testing.T) {
	// Whoever is nominated is never bound nor rid of it.
	stuck := func(q spec.Question, d *spec.Decision) {
		if q.Pod.Status.NominatedNodeName != "" {
			d.Outcomes = []spec.Outcome{{Type: spec.Wait, Node: -1, KeepsNomination: true}}
		}
	}
	o := lying(t, stuck)
	o.Properties = []invariants.Property{invariants.PreemptorsSettle()}
	result := run(t, o, clusters(t, 1, model.Actions{Arrivals: 2, Preempt: true, VictimGone: true},
		node("n", "1"), pod("low", "1", 0), pod("high", "1", 10)))
	f := finding(t, result, "preemptors-settle/new")
	checkLoop(t, f)
	if want := []string{"wait high-1"}; !slices.Equal(looped(f), want) {
		t.Errorf("loop %q, want %q", looped(f), want)
	}
	if want := []string{"default/high-1 holds a nomination for ever, and is neither bound nor rid of it"}; !slices.
		Equal(f.Example.Reasons, want) {
		t.Errorf("reasons %q", f.Example.Reasons)
	}
}

// TestThemeOfCycles: the preemption cycle of kubernetes/kubernetes#130429 is found from a theme.
func TestThemeOfCycles(t *testing.T) {
	s, err := scenario.Theme("schedulers", 1, recreating(2), admission.Admit)
	if err != nil {
		t.Fatal(err)
	}
	o := kubeScheduler(t, production.Options{})
	o.Properties = append(invariants.All(), invariants.Liveness()...)
	f := finding(t, run(t, o, s), "no-preemption-cycle/DefaultPreemption/foreign-nominations")
	if upstream := f.Quirks[0].Upstream; upstream != "kubernetes/kubernetes#130429" {
		t.Errorf("it is known as %s", upstream)
	}
}
