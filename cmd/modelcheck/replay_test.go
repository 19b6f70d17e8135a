package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-a3f26817/modelcheck/internal/deviations"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/report"
	"github.com/seed-a3f26817/modelcheck/model"
)

// TestReplaySaved: whatever is found and saved is there again as it was recorded.
func TestReplaySaved(t *testing.T) {
	rows := []struct{ reason, args string }{
		{
			"steps of every sort, and volumes",
			"-nodes 2 -pods 3 -theme budgets,ports,podaffinity,spread,volumes,exclusive",
		},
		{
			"pods that complete, are deleted or bound by hand",
			"-nodes 1 -pods 3 -theme ports,exclusive -completions 1 -deletions 1 -placements 1",
		},
		{
			"the literal reading: properties of steps, and errata",
			"-nodes 1 -pods 3 -theme priorities,taints -reading literal",
		},
		{"drawn clusters, and the properties that need no model", "random -questions 300 -nodes 1 -pods 2"},
		{
			"what goes on for ever with one scheduler, and with two",
			"-nodes 2 -pods 3 -theme podaffinity,schedulers -recreations 2 -liveness",
		},
		{
			"a property that is checked on demand",
			"-f ../../testdata/clusters/gpu.yaml -pods 2 -check extended-resources-reserved",
		},
	}
	for _, entry := range deviations.In(production.KubernetesVersion) {
		rows = append(rows, struct{ reason, args string }{entry.Quirk.Name,
			"-f " + filepath.Join("../..", entry.File())})
	}
	for _, row := range rows {
		saved := filepath.Join(t.TempDir(), "saved")
		run := func(args ...string) (code int, printed, said string) {
			var stdout, stderr strings.Builder
			code = command{stdout: &stdout, stderr: &stderr}.run(context.Background(), args)
			return code, stdout.String(), stderr.String()
		}
		if code, _, said := run(append(strings.Fields(row.args), "-quiet", "-save", saved)...); code != exitHolds &&
			code != exitViolated {
			t.Fatalf("%s: exit code %d: %s", row.reason, code, said)
		}
		folders, err := os.ReadDir(saved)
		if err != nil || len(folders) == 0 {
			t.Fatalf("%s: nothing is saved (%v)", row.reason, err)
		}
		for _, folder := range folders {
			if code, printed, said := run("replay", filepath.Join(saved, folder.Name())); code != exitHolds {
				_, differs, _ := strings.Cut(printed, "\nVerdict: ")
				t.Errorf("%s: the replay of %s exits %d: %s%s", row.reason, folder.Name(), code, differs, said)
			}
		}
	}
}

// TestReplayLoop: a loop that is not one, or not one that goes on for ever, is told from the recorded one.
func TestReplayLoop(t *testing.T) {
	saved := filepath.Join(t.TempDir(), "saved")
	args := []string{"-f", "../../testdata/clusters/preemption-cycle.yaml", "-recreations", "1", "-liveness",
		"-order", "any", "-quiet",
		"-save", saved}
	if code := (command{stdout: io.Discard, stderr: io.Discard}).run(t.Context(), args); code != exitHolds {
		t.Fatalf("exit code %d", code)
	}
	cycle := filepath.Join(saved, "no-preemption-cycle_InterPodAffinity_nominated-repels", report.TraceFile)
	settle := filepath.Join(saved, "preemptors-settle_InterPodAffinity_nominated-repels", report.TraceFile)
	for _, tt := range []struct {
		reason, file string
		change       func(*report.Trace)
		code         int
		says         string
	}{
		{"as it is", cycle, nil, exitHolds, "Verdict: as recorded"},
		{"it leads elsewhere", cycle, func(t *report.Trace) { t.Loop-- }, exitViolated,
			"the last 3 steps do not lead back to where they begin"},
		{"nobody is evicted in it", cycle, func(t *report.Trace) {
			// The cluster is that of the end, and nothing happens there but that a pod asks in vain.
			end := t.States[len(t.States)-1].Cluster
			t.States = []report.TraceState{{Cluster: end, Step: idle("default/loner")}, {Cluster: end}}
			t.Loop = 1
		}, exitViolated, "the finding no-preemption-cycle/InterPodAffinity/nominated-repels is not there any more"},
		{"it does not say how long it is", settle, func(t *report.Trace) { t.Loop = 0 }, exitUsage,
			"trace.json: loop is missing: preemptors-settle is about what goes on for ever"},
		{"it is longer than the trace", settle, func(t *report.Trace) { t.Loop = 7 }, exitUsage,
			"trace.json: loop is 7: it is how many of the last steps go on for ever, of which there are 6"},
		{"a step is another's", settle, func(t *report.Trace) { t.States[3].Step.Pod = "default/loner" }, exitViolated,
			"is not enabled"},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			file := changedTrace(t, tt.file, tt.change)
			var stdout, stderr strings.Builder
			code := (command{stdout: &stdout, stderr: &stderr}).run(t.Context(), []string{"replay", file})
			if said := strings.Join(strings.Fields(stdout.String()+stderr.String()), " "); code != tt.code ||
				!strings.Contains(said, tt.says) {
				t.Errorf("exit code %d: want %d, and %q in\n%s", code, tt.code, tt.says, said)
			}
		})
	}
}

// changedTrace writes a trace that is changed; nil leaves it as it is.
func changedTrace(t *testing.T, file string, change func(*report.Trace)) (changed string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	trace, err := report.ReadTrace(data)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(trace)
	}
	if data, err = json.Marshal(trace); err != nil {
		t.Fatal(err)
	}
	changed = filepath.Join(t.TempDir(), report.TraceFile)
	if err := os.WriteFile(changed, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return changed
}

// idle is a step that changes nothing.
func idle(pod string) *report.TraceStep {
	return &report.TraceStep{
		Step: report.Step{Action: model.Wait.String(), Pod: pod, Text: "the scheduler leaves " + pod + " as it is"},
		Idle: true,
	}
}
