package plane

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/seed-a3f26817/modelcheck/controlplane/programs"
)

func decoded(t *testing.T, text []byte) (fields map[string]any) {
	t.Helper()
	if err := yaml.Unmarshal(text, &fields); err != nil {
		t.Fatal(err)
	}
	return fields
}

// TestSchedulerConfiguration: what is configured stays, but for how the API server is reached, and whether several
// schedulers wait for each other.
func TestSchedulerConfiguration(t *testing.T) {
	const head = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
	const own = "leaderElection: {leaderElect: false}\n"
	for _, row := range []struct{ reason, config, want string }{
		{"the default one", "", head + own + "clientConnection: {kubeconfig: here}\n"},
		{"profiles", head + "profiles: [{schedulerName: a}]\n",
			head + own + "profiles: [{schedulerName: a}]\nclientConnection: {kubeconfig: here}\n"},
		{"another server, and who leads", head + "leaderElection: {leaderElect: true, resourceName: x}\n" +
			"clientConnection: {kubeconfig: there, qps: 7}\n", head + own + "clientConnection: {kubeconfig: here, qps: 7}\n"},
	} {
		text, err := schedulerConfiguration([]byte(row.config), "here")
		if err != nil {
			t.Errorf("%s: %v", row.reason, err)
			continue
		}
		if diff := cmp.Diff(decoded(t, []byte(row.want)), decoded(t, text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
	if _, err := schedulerConfiguration([]byte("{"), "here"); err == nil {
		t.Error("what is no YAML is a configuration")
	}
}

// TestWithFaults: each profile has the plugin Faults besides, and is else as it was.
func TestWithFaults(t *testing.T) {
	const faults = "plugins: {multiPoint: {enabled: [{name: Faults}]}}"
	for _, row := range []struct{ reason, config, want string }{
		{"the default one", "", "profiles: [{schedulerName: default-scheduler, " + faults + "}]"},
		{"two", "profiles: [{schedulerName: a}, {schedulerName: b}]",
			"profiles: [{schedulerName: a, " + faults + "}, {schedulerName: b, " + faults + "}]"},
		{"one with another plugin", "profiles: [{schedulerName: a, plugins: {multiPoint: {enabled: [{name: Own}]}}}]",
			"profiles: [{schedulerName: a, plugins: {multiPoint: {enabled: [{name: Own}, {name: Faults}]}}}]"},
	} {
		text, err := withFaults([]byte(row.config))
		if err != nil {
			t.Errorf("%s: %v", row.reason, err)
			continue
		}
		want, got := decoded(t, []byte(row.want))["profiles"], decoded(t, text)["profiles"]
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
	for _, config := range []string{"profiles: none", "profiles: [none]", "profiles: [null]"} {
		if _, err := withFaults([]byte(config)); err == nil {
			t.Errorf("%s: what is no profile has the plugin", config)
		}
	}
}

// TestStartScheduler: a scheduler that ends in a panic was there, and one that ends otherwise was not.
func TestStartScheduler(t *testing.T) {
	for _, row := range []struct {
		reason, script string
		ended          bool
	}{
		{"it panics over a pod", "echo 'E1 panic: nil pointer' >&2; exit 2", true},
		{"it knows a flag not", "echo 'unknown flag' >&2; exit 1", false},
	} {
		dir := t.TempDir()
		program := filepath.Join(dir, "kube-scheduler")
		if err := os.WriteFile(program, []byte("#!/bin/sh\n"+row.script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		c := &Plane{programs: &programs.Programs{KubeScheduler: program}, dir: dir, config: &rest.Config{}}
		err := c.StartScheduler(t.Context(), nil)
		if (err == nil) != row.ended {
			t.Errorf("%s: %v", row.reason, err)
		}
		if err == nil && (!c.SchedulerEnded() || c.SchedulerLog("panic: ") != "panic: nil pointer") {
			t.Errorf("%s: it ended: %v; its log has %q", row.reason, c.SchedulerEnded(), c.SchedulerLog("panic: "))
		}
		c.StopScheduler()
	}
}
