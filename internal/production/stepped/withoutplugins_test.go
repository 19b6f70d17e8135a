package stepped_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
)

// TestWithoutPlugins: what a profile does not look at, as it lacks the plugin that does, is no finding but where what
// its cache has of it is a known defect.
func TestWithoutPlugins(t *testing.T) {
	first, second := pod("first").HostPort(80).Obj(), pod("second").HostPort(80).Obj()
	gated := pod("gated").SchedulingGates([]string{"g"}).Obj()
	for _, row := range []struct {
		without string
		actions []loop.Action
		want    []string
	}{
		{
			without: "NodePorts", actions: []loop.Action{create(first), schedule, create(second), schedule},
		},
		{
			without: "NodePorts",
			actions: []loop.Action{create(first), schedule, create(second), failing(loop.FailPreBind)},
			want:    []string{"cache-agrees: : host-port-forgotten", "roll-back: default/second: host-port-forgotten"},
		},
		{ // the API server binds no such pod, and the model has no outcome for it
			without: "SchedulingGates", actions: []loop.Action{create(gated), schedule},
			want: []string{"kept-out: default/gated", "kept-out: default/gated"},
		},
		{
			without: "DynamicResources", actions: []loop.Action{uses("first", "three"), schedule},
		},
	} {
		cfg := without(t, row.without)
		s := schedulerUnder(t, cfg, cluster(node("n1")), stepped.Options{Faults: true})
		if diff := cmp.Diff(row.want, breaksUnder(t, cfg, s, row.actions)); diff != "" {
			t.Errorf("without %s, after %v (-want +got):\n%s", row.without, row.actions, diff)
		}
	}
}

// without is the default profile without the plugins.
func without(t testing.TB, plugins ...string) *production.Config {
	t.Helper()
	var disabled []string
	for _, plugin := range plugins {
		disabled = append(disabled, "{name: "+plugin+"}")
	}
	cfg, err := production.LoadConfig("without", fmt.Appendf(nil, `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{plugins: {multiPoint: {disabled: [%s]}}}]`, strings.Join(disabled, ", ")))
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}
