package scenario

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"

	"sigs.k8s.io/yaml"

	"github.com/seed-a3f26817/modelcheck/model"
)

// themeKind is the kind of object that a theme's file begins with.
const themeKind = "Theme"

//go:embed themes/*.yaml
var themeDirectory embed.FS

// theme is a built-in theme, as its file has it.
type theme struct {
	// plain has the templates of every run, thorough those that a thorough run adds.
	plain, thorough *themeSection[themeSpec]
}

// themeSpec is the spec of a Theme.
type themeSpec struct {
	// Order is its place in the order of exploration: themes of a lower number come first.
	Order int `json:"order,omitempty"`
	// Description says in a sentence what it is about.
	Description string `json:"description"`
	// Thorough marks the second Theme of a file: the manifests after it are for thorough runs only.
	Thorough bool `json:"thorough,omitempty"`
	// Nodes bounds how many nodes a cluster has.
	Nodes bounds `json:"nodes,omitempty"`
	// Actions bounds what is asked for.
	Actions themeActions `json:"actions,omitempty"`
	// Together bounds the nodes of a cluster and the pods that arrive in it, counted together: where there are more
	// nodes, fewer pods arrive. A thorough run has no such bound.
	Together struct {
		AtMost *int `json:"atMost,omitempty"`
	} `json:"together,omitempty"`
}

// themeActions bounds how often each action may happen, whatever the user asks for.
type themeActions struct {
	Arrivals    bounds `json:"arrivals,omitempty"`
	Completions bounds `json:"completions,omitempty"`
	Deletions   bounds `json:"deletions,omitempty"`
	Placements  bounds `json:"placements,omitempty"`
	Recreations bounds `json:"recreations,omitempty"`
	NodeChanges bounds `json:"nodeChanges,omitempty"`
}

// bounds is the range that a number is brought into.
type bounds struct {
	AtLeast *int `json:"atLeast,omitempty"`
	AtMost  *int `json:"atMost,omitempty"`
}

// of returns the number nearest to the one asked for that is within the bounds.
func (b bounds) of(asked int) int {
	if b.AtLeast != nil {
		asked = max(asked, *b.AtLeast)
	}
	if b.AtMost != nil {
		asked = min(asked, *b.AtMost)
	}
	return asked
}

// of returns the actions asked for, within the bounds.
func (a themeActions) of(asked model.Actions) model.Actions {
	asked.Arrivals = a.Arrivals.of(asked.Arrivals)
	asked.Completions = a.Completions.of(asked.Completions)
	asked.Deletions = a.Deletions.of(asked.Deletions)
	asked.Placements = a.Placements.of(asked.Placements)
	asked.Recreations = a.Recreations.of(asked.Recreations)
	asked.NodeChanges = a.NodeChanges.of(asked.NodeChanges)
	return asked
}

// wrong returns what is wrong with the bounds: the field, and in words.
func (a themeActions) wrong() (field, text string) {
	for _, action := range []struct {
		name string
		bounds
	}{{"arrivals", a.Arrivals}, {"completions", a.Completions}, {"deletions", a.Deletions},
		{"placements", a.Placements}, {"recreations", a.Recreations}, {"nodeChanges", a.NodeChanges}} {
		least, most := action.of(0), action.of(math.MaxInt)
		switch field := "spec.actions." + action.name; {
		case action.AtLeast != nil && *action.AtLeast < 0 || most < 0:
			return field, "a bound is below 0: use 0 or more"
		case action.AtLeast != nil && least < *action.AtLeast:
			return field, "atMost is below atLeast: make it at least as large"
		}
	}
	return "", ""
}

// themeOf reads the file of a theme.
func themeOf(file string, data []byte) (theme, error) {
	sections, err := readTheme[themeSpec](file, data, themeKind)
	if err != nil {
		return theme{}, err
	}
	for i, s := range sections {
		field, text := s.Spec.Actions.wrong()
		switch {
		case i > 1:
			return theme{}, s.fail("", "a file has two objects of this kind: leave out the third")
		case s.Spec.Thorough != (i == 1):
			return theme{}, s.fail("spec.thorough", "it is %t: the second %s of a file is the thorough one, no other",
				s.Spec.Thorough, themeKind)
		case i == 0 && s.Spec.Order < 1:
			return theme{}, s.fail("spec.order", "it is %d: use 1 or more", s.Spec.Order)
		case i == 1 && s.Spec.Order != 0:
			return theme{}, s.fail("spec.order", "the first %s of the file states it: leave it out here", themeKind)
		case !strings.HasSuffix(s.Spec.Description, "."):
			return theme{}, s.fail("spec.description", "it is %q: use a sentence", s.Spec.Description)
		case field != "":
			return theme{}, s.fail(field, "%s", text)
		}
	}
	if len(sections) < 2 {
		return theme{}, sections[0].fail("", "a second %s with spec.thorough is missing, and after it the templates "+
			"that a thorough run adds", themeKind)
	}
	return theme{sections[0], sections[1]}, nil
}

// themesOf reads the themes of a directory, in the order in which they are explored.
func themesOf(dir fs.FS) ([]theme, error) {
	return readThemes(dir, themeOf, func(t theme) (int, string) { return t.plain.Spec.Order, t.name() })
}

