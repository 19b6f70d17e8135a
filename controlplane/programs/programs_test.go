package programs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/releases"
)

const root = "../.."

// TestReleases: the release that is in modelcheck has a folder, of the same version, and so has its staging modules.
func TestReleases(t *testing.T) {
	release := releases.Of(production.KubernetesVersion)
	if !slices.Contains(Releases(root), release.Name) {
		t.Fatalf("there is no folder for %s: there are %q", release.Name, Releases(root))
	}
	for _, name := range Releases(root) {
		file := filepath.Join("v"+name, "go.mod")
		goMod, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		version, err := versionIn(goMod)
		if err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if !strings.HasPrefix(version, "v"+name+".") || name == release.Name && version != production.KubernetesVersion {
			t.Errorf("%s requires Kubernetes %s", file, version)
		}
		if staging := "v0" + strings.TrimPrefix(version, "v1"); !strings.Contains(string(goMod),
			"k8s.io/apiserver => k8s.io/apiserver "+staging+"\n") {
			t.Errorf("%s does not replace k8s.io/apiserver by %s", file, staging)
		}
	}
}

func TestVersionIn(t *testing.T) {
	if _, err := versionIn([]byte("require k8s.io/api v0.36.3\n")); err == nil {
		t.Error("a go.mod without k8s.io/kubernetes has a version")
	}
}
