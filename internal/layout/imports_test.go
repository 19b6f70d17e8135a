// Package layout holds the tests that look at all packages: which may import which, and what every file must keep.
package layout

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	module = "github.com/seed-a3f26817/modelcheck"
	// root is where the module lies, seen from here, and the name of its package at the top.
	root = "../.."
	top  = "."
)

// layer is a package, with those below it, and what it may import of the module.
type layer struct {
	name    string
	imports []string
}

// layers go from the bottom to the top: a layer imports layers above it in this list only.
var layers = []layer{
	{"spec", nil},
	{"checker", nil},
	{"internal/lanes", []string{"checker"}},
	{"internal/patience", []string{"checker"}},
	{"internal/printable", nil},
	{"internal/covering", nil},
	{"model", []string{"spec"}},
	{"internal/reference", []string{"spec", "checker", "model"}},
	{"internal/loop", []string{"spec", "checker", "internal/lanes", "internal/patience"}},
	{
		"internal/production",
		[]string{"spec", "internal/loop"},
	}, // loop for the actions and states of the whole scheduler
	{"internal/generate", []string{"spec", "internal/loop"}}, // loop for the scopes of drawn runs
	{"internal/provider", []string{"spec"}},
	{"internal/deviations", []string{"spec", "internal/loop", "testdata/confirmations", "testdata/deviations/evidence"}},
	{"internal/fields", []string{"spec"}},
	{"invariants", []string{"spec", "model"}},
	{"internal/expression", []string{"spec", "model", "invariants"}},
	{
		"internal/scenario",
		[]string{"spec", "internal/printable", "internal/covering", "model", "internal/loop", "internal/expression"},
	},
	{"internal/live", []string{"internal/scenario"}},
	{"internal/cluster", []string{"spec", "model"}},
	{"internal/decisions", []string{"spec", "checker", "model", "invariants", "internal/fields", "internal/cluster",
		"internal/lanes", "internal/patience"}},
	{"internal/decisionstest", []string{"spec", "model", "internal/production", "internal/scenario",
		"internal/decisions"}},
	{"internal/audit", []string{"spec", "model", "invariants", "internal/cluster", "internal/patience",
		"internal/production", "internal/decisions"}},
	{"internal/upgrade", []string{"spec", "model", "invariants", "internal/audit", "internal/decisions",
		"internal/patience"}},
	{
		"internal/report",
		[]string{"spec", "checker", "internal/printable", "model", "invariants", "internal/reference", "internal/loop",
			"internal/decisions", "internal/audit", "internal/fields", "internal/upgrade", "internal/deviations"},
	},
	{"internal/page", []string{"model", "invariants", "internal/decisions", "internal/report"}},
	{"internal/results", []string{"checker", "internal/decisions"}},
	{"internal/job", nil},
	{"internal/releases", nil},
	{"internal/trackrecord", nil},
	{"internal/conformance", nil},
	{"internal/mutation", []string{"spec", "checker", "model", "invariants", "internal/loop", "internal/production",
		"internal/generate", "internal/scenario", "internal/decisions"}},
	{top, []string{"spec", "model", "internal/patience", "invariants", "internal/production", "internal/generate",
		"internal/scenario", "internal/decisions", "internal/report"}},
	{"examples", []string{"spec", top}},
	{"internal/benchmarks", []string{"spec", "checker", "internal/reference"}},
	{"internal/corpus", []string{"spec", "internal/production", "internal/scenario", "internal/decisions"}},
	{"internal/wholecycle", []string{"spec", "model", "internal/production", "internal/scenario", "internal/decisions"}},
	{"internal/upstream", []string{"spec", "invariants", "internal/production", "internal/generate", "internal/scenario",
		"internal/decisions", "internal/mutation"}},
	{"internal/torture", []string{"spec", "internal/production", "internal/scenario", "internal/decisions"}},
	{"controlplane", []string{"spec", "internal/loop", "internal/production", "internal/generate", "internal/deviations",
		"internal/scenario", "internal/decisions", "internal/report", "internal/releases", "invariants"}},
	{"cmd", []string{"spec", "checker", "internal/lanes", "internal/patience", "internal/printable", "model", "invariants",
		"internal/reference", "internal/loop", "internal/production", "internal/generate", "internal/deviations",
		"internal/expression", "internal/scenario", "internal/live", "internal/decisions", "internal/audit",
		"internal/results", "internal/report", "internal/page", "internal/job", "internal/releases",
		"internal/upgrade"}},
}

// layerOf returns the name of the layer of a file or package by its path in the module.
func layerOf(path string) string {
	for _, l := range layers {
		if l.name != top && (path == l.name || strings.HasPrefix(path, l.name+"/")) {
			return l.name
		}
	}
	if !strings.Contains(path, "/") {
		return top
	}
	return path
}

