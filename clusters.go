package modelcheck

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/generate"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Group is a group of fields of drawn clusters. Priorities, nominations, start times, and pods that terminate are in
// none: they are always drawn.
type Group string

const (
	// Resources are requests and what is allocatable, taints and tolerations, node selectors and node affinity,
	// cordons, host ports.
	Resources Group = "resources"
	// Neighbours are labels and namespaces of pods, pod affinity and anti-affinity, topology spread constraints,
	// services and controllers, and images.
	Neighbours Group = "neighbours"
	// Volumes are volumes, claims, their classes, CSI nodes and attachments, and the features that nodes declare.
	Volumes Group = "volumes"
	// Budgets are disruption budgets.
	Budgets Group = "budgets"
)

// Clusters bounds the clusters that are drawn at random. The zero value draws everything.
type Clusters struct {
	// Nodes is the largest number of nodes, up to 99; 0 means 6. There is always one.
	Nodes int
	// Pods is the largest number of pods besides the pending one, up to 15; 0 means 12, and less than 0 none.
	Pods int
	// Only are the groups whose fields are drawn; what belongs to others is so plain that it makes no difference.
	// If there is none, all groups are drawn, at random, together and alone.
	Only []Group
}

// DrawQuestion returns a generator of clusters with a pending pod. What it knows nothing of is added to what it
// drew: labels by Label, all else by changing the objects, which nobody shares.
func DrawQuestion(c Clusters) *rapid.Generator[spec.Question] {
	scope := generate.Scope{Nodes: c.Nodes, Pods: c.Pods}
	for _, group := range c.Only {
		scope.Only = append(scope.Only, generate.Group(group))
	}
	questions := generate.DrawQuestion(scope)
	return rapid.Custom(func(t *rapid.T) spec.Question {
		if err := c.check(); err != nil {
			t.Fatal(err)
		}
		return questions.Draw(t, "question")
	})
}

// check finds what cannot be drawn.
func (c Clusters) check() error {
	for _, bound := range []decisions.Bound{
		{Name: "Clusters.Nodes", Value: int64(c.Nodes), Most: decisions.MaxNodes},
		{Name: "Clusters.Pods", Value: int64(max(0, c.Pods)), Most: decisions.MaxDrawnPods - 1},
	} {
		if err := bound.Check(); err != nil {
			return err
		}
	}
	for i, group := range c.Only {
		if !slices.Contains(generate.Groups(), generate.Group(group)) {
			return fmt.Errorf("Clusters.Only[%d] is %q: there is no such group; groups are %q", i, group,
				generate.Groups())
		}
	}
	return nil
}

// Label sets the label of a node, a pod or another object of a drawn question to one of the values, or leaves it
// without it, each about as often.
func Label(t *rapid.T, object metav1.Object, key string, values ...string) {
	generate.Label(t, object, key, values...)
}
