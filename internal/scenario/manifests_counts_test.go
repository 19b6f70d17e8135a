package scenario_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
)

// TestCounts: what a directory has is counted, and said where there is no pod in it.
func TestCounts(t *testing.T) {
	const service = "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {ports: [{port: 80}]}\n"
	const release = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: r}\n"
	const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: c}]}\n"
	files := map[string]string{
		"values.yaml":   "replicas: 2\n",
		"template.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {{ .Name }}\n",
		"objects.yaml":  service + "---\n" + release,
		"bad.yaml":      "apiVersion: v1\nkind: Pod\nmetadata: {name: b}\nspec: {containers: 3}\n",
	}
	for _, test := range []struct {
		name, pod, noPods string
		read              int
	}{
		{"without a pod", "", "there is no Node, no Pod, and no workload that makes pods; give at least one. The input has " +
			"4 files (1 without an object, 1 that are templates) with 1 object of other kinds: HelmRelease (1); give " +
			"what helm template makes of the templates", 1},
		{"with a pod", pod, "", 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			want := scenario.Counts{Files: 4, WithoutObject: 1, Templates: 1, Read: test.read, OtherKinds: 1, Left: 1}
			for name, text := range files {
				if name == "objects.yaml" && test.pod != "" {
					text += "---\n" + test.pod
				}
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			m, err := scenario.Read([]string{dir}, nil, admission.Admit)
			nothing := (*scenario.NoPodsError)(nil)
			switch {
			case errors.As(err, &nothing) && test.noPods != "":
				m = &scenario.Manifests{Counts: nothing.Counts}
				if diff := cmp.Diff(test.noPods, nothing.Error()); diff != "" {
					t.Error(diff)
				}
			case err != nil || test.noPods != "":
				t.Fatalf("error %v, want %q", err, test.noPods)
			}
			if diff := cmp.Diff(want, m.Counts); diff != "" {
				t.Error(diff)
			}
		})
	}
}
