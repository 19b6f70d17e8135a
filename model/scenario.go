package model

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// NodeTemplate is a set of nodes that nothing but their names tells apart.
type NodeTemplate struct {
	// Name is the base of the names of its nodes: name-1, name-2, ...
	Name string
	// Node is the template. An empty label kubernetes.io/hostname stands for each node's own name.
	Node *v1.Node
	// Fixed returns the nodes their names, where names are known beforehand (manifests). A template cannot have
	// more nodes than that.
	Fixed []string
}

// PodTemplate is a set of pods that nothing but their names tells apart.
type PodTemplate struct {
	// Name is the base of the names of its pods: name-1, name-2, ...
	Name string
	// Pod is the template, as pending: without node, nomination and deletion timestamp.
	Pod *v1.Pod
	// Fixed returns the pods their names, where names are known beforehand (manifests); later ones are numbered.
	Fixed []string
	// Only: there is never a pod of the template but the one that Fixed names, so the name may mean something to
	// other objects.
	Only bool
}

// Priority is spec.priority, 0 if unset.
func (k *PodTemplate) Priority() int32 { return spec.Priority(k.Pod) }

// Phase is what tells pods of one template on one node apart.
type Phase uint8

const (
	// Running: bound, whatever its containers do.
	Running Phase = iota
	// Preempted: terminating, because the scheduler evicted it.
	Preempted
	// Terminating: terminating for any other reason.
	Terminating

	phases = 3
)

// String returns the words used in reports.
func (p Phase) String() string {
	return [...]string{"running", "preempted, terminating", "terminating"}[p]
}

// Actions says what may happen in a scenario besides scheduling.
type Actions struct {
	// Arrivals is the number of pods that may arrive, one at a time, each of any template.
	Arrivals int
	// ArrivalsOfTemplate bounds the arrivals by pod template; nil for no such bound.
	ArrivalsOfTemplate []int
	// Completions is the number of running pods that may complete and leave.
	Completions int
	// Deletions is the number of running pods that somebody else may delete: they terminate.
	Deletions int
	// Placements is the number of arriving pods that may be put on a node past the scheduler, whether they fit or not.
	Placements int
	// Recreations lets controllers create pods in the place of evicted ones, as long as no more than so many of the
	// pods replaced are terminating still; 0 lets none.
	Recreations int
	// NodeChanges is how often somebody may cordon or uncordon a node, or a node may stop being ready or be so again.
	NodeChanges int
	// RefreshBudgets lets the disruption controller count what budgets allow, whenever it likes.
	RefreshBudgets bool
	// StartInOrder lets bound pods start in the order in which they are bound; without it they start when their
	// templates say, or all at once.
	StartInOrder bool
	// Preempt lets the scheduler evict pods; without it a preemption is compared, but not carried out.
	Preempt bool
	// VictimGone lets terminating pods finish and leave.
	VictimGone bool
	// Order says which of the pending pods is scheduled next.
	Order Order
}

// Scenario is what is explored: the templates, the initial clusters and the actions.
type Scenario struct {
	Name string
	// Doc says in a sentence what the scenario is about.
	Doc   string
	Nodes []NodeTemplate
	Pods  []PodTemplate
	// Around holds the objects that do not change: namespaces, budgets, volumes. Its Nodes and Pods are empty.
	Around spec.Snapshot
	// Initial are the clusters to begin with, smallest first. Each has at most MaxNodes nodes.
	Initial []Cluster
	Actions Actions
	// LeftOut says which templates were left out, as the release of Kubernetes does not admit them, and why.
	LeftOut []string

	// counted tells which budgets count which pod templates, if budgets are refreshed.
	counted [][]bool
	// turns are those of the pods that wait in the beginning, by pod template, in the order of the queue.
	turns [][]int
}

// Cluster is an arrangement in terms of the scenario's templates, by index.
type Cluster struct {
	Nodes   []ClusterNode
	Pending []ClusterPod
	// Fewer is how many of the pods that may arrive in the scenario do not arrive in this cluster.
	Fewer int
}

