package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-a3f26817/modelcheck/internal/report"
	"github.com/seed-a3f26817/modelcheck/spec"
)

const errata = "../../testdata/errata"

// TestErrata: on the smallest cluster of each erratum, as the tool found it, the literal reading differs from
// kube-scheduler by exactly this erratum, and the reading of Kubernetes does not differ but by design. Some errata
// cannot come without others.
func TestErrata(t *testing.T) {
	with := map[string][]string{"E10": {"E1", "E10"}, "E12": {"E1", "E3", "E12"}}
	for _, erratum := range spec.Errata() {
		t.Run(erratum.ID, func(t *testing.T) {
			file := filepath.Join(errata, erratum.ID+".yaml")
			want := with[erratum.ID]
			if want == nil {
				want = []string{erratum.ID}
			}
			var got []string
			for _, f := range findings(t, file, spec.Literal) {
				if f.Class != "erratum" {
					t.Errorf("finding %s is of class %s, want erratum", f.ID, f.Class)
				}
				for _, quirk := range f.Quirks {
					if !slices.Contains(got, quirk.Name) {
						got = append(got, quirk.Name)
					}
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("errata that explain the differences (-want +got):\n%s", diff)
			}
			for _, f := range findings(t, file, spec.Kubernetes) {
				if f.Class != "by-design" {
					t.Errorf("in the reading of Kubernetes there is the finding %s", f.ID)
				}
			}
		})
	}
}

// findings returns what the command finds in the cluster of the file; what follows a preemption is not explored.
func findings(t *testing.T, file string, reading spec.Reading) []report.Finding {
	t.Helper()
	var stdout, stderr strings.Builder
	args := []string{"-f", file, "--reading", string(reading), "--preempt=false", "--victim-gone=false", "-o", "json",
		"--quiet"}
	if code := (command{stdout: &stdout, stderr: &stderr}).run(t.Context(), args); code != exitHolds {
		t.Fatalf("exit code %d, want %d\n%s%s", code, exitHolds, stderr.String(), stdout.String())
	}
	var document report.Document
	if err := json.Unmarshal([]byte(stdout.String()), &document); err != nil {
		t.Fatal(err)
	}
	if document.Reading != string(reading) {
		t.Errorf("the reading is %q, want %q", document.Reading, reading)
	}
	return document.Findings
}

// TestErrataDocument: docs/reference/errata.md has a row for each erratum of the code, in its order, which says what
// the code says, and a cluster.
func TestErrataDocument(t *testing.T) {
	document, err := os.ReadFile("../../docs/reference/errata.md")
	if err != nil {
		t.Fatal(err)
	}
	var want, files []string
	for _, e := range spec.Errata() {
		want = append(want, fmt.Sprintf("| [%s](../../testdata/errata/%s.yaml) | %s | %s | %s (%s) |", e.ID, e.ID,
			e.Name,
			e.Written, e.Documented, e.Source))
		files = append(files, e.ID+".yaml")
	}
	got := regexp.MustCompile(`(?m)^\| \[E.*?\|.*?\|.*?\|.*?\|`).FindAllString(string(document), -1)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows of docs/reference/errata.md (-code +document):\n%s", diff)
	}
	entries, err := os.ReadDir(errata)
	if err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, entry := range entries {
		have = append(have, entry.Name())
	}
	slices.Sort(files)
	if diff := cmp.Diff(files, have); diff != "" {
		t.Errorf("clusters (-errata +files):\n%s", diff)
	}
}

// TestReading: a reading that nobody knows is wrong usage.
func TestReading(t *testing.T) {
	var stderr strings.Builder
	if code := (command{stderr: &stderr}).run(t.Context(), []string{"--reading", "poetic"}); code != exitUsage {
		t.Errorf("exit code %d, want %d", code, exitUsage)
	}
	if want := `modelcheck: --reading is "poetic": it must be one of kubernetes, literal` +
		"\n"; stderr.String() != want {
		t.Errorf("stderr %q, want %q", stderr.String(), want)
	}
}