// themes returns the built-in themes, in the order in which they are explored. That their files can be read is our own
// business, and tested.
var themes = sync.OnceValue(func() []theme { return builtIn(themeDirectory, "themes", themesOf) })

// builtIn reads a directory that is part of the program.
func builtIn[T any](directory embed.FS, name string, read func(fs.FS) ([]T, error)) []T {
	dir, err := fs.Sub(directory, name)
	if err != nil {
		panic(fmt.Sprintf("scenario: %v", err))
	}
	all, err := read(dir)
	if err != nil {
		panic(fmt.Sprintf("scenario: %v", err))
	}
	return all
}

func (t theme) name() string { return t.plain.Metadata.Name }

// ThemeNames returns the names of the built-in themes, in the order in which they are explored.
func ThemeNames() []string {
	var names []string
	for _, t := range themes() {
		names = append(names, t.name())
	}
	return names
}

// Theme returns the scenario of a built-in theme: every cluster of 1 to nodes nodes drawn from its node templates, in
// which pods drawn from its pod templates arrive. The actions are those asked for, within the bounds of the theme.
func Theme(name string, nodes int, actions model.Actions, admit Admission) (*model.Scenario, error) {
	t, err := themeNamed(name)
	if err != nil {
		return nil, err
	}
	return t.scenario(nodes, t.plain.Spec.Actions.of(actions), admit)
}

// ThoroughTheme is Theme with several times the templates: those of the theme, and more boundary values of the fields
// that its plugins read. Fewer pods arrive.
func ThoroughTheme(name string, nodes int, actions model.Actions, admit Admission) (*model.Scenario, error) {
	t, err := themeNamed(name)
	if err != nil {
		return nil, err
	}
	bounded := t.thorough.Spec.Actions.of(t.plain.Spec.Actions.of(actions))
	return t.scenario(nodes, bounded, admit, t.thorough)
}

// ThemeConfiguration returns the configuration of kube-scheduler that the themes ask for, and where the first of them
// states it; nil if none does. It has the profiles of all of them, each name once. The pods of the other themes ask
// under its first profile, which is the default one.
func ThemeConfiguration(names []string, admit Admission) (configuration []byte, at Source, err error) {
	var all [][]byte
	for _, name := range names {
		t, err := themeNamed(name)
		if err != nil {
			return nil, Source{}, err
		}
		if !slices.ContainsFunc(t.plain.manifests, func(d document) bool {
			var head header
			return json.Unmarshal(d.json, &head) == nil && head.Kind == schedulerConfiguration
		}) {
			continue
		}
		manifests, _, err := t.plain.read(admit)
		if err != nil {
			return nil, Source{}, fmt.Errorf("theme %s: %w", name, err)
		}
		if all = append(all, manifests.SchedulerConfiguration); len(all) == 1 {
			at = manifests.SchedulerConfigurationSource
		}
	}
	if len(all) < 2 {
		return slices.Concat(all...), at, nil
	}
	configuration, err = withAllProfiles(all)
	return configuration, at, err
}

// withAllProfiles returns a configuration with the profiles of all of these, which have nothing else. What is called
// the same has to be the same: else the pods of one theme would be asked about under the profile of another.
func withAllProfiles(configurations [][]byte) ([]byte, error) {
	type profiles struct {
		APIVersion string           `json:"apiVersion"`
		Kind       string           `json:"kind"`
		Profiles   []map[string]any `json:"profiles"`
	}
	var all profiles
	for _, configuration := range configurations {
		var c profiles
		if err := yaml.UnmarshalStrict(configuration, &c); err != nil {
			return nil, fmt.Errorf("the configuration of a theme: %w", err)
		}
		all.APIVersion, all.Kind = c.APIVersion, c.Kind
		for _, profile := range c.Profiles {
			same := slices.IndexFunc(all.Profiles, func(known map[string]any) bool {
				return known["schedulerName"] == profile["schedulerName"]
			})
			switch {
			case same < 0:
				all.Profiles = append(all.Profiles, profile)
			case !reflect.DeepEqual(all.Profiles[same], profile):
				return nil, fmt.Errorf("two themes have a profile %v, and not the same: rename one", profile["schedulerName"])
			}
		}
	}
	return yaml.Marshal(all)
}

func themeNamed(name string) (theme, error) {
	for _, t := range themes() {
		if t.name() == name {
			return t, nil
		}
	}
	return theme{}, fmt.Errorf("no theme is called %q; themes are: %s", name, strings.Join(ThemeNames(), ", "))
}

// scenario draws clusters from the theme's templates, and those of further sections.
func (t theme) scenario(nodes int, actions model.Actions, admit Admission,
	more ...*themeSection[themeSpec]) (*model.Scenario, error) {
	manifests, leftOut, err := t.plain.read(admit, more...)
	if err != nil {
		return nil, fmt.Errorf("theme %s: %w", t.name(), err)
	}
	s := EveryCluster(t.name(), t.plain.Spec.Description, manifests.Snapshot(), t.plain.Spec.Nodes.of(nodes), actions)
	if most := t.plain.Spec.Together.AtMost; most != nil && len(more) == 0 {
		for i := range s.Initial {
			s.Initial[i].Fewer = min(actions.Arrivals, max(0, len(s.Initial[i].Nodes)+actions.Arrivals-*most))
		}
	}
	s.LeftOut = leftOut
	return s, nil
}
