package scenario

import (
	"bytes"
	"embed"
	"fmt"
	"path"
	"strings"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
)

// A theme of the loop is a file of manifests like a theme, made for events: what may happen to the cluster while
// pods wait.
//
//go:embed loopthemes/*.yaml
var loopThemes embed.FS

// LoopThemeNames returns the names of the themes of the loop, in the order in which they are explored.
func LoopThemeNames() []string {
	return []string{"podaffinity", "spread", "resources", "nodes", "ports", "nominations", "gates", "faults", "volumes",
		"provisioning", "patience"}
}

// loopBounds are the bounds within which each theme shows what it is about, and the events that fit.
func loopBounds(name string) (nodes int, scope loop.Scope) {
	switch name {
	case "podaffinity":
		return 2, loop.Scope{
			Calm:     true,
			Arrivals: 2,
			Events:   2,
			Happens:  []loop.EventType{loop.NodeCordon, loop.PodDeleted, loop.PodLabels, loop.NamespaceLabels},
		}
	case "spread":
		return 2, loop.Scope{
			Calm:     true,
			Arrivals: 3,
			Events:   1,
			Happens:  []loop.EventType{loop.NodeLabels, loop.PodDeleted, loop.NodeRemoved},
		}
	case "resources":
		return 2, loop.Scope{
			Calm:     true,
			Arrivals: 2,
			Events:   2,
			Happens: []loop.EventType{loop.NodeCapacity, loop.NodeCordon, loop.NodeTaints, loop.NodeRemoved,
				loop.NodeAdded, loop.PodDeleted},
		}
	case "nodes":
		return 2, loop.Scope{
			Calm:     true,
			Arrivals: 2,
			Events:   2,
			Happens:  []loop.EventType{loop.NodeLabels, loop.NodeTaints, loop.PodDeleted},
		}
	case "ports":
		return 1, loop.Scope{
			Calm:     true,
			Arrivals: 3,
			Events:   2,
			Happens:  []loop.EventType{loop.PodDeleted, loop.ObjectRemoved, loop.ObjectAdded},
		}
	case "nominations":
		return 2, loop.Scope{
			Calm:     true,
			Arrivals: 3,
			Events:   1,
			Happens:  []loop.EventType{loop.PodBound, loop.PodNominated, loop.PodDeleted},
		}
	case "gates":
		return 1, loop.Scope{
			Calm:     true,
			Arrivals: 2,
			Events:   3,
			Happens:  []loop.EventType{loop.PodNominated, loop.PodUngated, loop.PodDeleted, loop.Restarted},
		}
	case "volumes":
		return 1, loop.Scope{
			Calm:     true,
			Arrivals: 2,
			Events:   1,
			Faults:   1,
			Happens:  []loop.EventType{loop.PodDeleted, loop.ObjectRemoved, loop.ObjectAdded},
		}
	case "provisioning":
		return 2, loop.Scope{Calm: true, Arrivals: 2, Events: 1, Faults: 1, Happens: []loop.EventType{loop.PodDeleted}}
	case "patience":
		return 1, loop.Scope{Calm: true, Arrivals: 2, Events: 1, Faults: 1, Happens: []loop.EventType{loop.PodDeleted}}
	default:
		return 1, loop.Scope{Arrivals: 2, Events: 1, Faults: 2, Happens: []loop.EventType{loop.PodDeleted}}
	}
}

// LoopTheme returns the scope of a theme of the loop: every cluster of its node templates, in which its pod
// templates arrive, and events happen.
func LoopTheme(name string, admit Admission) (*loop.Scope, error) {
	file, err := loopThemes.ReadFile(path.Join("loopthemes", name+".yaml"))
	if err != nil {
		return nil, fmt.Errorf("the loop has no theme %q; its themes are: %s", name,
			strings.Join(LoopThemeNames(), ", "))
	}
	manifests, err := Read([]string{"-"}, bytes.NewReader(file), admit)
	if err != nil {
		return nil, fmt.Errorf("theme %s of the loop: %w", name, err)
	}
	nodes, scope := loopBounds(name)
	scope.Name, scope.Doc, scope.Templates = name, firstComment(string(file)), manifests.Snapshot()
	scope.Bound(nodes)
	return &scope, nil
}
