package modelcheck_test

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

const module = "github.com/seed-a3f26817/modelcheck/"

// own is the module's package at the top.
const own = "."

type room struct {
	name    string
	imports []string
}

// rooms has, for each room, those that it may import. Imports go up the list only.
var rooms = []room{
	{"spec", nil},
	{"checker", nil},
	{"model", []string{"spec"}},
	{"loop", []string{"spec", "checker"}},
	{"production", []string{"spec", "loop"}}, // loop for the actions and states of the whole scheduler
	{"generate", []string{"spec"}},
	{"museum", []string{"spec", "loop"}},
	{"fields", []string{"spec"}},
	{"invariants", []string{"spec", "model"}},
	{"expression", []string{"spec", "model", "invariants"}},
	{"scenario", []string{"spec", "model", "loop", "expression"}},
	{"explore", []string{"spec", "checker", "model", "invariants", "fields"}},
	{"report", []string{"spec", "checker", "model", "loop", "invariants", "explore", "fields"}},
	{"page", []string{"model", "invariants", "explore", "report"}},
	{"results", []string{"checker", "explore"}},
	{"job", nil},
	{"conformance", nil},
	{"mutation", nil},
	{own, []string{"spec", "model", "production", "generate", "invariants", "scenario", "explore", "report"}},
	{"examples", []string{own}},
	{"benchmarks", []string{"spec", "checker", "model", "scenario"}},
	{"cmd", []string{"spec", "checker", "model", "loop", "production", "generate", "museum", "invariants", "expression", "scenario", "explore", "results", "report", "page", "job"}},
}

// TestRooms: imports point one way, and the code under test is imported by the room production only. Tests may import
// what they like.
func TestRooms(t *testing.T) {
	var broken []string
	files := map[string]int{}
	walk(t, func(path string, imports []string) {
		room, _, inRoom := strings.Cut(path, "/")
		if !inRoom {
			room = own
		}
		files[room]++
		for _, imported := range imports {
			if reason := forbidden(room, imported); reason != "" {
				broken = append(broken, path+": "+reason)
			}
		}
	})
	for _, reason := range broken {
		t.Error(reason)
	}
	for name := range files {
		if !slices.ContainsFunc(rooms, func(r room) bool { return r.name == name }) {
			t.Errorf("no rule says what room %s may import; add it to rooms and to the design", name)
		}
	}
	for _, room := range rooms {
		if files[room.name] == 0 {
			t.Errorf("room %s has no code; take its rule out if it is gone", room.name)
		}
	}
}

// forbidden gives the reason why a room must not import a package; "" if it may.
func forbidden(room, imported string) string {
	within := func(module string) bool { return imported == module || strings.HasPrefix(imported, module+"/") }
	codeUnderTest := within("k8s.io/kubernetes") || within("k8s.io/component-helpers")
	switch {
	case within("k8s.io/kubernetes") && room != "production":
		return "only the room production imports " + imported
	case codeUnderTest && room == "spec":
		return "spec is independent of " + imported
	case room == "checker" && within("k8s.io"):
		return "checker knows nothing of Kubernetes, let alone " + imported
	}
	other, ours := strings.CutPrefix(imported+"/", module)
	if !ours {
		return ""
	}
	if other, _, _ = strings.Cut(other, "/"); other == "" {
		other = own
	}
	for _, r := range rooms {
		if r.name == room && (other == room || slices.Contains(r.imports, other)) {
			return ""
		}
	}
	return "room " + room + " must not import room " + other
}

// walk calls visit for each Go file that is no test, with its imports.
func walk(t *testing.T, visit func(path string, imports []string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && path != "." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata") {
			return filepath.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		var imports []string
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			imports = append(imports, imported)
		}
		visit(filepath.ToSlash(path), imports)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestForbidden(t *testing.T) {
	for _, row := range []struct{ reason, room, imported, want string }{
		{"up the list", "model", module + "spec", ""},
		{"down the list", "spec", module + "model", "room spec must not import room model"},
		{"within a room", "production", module + "production/admission", ""},
		{"a package of a room it may not use", "scenario", module + "production/admission", "room scenario must not import room production"},
		{"the code under test, elsewhere", "cmd", "k8s.io/kubernetes/pkg/scheduler", "only the room production imports k8s.io/kubernetes/pkg/scheduler"},
		{"the code under test, where it belongs", "production", "k8s.io/kubernetes/pkg/scheduler", ""},
		{"its libraries, in the model", "spec", "k8s.io/component-helpers/resource", "spec is independent of k8s.io/component-helpers/resource"},
		{"Kubernetes, in the engine", "checker", "k8s.io/api/core/v1", "checker knows nothing of Kubernetes, let alone k8s.io/api/core/v1"},
		{"the standard library", "checker", "fmt", ""},
		{"the package at the top", "examples", module[:len(module)-1], ""},
		{"the command does not use the library", "cmd", module[:len(module)-1], "room cmd must not import room ."},
		{"nobody uses the command", "report", module + "cmd/modelcheck", "room report must not import room cmd"},
	} {
		if diff := cmp.Diff(row.want, forbidden(row.room, row.imported)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
}
