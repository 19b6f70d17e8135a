package scenario_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestThemes: every theme can be explored, and says what it is about.
func TestThemes(t *testing.T) {
	for _, name := range scenario.ThemeNames() {
		s := theme(t, scenario.Theme, name)
		if s.Name != name || !strings.HasSuffix(s.Doc, ".") {
			t.Errorf("theme %s is called %q and says of itself %q; want a sentence", name, s.Name, s.Doc)
		}
	}
}

// TestThoroughThemes: a thorough theme has all templates of the theme, and several times as many together.
func TestThoroughThemes(t *testing.T) {
	for _, name := range scenario.ThemeNames() {
		s, thorough := theme(t, scenario.Theme, name), theme(t, scenario.ThoroughTheme, name)
		if thorough.Name != name || thorough.Doc != s.Doc {
			t.Errorf("thorough theme %s is called %q and says of itself %q", name, thorough.Name, thorough.Doc)
		}
		podName := func(k model.PodTemplate) string { return k.Pod.Namespace + "/" + k.Name }
		if missing := missing(s.Pods, thorough.Pods, podName); len(missing) > 0 {
			t.Errorf("thorough theme %s lacks the pods %v", name, missing)
		}
		if missing := missing(s.Nodes, thorough.Nodes, func(k model.NodeTemplate) string { return k.Name }); len(
			missing) > 0 {
			t.Errorf("thorough theme %s lacks the nodes %v", name, missing)
		}
		if len(thorough.Pods) < 2*len(s.Pods) && len(thorough.Nodes)*len(thorough.Pods) < 3*len(s.Nodes)*len(s.Pods) {
			t.Errorf("thorough theme %s has %d node templates and %d of pod, the theme %d and %d", name,
				len(thorough.Nodes), len(thorough.Pods), len(s.Nodes), len(s.Pods))
		}
	}
}

// TestLeastNodes: the runs of a theme begin with as many nodes as it says at least.
func TestLeastNodes(t *testing.T) {
	s, err := scenario.LoopTheme("provisioning", admission.Admit)
	if err != nil {
		t.Fatal(err)
	}
	fewer := func(cluster *spec.Snapshot) bool { return len(cluster.Nodes) < 2 }
	if len(s.Initial) == 0 || slices.ContainsFunc(s.Initial, fewer) {
		t.Errorf("the runs of provisioning begin with %d clusters, or some of less than 2 nodes", len(s.Initial))
	}
}

// theme returns a theme, with up to 2 nodes and 3 pods, that can be explored.
func theme(t *testing.T, make func(string, int, model.Actions, scenario.Admission) (*model.Scenario, error),
	name string) *model.Scenario {
	t.Helper()
	s, err := make(name, 2, model.Actions{Arrivals: 3}, admission.Admit)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := model.NewMachine(s, model.NewCatalog()); err != nil {
		t.Fatal(err)
	}
	if len(s.Nodes) == 0 || len(s.Pods) == 0 || len(s.Initial) == 0 || s.MaxNodes() > 2 || s.Actions.Arrivals < 1 ||
		s.Actions.Arrivals > 3 {
		t.Errorf("theme %s: %d node templates, %d of pod, %d clusters of up to %d nodes", name, len(s.Nodes),
			len(s.Pods), len(s.Initial), s.MaxNodes())
	}
	return s
}

// missing returns the names of kinds that are not among all.
func missing[K any](kinds, all []K, name func(K) string) (names []string) {
	for _, kind := range kinds {
		if !slices.ContainsFunc(all, func(other K) bool { return name(other) == name(kind) }) {
			names = append(names, name(kind))
		}
	}
	return names
}

func TestUnknownTheme(t *testing.T) {
	_, err := scenario.Theme("weather", 2, model.Actions{}, admission.Admit)
	if want := `no theme is called "weather"; themes are: ` + strings.Join(scenario.ThemeNames(), ", "); err == nil ||
		err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestThemesProfiles: all themes can be explored in one run, in which each profile is what its theme says.
func TestThemesProfiles(t *testing.T) {
	if _, _, err := scenario.ThemeConfiguration(scenario.ThemeNames(), admission.Admit); err != nil {
		t.Error(err)
	}
}
