package spec

import v1 "k8s.io/api/core/v1"

// NewLiteral returns the formal model as it was first written, under the profile: the plugins that the profile
// enables say what the formulas say, and those that the formulas leave out say nothing. Errata lists where that is
// not what Kubernetes documents; with all of them mended the model is that of New.
//
// The formulas are those of the article that the model was taken from. Where its text says too little to be asked,
// this is how it is read:
//
//   - Node.Status.Phase is not set by any API server of today, so no node would be "Running". A node that states no
//     phase is taken to be in that phase (erratum E6 remains for those that state another).
//   - A pod without required node affinity has no NodeSelectorTerm that could match, so it would fit nowhere. It is
//     taken to want none.
//   - A term of node affinity is said to match by a formula about one requirement. It is taken to match if all its
//     requirements do.
//   - The formula for a term of pod affinity is lost. It is taken to hold if a pod that the term is about is bound
//     in the node's domain.
//   - Which pods are waiting for the scheduler is not said beyond that they are unbound. Those that Kubernetes does
//     not offer to a scheduler (gated, being deleted, another scheduler's) are not asked about here either.
//   - Preemption deletes pods and does not say what for. The node that the pods were on is taken as the one that is
//     meant.
func NewLiteral(profile *Profile) *Scheduler { return literally(profile, nil) }

// literally returns the model as written, with the errata among the quirks mended.
func literally(profile *Profile, quirks []Quirk) *Scheduler {
	t := asWritten()
	for _, quirk := range quirks {
		if quirk.Erratum != nil && quirk.Erratum.mend != nil {
			quirk.Erratum.mend(t)
		}
		if quirk.Amounts != nil {
			quirk.Amounts(&t.amounts)
		}
	}
	m := &Scheduler{
		Profile: profile, Others: each(profile.Others, func(p *Profile) *Scheduler { return literally(p, quirks) }),
		rules: t.rules, text: t, quirks: quirks,
	}
	m.enable(t.filters(), t.scorePlugins())
	return m
}

// text is the model as first written, in parts that errata replace one by one.
type text struct {
	// 1.1 Schedulability and lifecycle phase.

	// closed is Node.Spec.Unschedulable.
	closed func(pod *v1.Pod, node *v1.Node) bool
	// running is Node.Status.Phase = "Running".
	running func(node *v1.Node) bool

	// 1.2 Resources.

	// requests is, per resource, the larger of Max(init containers) and Sum(containers).
	requests func(pod *v1.Pod) v1.ResourceList
	// occupants are the pods whose requests are taken off what the node has: none.
	occupants func(node *v1.Node, s *Snapshot) []*v1.Pod
	// amounts are the rules by which requests are added up and compared.
	amounts AmountRules
	// exempt are the resources that are not compared: none.
	exempt func(p *Profile, name v1.ResourceName) bool

	// 1.4 Taints.

	// repels reports whether a taint must be tolerated: every taint must.
	repels func(taint v1.Taint) bool
	// match is Match(Toleration, Taint).
	match func(toleration v1.Toleration, taint v1.Taint) bool

	// 1.5 Affinity.

	// matches is Match_NS, of all requirements of a node selector term.
	matches func(term v1.NodeSelectorTerm, node *v1.Node) bool
	// affinities are the node affinities that count: the pod's.
	affinities func(p *Profile, pod *v1.Pod) []*v1.NodeAffinity
	// attracted: every required term of pod affinity holds.
	attracted func(pod *v1.Pod, node *v1.Node, s *Snapshot) bool
	// repelledBy: pods already there refuse the pod. They never do.
	repelledBy func(pod *v1.Pod, node *v1.Node, s *Snapshot) bool

	// further are filters that the text does not have, and that errata add.
	further []Filter

	// 2 Viability.

	// avoidance is what the weight of a preferred anti-affinity term is multiplied by if it matches: 1, like all
	// weights.
	avoidance int64
	// welcome is what the terms of pods already there add: nothing, which is nil.
	welcome func(p *Profile, pod *v1.Pod, node *v1.Node, s *Snapshot) int64
	// normalized: scores are normalised and weighted by plugin. They are not.
	normalized bool
	// furtherScorePlugins are score plugins that the text does not have, and that errata add.
	furtherScorePlugins []ScorePlugin

	// rules and Preemption.
	rules rules
}

// asWritten returns the text without any erratum mended.
func asWritten() *text {
	return &text{
		closed:     func(_ *v1.Pod, node *v1.Node) bool { return node.Spec.Unschedulable },
		running:    runningAsWritten,
		requests:   requestsAsWritten,
		occupants:  func(*v1.Node, *Snapshot) []*v1.Pod { return nil },
		amounts:    DocumentedAmounts(),
		exempt:     func(*Profile, v1.ResourceName) bool { return false },
		repels:     func(v1.Taint) bool { return true },
		match:      matchAsWritten,
		matches:    matchesAsWritten,
		affinities: func(_ *Profile, pod *v1.Pod) []*v1.NodeAffinity { return nodeAffinities(&Profile{}, pod) },
		attracted:  attractedAsWritten,
		repelledBy: func(*v1.Pod, *v1.Node, *Snapshot) bool { return false },
		avoidance:  1,
		rules: rules{
			budgets:   DocumentedBudgets(),
			respected: func(*v1.Pod, *v1.Node, *Snapshot) []*v1.Pod { return nil },
			unscored:  func(*v1.Pod, []*v1.Node) []*v1.Node { return nil },
			preempts:  func(*v1.Pod) bool { return true },
			awaits:    func(*v1.Pod, *Snapshot) bool { return false },
			useless:   true,
			compare:   func(a, b Casualty) int { return a.Violations - b.Violations },
			amounts:   DocumentedAmounts(),
		},
	}
}
