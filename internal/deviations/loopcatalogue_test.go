package deviations_test

import (
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/deviations"
	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// unseen says of defects why the scheduler as a whole shows nothing of them in their smallest cluster.
func unseen() map[string]string {
	const (
		score    = "it changes scores, and the pod goes to the same node"
		status   = "it changes the status of a filter, and the pod waits by another one"
		feasible = "what is decided is the same as without it"
	)
	return map[string]string{
		"excluded-host-counts": score, "existing-terms-ignored": score, "external-name-serves": score,
		"image-volumes-unscaled": score, "missing-requests-of-bound": score, "pod-requests-overlooked": score,
		"released-pod-spreads": score, "zero-score-left-out": score,
		"nominated-repels": "the pod that is nominated is scheduled first", "rwop-nominated": feasible,
		"nominations-beside-terminating": "the nomination of a pod of its own queue is not written",
	}
}

// TestSmallestClustersInTheLoop: in the smallest cluster of each defect the scheduler as a whole shows what single
// decisions show: that defect, where it makes a difference to what is decided, and nothing that no defect explains.
func TestSmallestClustersInTheLoop(t *testing.T) {
	if testing.Short() {
		t.Skip("explores 41 clusters, some 20 s in all")
	}
	for _, entry := range deviations.In(production.KubernetesVersion) {
		if entry.Quirk.Devices != nil {
			continue // loop knows no claims of devices
		}
		t.Run(entry.Quirk.Name, func(t *testing.T) {
			t.Parallel()
			result := loopOf(t, entry)
			shown := false
			for _, f := range result.Findings {
				if f.Known == "" {
					t.Errorf("nothing known explains %s: %s", f.Key(), f.But)
				}
				shown = shown || slices.Contains(strings.Split(f.Known, "+"), entry.Quirk.Name)
			}
			if why := unseen()[entry.Quirk.Name]; shown != (why == "") {
				t.Errorf("it is shown: %v, but %q", shown, why)
			}
			if !result.Complete || !result.Liveness.Decided() {
				t.Errorf("it ends with %v, %+v", result.Stopped, result.Liveness)
			}
		})
	}
}

// loopOf explores the smallest cluster of the defect as modelcheck loop -f does.
func loopOf(t *testing.T, entry deviations.Entry) *loop.Result {
	t.Helper()
	manifests, err := scenario.Read([]string{root(entry.File())}, nil, admission.Admit)
	if err != nil {
		t.Fatal(err)
	}
	cfg := defaultConfig(t)
	if manifests.SchedulerConfiguration != nil {
		if cfg, err = production.LoadConfig(entry.File(), manifests.SchedulerConfiguration); err != nil {
			t.Fatal(err)
		}
	}
	profile, err := cfg.Spec(v1.DefaultSchedulerName)
	if err != nil {
		t.Fatal(err)
	}
	alone, err := production.NewAlone(t.Context(), cfg, 1)
	if err != nil {
		t.Fatal(err)
	}
	snapshot := manifests.Snapshot()
	scope := &loop.Scope{
		Name: "cluster", Initial: []*spec.Snapshot{snapshot}, Templates: snapshot, Arrivals: 1, Events: 1,
		Happens: loop.EventTypes(), Calm: true, Liveness: true,
	}
	start := func(initial *spec.Snapshot) (loop.System, error) {
		return stepped.New(t.Context(), cfg, initial, stepped.Options{})
	}
	result, err := loop.Explore(t.Context(), scope,
		loop.Subject{Model: spec.New(profile), Start: start, Ask: alone.Decide, Ahead: 16}, checker.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	return result
}
