package scenario_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/production/admission"
	"github.com/seed-a3f26817/modelcheck/scenario"
)

// TestThemes: every file of themes is explored, says what it is about, and has nothing in it twice.
func TestThemes(t *testing.T) {
	files, err := os.ReadDir("themes")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range files {
		names = append(names, strings.TrimSuffix(file.Name(), ".yaml"))
	}
	if diff := cmp.Diff(names, slices.Sorted(slices.Values(scenario.ThemeNames()))); diff != "" {
		t.Errorf("themes (-files +names):\n%s", diff)
	}
	for _, name := range scenario.ThemeNames() {
		s, err := scenario.Theme(name, 2, model.Actions{Arrivals: 3}, admission.Admit)
		if err != nil {
			t.Error(err)
			continue
		}
		m, err := model.NewMachine(s, model.NewCatalog())
		if err != nil {
			t.Error(err)
			continue
		}
		if s.Name != name || !strings.HasSuffix(s.Doc, ".") {
			t.Errorf("theme %s is called %q and says of itself %q; want a sentence", name, s.Name, s.Doc)
		}
		if len(s.Nodes) == 0 || len(s.Pods) == 0 || len(s.Initial) == 0 || m.Scenario.MaxNodes() != 2 || s.Actions.Arrivals < 1 || s.Actions.Arrivals > 3 {
			t.Errorf("theme %s: %d kinds of node, %d of pod, %d clusters of up to %d nodes", name, len(s.Nodes), len(s.Pods), len(s.Initial), s.MaxNodes())
		}
	}
}

func TestUnknownTheme(t *testing.T) {
	_, err := scenario.Theme("weather", 2, model.Actions{}, admission.Admit)
	if want := `no theme is called "weather"; themes are: ` + strings.Join(scenario.ThemeNames(), ", "); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
