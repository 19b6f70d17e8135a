package report

import (
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Drawing is a cluster as a picture shows it.
type Drawing struct {
	Nodes []DrawnNode `json:"nodes"`
	// Pending are the pods without a node of the cluster, those that are nominated included.
	Pending []DrawnPod `json:"pending"`
	// Notes are lines about what else matters to pods: budgets, namespaces, storage, workloads.
	Notes []string `json:"notes,omitempty"`
}

// DrawnNode is a node with the pods bound to it.
type DrawnNode struct {
	Name string `json:"name"`
	// Capacity is what the node has to allocate, cpu and memory first.
	Capacity []Amount `json:"capacity"`
	// Marks are its taints, and whatever else pods of the cluster ask about.
	Marks []string   `json:"marks,omitempty"`
	Pods  []DrawnPod `json:"pods"`
}

// DrawnPod is a pod with what decides where it may go.
type DrawnPod struct {
	Name     string   `json:"name"`
	Priority int32    `json:"priority"`
	Requests []Amount `json:"requests,omitempty"`
	// Phase is "terminating" or "preempted, terminating" for a bound pod that is about to go; empty otherwise.
	Phase string `json:"phase,omitempty"`
	// Nominated is the node that the pod is nominated to.
	Nominated string `json:"nominated,omitempty"`
	// Traits are what else decides where it may go, in words.
	Traits []string `json:"traits,omitempty"`
}

// Amount is an amount of a resource, as it is written and as a number.
type Amount struct {
	Resource string  `json:"resource"`
	Text     string  `json:"text"`
	Number   float64 `json:"number"`
}

// NewDrawing draws a cluster.
func NewDrawing(s *spec.Snapshot) *Drawing {
	d := &Drawing{Nodes: []DrawnNode{}, Pending: drawnPods(spec.Unbound(s), s)}
	used := storageOf(s)
	asked := askedLabels(s, used)
	for _, node := range s.Nodes {
		d.Nodes = append(d.Nodes, DrawnNode{
			Name: node.Name, Capacity: amounts(node.Status.Allocatable),
			Marks: append(marks(node, asked), nodeImages(node, s)...),
			Pods:  drawnPods(spec.PodsOn(node, s), s),
		})
	}
	p := &page{}
	p.around("", used, s)
	if p.Len() > 0 {
		d.Notes = strings.Split(strings.TrimSuffix(p.String(), "\n"), "\n")
	}
	return d
}

func drawnPods(pods []*v1.Pod, s *spec.Snapshot) []DrawnPod {
	drawn := []DrawnPod{}
	images := reported(s.Nodes)
	for _, pod := range pods {
		words := slices.Concat(traits(pod)[blockTraits:], podImages(pod, images), started(pod, s), astray(pod, s))
		drawn = append(drawn, DrawnPod{
			Name: name(pod), Priority: spec.Priority(pod), Requests: amounts(spec.Requests(pod)), Phase: phase(pod),
			Nominated: pod.Status.NominatedNodeName, Traits: words,
		})
	}
	return drawn
}

// amounts writes a list of resources. What is 0 is left out.
func amounts(list v1.ResourceList) []Amount {
	all := []Amount{}
	for _, resource := range ordered(list) {
		if quantity := list[resource]; !quantity.IsZero() {
			all = append(all, Amount{string(resource), quantity.String(), quantity.AsApproximateFloat64()})
		}
	}
	return all
}

// NewDecision returns a decision of production beside what the model says.
func NewDecision(m *spec.Scheduler, c *invariants.Case) *Decision { return decisionJSON(m, c) }

// ScoresDiffer reports whether a score plugin's score of a node, before or after normalisation, is not the model's.
// Plugin and node are indexes into ScorePlugins and Nodes of the decision.
func ScoresDiffer(c *invariants.Case, plugin, node int) bool {
	got, want := c.Decision.Nodes[node].Scores, c.Expected.Nodes[node].Scores
	m := slices.Index(c.Expected.ScorePlugins, c.Decision.ScorePlugins[plugin])
	return m >= 0 && got != nil && want != nil && !got[plugin].Agrees(want[m])
}

// LeastDamage puts in words the preemptions of least damage; there are none where nobody is preempted.
func LeastDamage(c *invariants.Case) []string {
	var words []string
	for _, o := range distinct(idealOutcomes(c), slices.Concat(c.Decision.Outcomes, c.Expected.Outcomes)) {
		words = append(words, outcome(c.Question, o))
	}
	return words
}

// NewExplainedFinding returns a finding of one decision.
func NewExplainedFinding(m *spec.Scheduler, f *decisions.Finding) ExplainedFinding {
	all := findingJSON(m, f)
	return ExplainedFinding{f.ID, string(f.Class), f.Property.Name, f.Plugin, all.Quirks, all.Example.Reasons}
}

// NewStep puts a step in words that leads on from the cluster. A pod that comes is described.
func NewStep(step *model.NamedStep, cluster *spec.Snapshot) Step {
	text := sentences([]model.Stage{{Cluster: cluster, Step: step}, {Cluster: cluster}})[0]
	return stepJSON(step, text)
}

// DocumentOf returns the address of the document that says what a plugin promises; that of the general one if there
// is none of its own.
func DocumentOf(plugin string) string { return documentOf(plugin) }
