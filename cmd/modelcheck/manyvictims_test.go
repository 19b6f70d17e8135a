package main

import (
	"fmt"
	"strings"
	"testing"
)

// crowd returns a cluster of a node with n pods of a cpu each, no two alike, and a pod of higher priority that does not
// go with one of them.
func crowd(n, cpus, asks int) string {
	var b strings.Builder
	for _, class := range []string{"low\nvalue: 1", "high\nvalue: 10"} {
		name, value, _ := strings.Cut(class, "\n")
		fmt.Fprintf(&b, "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: %s}\n%s\n---\n", name,
			value)
	}
	fmt.Fprintf(&b, `apiVersion: v1
kind: Node
metadata: {name: n0, labels: {kubernetes.io/hostname: n0}}
status: {allocatable: {cpu: "%d", memory: 1Gi, pods: "110"}}
`, cpus)
	for i := range n {
		fmt.Fprintf(&b, `---
apiVersion: v1
kind: Pod
metadata: {name: low-%d, labels: {app: a%d}}
spec:
  nodeName: n0
  priorityClassName: low
  containers: [{name: c, image: x, resources: {requests: {cpu: "1"}}}]
`, i, i)
	}
	fmt.Fprintf(&b, `---
apiVersion: v1
kind: Pod
metadata: {name: high}
spec:
  priorityClassName: high
  affinity:
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: a3}}}
  containers: [{name: c, image: x, resources: {requests: {cpu: "%d"}}}]
`, asks)
	return b.String()
}

// TestManyVictims: what was not computed, or not followed, is said, and nothing is claimed of it.
func TestManyVictims(t *testing.T) {
	tests := []struct {
		reason, cluster, command string
		code                     int
		says, not                []string
	}{
		{
			"the model as first written weighs all sets of pods: of 12 there are too many", crowd(12, 20, 1),
			"explain -f - --reading literal", exitUnfinished,
			[]string{"as documented:  not computed", "kube-scheduler  not computed"}, []string{"both", "as documented:  yes"},
		},
		{
			"of 4 there are not", crowd(4, 20, 1), "explain -f - --reading literal", exitHolds,
			nil, []string{"not computed"},
		},
		{
			"nor are there in the reading of Kubernetes, which has a procedure", crowd(12, 20, 1), "explain -f -", exitHolds,
			[]string{"as documented:  yes", "both"}, []string{"not computed"},
		},
		{
			"a run says so too", crowd(12, 20, 1), "-f - --reading literal --quiet", exitUnfinished,
			[]string{"Verdict: not finished", "it is not known whether the preemption is allowed"}, nil,
		},
		{
			"an audit as well", crowd(12, 20, 1), "audit -f - --reading literal", exitUnfinished,
			[]string{"it is not known whether the preemption is allowed"}, nil,
		},
		{
			"of 47 pods, three of which go, over 1,000 preemptions are documented, and not all are followed",
			crowd(47, 47, 3), "-f - --quiet", exitUnfinished,
			[]string{"Verdict: not finished", "allows more preemptions than were followed", "complete"}, nil,
		},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			var stdout, stderr strings.Builder
			code := command{stdin: strings.NewReader(tt.cluster), stdout: &stdout, stderr: &stderr}.
				run(t.Context(), strings.Fields(tt.command))
			if code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			for _, words := range tt.says {
				if !strings.Contains(stdout.String(), words) {
					t.Errorf("it does not say %q", words)
				}
			}
			for _, words := range tt.not {
				if strings.Contains(stdout.String(), words) {
					t.Errorf("it says %q", words)
				}
			}
			if t.Failed() {
				t.Logf("stdout:\n%s\nstderr:\n%s", stdout.String(), stderr.String())
			}
		})
	}
}
