package scenario_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
)

var updateManifests = flag.Bool("update-manifests", false, "write what Read says into testdata/manifests")

// TestReadGolden reads the files of each archive in testdata/manifests at the paths that its comment
// names, and compares the errors or, where there are none, the notes.
func TestReadGolden(t *testing.T) {
	archives, err := filepath.Glob("testdata/manifests/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			name, err := filepath.Abs(name)
			if err != nil {
				t.Fatal(err)
			}
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			paths, want := unpack(t, archive)
			got := said(scenario.Read(paths, nil, admission.Admit))
			if *updateManifests {
				archive.Files = append(archive.Files, txtar.File{Name: "want", Data: []byte(got)})
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("said (-want +got, -update-manifests accepts it):\n%s", diff)
			}
		})
	}
}

// unpack writes the files into a new working directory and takes the wanted text out of the archive.
func unpack(t *testing.T, archive *txtar.Archive) (paths []string, want string) {
	t.Helper()
	t.Chdir(t.TempDir())
	files := archive.Files
	archive.Files = nil
	for _, file := range files {
		if file.Name == "want" {
			want = string(file.Data)
			continue
		}
		archive.Files = append(archive.Files, file)
		if err := os.MkdirAll(filepath.Dir(file.Name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file.Name, file.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	_, list, ok := strings.Cut(string(archive.Comment), "paths:")
	if !ok {
		t.Fatal("the comment names no paths")
	}
	return strings.Fields(list), want
}

func said(m *scenario.Manifests, err error) string {
	if err != nil {
		return err.Error() + "\n"
	}
	return strings.Join(m.Notes, "\n") + "\n"
}
