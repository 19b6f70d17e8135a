package scenario

import (
	"bytes"
	"embed"
	"fmt"
	"path"
	"strings"

	"github.com/seed-a3f26817/modelcheck/model"
)

// A theme is a file of manifests: its nodes and pods are the kinds from which clusters are drawn, its first comment
// says what it is about. The file of the same name under thorough has the kinds that a thorough run adds.
//
//go:embed themes/*.yaml themes/thorough/*.yaml
var themes embed.FS

// ThemeNames returns the names of the built-in themes, in the order in which they are explored.
func ThemeNames() []string {
	return []string{"resources", "priorities", "budgets", "taints", "affinity", "ports", "podaffinity", "podterms",
		"spread", "services", "images", "volumes", "claims", "exclusive", "zones", "written", "schedulers"}
}

// themeActions are the actions of the environment that fit what a theme is about: those a user asks for, with some
// more or fewer.
func themeActions(name string, asked model.Actions) model.Actions {
	switch name {
	case "ports":
		asked.Placements = max(asked.Placements, 2) // the scheduler lets nobody share a port
	case "volumes", "exclusive":
		// nor a claim for one pod; nor does it bind a pod whose claim is another's
		asked.Placements = max(asked.Placements, 2)
		asked.Arrivals = min(asked.Arrivals, 4) // claims do not change: more pods show nothing new
	case "services":
		asked.Arrivals = min(asked.Arrivals, 3) // crowds of three in domains of two sorts show all there is
	case "claims", "zones":
		asked.Arrivals = min(asked.Arrivals, 3) // as above, and few pods have a claim in common
	case "podaffinity", "spread":
		asked.Deletions = max(asked.Deletions, 1) // pods that terminate count differently
		asked.Arrivals = min(asked.Arrivals, 4)   // with who is deleted, there are five times as many clusters of five
	case "written":
		asked.Arrivals = min(asked.Arrivals, 3) // many kinds, of which a few pods show all there is
	}
	return asked
}

// thoroughActions bounds the arrivals of a thorough theme: three times the kinds make a hundred times the clusters
// of five pods.
func thoroughActions(name string, asked model.Actions) model.Actions {
	asked = themeActions(name, asked)
	switch name {
	case "ports", "podaffinity", "spread", "services", "volumes", "exclusive", "claims", "zones", "written":
		asked.Arrivals = min(asked.Arrivals, 3)
	case "podterms": // has fewest kinds
	default:
		asked.Arrivals = min(asked.Arrivals, 4)
	}
	return asked
}

// Theme returns the scenario of a built-in theme: every cluster of 1 to nodes nodes drawn from its kinds, in which
// pods drawn from its kinds arrive.
func Theme(name string, nodes int, actions model.Actions, admit Admission) (*model.Scenario, error) {
	return themeOf(name, nodes, themeActions(name, actions), admit, "themes")
}

// ThoroughTheme is Theme with several times the kinds: those of the theme, and more boundary values of the fields
// that its plugins read. Fewer pods arrive.
func ThoroughTheme(name string, nodes int, actions model.Actions, admit Admission) (*model.Scenario, error) {
	return themeOf(name, nodes, thoroughActions(name, actions), admit, "themes", "themes/thorough")
}

// themeOf joins the theme's files in the directories.
func themeOf(name string, nodes int, actions model.Actions, admit Admission, dirs ...string) (*model.Scenario, error) {
	var files [][]byte
	for _, dir := range dirs {
		file, err := themes.ReadFile(path.Join(dir, name+".yaml"))
		if err != nil {
			return nil, fmt.Errorf("no theme is called %q; themes are: %s", name, strings.Join(ThemeNames(), ", "))
		}
		files = append(files, file)
	}
	manifests, err := Read([]string{"-"}, bytes.NewReader(bytes.Join(files, []byte("---\n"))), admit)
	if err != nil {
		return nil, fmt.Errorf("theme %s: %w", name, err)
	}
	return EveryCluster(name, firstComment(string(files[0])), manifests.Snapshot(), nodes, actions), nil
}

// firstComment joins the comment lines at the top of a file.
func firstComment(file string) string {
	var lines []string
	for line := range strings.Lines(file) {
		comment, found := strings.CutPrefix(line, "#")
		if !found {
			break
		}
		lines = append(lines, strings.TrimSpace(comment))
	}
	return strings.Join(lines, " ")
}
