package scenario

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/seed-a3f26817/modelcheck/model"
)

// TestThemeFiles: every file of the built-in themes can be read, is a theme of its own, and has its own place in the
// order of exploration.
func TestThemeFiles(t *testing.T) {
	for _, row := range []struct {
		name      string
		directory fs.FS
		names     []string
	}{{"themes", themeDirectory, ThemeNames()}, {"loopthemes", loopThemeDirectory, LoopThemeNames()}} {
		files, err := fs.Glob(row.directory, row.name+"/*.yaml")
		if err != nil {
			t.Fatal(err)
		}
		for i, file := range files {
			files[i] = strings.TrimSuffix(path.Base(file), ".yaml")
		}
		slices.Sort(files)
		if got := slices.Sorted(slices.Values(row.names)); !slices.Equal(got, files) {
			t.Errorf("%s: the themes are %v, want one of each file: %v", row.name, got, files)
		}
	}
}

// TestThemeBounds: what is asked for is brought within the bounds of the theme, and of its thorough part.
func TestThemeBounds(t *testing.T) {
	file := themeFile("web", "order: 1, description: A., actions: {arrivals: {atMost: 4}, placements: {atLeast: 2}}") +
		themeFile("web", "thorough: true, description: B., actions: {arrivals: {atMost: 3}}")
	got, err := themeOf("web.yaml", []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ asked, want, thorough model.Actions }{
		{
			model.Actions{Arrivals: 5},
			model.Actions{Arrivals: 4, Placements: 2},
			model.Actions{Arrivals: 3, Placements: 2},
		},
		{
			model.Actions{Arrivals: 2, Placements: 3, Deletions: 1, Preempt: true},
			model.Actions{Arrivals: 2, Placements: 3, Deletions: 1, Preempt: true},
			model.Actions{Arrivals: 2, Placements: 3, Deletions: 1, Preempt: true},
		},
	} {
		plain := got.plain.Spec.Actions.of(row.asked)
		thorough := got.thorough.Spec.Actions.of(plain)
		if fmt.Sprint(plain) != fmt.Sprint(row.want) || fmt.Sprint(thorough) != fmt.Sprint(row.thorough) {
			t.Errorf("asked for %+v: %+v and %+v, want %+v and %+v", row.asked, plain, thorough, row.want, row.thorough)
		}
	}
}

// TestThemeTogether: where there are more nodes, fewer pods arrive; not in a thorough run.
func TestThemeTogether(t *testing.T) {
	node := "apiVersion: v1\nkind: Node\nmetadata: {name: node}\n---\n"
	theme, err := themeOf("web.yaml", []byte(themeFile("web", "order: 1, description: A., together: {atMost: 4}")+node+
		themeFile("web", "thorough: true, description: B.")))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		arrivals int
		more     []*themeSection[themeSpec]
		want     []int // fewer arrive, with one node, two, ...
	}{
		{2, nil, []int{0, 0, 1, 2, 2}},
		{3, nil, []int{0, 1, 2, 3, 3}},
		{3, []*themeSection[themeSpec]{theme.thorough}, []int{0, 0, 0, 0, 0}},
	} {
		as := func(objects []runtime.Object) ([]runtime.Object, []field.ErrorList) {
			return objects, make([]field.ErrorList, len(objects))
		}
		s, err := theme.scenario(5, model.Actions{Arrivals: row.arrivals}, as, row.more...)
		if err != nil {
			t.Fatal(err)
		}
		var fewer []int
		for _, cluster := range s.Initial {
			fewer = append(fewer, cluster.Fewer)
		}
		if !slices.Equal(fewer, row.want) {
			t.Errorf("of %d arrivals %v fewer, want %v", row.arrivals, fewer, row.want)
		}
	}
}

// themeFile returns a theme without manifests.
func themeFile(name, spec string) string { return themeObject("Theme", name, spec) }

func themeObject(kind, name, spec string) string {
	return fmt.Sprintf("apiVersion: %s\nkind: %s\nmetadata: {name: %s}\nspec: {%s}\n---\n", scenarioVersion, kind, name,
		spec)
}

