// Package upgrade asks two releases of kube-scheduler the same questions, and says which decisions change and why: a
// documented change, a deviation that came or went, or nothing known.
//
// Start with Run in this file. A Side is one of the two; pair.go asks both about each question of the scenarios,
// difference.go tells two decisions apart, cause.go says why they differ. The kube-scheduler of another release runs in
// a process of its own: remote.go is this end, serve.go that one, wire.go what goes over the pipe between them.
package upgrade

import (
	"context"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Side is one of the two releases: its kube-scheduler, and the model with its documents. It is for one worker.
type Side interface {
	// Release is its version, such as "v1.35.4".
	Release() string
	// Ask begins to ask about a question. The function that it returns gives the decision, and is called before
	// anything else is asked.
	Ask(q spec.Question) (answer func() *spec.Decision)
	// Explain says how the decision about the question that was asked last differs from what the release documents.
	Explain() []Finding
	// Explains reports whether the deviations, by name, explain that decision all together.
	Explains(quirks []string) bool
	// Unread says which fields of the objects so far the release does not know, and left out, each after its kind.
	Unread() []string
	// Err is what broke down on the way, after which every decision is a failure; nil if nothing did.
	Err() error
	Close() error
}

// Finding is a sort of difference between a decision and what is documented.
type Finding struct {
	// ID is that of decisions.Finding, and Class its class.
	ID    string
	Class decisions.Class
	// Plugin is the plugin that is answerable, if one is.
	Plugin string
	// Quirks names the deviations that explain it.
	Quirks []string
}

// Explorer takes the decisions that the exploration follows: the kube-scheduler in this process.
type Explorer interface {
	decisions.Decider
	Run(work func())
	Spent() time.Duration
}

// Options say what to compare; all but Valid are needed.
type Options struct {
	// Spec is the model with the documents of the later release.
	Spec *spec.Scheduler
	// New returns what a worker asks: the kube-scheduler in this process, which is one of the sides or neither, and
	// both sides.
	New func() (explorer Explorer, from, to Side, err error)
	// Valid reports whether an object of a question that was made smaller can be in a cluster; nil means every one can.
	Valid func(object runtime.Object) bool
	// Explore are the options of the exploration: workers, bounds and progress count.
	Explore decisions.Options
}

// Result is what changes between the releases.
type Result struct {
	// From and To are the two releases.
	From, To string
	// Asked is the number of questions that were put to both, Differ of how many the decisions differ in any way, and
	// Otherwise of how many the pod ends otherwise.
	Asked, Differ, Otherwise int64
	// Groups are the causes, those that nothing explains first.
	Groups []Group
	// Unread are the fields of objects that a release does not know and left out, by release.
	Unread map[string][]string
	// Explored is how far the exploration came; nil if nothing was explored.
	Explored *decisions.Result
	// Cluster is what changes for the pods of a cluster as it is; nil if none was asked about.
	Cluster *ClusterResult
}

// Unexplained reports whether a decision changes for which no cause is known.
func (r *Result) Unexplained() bool {
	for _, g := range r.Groups {
		if g.Kind == Unexplained {
			return true
		}
	}
	return false
}

// Run explores the scenarios, and asks both releases every distinct question of each. An error means that it could not
// compare; a cancelled context is in the result.
func Run(ctx context.Context, scenarios []*model.Scenario, o Options) (*Result, error) {
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c := newCollector()
	var pairs []*pair
	explore := o.Explore
	explore.Spec, explore.Properties = o.Spec, []invariants.Property{}
	explore.NewDecider = func() (decisions.Decider, error) {
		p, err := o.pair(c, cancel)
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, p)
		return p, nil
	}
	explored, err := decisions.Run(inner, scenarios, explore)
	if broken := context.Cause(inner); broken != nil && ctx.Err() == nil {
		return nil, broken
	}
	if err != nil {
		return nil, fmt.Errorf("exploring: %w", err)
	}
	result := o.result(c, pairs)
	result.Explored = explored
	last, err := o.pair(c, cancel)
	if err != nil {
		return nil, err
	}
	defer func() { _ = last.Close() }() // what it was to say is said
	result.Groups = c.conclude(ctx, last, o.Valid)
	return result, last.failed()
}

// result is what was counted.
func (o Options) result(c *collector, pairs []*pair) *Result {
	c.mu.Lock() // one that was left behind may be at work still
	defer c.mu.Unlock()
	result := c.result
	result.From, result.To = pairs[0].from.Release(), pairs[0].to.Release()
	result.Unread = map[string][]string{}
	for _, p := range pairs {
		for _, side := range []Side{p.from, p.to} {
			all := append(result.Unread[side.Release()], side.Unread()...)
			slices.Sort(all)
			result.Unread[side.Release()] = slices.Compact(all)
		}
	}
	return &result
}

// pair returns what a worker asks.
func (o Options) pair(c *collector, broken context.CancelCauseFunc) (*pair, error) {
	explorer, from, to, err := o.New()
	if err != nil {
		return nil, err
	}
	return &pair{
		Explorer: explorer, from: from, to: to, explainer: newExplainer(o.Spec, from.Release()), collector: c,
		broken: broken,
	}, nil
}
