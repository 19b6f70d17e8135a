package releases_test

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	// So that what is compiled here is compiled again when it changes.
	_ "github.com/seed-a3f26817/modelcheck/internal/generate"
	_ "github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/releases"
	_ "github.com/seed-a3f26817/modelcheck/internal/scenario"
)

// Each release has a go.mod, which has every module of Kubernetes in its version; and there is no other go.mod.
func TestModules(t *testing.T) {
	var want []string
	staging := regexp.MustCompile(`(?m)^\tk8s\.io/[a-z-]+ => k8s\.io/[a-z-]+ v0\.(\S+)$`)
	kubernetes := regexp.MustCompile(`(?m)^\tk8s\.io/kubernetes => k8s\.io/kubernetes (\S+)$`)
	for _, r := range releases.All() {
		dir := filepath.Join("..", "..", "releases", "v"+r.Name)
		want = append(want, filepath.Base(dir))
		data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err != nil {
			t.Fatal(err)
		}
		if of := kubernetes.FindSubmatch(data); of == nil || string(of[1]) != r.Version {
			t.Errorf("%s: k8s.io/kubernetes is %s, want %s", dir, of, r.Version)
		}
		replaced := staging.FindAllSubmatch(data, -1)
		if len(replaced) < 20 {
			t.Errorf("%s: %d modules of Kubernetes are replaced", dir, len(replaced))
		}
		for _, match := range replaced {
			if "v1."+string(match[1]) != r.Version {
				t.Errorf("%s: %s", dir, match[0])
			}
		}
	}
	entries, err := os.ReadDir("../../releases")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("releases has %v, want %v", got, want)
	}
}

func TestIs(t *testing.T) {
	r := releases.Release{Name: "1.35", Version: "v1.35.4"}
	for name, want := range map[string]bool{"1.35": true, "v1.35": true, "1.35.4": true, "v1.35.4": true,
		"1.3": false, "1.35.3": false, "": false, "1.36": false} {
		if got := r.Is(name); got != want {
			t.Errorf("Is(%q) is %t", name, got)
		}
	}
	if got := releases.Of("v1.36.3"); got.Name != "1.36" {
		t.Errorf("v1.36.3 is of %q", got.Name)
	}
}

// Another patch release of a minor version is built with what that has; anything else is none.
func TestPatch(t *testing.T) {
	r := releases.Release{Name: "1.33", Version: "v1.33.13", Tags: []string{"before1.34"}, Borrows: "1.34"}
	for _, name := range []string{"1.33.0", "v1.33.0"} {
		got, is := r.Patch(name)
		want := releases.Release{Name: "1.33.0", Version: "v1.33.0", Tags: r.Tags, Base: "1.33", Borrows: "1.34"}
		if !is || !reflect.DeepEqual(got, want) {
			t.Errorf("Patch(%q) is %+v, %t", name, got, is)
		}
	}
	// The release that modelcheck is built with has its go.mod at the top.
	if got, is := releases.Of("v1.37.2").Patch("1.37.0"); !is || got.Base != "1.37" || got.Version != "v1.37.0" {
		t.Errorf("Patch(1.37.0) is %+v, %t", got, is)
	}
	for _, name := range []string{"", "1.33", "1.34.0", "1.33.0.1", "1.33.01", "1.33.x", "1.33.0 -X", "../1.33.0"} {
		if got, is := r.Patch(name); is {
			t.Errorf("Patch(%q) is %+v", name, got)
		}
	}
}

// What is kept for another version, or cannot be read, is not taken for the release.
func TestInstalled(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("MODELCHECK_RELEASES", dir)
	r := releases.Release{Name: "1.35", Version: "v1.35.4"}
	keep := func(text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(dir, r.Name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, r.Name, "release.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := releases.Installed(r); err == nil {
		t.Error("nothing is kept, and it is installed")
	}
	for _, text := range []string{"", "{", `{"kubernetesVersion": "v1.35.3"}`} {
		keep(text)
		if _, err := releases.Installed(r); err == nil {
			t.Errorf("%q is taken for %s", text, r.Version)
		}
	}
	keep(`{"kubernetesVersion": "v1.35.4", "modelcheck": "at commit 1"}`)
	if p, err := releases.Installed(r); err != nil || p.From != "at commit 1" {
		t.Errorf("Installed: %+v, %v", p, err)
	}
}

// TestPatches: patch releases for which a program is kept are found, those that are listed left out, and other folders.
func TestPatches(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("MODELCHECK_RELEASES", filepath.Join(dir, "none"))
	newest := releases.Of("v1.37.2")
	if got, err := releases.Patches(newest); len(got) > 0 || err != nil {
		t.Errorf("there is no folder, and it has %v, %v", got, err)
	}
	t.Setenv("MODELCHECK_RELEASES", dir)
	for _, name := range []string{"1.36", "1.36.1", "1.37.0", "1.37.2", "1.36.3", "1.30.1", "other"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		text := []byte(`{"kubernetesVersion": "v` + name + `"}`)
		if err := os.WriteFile(filepath.Join(dir, name, "release.json"), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "1.36.2"), 0o755); err != nil { // of a build that failed
		t.Fatal(err)
	}
	got, err := releases.Patches(newest)
	var versions []string
	for _, r := range got {
		versions = append(versions, r.Version)
	}
	if want := []string{"v1.36.1", "v1.37.0"}; !slices.Equal(versions, want) || err != nil {
		t.Errorf("%v, %v, want %v", versions, err, want)
	}
}

// The oldest release has the fewest fields of the API: what reads objects, and does not need kube-scheduler, compiles
// with them. All of modelcheck is compiled by "modelcheck versions install".
func TestOldestCompiles(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles the API of another release")
	}
	all := releases.All()
	var said strings.Builder
	err := releases.Compile(t.Context(), all[len(all)-1], filepath.Join("..", ".."), t.TempDir(), &said, "spec", "model",
		"invariants", "internal/loop", "internal/generate", "internal/scenario")
	if err != nil {
		t.Errorf("%v\n%s", err, said.String())
	}
}
