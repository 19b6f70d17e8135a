package production

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
	"pgregory.net/rapid"
)

// The winners are found without drawing lots; production, asked often enough, must draw exactly these. In a
// map of up to eight, each key comes first in one of eight iterations at least, so the test would miss a
// winner once in 10^23 times.
func TestWinnersAreThoseThatProductionDraws(t *testing.T) {
	w := newScheduler(t, Options{}).worker.engine.preemption
	several := 0
	rapid.Check(t, func(rt *rapid.T) {
		w.found = drawCandidates(rt)
		var all []preemption.Candidate
		for _, c := range w.found {
			all = append(all, c)
		}
		drawn := map[string]bool{}
		for range 400 {
			drawn[w.evaluator.SelectCandidate(t.Context(), all).Name()] = true
		}
		winners := slices.Sorted(slices.Values(w.winners(t.Context())))
		if diff := cmp.Diff(slices.Sorted(maps.Keys(drawn)), winners); diff != "" {
			rt.Fatalf("production draws (-), winners are (+):\n%s", diff)
		}
		if len(winners) > 1 {
			several++
		}
	})
	if several == 0 {
		t.Error("there was never more than one winner")
	}
}

func drawCandidates(t *rapid.T) []candidate {
	var found []candidate
	for i := range rapid.IntRange(1, 4).Draw(t, "candidates") {
		victims := &extenderv1.Victims{NumPDBViolations: int64(rapid.IntRange(0, 1).Draw(t, "violations"))}
		for j := range rapid.IntRange(1, 2).Draw(t, "victims") {
			name := fmt.Sprintf("p%d-%d", i, j)
			victims.Pods = append(victims.Pods, on("n", rapid.IntRange(0, 1).Draw(t, "started"),
				pod(name, 1).Priority(int32(rapid.IntRange(0, 1).Draw(t, "priority")))))
		}
		slices.SortFunc(victims.Pods, func(a, b *v1.Pod) int { return int(*b.Spec.Priority - *a.Spec.Priority) })
		found = append(found, candidate{node: fmt.Sprintf("n%d", i), victims: victims})
	}
	return found
}

func TestBestByScoresOfThePlugin(t *testing.T) {
	w := &preemptionWatch{found: []candidate{{node: "a"}, {node: "b"}, {node: "c"}, {node: "d"}}}
	first := map[string]int64{"a": 0, "b": 2, "c": 2, "d": 2}
	second := map[string]int64{"a": 9, "b": 1, "c": 5, "d": 5}
	got := w.bestBy([]func(string) int64{
		func(node string) int64 { return first[node] },
		func(node string) int64 { return second[node] },
	})
	if diff := cmp.Diff([]string{"c", "d"}, got); diff != "" {
		t.Errorf("best (-want +got):\n%s", diff)
	}
}

func TestShortlistNeedsStart(t *testing.T) {
	cfg, err := LoadConfig("scheduler.yaml", []byte(header+`
profiles:
- pluginConfig:
  - name: DefaultPreemption
    args: {minCandidateNodesAbsolute: 1, minCandidateNodesPercentage: 0}
`))
	if err != nil {
		t.Fatal(err)
	}
	s := newSchedulerOf(t, cfg, Options{})
	one := ask([]*v1.Node{node("a", 1).Obj()}, pod("p", 1).Priority(1).Obj(), on("a", 0, pod("q", 1)))
	if diff := cmp.Diff([]string{"preempt 0 [q]"}, outcomes(s.Decide(one))); diff != "" {
		t.Errorf("one node to try, one candidate wanted: outcomes (-want +got):\n%s", diff)
	}
	two := ask([]*v1.Node{node("a", 1).Obj(), node("b", 1).Obj()}, pod("p", 1).Priority(1).Obj(),
		on("a", 0, pod("q", 1)), on("b", 0, pod("r", 1)))
	if d := s.Decide(two); d.Failure == "" {
		t.Errorf("two nodes to try, one candidate wanted: outcomes %v, want a failure, as chance decides", outcomes(d))
	}
}

func TestStartedLaterLeavesTheVictimsAlone(t *testing.T) {
	victim := on("a", 0, pod("p", 1))
	later := startedLater(&extenderv1.Victims{Pods: []*v1.Pod{victim}, NumPDBViolations: 3})
	if got := later.Pods[0].Status.StartTime.Sub(epoch); got != time.Nanosecond ||
		!victim.Status.StartTime.Time.Equal(epoch) ||
		later.NumPDBViolations != 3 {
		t.Errorf("the copy starts %v later, the pod %v later, %d violations; want 1ns, 0s and 3", got,
			victim.Status.StartTime.Sub(epoch), later.NumPDBViolations)
	}
}
