package stepped_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	kubescheduler "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	st "k8s.io/kubernetes/pkg/scheduler/testing"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
)

// trusting takes the node that an equal pod left without asking a filter again.
type trusting struct {
	framework.Framework
	left string
}

func (f *trusting) GetNodeHint(ctx context.Context, pod *v1.Pod, signature fwk.PodSignature, state fwk.CycleState,
	cycle int64) string {
	f.left = f.Framework.GetNodeHint(ctx, pod, signature, state, cycle)
	return f.left
}

func (f *trusting) RunFilterPluginsWithNominatedPods(ctx context.Context, state fwk.CycleState, pod *v1.Pod,
	info fwk.NodeInfo) *fwk.Status {
	if info.Node().Name == f.left {
		return nil
	}
	return f.Framework.RunFilterPluginsWithNominatedPods(ctx, state, pod, info)
}

// unequal takes no node that an equal pod left.
type unequal struct{ framework.Framework }

func (unequal) GetNodeHint(context.Context, *v1.Pod, fwk.PodSignature, fwk.CycleState, int64) string {
	return ""
}

// stays takes the node that was chosen before for an equal pod.
type stays struct {
	framework.Framework
	chosen string
}

func (f *stays) GetNodeHint(context.Context, *v1.Pod, fwk.PodSignature, fwk.CycleState, int64) string {
	return f.chosen
}

func (f *stays) StoreScheduleResults(ctx context.Context, signature fwk.PodSignature, hinted, chosen string,
	others framework.SortedScoredNodes, cycle int64) {
	f.chosen = chosen
	f.Framework.StoreScheduleResults(ctx, signature, hinted, chosen, others, cycle)
}

// leavesNothing forgets the nodes that a pod did not take.
type leavesNothing struct{ framework.Framework }

func (leavesNothing) StoreScheduleResults(context.Context, fwk.PodSignature, string, string,
	framework.SortedScoredNodes, int64) {
}

// signsAll leaves the nodes that a pod did not take to equal ones, also if it is never taken for equal.
type signsAll struct{ framework.Framework }

func (f signsAll) StoreScheduleResults(ctx context.Context, signature fwk.PodSignature, hinted, chosen string,
	others framework.SortedScoredNodes, cycle int64) {
	if len(signature) == 0 {
		signature = fwk.PodSignature("any")
	}
	f.Framework.StoreScheduleResults(ctx, signature, hinted, chosen, others, cycle)
}