// ClusterNode is one node of a Cluster.
type ClusterNode struct {
	Template int
	// ID is which of the template's fixed names the node has, from 1; 0 to number it.
	ID               int
	Bound, Nominated []ClusterPod
}

// ClusterPod is one pod of a Cluster.
type ClusterPod struct {
	Template int
	Phase    Phase
	// ID is which of the template's fixed names the pod has, from 1; 0 to number it.
	ID int
	// Turn orders pending pods by their creation; those of equal turns by their templates.
	Turn int
}

// MaxNodes is the number of nodes of the largest initial cluster.
func (s *Scenario) MaxNodes() int {
	most := 0
	for _, c := range s.Initial {
		most = max(most, len(c.Nodes))
	}
	return most
}

// LeastArrivals is how many pods may arrive in the initial cluster in which the fewest may.
func (s *Scenario) LeastArrivals() int {
	least := s.Actions.Arrivals
	for _, c := range s.Initial {
		least = min(least, max(0, s.Actions.Arrivals-c.Fewer))
	}
	return least
}

// MaxPods is the largest number of pods that can exist at once.
func (s *Scenario) MaxPods() int {
	most := 0
	for _, c := range s.Initial {
		pods := len(c.Pending)
		for _, nodeState := range c.Nodes {
			pods += len(nodeState.Bound) + len(nodeState.Nominated)
		}
		most = max(most, pods)
	}
	return most + s.Actions.Arrivals + s.Actions.Recreations
}

// PastScheduler reports whether pods can be on nodes that the scheduler did not choose.
func (s *Scenario) PastScheduler() bool {
	return s.Actions.Placements > 0 || slices.ContainsFunc(s.Initial, func(c Cluster) bool {
		return slices.ContainsFunc(c.Nodes, func(n ClusterNode) bool { return len(n.Bound) > 0 })
	})
}

// Limits of the encoding.
const (
	maxNodes         = 120
	maxPods          = 250
	maxNodeTemplates = 250
	maxPodTemplates  = 20000
	maxActions       = 250
	maxBudgets       = 4000
)

// Validate returns why the scenario does not fit the encoding; nil if it does.
func (s *Scenario) Validate() error {
	for _, limit := range []struct {
		what      string
		have, max int
	}{
		{"nodes", s.MaxNodes(), maxNodes},
		{"pods", s.MaxPods(), maxPods},
		{"node templates", len(s.Nodes), maxNodeTemplates},
		{"pod templates", len(s.Pods), maxPodTemplates},
		{"completions", s.Actions.Completions, maxActions},
		{"deletions", s.Actions.Deletions, maxActions},
		{"placements", s.Actions.Placements, maxActions},
		{"recreations", s.Actions.Recreations, maxActions},
		{"changes of nodes", s.Actions.NodeChanges, maxActions},
		{"disruption budgets", len(s.Around.PodDisruptionBudgets), maxBudgets},
	} {
		if limit.have > limit.max {
			return fmt.Errorf("scenario %s has %d %s; at most %d can be explored", s.Name, limit.have, limit.what,
				limit.max)
		}
	}
	if n := s.MaxPods(); s.Actions.StartInOrder && n > maxRank {
		return fmt.Errorf("scenario %s has %d pods that start in the order of binding; at most %d can be told apart",
			s.Name, n, maxRank)
	}
	if n := len(s.Actions.ArrivalsOfTemplate); n != 0 && n != len(s.Pods) {
		return fmt.Errorf("scenario %s bounds the arrivals of %d pod templates, but has %d", s.Name, n, len(s.Pods))
	}
	for template, n := range s.Actions.ArrivalsOfTemplate {
		if n > maxActions {
			return fmt.Errorf("scenario %s lets %d pods of template %s arrive; at most %d can be explored", s.Name, n,
				s.Pods[template].Name, maxActions)
		}
	}
	if len(s.Initial) == 0 {
		return fmt.Errorf("scenario %s has no initial cluster", s.Name)
	}
	return nil
}