// TestThemeErrors: what is wrong with the file of a theme is said with its place.
func TestThemeErrors(t *testing.T) {
	first, second := themeFile("web", "order: 1, description: A."), themeFile("web", "thorough: true, description: B.")
	for _, row := range []struct{ file, want string }{
		{"", "web.yaml: it is empty: give it a theme"},
		{
			"apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n",
			"web.yaml: document 1 (line 1): Pod p: a theme begins with an object of kind Theme: put it before",
		},
		{
			themeFile("web", "order: 1, description: A., action: {}") + second,
			`web.yaml:4: Theme web: spec.action: unknown field; correct its name or its place, or take it out`,
		},
		{
			themeFile("web", "order: 1, description: A., actions: {arrivals: 3}") + second,
			"web.yaml:4: Theme web: spec.actions.arrivals: it is of type number; give it one of type object",
		},
		{
			strings.Replace(first, "v1alpha1", "v1", 1) + second,
			`web.yaml:1: Theme web: apiVersion: "modelcheck.dev/v1" of this kind is not read: use modelcheck.dev/v1`,
		},
		{
			themeFile("net", "order: 1, description: A.") + second,
			`web.yaml:3: Theme net: metadata.name: it is "net": use web, as the file is called`,
		},
		{themeFile("web", "description: A.") + second, "web.yaml:4: Theme web: spec.order: it is 0: use 1 or more"},
		{
			themeFile("web", "order: 1") + second,
			`web.yaml:4: Theme web: spec.description: it is "": use a sentence`,
		},
		{
			themeFile("web", "order: 1, description: A., actions: {deletions: {atMost: -1}}") + second,
			"web.yaml:4: Theme web: spec.actions.deletions: a bound is below 0: use 0 or more",
		},
		{
			themeFile("web", "order: 1, description: A., actions: {deletions: {atLeast: 2, atMost: 1}}") + second,
			"web.yaml:4: Theme web: spec.actions.deletions: atMost is below atLeast: make it at least as large",
		},
		{first, "Theme web: a second Theme with spec.thorough is missing, and after it the templates that a thorough " +
			"run adds"},
		{first + first, "web.yaml:9: Theme web: spec.thorough: it is false: the second Theme of a file is the " +
			"thorough one, no other"},
		{
			first + themeFile("web", "order: 2, thorough: true, description: B."),
			"web.yaml:9: Theme web: spec.order: the first Theme of the file states it: leave it out here",
		},
		{first + second + second, "Theme web: a file has two objects of this kind: leave out the third"},
	} {
		if _, err := themeOf("web.yaml", []byte(row.file)); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s\ngot %v, want %s", row.file, err, row.want)
		}
	}
}

// TestLoopThemeErrors is TestThemeErrors for themes of the loop.
func TestLoopThemeErrors(t *testing.T) {
	object := func(spec string) string { return themeObject("LoopTheme", "web", spec) }
	for _, row := range []struct{ file, want string }{
		{object("order: 1, description: A."), "web.yaml:4: LoopTheme web: spec.nodes: it is 0: use 1 or more"},
		{
			object("order: 1, description: A., nodes: 1, happens: [node-labels, rain]"),
			`web.yaml:4: LoopTheme web: spec.happens[1]: there is no event "rain": use some of [node-labels `,
		},
		{
			object("order: 1, description: A., nodes: 1") + object("order: 2, description: A., nodes: 1"),
			"LoopTheme web: a file has one object of this kind: leave out the second",
		},
		{object("order: 1, description: A., nodes: 1, leastNodes: 2"), "spec.nodes: it is 1: use 2 or more"},
		{object("order: 1, nodes: 1, description: A"), `spec.description: it is "A": use a sentence`},
		{
			object("order: 1, description: A., nodes: 1, events: 2, thorough: {nodes: 2, events: 2}"),
			"spec.thorough.events: it is 2: use more than spec.events, which is 2, or leave it out",
		},
	} {
		if _, err := loopThemeOf("web.yaml", []byte(row.file)); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s\ngot %v, want %s", row.file, err, row.want)
		}
	}
}

// TestThoroughLoopTheme: a thorough run has more of what the theme says, and as much of everything else.
func TestThoroughLoopTheme(t *testing.T) {
	theme, err := loopThemeOf("web.yaml", []byte(themeObject("LoopTheme", "web",
		"order: 1, description: A., nodes: 1, arrivals: 2, events: 1, late: 1, thorough: {nodes: 2, events: 3, faults: 1}")))
	if err != nil {
		t.Fatal(err)
	}
	want := loopBounds{Nodes: 2, Arrivals: 2, Events: 3, Faults: 1, Late: 1}
	if got := theme.Spec.orMore(theme.Spec.Thorough); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if !slices.ContainsFunc(loopThemes(), func(t *loopTheme) bool { return t.Spec.Thorough != loopBounds{} }) {
		t.Error("a thorough run has more of no theme")
	}
}

// TestOrderOfThemes: themes are sorted by their order, and no two have the same.
func TestOrderOfThemes(t *testing.T) {
	files := func(first, second int) fs.FS {
		file := func(name string, order int) *fstest.MapFile {
			return &fstest.MapFile{Data: []byte(themeObject("LoopTheme", name,
				fmt.Sprintf("order: %d, description: A., nodes: 1", order)))}
		}
		return fstest.MapFS{"a.yaml": file("a", first), "b.yaml": file("b", second)}
	}
	sorted, err := loopThemesOf(files(2, 1))
	if err != nil || len(sorted) != 2 || sorted[0].Metadata.Name != "b" {
		t.Errorf("of order 2 and 1: %v, %v; want b before a", sorted, err)
	}
	want := "themes a and b both have order 1: give each its own"
	if _, err := loopThemesOf(files(1, 1)); err == nil || err.Error() != want {
		t.Errorf("of the same order: %v, want %s", err, want)
	}
}
