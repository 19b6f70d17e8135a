package decisions

import "fmt"

// What can be asked for. From 100 nodes on kube-scheduler looks at a sample of them. The clusters of templates are
// listed one by one, so their nodes are bounded lower; the ideal preemption goes through every set of pods of a
// node, so the pods of drawn clusters are.
const (
	MaxNodes         = 99
	MaxTemplateNodes = 20
	MaxPods          = 250
	MaxDrawnPods     = 16
)

// Bound is a number somebody gives, and what it may be. Name is what whoever gives it knows it by: a flag, a field.
type Bound struct {
	Name               string
	Value, Least, Most int64
}

// Check returns an error if the number is out of its bounds.
func (b Bound) Check() error {
	switch {
	case b.Value < b.Least:
		return fmt.Errorf("%s is %d: it must be at least %d", b.Name, b.Value, b.Least)
	case b.Value > b.Most:
		return fmt.Errorf("%s is %d: it must be at most %d", b.Name, b.Value, b.Most)
	}
	return nil
}

// NotSampled returns an error if a cluster has so many nodes that kube-scheduler does not look at all of them. name
// is what the cluster is known by.
func NotSampled(name string, nodes int) error {
	if nodes > MaxNodes {
		return fmt.Errorf("%s has %d nodes: from %d on kube-scheduler looks at a sample of them", name, nodes,
			MaxNodes+1)
	}
	return nil
}
