package stepped_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	kubescheduler "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// withConditions is a cluster with a device that must become ready, and claims for it.
func withConditions() *spec.Snapshot {
	s := withDevices(cluster(node("n1")), []string{"d"}, "one", "two")
	s.ResourceSlices[0].Spec.Devices[0].BindingConditions = []string{"Attached"}
	s.ResourceSlices[0].Spec.Devices[0].BindingFailureConditions = []string{"Failed"}
	return s
}

// says takes the report of a driver that ends like this, or the end of its time.
func says(t *testing.T, s *stepped.Scheduler, end string) []string {
	t.Helper()
	scope := &loop.Scope{Events: 1, Happens: []loop.EventType{loop.DeviceFailed, loop.DeviceLate}}
	all := scope.Actions(s.State(), loop.Used{})
	i := slices.IndexFunc(all, func(a loop.Action) bool { return strings.HasSuffix(a.String(), end) })
	if i < 0 {
		t.Fatalf("no driver says that its device %s: %v", end, all)
	}
	return breaks(t, s, all[i:i+1])
}

// late is how the end of the time of drivers ends.
const late = "its devices are to become ready"

// TestBindingConditions: a pod waits until the driver says that its device is ready; if it failed, or its time is over,
// the pod comes back, and gives the device back when it is tried.
func TestBindingConditions(t *testing.T) {
	for _, row := range []struct {
		reason string
		end    string
		bound  bool
	}{
		{"the device becomes ready", "is ready", true},
		{"the device fails", "failed", false},
		{"the time is over", late, false},
	} {
		t.Run(row.reason, func(t *testing.T) {
			s := newScheduler(t, withConditions(), stepped.Options{})
			broken := breaks(t, s, []loop.Action{uses("first", "one"), schedule})
			if q, _ := s.State().Queued("default/first"); !q.Waits || !q.Devices || !q.In(loop.Binding) {
				t.Fatalf("before the driver says anything the pod is %+v; broken is %q", q, broken)
			}
			// Meanwhile the device is taken.
			broken = append(broken, breaks(t, s, []loop.Action{uses("second", "two"), schedule})...)
			broken = append(broken, says(t, s, row.end)...)
			if got := s.State().Pod("default/first").Spec.NodeName != ""; got != row.bound {
				t.Errorf("the pod is bound: %v", got)
			}
			if !row.bound {
				broken = append(broken, breaks(t, s, []loop.Action{backoff, schedule, schedule})...)
				if claim := s.State().API.ResourceClaims[0]; claim.Status.Allocation != nil {
					t.Errorf("the claim keeps its device: %+v", claim.Status)
				}
			}
			if broken != nil {
				t.Errorf("broken is %q", broken)
			}
		})
	}
}

// TestFaultsWithDevices: what is as it should be when cycles fail or wait on permit, and breaks nothing.
func TestFaultsWithDevices(t *testing.T) {
	p := pod("p").Obj()
	slice := withConditions().ResourceSlices[0]
	deleted := loop.Action{Verb: loop.Delete, Ref: loop.RefOf(slice)}
	for _, row := range []struct {
		reason  string
		initial *spec.Snapshot
		begins  []loop.Action
		end     string // of what the driver says then; empty: nothing
		goesOn  []loop.Action
	}{
		{"a claim that is being allocated for another pod is waited for", oneDevice(),
			[]loop.Action{uses("p", "one"), failing(loop.WaitPermit), uses("q", "one"), schedule}, "",
			[]loop.Action{on(loop.Allow, p), schedule}},
		{"who is to fail on permit is turned away before, and gives the late device back", withConditions(),
			[]loop.Action{uses("p", "one"), schedule}, late, []loop.Action{backoff, failing(loop.RejectPermit)}},
		{"an earlier pod of the name waits for its device, the later one on permit", withConditions(),
			[]loop.Action{uses("p", "one"), schedule, remove(p), uses("p", "one"), failing(loop.WaitPermit)}, "",
			[]loop.Action{on(loop.Allow, p)}},
		{"a slice comes back while a pod sleeps that permit rejected", withConditions(),
			[]loop.Action{uses("p", "one"), failing(loop.RejectPermit), deleted}, "", []loop.Action{create(slice)}},
	} {
		t.Run(row.reason, func(t *testing.T) {
			s := newScheduler(t, row.initial, stepped.Options{Faults: true})
			broken := breaks(t, s, row.begins)
			if row.end != "" {
				broken = append(broken, says(t, s, row.end)...)
			}
			if broken = append(broken, breaks(t, s, row.goesOn)...); broken != nil {
				t.Errorf("broken is %q", broken)
			}
		})
	}
}

// unforgiving gives nothing back after no node is feasible.
type unforgiving struct{ framework.Framework }

func (unforgiving) RunPostFilterPlugins(context.Context, fwk.CycleState, *v1.Pod,
	fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	return nil, fwk.NewStatus(fwk.Unschedulable)
}

// TestPlantedConditions: it is noticed if a device that failed, or is late, is not given back; and a scheduler can be
// closed while a pod waits. If it has not heard of all that was done to the claim, it cannot be; that of another is no
// excuse.
func TestPlantedConditions(t *testing.T) {
	for _, row := range []struct {
		end, unheard string // of the claim
		noticed      bool
	}{{"failed", "", true}, {late, "", true}, {"failed", "two", true}, {"failed", "one", false}} {
		s := newScheduler(t, withConditions(), stepped.Options{Late: true, Plant: func(s *kubescheduler.Scheduler) {
			stepped.Below(s, func(inner framework.Framework) framework.Framework { return unforgiving{inner} })
		}})
		hearAll := func() {
			for len(s.State().Unheard) > 0 {
				breaks(t, s, []loop.Action{hear(s.State().Unheard[0].Action)})
			}
		}
		breaks(t, s, []loop.Action{uses("first", "one")})
		hearAll()
		breaks(t, s, []loop.Action{schedule})
		hearAll()
		says(t, s, row.end)
		hearAll()
		for _, claim := range s.State().API.ResourceClaims {
			if claim.Name == row.unheard {
				labelled := claim.DeepCopy()
				labelled.Labels = map[string]string{"a": "b"}
				breaks(t, s, []loop.Action{update("labels", labelled)})
			}
		}
		broken := breaks(t, s, []loop.Action{backoff, schedule})
		if slices.ContainsFunc(broken, func(text string) bool {
			return strings.HasPrefix(text, "failed-given-back: ")
		}) != row.noticed {
			t.Errorf("%+v: what is noticed is %q", row, broken)
		}
	}
	s := newScheduler(t, withConditions(), stepped.Options{}) // closed at the end of the test
	breaks(t, s, []loop.Action{uses("first", "one"), schedule})
}
