package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-a3f26817/modelcheck/museum"
)

// TestReplaySaved: whatever is found and saved is there again as it was recorded.
func TestReplaySaved(t *testing.T) {
	rows := []struct{ reason, args string }{
		{"steps of every sort, and volumes", "-nodes 2 -pods 3 -theme budgets,ports,podaffinity,spread,volumes,exclusive"},
		{"pods that complete, are deleted or bound by hand", "-nodes 1 -pods 3 -theme ports,exclusive -completions 1 -deletions 1 -placements 1"},
		{"the literal reading: properties of steps, and errata", "-nodes 1 -pods 3 -theme priorities,taints -reading literal"},
		{"drawn clusters, and the properties that need no model", "-random -questions 300 -nodes 1 -pods 2"},
		{"a property that is checked on demand", "-f ../../testdata/clusters/gpu.yaml -pods 2 -check extended-resources-reserved"},
	}
	for _, exhibit := range museum.Exhibits() {
		rows = append(rows, struct{ reason, args string }{exhibit.Quirk.Name, "-f " + filepath.Join("../..", exhibit.File())})
	}
	for _, row := range rows {
		saved := filepath.Join(t.TempDir(), "saved")
		run := func(args ...string) (code int, printed, said string) {
			var stdout, stderr strings.Builder
			code = command{stdout: &stdout, stderr: &stderr}.run(context.Background(), args)
			return code, stdout.String(), stderr.String()
		}
		if code, _, said := run(append(strings.Fields(row.args), "-quiet", "-save", saved)...); code != exitHolds && code != exitViolated {
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
