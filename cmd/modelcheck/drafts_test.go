package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-a3f26817/modelcheck/internal/deviations"
	"github.com/seed-a3f26817/modelcheck/internal/report"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// drafts are the reports in docs/reports, ordered by what the deviations cost users, with why each stands where it
// does.
func drafts() [][2]string {
	return [][2]string{
		{"annotated-class-panics",
			"one claim and one pod end kube-scheduler, again and again: nothing is scheduled in the cluster"},
		{"unknown-capacity-panics", "the same, at any pod with such a claim, where a CSI driver reports no capacity"},
		{"rwop-namespace", "others' pods are evicted without end, across namespaces"},
		{"unowned-claim-stops-all", "one pod stops the scheduling of all pods with volumes, in all namespaces"},
		{"unreadable-disk-stops-all", "the same, by an inline disk"},
		{"nominated-repels", "pods are evicted in vain, and again; anti-affinity is common"},
		{"volume-attached-twice", "a stateful pod cannot go back to its volume on a full node; needs no rare objects"},
		{"pod-requests-overlooked", "every pod with pod-level requests is placed as if it requested next to nothing"},
		{"rwop-nominated", "pods are evicted in vain; takes ReadWriteOncePod claims"},
		{"claim-used-twice", "the pod is never bound; takes an unusual pod"},
	}
}

// TestDrafts: the drafts in docs/reports are what --save writes of the smallest clusters, as one text each.
func TestDrafts(t *testing.T) {
	index := []string{draftsIntroduction}
	for i, draft := range drafts() {
		name, why := draft[0], draft[1]
		e, known := deviations.EvidenceOf(name)
		if !known || e.Class != spec.Unconfirmed {
			t.Errorf("%s is no unconfirmed deviation: there is nothing to report", name)
			continue
		}
		file := fmt.Sprintf("%02d-%s.md", i+1, name)
		index = append(index, fmt.Sprintf("| [%s](%s) | %s | %s | %s |", name, file, e.Symptom, why,
			map[bool]string{true: "in private first", false: "in public"}[e.Security.Sensitive]))
		compareDraft(t, file, draftOf(t, name))
	}
	compareDraft(t, "README.md", strings.Join(index, "\n")+"\n")
}

const draftsIntroduction = `# Reports to file

Drafts of reports to kubernetes/kubernetes: the ten unconfirmed deviations that cost users most, in that order. Nobody has filed them. Who does, first
searches once more, sees the test at the end fail, on the newest release too, and where it says so goes by the
[disclosure process of Kubernetes](https://kubernetes.io/docs/reference/issues-security/security/) instead. They are made of what ` + "`--save`" + ` writes about the smallest cluster of
each ([counterexamples.md](../counterexamples.md)) and of its evidence ([deviations.md](../reference/deviations.md));
` + "`go test ./cmd/modelcheck -run TestDrafts -update`" + ` writes them anew.

| draft | title | why it stands here | report it |
| --- | --- | --- | --- |`

func compareDraft(t *testing.T, file, want string) {
	t.Helper()
	path := filepath.Join("../../docs/reports", file)
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("%s (-saved +file; go test -update writes it):\n%s", file, diff)
	}
}

// draftOf returns the report that --save writes of the smallest cluster of a deviation, with the files it links to at
// its end, so that it stands by itself.
func draftOf(t *testing.T, name string) string {
	t.Helper()
	saved := filepath.Join(t.TempDir(), "saved")
	var stdout, stderr strings.Builder
	cluster := "testdata/deviations/" + name + ".yaml"
	code := command{stdout: &stdout, stderr: &stderr}.run(context.Background(),
		[]string{"-quiet", "-f", filepath.Join("../..", cluster), "--preempt=false", "--victim-gone=false", "--save", saved})
	if code != exitHolds {
		t.Fatalf("%s: exit code %d: %s", name, code, stderr.String())
	}
	folders, err := filepath.Glob(filepath.Join(saved, "*_"+name))
	if err != nil || len(folders) == 0 {
		t.Fatalf("%s: nothing is saved of it: %v", name, err)
	}
	read := func(file string) string {
		text, err := os.ReadFile(filepath.Join(folders[0], file))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	text := read(report.BugReportFile)
	text = strings.ReplaceAll(text, fmt.Sprintf("[%s](%[1]s)", report.GoTestFile), "the test at the end")
	text = strings.ReplaceAll(text, fmt.Sprintf("[%s](%[1]s)", report.ClusterFile), "the manifests at the end")
	text = regexp.MustCompile(`(?s)With a cluster of KWOK.*?\n\n`).ReplaceAllString(text, "")
	text = regexp.MustCompile(`(?s)With modelcheck, in this folder:.*?\n`+"```\n\n").ReplaceAllString(text,
		"With modelcheck: `modelcheck explain -f "+cluster+"`\n\n")
	text = strings.ReplaceAll(text, fmt.Sprintf(", see [%s](%[1]s)", report.ControlPlaneFile), "")
	text = strings.ReplaceAll(text, "confirm -f` and this folder", "confirm "+name+"`")
	for _, file := range []struct{ name, language string }{{report.ClusterFile, "yaml"}, {report.GoTestFile, "go"}} {
		text += fmt.Sprintf("\n<details><summary>%s</summary>\n\n```%s\n%s```\n\n</details>\n", file.name, file.language,
			read(file.name))
	}
	if strings.Contains(text, "](reproduce") || strings.Contains(text, "replay") {
		t.Errorf("the draft of %s links to files beside it:\n%s", name, text)
	}
	return text
}
