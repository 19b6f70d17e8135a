package plane

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

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
		var want, got map[string]any
		if err := yaml.Unmarshal([]byte(row.want), &want); err != nil {
			t.Fatal(err)
		}
		if err := yaml.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
	if _, err := schedulerConfiguration([]byte("{"), "here"); err == nil {
		t.Error("what is no YAML is a configuration")
	}
}
