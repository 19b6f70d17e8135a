package stepped_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// themeConfiguration is the configuration of a theme of the loop.
func themeConfiguration(t *testing.T, name string) *production.Config {
	t.Helper()
	theme, err := scenario.LoopTheme(name, admission.Admit)
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := production.LoadConfig(name, theme.Configuration)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// TestReservedPerProfile: a pod of a second profile is given the volume that is reserved for one of the first; one of
// the same profile is not.
func TestReservedPerProfile(t *testing.T) {
	cfg := themeConfiguration(t, "profiles-apart")
	first := create(pod("first").PVC("one").Obj())
	for _, row := range []struct {
		second string
		want   []string
	}{
		{"second-scheduler", []string{"refinement: default/second: volume-reserved-per-profile",
			"levels-agree: default/second: volume-reserved-per-profile"}},
		{v1.DefaultSchedulerName, nil},
	} {
		s := schedulerUnder(t, cfg, withVolume(cluster(node("n1"))), stepped.Options{Faults: true})
		second := create(pod("second").PVC("two").SchedulerName(row.second).Obj())
		got := breaksUnder(t, cfg, s, []loop.Action{first, failing(loop.WaitPermit), second, schedule})
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("second asks %s: it breaks (-want +got):\n%s", row.second, diff)
		}
	}
}

// TestProfilesSideBySide: each pod is scheduled, and evicts others, under its own profile; a pod that asks for none
// waits for another scheduler.
func TestProfilesSideBySide(t *testing.T) {
	cfg := themeConfiguration(t, "profiles")
	open := node("n1").Label("pool", "open")
	for _, row := range []struct {
		reason, asks string
		node         *spec.Snapshot
		evicts       bool
	}{
		{"this profile evicts", v1.DefaultSchedulerName, cluster(open), true},
		{"this one adds an affinity to the pod's", v1.DefaultSchedulerName, cluster(node("n1")), false},
		{"this one does not evict", "patient", cluster(open), false},
		{"there is no such profile", "another", cluster(open), false},
	} {
		low := pod("low").Req(cpu("1")).SchedulerName("patient").Obj()
		s := schedulerUnder(t, cfg, with(row.node, boundTo("n1", low)), evicting)
		urgent := pod("urgent").Req(cpu("1")).Priority(10).SchedulerName(row.asks).Obj()
		actions := []loop.Action{create(urgent)}
		if row.asks != "another" {
			actions = append(actions, schedule)
		}
		if broken := breaksUnder(t, cfg, s, actions); len(broken) > 0 {
			t.Errorf("%s: it breaks %q", row.reason, broken)
		}
		state := s.State()
		if q, queued := state.Queued("default/urgent"); queued && !q.In(loop.Unschedulable) ||
			queued != (row.asks != "another") || (len(state.Evictions) > 0) != row.evicts {
			t.Errorf("%s: the queue has %+v, and under way are %+v", row.reason, state.Queue, state.Evictions)
		}
		if !row.evicts {
			continue
		}
		for len(s.State().Evictions) > 0 {
			if broken := breaksUnder(t, cfg, s, []loop.Action{on(loop.Evict, urgent)}); len(broken) > 0 {
				t.Errorf("%s: an eviction breaks %q", row.reason, broken)
			}
		}
		if left := s.State().Pod("default/low"); left.DeletionTimestamp == nil {
			t.Errorf("%s: the victim does not terminate", row.reason)
		}
	}
}
