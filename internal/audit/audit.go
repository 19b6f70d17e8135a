package audit

import (
	"context"
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/cluster"
	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Options say what is audited, and how. All fields but Progress and Namespace are needed.
type Options struct {
	// Cluster is the cluster as it is.
	Cluster *spec.Snapshot
	Spec    *spec.Scheduler
	// Properties are those that decisions are to have; nil means all.
	Properties []invariants.Property
	// NewDecider starts a kube-scheduler whose searches begin where Starts says.
	NewDecider func(*production.Starts) (decisions.Decider, error)
	// Workers is how many questions are asked at once. It changes nothing in the result.
	Workers int
	// Bound is how many bound pods are asked about where they would go today; below 0 for all.
	Bound int
	// Namespace is the namespace of the pods that are told of; empty for all.
	Namespace string
	// Changes are what would be otherwise; nil to audit the cluster as it is.
	Changes *Changes
	// Progress is told now and then at what the audit is, and how far of how much it has come.
	Progress func(phase string, done, of int)
}

// Result is what an audit found. Lists are in the order of what they are about in the cluster, unless they say
// otherwise.
type Result struct {
	// Pending are the pods that wait for a node, in groups of pods that are alike, in the order of the queue; those that
	// there was no time to ask about are left out. PendingPods is how many wait.
	Pending     []Pending
	PendingPods int
	// Bound is about the pods on nodes.
	Bound Bound
	Nodes []Node
	// Budgets are those that block an eviction now.
	Budgets []Budget
	// WhatIf is what would happen; nil if nothing was to change.
	WhatIf *WhatIf
	// Findings are about the decisions of kube-scheduler on the way, the first of each sort with its example.
	Findings []decisions.Finding
	// Decisions is how many decisions were compared with the model.
	Decisions int
	// Unmodelled are the plugins that had a say in decisions and that the model has no predicate for.
	Unmodelled []string
	// Undecided counts the decisions of which the model leaves open whether they are documented: to find out would take
	// too long.
	Undecided int
	// Stopped is the phase in which the context ended; empty if it did not.
	Stopped string
}

// Run audits. An error means that it could not be done; a context that ends is in the result.
func Run(ctx context.Context, o Options) (*Result, error) {
	a := &auditor{options: o, result: &Result{}, at: map[string]int{}}
	defer a.close()
	for range max(1, o.Workers) {
		s, err := newSession(o)
		if err != nil {
			return nil, err
		}
		a.sessions = append(a.sessions, s)
	}
	if o.Changes != nil {
		return a.result, a.whatIf(ctx)
	}
	a.pending(ctx)
	a.bound(ctx)
	a.nodes()
	a.budgets()
	return a.result, nil
}

// auditor is an audit under way.
type auditor struct {
	options  Options
	sessions []*session
	result   *Result
	// at indexes the findings of the result by their ids.
	at map[string]int
}

// session asks one question at a time.
type session struct {
	*decisions.Session
	decider decisions.Decider
	starts  *production.Starts
}

func newSession(o Options) (*session, error) {
	s := &session{starts: &production.Starts{}}
	var err error
	if s.decider, err = o.NewDecider(s.starts); err != nil {
		return nil, err
	}
	s.Session = decisions.NewSession(o.Spec, o.Properties, s.decider)
	return s, nil
}

func (a *auditor) close() {
	if a.result.Stopped != "" {
		return // they may be at work for ever
	}
	for _, s := range a.sessions {
		_ = s.decider.Close() // it changes no answer any more
	}
}

// tells reports whether the pod is one of those that are told of.
func (a *auditor) tells(pod *v1.Pod) bool {
	return a.options.Namespace == "" || pod.Namespace == a.options.Namespace
}

// waiting returns the pods that ask for a node, in the order of the queue.
func (a *auditor) waiting() []*v1.Pod {
	return cluster.InQueueOrder(slices.DeleteFunc(cluster.Waiting(a.options.Cluster), func(pod *v1.Pod) bool {
		return !a.tells(pod)
	}))
}

// progress tells how far a phase has come.
func (a *auditor) progress(phase string, done, of int) {
	if a.options.Progress != nil {
		a.options.Progress(phase, done, of)
	}
}

// stopped notes that the context has ended in the phase, unless it had before.
func (a *auditor) stopped(phase string) {
	if a.result.Stopped == "" {
		a.result.Stopped = phase
	}
}

// learn adds what a question showed of kube-scheduler.
func (a *auditor) learn(found *answered) {
	a.result.Decisions++
	if found.undecided {
		a.result.Undecided++
	}
	for _, plugin := range found.unmodelled {
		if !slices.Contains(a.result.Unmodelled, plugin) {
			a.result.Unmodelled = append(a.result.Unmodelled, plugin)
		}
	}
	for _, f := range found.findings {
		if i, known := a.at[f.ID]; known {
			a.result.Findings[i].Count += f.Count
			continue
		}
		a.at[f.ID] = len(a.result.Findings)
		a.result.Findings = append(a.result.Findings, f)
	}
}
