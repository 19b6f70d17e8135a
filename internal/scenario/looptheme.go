package scenario

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
)

// loopThemeKind is the kind of object that the file of a theme of the loop begins with.
const loopThemeKind = "LoopTheme"

// A theme of the loop is a file like that of a theme, made for events: what may happen to the cluster while pods wait.
//
//go:embed loopthemes/*.yaml
var loopThemeDirectory embed.FS

type loopTheme = themeSection[loopThemeSpec]

// loopThemeSpec is the spec of a LoopTheme: the bounds within which the theme shows what it is about, and the events
// that fit. The numbers are those of loop.Scope.
type loopThemeSpec struct {
	// Order is its place in the order of exploration: themes of a lower number come first.
	Order int `json:"order"`
	// Description says in a sentence what it is about.
	Description string `json:"description"`
	loopBounds
	// Thorough is what there is more of in a thorough run.
	Thorough loopBounds `json:"thorough,omitempty"`
	// LeastNodes is how many nodes a run begins with at least; 1 if it is not said.
	LeastNodes int  `json:"leastNodes,omitempty"`
	Calm       bool `json:"calm,omitempty"`
	Sampled    bool `json:"sampled,omitempty"`
	Evictions  bool `json:"evictions,omitempty"`
	Meanwhile  bool `json:"meanwhile,omitempty"`
	// FaultsFirst: the plugin that fails comes before all others.
	FaultsFirst bool             `json:"faultsFirst,omitempty"`
	Happens     []loop.EventType `json:"happens,omitempty"`
}

// loopBounds are how many there are at most of each; with Late, by how many changes informers lag.
type loopBounds struct {
	Nodes    int `json:"nodes,omitempty"`
	Arrivals int `json:"arrivals,omitempty"`
	Events   int `json:"events,omitempty"`
	Faults   int `json:"faults,omitempty"`
	Late     int `json:"late,omitempty"`
}

// orMore returns the larger of the two, of each.
func (b loopBounds) orMore(other loopBounds) loopBounds {
	return loopBounds{
		Nodes: max(b.Nodes, other.Nodes), Arrivals: max(b.Arrivals, other.Arrivals), Events: max(b.Events, other.Events),
		Faults: max(b.Faults, other.Faults), Late: max(b.Late, other.Late),
	}
}

// loopThemeOf reads the file of a theme of the loop.
func loopThemeOf(file string, data []byte) (*loopTheme, error) {
	sections, err := readTheme[loopThemeSpec](file, data, loopThemeKind)
	if err != nil {
		return nil, err
	}
	s := sections[0]
	if len(sections) > 1 {
		return nil, sections[1].fail("", "a file has one object of this kind: leave out the second")
	}
	for _, number := range []struct {
		field        string
		value, least int
	}{{"order", s.Spec.Order, 1}, {"nodes", s.Spec.Nodes, max(1, s.Spec.LeastNodes)},
		{"leastNodes", s.Spec.LeastNodes, 0}, {"arrivals", s.Spec.Arrivals, 0},
		{"events", s.Spec.Events, 0}, {"faults", s.Spec.Faults, 0}, {"late", s.Spec.Late, 0}} {
		if number.value < number.least {
			return nil, s.fail("spec."+number.field, "it is %d: use %d or more", number.value, number.least)
		}
	}
	more := s.Spec.Thorough
	for _, bound := range []struct {
		field           string
		thorough, usual int
	}{{"nodes", more.Nodes, s.Spec.Nodes}, {"arrivals", more.Arrivals, s.Spec.Arrivals},
		{"events", more.Events, s.Spec.Events}, {"faults", more.Faults, s.Spec.Faults},
		{"late", more.Late, s.Spec.Late}} {
		if bound.thorough != 0 && bound.thorough <= bound.usual {
			return nil, s.fail("spec.thorough."+bound.field, "it is %d: use more than spec.%s, which is %d, or leave it out",
				bound.thorough, bound.field, bound.usual)
		}
	}
	for i, event := range s.Spec.Happens {
		if !slices.Contains(loop.EventTypes(), event) {
			return nil, s.fail(fmt.Sprintf("spec.happens[%d]", i), "there is no event %q: use some of %v", event,
				loop.EventTypes())
		}
	}
	if !strings.HasSuffix(s.Spec.Description, ".") {
		return nil, s.fail("spec.description", "it is %q: use a sentence", s.Spec.Description)
	}
	return s, nil
}

