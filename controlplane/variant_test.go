package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/deviations"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/releases"
	"github.com/seed-a3f26817/modelcheck/spec"
)

const root = ".."

// TestVariants: of each deviation there is a cluster in which kube-scheduler tells by what it does, and a control
// beside it in which it does what the model says. TestEarlierVariants has those of earlier releases.
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

// TestEarlierVariants is TestVariants for deviations of earlier releases alone: an installed modelcheck of a release
// that has one finds it in the cluster, by itself or beside another, and finds nothing in the control.
func TestEarlierVariants(t *testing.T) {
	for _, entry := range deviations.Entries() {
		if entry.Quirk.In(production.KubernetesVersion) {
			continue
		}
		t.Run(entry.Quirk.Name, func(t *testing.T) {
			_, main, control, err := manifestsOf(root, entry)
			if err != nil {
				t.Fatal(err)
			}
			if control == nil {
				t.Fatalf("it has no control: add one to %s", variantsFile(entry.Quirk.Name))
			}
			program := installedWith(t, entry.Quirk)
			if program == nil {
				t.Skip("no release that has it is installed; modelcheck versions install builds one")
			}
			if got := foundIn(t, program, main); !slices.Contains(got, entry.Quirk.Name) || slices.Contains(got, "new") {
				t.Errorf("%s finds %q; if it is older than this, install it anew", program.Path, got)
			}
			if got := foundIn(t, program, control); len(got) > 0 {
				t.Errorf("%s finds %q in the control", program.Path, got)
			}
		})
	}
}

// installedWith returns the installed modelcheck for a release that has the defect; nil if there is none.
func installedWith(t *testing.T, quirk spec.Quirk) *releases.Program {
	t.Helper()
	patches, err := releases.Patches(releases.Of(production.KubernetesVersion))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range append(releases.All(), patches...) {
		if !quirk.In(r.Version) {
			continue
		}
		if p, err := releases.Installed(r); err == nil {
			return p
		}
	}
	return nil
}

// foundIn returns the names of the deviations that are found in the cluster, sorted, and "new" for what none explains.
func foundIn(t *testing.T, program *releases.Program, manifests []byte) (names []string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "cluster.yaml")
	if err := os.WriteFile(file, manifests, 0o600); err != nil {
		t.Fatal(err)
	}
	var wrong bytes.Buffer
	run := exec.CommandContext(t.Context(), program.Path, "-f", file, "-o", "json")
	run.Stderr = &wrong
	out, err := run.Output()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) {
		t.Fatalf("%v: %s", err, wrong.String())
	}
	var said struct {
		Findings []struct {
			Class  string
			Quirks []struct{ Name string }
		}
	}
	if err := json.Unmarshal(out, &said); err != nil {
		t.Fatal(err)
	}
	for _, f := range said.Findings {
		if f.Class == "new" {
			names = append(names, f.Class)
		}
		for _, quirk := range f.Quirks {
			names = append(names, quirk.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
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