// unspread is the configuration by which pods are not spread by default.
func unspread(t *testing.T) *production.Config {
	t.Helper()
	text, err := os.ReadFile("../../../testdata/configs/batching.yaml")
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := production.LoadConfig("batching.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// sized is a node with so much CPU.
func sized(name, cpu string) *st.NodeWrapper {
	return node(name).Capacity(map[v1.ResourceName]string{"cpu": cpu, "memory": "4Gi", "pods": "10"})
}

// TestBatches: what one cycle leaves for an equal pod in the next is used in the same half second and only if pods are
// not spread by default, which they are; and where it is not what the model allows, that is told.
func TestBatches(t *testing.T) {
	batching := unspread(t)
	nodes := cluster(node("n1"), node("n2"), node("n3"))
	first, second := pod("first").Req(cpu("1")).Obj(), pod("second").Req(cpu("1")).Obj()
	larger := sized("n4", "4").Obj()
	begins := []loop.Action{create(first), create(second), schedule}
	cordon := update("cordon", node("n2").Unschedulable(true).Obj())
	type inner = framework.Framework
	below := func(put func(inner) inner) func(*kubescheduler.Scheduler) {
		return func(s *kubescheduler.Scheduler) { stepped.Below(s, put) }
	}
	for _, row := range []struct {
		reason string
		cfg    *production.Config
		plant  func(*kubescheduler.Scheduler)
		run    []loop.Action
		left   string // after the first pod
		node   string // of the second pod
		breaks string // what is found, with the known defect that explains it
	}{
		{"nothing is left by default", byDefault(t), nil, nil, "", "n2", ""},
		{"the best of the others", batching, nil, nil, "n2 n3", "n2", ""},
		{"another pod comes first", batching, nil,
			[]loop.Action{create(pod("big").Priority(9).Req(cpu("3")).Obj()), schedule}, "", "n2", ""},
		{"time has passed", batching, nil, []loop.Action{{Verb: loop.Flush}}, "", "n2", ""},
		{"it does not fit any more", batching, nil, []loop.Action{cordon}, "n2 n3", "n3", ""},
		{"a better node comes", batching, nil, []loop.Action{create(larger)}, "n2 n3", "n2", "refinement batch-outdated"},
		{"planted: nothing is left", batching,
			below(func(f inner) inner { return leavesNothing{f} }), nil, "", "n2", "batches"},
		{"planted: nodes are left by a pod that is never taken for equal", byDefault(t),
			below(func(f inner) inner { return signsAll{f} }), nil, "n2 n3", "n2", "batches"},
		{"planted: nothing is taken", batching,
			below(func(f inner) inner { return unequal{f} }), nil, "n2 n3", "n2", "batches"},
		{"planted: that it does not fit any more is not seen", batching,
			below(func(f inner) inner { return &trusting{Framework: f} }), []loop.Action{cordon}, "n2 n3", "n2",
			"refinement"},
	} {
		t.Run(row.reason, func(t *testing.T) {
			s, err := stepped.New(t.Context(), row.cfg, nodes, stepped.Options{Plant: row.plant})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			m := modelUnder(t, row.cfg)
			for _, a := range append(slices.Clone(begins), row.run...) {
				if _, err := s.Do(a); err != nil {
					t.Fatal(err)
				}
			}
			before, left := s.State(), ""
			if before.Batch != nil {
				left = strings.Join(before.Batch.Nodes, " ")
			}
			if left != row.left {
				t.Errorf("%q is left, want %q", left, row.left)
			}
			step, err := s.Do(schedule)
			if err != nil {
				t.Fatal(err)
			}
			if got := s.State().Pod("default/second").Spec.NodeName; got != row.node {
				t.Errorf("the second pod is on %q, want %q", got, row.node)
			}
			taken, found := &loop.Transition{Model: m, Before: before, Action: schedule, Step: step, After: s.State()}, ""
			for _, b := range taken.Broken() {
				found = strings.TrimSpace(b.Property.Name + " " + b.Known)
			}
			if found != row.breaks {
				t.Errorf("it breaks %q, want %q", found, row.breaks)
			}
		})
	}
}

// TestBatchChosenAgain: what a cycle leaves competes with the node that it chose, which alone is scored anew: a pod
// goes to that one again, although another has become better since. If no one else changed anything, it is better.
func TestBatchChosenAgain(t *testing.T) {
	cfg := unspread(t)
	heavy := pod("heavy").Req(cpu("3")).Node("n2").Obj()
	waiting := pod("waiting").Req(cpu("3")).NodeSelector(map[string]string{"size": "small"}).Obj()
	waits := []loop.Action{create(waiting), failing(loop.WaitPermit)}
	like := func(name string) loop.Action { return create(pod(name).Req(cpu("100m")).Obj()) }
	outdated := []string{"refinement: default/second: batch-outdated", "levels-agree: default/second: batch-outdated"}
	for _, row := range []struct {
		reason      string
		first, then []loop.Action
		want        []string
	}{
		{"n2 is empty by then", []loop.Action{create(heavy)}, []loop.Action{remove(heavy), gone(heavy)}, outdated},
		{"n2 is as it was", []loop.Action{create(heavy)}, nil, nil},
		{"who waited for n2 is rejected", waits,
			[]loop.Action{{Verb: loop.Reject, Ref: loop.RefOf(waiting)}}, outdated},
		{"who waited for n2 is allowed", waits, []loop.Action{{Verb: loop.Allow, Ref: loop.RefOf(waiting)}}, nil},
	} {
		small := sized("n2", "4").Label("size", "small")
		s := schedulerUnder(t, cfg, cluster(sized("n1", "8"), small), stepped.Options{Faults: true})
		begins := append(row.first, like("first"), like("second"), schedule)
		actions := append(slices.Concat(begins, row.then), schedule)
		if diff := cmp.Diff(row.want, breaksUnder(t, cfg, s, actions)); diff != "" {
			t.Errorf("%s: it breaks (-want +got):\n%s", row.reason, diff)
		}
		if on := s.State().Pod("default/second").Spec.NodeName; on != "n1" {
			t.Errorf("%s: the second pod is on %q", row.reason, on)
		}
	}
}

// TestBatchGone: when a node that was left is gone, all nodes are looked at, although the chosen one still fits. Where
// that is not so it is a finding, which batch-outdated does not explain, as it does when a better node has come.
func TestBatchGone(t *testing.T) {
	cfg := unspread(t)
	forgets := func(s *kubescheduler.Scheduler) {
		stepped.Below(s, func(f framework.Framework) framework.Framework { return &stays{Framework: f} })
	}
	nodes := cluster(sized("n1", "4"), sized("n2", "4"), sized("n3", "4"))
	gone, comes := remove(nodes.Nodes[2]), create(sized("n4", "8").Obj())
	for _, row := range []struct {
		reason string
		plant  func(*kubescheduler.Scheduler)
		event  loop.Action
		want   []string
	}{
		{"n3 is gone", nil, gone, nil},
		{"planted: that n3 is gone is not seen", forgets, gone, []string{"refinement: default/second"}},
		{"planted: nor that n4 has come", forgets, comes, []string{"refinement: default/second: batch-outdated"}},
	} {
		s := schedulerUnder(t, cfg, nodes, stepped.Options{Plant: row.plant})
		like := func(name string) loop.Action { return create(pod(name).Req(cpu("1")).Obj()) }
		got := breaksUnder(t, cfg, s, []loop.Action{like("first"), like("second"), schedule, row.event, schedule})
		got = slices.DeleteFunc(got, func(found string) bool { return !strings.HasPrefix(found, "refinement") })
		if diff := cmp.Diff(row.want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: it breaks (-want +got):\n%s", row.reason, diff)
		}
	}
}

// TestBatchNominated: the node that was chosen before has room for one more, which a pod has that is nominated to it:
// an equal pod does not fit there, and looks at all nodes.
func TestBatchNominated(t *testing.T) {
	cfg := unspread(t)
	waits := pod("waits").Priority(10).Req(cpu("1")).PVC("none").NominatedNodeName("n1").Obj()
	roomy := sized("n1", "2")
	for _, row := range []struct {
		reason string
		waits  []loop.Action
		left   bool // there is a second pod that takes what was left
	}{
		{"there is a nomination", []loop.Action{create(waits), schedule}, false},
		{"control: there is none", nil, true},
	} {
		s := schedulerUnder(t, cfg, cluster(roomy, node("n2")), stepped.Options{})
		like := func(name string) loop.Action { return create(pod(name).Req(cpu("1")).Obj()) }
		for _, a := range append(row.waits, like("first"), like("second"), schedule) {
			if _, err := s.Do(a); err != nil {
				t.Fatal(err)
			}
		}
		before := s.State()
		step, err := s.Do(schedule)
		if err != nil {
			t.Fatal(err)
		}
		taken := &loop.Transition{Model: modelUnder(t, cfg), Before: before, Action: schedule, Step: step, After: s.State()}
		if broken := taken.Broken(); len(broken) > 0 || step.Batched != row.left {
			t.Errorf("%s: it breaks %v, and takes what was left: %t, want %t", row.reason, broken, step.Batched, row.left)
		}
	}
}
