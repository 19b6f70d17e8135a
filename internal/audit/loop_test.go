package audit_test

import (
	"fmt"
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/audit"
	"github.com/seed-a3f26817/modelcheck/internal/cluster"
	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
	"github.com/seed-a3f26817/modelcheck/internal/provider"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// followed is kube-scheduler as a whole, to which happens what a what-if says.
type followed struct {
	t      *testing.T
	system *stepped.Scheduler
}

func (f *followed) do(a loop.Action) loop.Step {
	f.t.Helper()
	step, err := f.system.Do(a)
	if err != nil {
		f.t.Fatal(err)
	}
	if len(step.Errors)+len(step.Panics) > 0 {
		f.t.Fatalf("%s: %v %v", a, step.Errors, step.Panics)
	}
	return step
}

// schedule has the next pod scheduled, that nothing becomes of left out: it is asked about again as hints have it, and
// in a what-if as often as something changed.
func (f *followed) schedule() (popped string, state *loop.State, ok bool) {
	for range 10_000 {
		if !f.system.State().Poppable() {
			f.do(loop.Action{Verb: loop.Backoff})
			if !f.system.State().Poppable() {
				return "", f.system.State(), false
			}
		}
		popped = f.do(loop.Action{Verb: loop.Schedule}).Popped
		state = f.system.State()
		pod := podOf(state.API, popped)
		if pod.Spec.NodeName != "" || pod.Status.NominatedNodeName != "" {
			return popped, state, true
		}
	}
	f.t.Fatal("the queue never ends")
	return "", nil, false
}

func podOf(s *spec.Snapshot, key string) *v1.Pod {
	i := slices.IndexFunc(s.Pods, func(pod *v1.Pod) bool { return loop.Key(pod) == key })
	if i < 0 {
		return nil
	}
	return s.Pods[i]
}

// gone removes a pod from the API, as a drain, or the kubelet of a terminating pod, has it.
func (f *followed) gone(pod *v1.Pod) {
	if podOf(f.system.State().API, loop.Key(pod)).DeletionTimestamp == nil {
		f.do(loop.Action{Verb: loop.Delete, Ref: loop.RefOf(pod)})
	}
	f.do(loop.Action{Verb: loop.Gone, Ref: loop.RefOf(pod)})
}

func (f *followed) create(pod *v1.Pod) {
	f.do(loop.Action{Verb: loop.Create, Ref: loop.RefOf(pod), Object: pod})
}

// follow has happen to kube-scheduler what the what-if says, from the cluster in which its queue begins, and compares
// each placement and each eviction.
func follow(t *testing.T, begins *spec.Snapshot, w *audit.WhatIf) {
	t.Helper()
	// The queue has pods in the order in which they come.
	ordered := *begins
	ordered.Pods = slices.Clone(begins.Pods)
	slices.SortStableFunc(ordered.Pods, func(a, b *v1.Pod) int {
		return a.CreationTimestamp.Compare(b.CreationTimestamp.Time)
	})
	system, err := stepped.New(t.Context(), configuration(t), &ordered, stepped.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer system.Close()
	f := &followed{t, system}
	evictions := w.Evicted
	leaves := func(by string) {
		e := evictions[0]
		if evictions = evictions[1:]; e.By != by {
			t.Fatalf("%s is evicted by %q, want %q", e.Pod.Name, e.By, by)
		}
		f.gone(e.Pod)
		if e.Recreated != "" {
			f.create(cluster.Pending(e.Pod, e.Recreated))
		}
	}
	for i, step := range w.Steps {
		if step.Answer == nil {
			leaves("")
			continue
		}
		if step.Answer.Type == spec.Wait {
			continue
		}
		popped, state, ok := f.schedule()
		if !ok || popped != loop.Key(step.Pod) {
			t.Fatalf("step %d is about %s, kube-scheduler takes %q", i+1, loop.Key(step.Pod), popped)
		}
		pod := podOf(state.API, popped)
		if got := pod.Spec.NodeName + pod.Status.NominatedNodeName; got != step.Answer.Node {
			t.Fatalf("step %d: %s goes to %s, kube-scheduler has it on %s", i+1, popped, step.Answer.Node, got)
		}
		var victims, want []string
		for _, pod := range state.API.Pods {
			if pod.DeletionTimestamp != nil {
				victims = append(victims, loop.Key(pod))
			}
		}
		for _, victim := range step.Answer.Victims {
			want = append(want, loop.Key(victim))
		}
		slices.Sort(victims)
		if slices.Sort(want); !slices.Equal(victims, want) {
			t.Fatalf("step %d: %s evicts %v, kube-scheduler has it evict %v", i+1, popped, want, victims)
		}
		for range step.Answer.Victims {
			leaves(popped)
		}
	}
	if popped, _, ok := f.schedule(); ok {
		t.Errorf("in the end kube-scheduler still finds a node for %s", popped)
	}
}

// TestWhatIfIsLoop: what a what-if says happens to a cluster is what kube-scheduler as a whole does, step by step,
// with its own queue, cache and hints.
func TestWhatIfIsLoop(t *testing.T) {
	for _, o := range []provider.Options{{Nodes: 12, Pods: 150, Seed: 1}, {Nodes: 12, Pods: 150, Seed: 2},
		{Nodes: 12, Pods: 150, Seed: 3, Pending: 24}, {Nodes: 50, Pods: 800, Seed: 4}} {
		s := &provider.New(o).Snapshot
		workload := workloadOf(t, s, "Deployment")
		scale := []audit.Scale{{
			Kind: "Deployment", Namespace: workload.Namespace, Name: deploymentOf(workload), Replicas: 60,
		}}
		for name, c := range map[string]audit.Changes{
			"nothing but the queue": {},
			"a workload is scaled":  {Scale: scale},
			"more nodes":            {AddNodes: 3, Like: s.Nodes[0].Name, Scale: scale},
			"drains":                {Drain: []string{s.Nodes[3].Name, s.Nodes[7].Name}},
			"a drain for good":      {Drain: []string{s.Nodes[3].Name}},
			"more is applied":       {},
		} {
			t.Run(fmt.Sprintf("%d/%s", o.Seed, name), func(t *testing.T) {
				c.Recreate = name != "a drain for good"
				s := s
				if name == "more is applied" {
					s = applied(s, workload, 20)
				}
				w := whatIf(t, s, c)
				if len(w.Placed) == 0 {
					t.Error("nothing happens")
				}
				follow(t, w.Begins, w)
			})
		}
	}
}

// applied returns the cluster with so many more pods, much like the one given.
func applied(s *spec.Snapshot, like *v1.Pod, pods int) *spec.Snapshot {
	with := cluster.New(s)
	for i := range pods {
		with.Copy(like, fmt.Sprint("applied-", i))
	}
	return with.Now
}

// workloadOf returns a bound pod of a workload of the kind.
func workloadOf(t *testing.T, s *spec.Snapshot, kind string) *v1.Pod {
	t.Helper()
	for _, pod := range s.Pods {
		if owner := audit.Owner(pod); len(owner) > len(kind) && owner[:len(kind)] == kind && pod.Spec.NodeName != "" {
			return pod
		}
	}
	t.Fatalf("no pod of a %s", kind)
	return nil
}

func deploymentOf(pod *v1.Pod) string {
	return audit.Owner(pod)[len("Deployment "+pod.Namespace+"/"):]
}
