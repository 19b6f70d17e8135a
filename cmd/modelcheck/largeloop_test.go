package main

import (
	"strings"
	"testing"

	"github.com/seed-a3f26817/modelcheck/internal/provider"
)

// TestLoopOfLargeCluster: kube-scheduler is followed as a whole in a cluster of which it would look at a sample of the
// nodes, and whose events are too many to take one by one.
func TestLoopOfLargeCluster(t *testing.T) {
	var cluster, stdout, stderr strings.Builder
	made := provider.New(provider.Options{Seed: 1, Nodes: 120, Pods: 1000, Pending: 3})
	if err := made.Write(&cluster, true, false); err != nil {
		t.Fatal(err)
	}
	code := command{stdin: strings.NewReader(cluster.String()), stdout: &stdout, stderr: &stderr}.
		run(t.Context(), strings.Fields("loop -f - --simulate 2 --max-depth 8 --quiet"))
	if says := "Chance: every node is looked at"; code != exitHolds || !strings.Contains(stdout.String(), says) {
		t.Errorf("exit code %d\nstdout:\n%s\nstderr:\n%s", code, stdout.String(), stderr.String())
	}
}
