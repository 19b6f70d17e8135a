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

// TestLoopDrawsInstead: where more may happen than can be tried runs are followed at random, which the report says, as
// does the exit code; not if every state is asked for.
func TestLoopDrawsInstead(t *testing.T) {
	for _, row := range []struct {
		nodes, pods int
		flags, says string
		code        int
	}{
		{8, 30, "", "actions may be taken, too many to take all, so runs are drawn", exitUnfinished},
		{100, 400, "--max-depth 2", "more may happen than can be tried, so runs are drawn", exitUnfinished},
		{8, 30, "--max-states 2", "what was explored so far holds", exitUnfinished},
		{100, 400, "--pods 0 --events 0", "complete", exitHolds},
	} {
		var cluster, stdout, stderr strings.Builder
		made := provider.New(provider.Options{Seed: 1, Nodes: row.nodes, Pods: row.pods})
		if err := made.Write(&cluster, true, false); err != nil {
			t.Fatal(err)
		}
		code := command{stdin: strings.NewReader(cluster.String()), stdout: &stdout, stderr: &stderr}.
			run(t.Context(), strings.Fields("loop -f - --quiet "+row.flags))
		if text := strings.Join(strings.Fields(stdout.String()), " "); code != row.code || !strings.Contains(text, row.says) {
			t.Errorf("%d nodes, %d pods, %s: exit code %d, want %d\nstdout:\n%s\nstderr:\n%s", row.nodes, row.pods, row.flags,
				code, row.code, stdout.String(), stderr.String())
		}
	}
}
