package modelcheck_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/seed-a3f26817/modelcheck"
)

// TestResult: a finding has what a user needs to see and repeat it, and the report is that of the command.
func TestResult(t *testing.T) {
	scheduler := modelcheck.Scheduler{Plugins: []modelcheck.Plugin{crowdControl(crowd{forgetsToLeave: true})}}
	result, err := scheduler.Check(t.Context(), modelcheck.Scope{Templates: crowdTemplates, Nodes: 1, Pods: 2})
	if err != nil {
		t.Fatal(err)
	}
	if result.Verdict != modelcheck.Violated || result.Stopped != "" || len(result.Findings) != 2 {
		t.Fatalf("%s, stopped: %q", result, result.Stopped)
	}
	f := result.Findings[0]
	if f.Class != modelcheck.New || f.Property != "no-lasting-inversion" || f.Plugin != "DefaultPreemption" ||
		f.Count == 0 || len(f.Quirks) > 0 || f.Sentence != f.Reasons[0] {
		t.Errorf("%+v", f)
	}
	if len(f.Steps) != 3 || !strings.Contains(f.Steps[0], "default/low-1") {
		t.Errorf("steps: %q", f.Steps)
	}
	if !strings.Contains(f.Cluster, "kind: Node\n") || !strings.Contains(f.Cluster, "name: high-1\n") {
		t.Errorf("the cluster is\n%s", f.Cluster)
	}
	if !strings.Contains(f.String(), f.ID) || !strings.Contains(f.String(), f.Sentence[:20]) {
		t.Errorf("the finding is\n%s", f)
	}
	var findings, known, text, document strings.Builder
	for _, err := range []error{
		result.WriteFindings(&findings),
		result.WriteFindings(&known, modelcheck.Reported, modelcheck.Unconfirmed, modelcheck.Interpretation),
		result.WriteText(&text), result.WriteJSON(&document),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(findings.String(), result.Findings[1].ID) || strings.Contains(known.String(), f.ID) {
		t.Errorf("findings:\n%s\nknown ones:\n%s", &findings, &known)
	}
	if !strings.Contains(text.String(), "violated") {
		t.Errorf("the report is\n%s", &text)
	}
	var read struct{ Verdict modelcheck.Verdict }
	if err := json.Unmarshal([]byte(document.String()), &read); err != nil || read.Verdict != result.Verdict {
		t.Errorf("the document says %q, %v", read.Verdict, err)
	}
}

// TestStopped: what ended a run early is said.
func TestStopped(t *testing.T) {
	scheduler := modelcheck.Scheduler{Plugins: []modelcheck.Plugin{crowdControl(crowd{})}}
	result, err := scheduler.Check(t.Context(), modelcheck.Scope{Templates: crowdTemplates, MaxStates: 3})
	if err != nil {
		t.Fatal(err)
	}
	if result.Verdict != modelcheck.Unfinished || !strings.HasPrefix(result.Stopped, "templates: ") {
		t.Errorf("%s, stopped: %q", result, result.Stopped)
	}
}

// TestDrawnTooLarge: clusters that would not be asked about as they are are refused, with the field that says so.
func TestDrawnTooLarge(t *testing.T) {
	scheduler := modelcheck.Scheduler{Plugins: []modelcheck.Plugin{crowdControl(crowd{})}}
	for _, row := range []struct {
		reason   string
		clusters modelcheck.Clusters
		want     string
	}{
		{"kube-scheduler would look at some only", modelcheck.Clusters{Nodes: 100}, "Clusters.Nodes is 100"},
		{"every set of pods is weighed", modelcheck.Clusters{Pods: 16}, "Clusters.Pods is 16: it must be at most 15"},
		{"a slip", modelcheck.Clusters{Only: []modelcheck.Group{"pods"}}, "Clusters.Only[0] is \"pods\""},
	} {
		t.Run(row.reason, func(t *testing.T) {
			t.Chdir(t.TempDir()) // rapid keeps failures
			questions := modelcheck.DrawQuestion(row.clusters)
			said, failed := tell(t, func(t testing.TB) { scheduler.TestRandom(t, questions) })
			if !failed || !strings.Contains(said, row.want) {
				t.Errorf("failed: %v; it does not say %q:\n%s", failed, row.want, said)
			}
		})
	}
}
