package spec

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestIndependence: the model imports API types and their machinery, and none of the code under test. Tests of
// this package may use testing libraries, but no code under test either.
func TestIndependence(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files to look at: %v", err)
	}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range parsed.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if !allowedImport(path, strings.HasSuffix(file, "_test.go")) {
				t.Errorf("%s must not import %s", file, path)
			}
		}
	}
}

func allowedImport(path string, test bool) bool {
	first, _, _ := strings.Cut(path, "/")
	within := func(module string) bool { return path == module || strings.HasPrefix(path, module+"/") }
	return !strings.Contains(first, ".") || within("k8s.io/api") || within("k8s.io/apimachinery") ||
		test && (within("github.com/google/go-cmp") || within("pgregory.net/rapid") || within("github.com/seed-a3f26817/modelcheck/spec"))
}

func TestAllowedImport(t *testing.T) {
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
		if got := allowedImport(row.path, row.test); got != row.want {
			t.Errorf("%s: %s: got %v", row.reason, row.path, got)
		}
	}
}
