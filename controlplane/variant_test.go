package main

import (
	"path/filepath"
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/deviations"
	"github.com/seed-a3f26817/modelcheck/internal/production"
)

const root = ".."

// TestVariants: of each deviation there is a cluster in which kube-scheduler tells by what it does, and a control
// beside it in which it does what the model says.
func TestVariants(t *testing.T) {
	for _, entry := range deviations.In(production.KubernetesVersion) {
		t.Run(entry.Quirk.Name, func(t *testing.T) {
			main, control, err := clustersOf(t.Context(), root, entry)
			if err != nil {
				t.Fatal(err)
			}
			shown, earlier := expectedOf(t, main)
			if !slices.Equal(shown.quirks, []string{entry.Quirk.Name}) || shown.new {
				t.Errorf("what differs is explained by %q, and something is new: %v", shown.quirks, shown.new)
			}
			if !shown.conclusive() || earlier != "" {
				t.Errorf("it is not conclusive: kube-scheduler %q, documented %q, before that %q", shown.production,
					shown.documented, earlier)
			}
			if control == nil {
				t.Fatalf("it has no control: add one to %s", variantsFile(entry.Quirk.Name))
			}
			beside, earlier := expectedOf(t, control)
			if !beside.conforms() || len(beside.quirks) > 0 || beside.new || earlier != "" {
				t.Errorf("something is wrong with the control: kube-scheduler %q, documented %q, explained by %q, before "+
					"that %q", beside.production, beside.documented, beside.quirks, earlier)
			}
			if slices.Equal(beside.production, shown.production) {
				t.Errorf("in the control the same happens: %q", beside.production)
			}
		})
	}
}

func expectedOf(t *testing.T, c *cluster) (e *expectation, earlier string) {
	t.Helper()
	kube, err := newInProcess(t.Context(), c.configuration)
	if err != nil {
		t.Fatal(err)
	}
	defer kube.close()
	s := c.objects.Snapshot
	i := slices.IndexFunc(s.Pods, func(pod *v1.Pod) bool { return key(pod) == c.pod })
	return kube.expect(s.Pods[i], s), kube.before(s.Pods[i], s)
}

// TestVariantFiles: no file is without a deviation.
func TestVariantFiles(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, variantsFile("*")))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !slices.ContainsFunc(deviations.Entries(), func(e deviations.Entry) bool {
			return filepath.Base(variantsFile(e.Quirk.Name)) == filepath.Base(file)
		}) {
			t.Errorf("%s is of no deviation", file)
		}
	}
}
