package report

import (
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/spec"
)

func TestFolder(t *testing.T) {
	long := "statuses-conform/" + strings.Repeat("a-defect+", 40)
	for _, row := range []struct{ reason, id, want string }{
		{"slashes make folders", "outcome-conforms/new", "outcome-conforms_new"},
		{"defects that come together", "statuses-conform/E1+E3", "statuses-conform_E1+E3"},
		{"what a shell or a file system reads otherwise", `a b\c:d*..`, "a-b-c-d-.."},
	} {
		if got := Folder(&decisions.Finding{ID: row.id}); got != row.want {
			t.Errorf("%s: %q, want %q", row.reason, got, row.want)
		}
	}
	one, other := Folder(&decisions.Finding{ID: long + "x"}), Folder(&decisions.Finding{ID: long + "y"})
	if len(one) > longestFolder || one == other {
		t.Errorf("long ids: %q of %d bytes, and %q", one, len(one), other)
	}
}

// TestFiles: only a decision has a Go test, only a configuration that was given is kept, and what kubectl apply
// leaves out is said.
func TestFiles(t *testing.T) {
	run := explored(t, t.Context(), blindFilter, small())
	has := func(f *decisions.Finding, file string) (string, bool) {
		for _, saved := range run.Files(f) {
			if saved.Name == file {
				return string(saved.Content), true
			}
		}
		return "", false
	}
	f := &run.Result.Findings[0]
	if _, ok := has(f, GoTestFile); !ok {
		t.Error("a decision has no Go test")
	}
	if _, ok := has(f, ConfigurationFile); ok {
		t.Error("the default configuration is kept")
	}
	run.Configuration = []byte("kind: KubeSchedulerConfiguration\n")
	if text, _ := has(f, ConfigurationFile); text != string(run.Configuration) {
		t.Errorf("the configuration is kept as %q", text)
	}
	run.ThemeConfigured = true
	if text, ok := has(f, ConfigurationFile); ok {
		t.Errorf("the configuration of a theme is kept of pods of the default profile: %q", text)
	}
	run.ThemeConfigured = false
	drawn := []byte("kind: KubeSchedulerConfiguration # drawn\n")
	run.DrawnProfiles = 8
	if text, ok := has(f, ConfigurationFile); ok {
		t.Errorf("drawn configurations are kept of pods of the default profile: %q", text)
	}
	f.Configuration = drawn
	if text, _ := has(f, ConfigurationFile); text != string(drawn) {
		t.Errorf("the drawn configuration is kept as %q", text)
	}
	if text, _ := has(f, BugReportFile); !strings.Contains(text, "kind: KubeSchedulerConfiguration # drawn") {
		t.Errorf("the bug report does not show the drawn configuration:\n%s", text)
	}
	run.DrawnProfiles, f.Configuration = 0, nil
	if text, _ := has(f, BugReportFile); !hasInOrder(text, "### What happened?", "### What did you expect to happen?",
		"### How can we reproduce it (as minimally and precisely as possible)?", "### Anything else we need to know?",
		"### Kubernetes version", "### Cloud provider", "### OS version") ||
		strings.Contains(text, `\n`) {
		t.Errorf("the bug report is no Markdown:\n%s", text)
	}
	step := *f
	step.Example.Case = nil
	if _, ok := has(&step, GoTestFile); ok {
		t.Error("there is a Go test without a decision")
	}
	if text, _ := has(&step, BugReportFile); !strings.Contains(text, "There is no Go test") {
		t.Errorf("the bug report does not say so:\n%s", text)
	}
}

// TestManifestsAreReadAsTheyWere: priorities that only the built-in classes may have, and owners of claims.
func TestManifestsAreReadAsTheyWere(t *testing.T) {
	critical := pod("critical", "1", 2_000_001_000)
	critical.UID = "some-uid"
	claim := &v1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{
		Namespace: "default", Name: "critical-v",
		OwnerReferences: []metav1.OwnerReference{{Kind: "Pod", Name: "critical", UID: "some-uid"}},
	}}
	list := manifests(&spec.Snapshot{Pods: []*v1.Pod{critical},
		PersistentVolumeClaims: []*v1.PersistentVolumeClaim{claim}})
	text := string(indented(list))
	for _, want := range []string{`"priorityClassName": "system-node-critical"`, `"uid": "default/critical"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if strings.Contains(text, `"kind": "PriorityClass"`) {
		t.Errorf("a class is made that no API server lets be:\n%s", text)
	}
}