// TestImports: imports point one way, and the code under test is imported by internal/production only. Tests may
// import what they like.
func TestImports(t *testing.T) {
	files := map[string]int{}
	goFiles(t, func(path string) {
		// The latter is a kube-scheduler, of the module of its release.
		if strings.HasSuffix(path, "_test.go") || path == "internal/layout/doc.go" ||
			path == "controlplane/programs/faults/main.go" {
			return
		}
		of := layerOf(path)
		files[of]++
		for _, imported := range importsOf(t, path) {
			if reason := forbidden(of, imported); reason != "" {
				t.Errorf("%s: %s", path, reason)
			}
		}
	})
	for name := range files {
		if !slices.ContainsFunc(layers, func(l layer) bool { return l.name == name }) {
			t.Errorf("no rule says what %s may import: add it to layers and to docs/architecture.md", name)
		}
	}
	for _, l := range layers {
		if files[l.name] == 0 {
			t.Errorf("%s has no code: take its rule out if it is gone", l.name)
		}
	}
}

// TestSpecImports: the model imports API types and their machinery, and none of the code under test. Its tests may
// use testing libraries, but no code under test either.
func TestSpecImports(t *testing.T) {
	goFiles(t, func(path string) {
		if layerOf(path) != "spec" {
			return
		}
		for _, imported := range importsOf(t, path) {
			if !allowedInSpec(imported, strings.HasSuffix(path, "_test.go")) {
				t.Errorf("%s must not import %s", path, imported)
			}
		}
	})
}

func within(path, module string) bool { return path == module || strings.HasPrefix(path, module+"/") }

// forbidden returns the reason why a layer must not import a package; "" if it may.
func forbidden(of, imported string) string {
	codeUnderTest := within(imported, "k8s.io/kubernetes") || within(imported, "k8s.io/component-helpers")
	switch {
	case within(imported, "k8s.io/kubernetes") && of != "internal/production":
		return "only internal/production imports " + imported
	case codeUnderTest && of == "spec":
		return "spec is independent of " + imported
	case of == "checker" && within(imported, "k8s.io"):
		return "checker knows nothing of Kubernetes, let alone " + imported
	case !within(imported, module):
		return ""
	}
	other := layerOf(strings.TrimPrefix(strings.TrimPrefix(imported, module), "/"))
	for _, l := range layers {
		if l.name == of && (other == of || slices.Contains(l.imports, other)) {
			return ""
		}
	}
	return of + " must not import " + other
}

func allowedInSpec(path string, test bool) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".") || within(path, "k8s.io/api") || within(path, "k8s.io/apimachinery") ||
		test &&
			(within(path, "github.com/google/go-cmp") || within(path, "pgregory.net/rapid") ||
				within(path, module+"/spec"))
}

// goFiles calls visit with the path in the module of every Go file.
func goFiles(t *testing.T, visit func(path string)) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != root && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata"):
			return filepath.SkipDir
		case !entry.IsDir() && strings.HasSuffix(path, ".go"):
			visit(strings.TrimPrefix(filepath.ToSlash(path), root+"/"))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func importsOf(t *testing.T, path string) (imports []string) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, path), nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range parsed.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		imports = append(imports, imported)
	}
	return imports
}

func TestForbidden(t *testing.T) {
	for _, row := range []struct{ reason, of, imported, want string }{
		{"up the list", "model", module + "/spec", ""},
		{"down the list", "spec", module + "/model", "spec must not import model"},
		{"within a layer", "internal/production", module + "/internal/production/admission", ""},
		{"a package below one it may not use", "internal/scenario", module + "/internal/production/admission",
			"internal/scenario must not import internal/production"},
		{"the code under test, elsewhere", "cmd", "k8s.io/kubernetes/pkg/scheduler",
			"only internal/production imports k8s.io/kubernetes/pkg/scheduler"},
		{"the code under test, where it belongs", "internal/production", "k8s.io/kubernetes/pkg/scheduler", ""},
		{"its libraries, in the model", "spec", "k8s.io/component-helpers/resource",
			"spec is independent of k8s.io/component-helpers/resource"},
		{"Kubernetes, in the explorer", "checker", "k8s.io/api/core/v1",
			"checker knows nothing of Kubernetes, let alone k8s.io/api/core/v1"},
		{"the standard library", "checker", "fmt", ""},
		{"the package at the top", "examples", module, ""},
		{"the command does not use the library", "cmd", module, "cmd must not import ."},
		{"nobody uses the command", "internal/report", module + "/cmd/modelcheck",
			"internal/report must not import cmd"},
		{"a package that no rule knows", "internal/report", module + "/internal/else",
			"internal/report must not import internal/else"},
	} {
		if diff := cmp.Diff(row.want, forbidden(row.of, row.imported)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
}

func TestAllowedInSpec(t *testing.T) {
	for _, row := range []struct {
		reason, path string
		test, want   bool
	}{
		{"the standard library", "go/parser", false, true},
		{"API types", "k8s.io/api/core/v1", false, true},
		{"another module of a similar name", "k8s.io/apiserver/pkg/server", false, false},
		{"the code under test", "k8s.io/kubernetes/pkg/scheduler", true, false},
		{"its libraries", "k8s.io/component-helpers/resource", true, false},
		{"a testing library, in a test", "pgregory.net/rapid", true, true},
		{"a testing library, elsewhere", "pgregory.net/rapid", false, false},
	} {
		if got := allowedInSpec(row.path, row.test); got != row.want {
			t.Errorf("%s: %s: got %v", row.reason, row.path, got)
		}
	}
}
