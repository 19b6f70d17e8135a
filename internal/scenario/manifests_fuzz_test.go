package scenario_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
)

// FuzzRead checks, of manifests and of Scenarios with their expressions, that whatever is read gives manifests with
// at least a node, or errors that each name their place, and no panic; and that reading it again gives the same.
func FuzzRead(f *testing.F) {
	archives, err := filepath.Glob("testdata/manifests/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range archives {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			f.Add(file.Data)
		}
	}
	small, err := os.ReadFile("../../testdata/clusters/small.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(small)
	examples, err := filepath.Glob("../../testdata/scenarios/*.yaml")
	if err != nil || len(examples) == 0 {
		f.Fatalf("no examples of Scenarios: %v", err)
	}
	for _, name := range examples {
		example, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(example)
	}
	f.Add([]byte(liveList))
	f.Fuzz(func(t *testing.T, data []byte) {
		if bytes.Contains(data, []byte("manifests")) {
			t.Skip("it may name any file of the machine")
		}
		m, err := scenario.Read([]string{"-"}, bytes.NewReader(data), admission.Admit)
		if (m == nil) == (err == nil) {
			t.Fatalf("manifests %v with error %v: want one of them", m, err)
		}
		if err == nil && len(m.Nodes) == 0 && m.SchedulerConfiguration == nil {
			t.Fatal("neither a node nor a configuration")
		}
		if err == nil && m.Scenario != nil {
			if s, err := m.Scenario.Model(m.Snapshot()); (s == nil) == (err == nil) {
				t.Fatalf("model %v with error %v: want one of them", s, err)
			}
		}
		if wrong := (*scenario.Error)(nil); err != nil && (!errors.As(err, &wrong) || wrong.Source.File != "-") {
			t.Fatalf("error does not name its place: %v", err)
		}
		_, again := scenario.Read([]string{"-"}, bytes.NewReader(data), admission.Admit)
		if err != nil && (again == nil || again.Error() != err.Error()) {
			t.Fatalf("first it is\n%v\nthen it is\n%v", err, again)
		}
	})
}
