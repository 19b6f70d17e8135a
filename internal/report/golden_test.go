package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

var update = flag.Bool("update", false, "write what is reported into testdata")

// TestReports holds whole reports to those in testdata: how it looks when all is well, and how each sort of bug is
// shown.
func TestReports(t *testing.T) {
	tests := []struct {
		file, reason string
		scenario     *model.Scenario
		bug          func(q spec.Question, d *spec.Decision)
	}{
		{"holds", "nothing is wrong", small(), nil},
		{"filter", "a filter lets every node pass, and the pod is bound accordingly", small(), blindFilter},
		{"score", "a score plugin prefers the node it should not", small(), reversedScore},
		{"victims", "a preemption takes everybody on the node", full(), greedyPreemption},
		{
			"failure",
			"there is no decision about pods of high priority",
			small(),
			func(q spec.Question, d *spec.Decision) {
				if spec.Priority(q.Pod) > 0 {
					*d = spec.Decision{Failure: "panic: planted"}
				}
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			run := explored(t, t.Context(), tt.bug, tt.scenario)
			var summary, text, document bytes.Buffer
			if err := Text(&summary, run); err != nil {
				t.Fatal(err)
			}
			run.Verbose = true
			if err := Text(&text, run); err != nil {
				t.Fatal(err)
			}
			if err := JSON(&document, run); err != nil {
				t.Fatal(err)
			}
			golden(t, tt.file+".summary.txt", summary.Bytes())
			golden(t, tt.file+".txt", text.Bytes())
			golden(t, tt.file+".json", document.Bytes())
			if want := map[bool]Verdict{true: Holds, false: Violated}[tt.bug == nil]; run.Verdict() != want {
				t.Errorf("%s: the verdict is %s, want %s", tt.reason, run.Verdict(), want)
			}
		})
	}
}

func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", file)
	if *update {
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s\nIf it should be so, run go test with -update.", path, diff)
	}
}

// blindFilter is a NodeUnschedulable that lets every node pass.
func blindFilter(q spec.Question, d *spec.Decision) {
	column := slices.Index(d.Filters, "NodeUnschedulable")
	for n := range d.Nodes {
		d.Nodes[n].Statuses[column] = spec.Fits
	}
	if i := slices.IndexFunc(q.Snapshot.Nodes, func(n *v1.Node) bool { return n.Spec.Unschedulable }); i >= 0 &&
		!occupied(q, i) {
		d.Nodes[i].Overall = spec.Fits
		d.Outcomes = []spec.Outcome{{Type: spec.Bind, Node: i}}
	}
}

func occupied(q spec.Question, node int) bool {
	return len(spec.PodsOn(q.Snapshot.Nodes[node], q.Snapshot)) > 0
}

// reversedScore is a NodeResourcesFit whose scores are upside down.
func reversedScore(_ spec.Question, d *spec.Decision) {
	column := slices.Index(d.ScorePlugins, "NodeResourcesFit")
	for n := range d.Nodes {
		if d.Nodes[n].Scores != nil {
			d.Nodes[n].Scores[column].Value = 100 - d.Nodes[n].Scores[column].Value
		}
	}
}

// greedyPreemption evicts everybody on the node.
func greedyPreemption(q spec.Question, d *spec.Decision) {
	for i, o := range d.Outcomes {
		if o.Type == spec.Preempt {
			d.Outcomes[i].Victims = spec.PodsOn(q.Snapshot.Nodes[o.Node], q.Snapshot)
			d.Candidates = []spec.Candidate{{Node: o.Node, Victims: d.Outcomes[i].Victims}}
		}
	}
}