// loopThemesOf reads the themes of a directory, in the order in which they are explored.
func loopThemesOf(dir fs.FS) ([]*loopTheme, error) {
	return readThemes(dir, loopThemeOf, func(t *loopTheme) (int, string) { return t.Spec.Order, t.Metadata.Name })
}

// loopThemes returns the themes of the loop, in the order in which they are explored.
var loopThemes = sync.OnceValue(func() []*loopTheme { return builtIn(loopThemeDirectory, "loopthemes", loopThemesOf) })

// LoopThemeNames returns the names of the themes of the loop, in the order in which they are explored.
func LoopThemeNames() []string {
	var names []string
	for _, t := range loopThemes() {
		names = append(names, t.Metadata.Name)
	}
	return names
}

// LoopTheme returns the scope of a theme of the loop: every cluster of its node templates, in which its pod
// templates arrive, and events happen. It may be for a configuration of its own.
func LoopTheme(name string, admit Admission) (*loop.Scope, error) {
	return loopScope(name, admit, func(t *loopTheme) loopBounds { return t.Spec.loopBounds })
}

// ThoroughLoopTheme is LoopTheme with more nodes, pods, events and faults, if the theme says so.
func ThoroughLoopTheme(name string, admit Admission) (*loop.Scope, error) {
	return loopScope(name, admit, func(t *loopTheme) loopBounds { return t.Spec.orMore(t.Spec.Thorough) })
}

func loopScope(name string, admit Admission, bounds func(*loopTheme) loopBounds) (*loop.Scope, error) {
	for _, t := range loopThemes() {
		if t.Metadata.Name != name {
			continue
		}
		manifests, leftOut, err := t.read(admit)
		if err != nil {
			return nil, fmt.Errorf("theme %s of the loop: %w", name, err)
		}
		most := bounds(t)
		scope := &loop.Scope{
			Name: name, Doc: t.Spec.Description, Templates: manifests.Snapshot(), Calm: t.Spec.Calm,
			Arrivals: most.Arrivals, Events: most.Events, Faults: most.Faults, Late: most.Late,
			Happens: slices.Clone(t.Spec.Happens), LeftOut: leftOut, Evictions: t.Spec.Evictions, Sampled: t.Spec.Sampled,
			Meanwhile: t.Spec.Meanwhile, FaultsFirst: t.Spec.FaultsFirst,
		}
		scope.Configuration, scope.ConfigurationAt = configurationOf(manifests)
		scope.Bound(t.Spec.LeastNodes, most.Nodes)
		return scope, nil
	}
	return nil, fmt.Errorf("the loop has no theme %q; its themes are: %s", name, strings.Join(LoopThemeNames(), ", "))
}

// configurationOf returns the KubeSchedulerConfiguration of a theme, and where it is written; nil if it has none.
func configurationOf(manifests *Manifests) (text []byte, at string) {
	if manifests.SchedulerConfiguration == nil {
		return nil, ""
	}
	return manifests.SchedulerConfiguration, manifests.SchedulerConfigurationSource.String()
}

// WakingTheme returns what a theme of single decisions has: nodes, pods, and whatever else is there, for loop.Waking.
// It may be for a configuration of its own.
func WakingTheme(name string, admit Admission) (*loop.Scope, error) {
	t, err := themeNamed(name)
	if err != nil {
		return nil, err
	}
	manifests, leftOut, err := t.plain.read(admit)
	if err != nil {
		return nil, fmt.Errorf("theme %s: %w", name, err)
	}
	templates := manifests.Snapshot()
	scope := &loop.Scope{
		Name: name, Doc: t.plain.Spec.Description, Templates: templates, LeftOut: leftOut, Pinned: pinnedNodes(templates),
	}
	scope.Configuration, scope.ConfigurationAt = configurationOf(manifests)
	return scope, nil
}
