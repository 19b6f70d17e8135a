package decisions

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/cluster"
	"github.com/seed-a3f26817/modelcheck/model"
)

var errSampled = fmt.Errorf("from %d nodes on kube-scheduler looks at a sample of them, so a decision depends on more "+
	"than the state", sampledNodes)

// Budget is how much a run takes at most: a time, or a number of states, which makes what is found the same on every
// machine. Both zero is no bound.
type Budget struct {
	For    time.Duration
	States int64
}

// None reports whether there is no bound.
func (b Budget) None() bool { return b == Budget{} }

// What a part of a run may take of a budget. The first look is for clusters that are small enough to be explored whole,
// which most are.
const (
	firstLookStates = 20_000
	firstLookShare  = 0.15
	surveyShare     = 0.5 // of what is left
	statesPerAsked  = 20  // of a budget in states, as long as one question of a survey takes about so many
)

// sampledNodes is the number of nodes from which on kube-scheduler looks at a sample of them: decisions then depend on
// where it begins, which states do not have.
//
// Source: https://kubernetes.io/docs/concepts/scheduling-eviction/scheduler-perf-tuning/
const sampledNodes = 100

// RunWithin explores the given cluster as far as the budget goes. What can be explored whole is. Else every decision of
// the cluster as it is comes first, then runs at random in the order of the queue, then the states breadth first; the
// result has a Survey then, and is not complete.
func (p *Plan) RunWithin(ctx context.Context, b Budget, seed int64) (*Conclusion, error) {
	began := time.Now()
	within := ctx
	if b.For > 0 {
		var end context.CancelFunc
		within, end = context.WithTimeout(ctx, b.For)
		defer end()
	}
	concluded := func(r *Result) *Conclusion {
		return &Conclusion{p.Options.Spec, r, time.Since(began), p.Options.Workers}
	}
	encodable := p.Unencodable == nil
	if encodable {
		first, err := p.firstLook(within, b)
		switch {
		case err != nil:
			return nil, err
		case first.Complete && p.actions.Order == model.QueueOrder && ctx.Err() == nil:
			return concluded(first), p.alsoAsItIs(within, b, seed, began, first)
		case first.Complete, ctx.Err() != nil, p.limited() && !stopped(first, checker.Cancelled):
			return concluded(first), nil
		}
	}
	result, err := p.survey(within, b, seed, began, false)
	if err != nil || !encodable || ctx.Err() != nil {
		return concluded(result), err
	}
	rest := p.Options
	if b.States > 0 && (rest.MaxStates == 0 || b.States < rest.MaxStates) {
		rest.MaxStates = b.States
	}
	explored, err := Run(within, p.Scenarios, rest)
	if err != nil {
		return nil, err
	}
	explored.join(result)
	if explored.Complete {
		return concluded(explored), nil
	}
	explored.Survey = result.Survey
	return concluded(explored), nil
}

// firstLook explores until it is clear that the cluster is not small.
func (p *Plan) firstLook(ctx context.Context, b Budget) (*Result, error) {
	o := p.Options
	most := int64(firstLookStates)
	if b.States > 0 {
		most = min(most, b.States)
	}
	if o.MaxStates == 0 || most < o.MaxStates {
		o.MaxStates = most
	}
	if b.For > 0 {
		var end context.CancelFunc
		ctx, end = context.WithTimeout(ctx, time.Duration(float64(b.For)*firstLookShare))
		defer end()
	}
	return Run(ctx, p.Scenarios, o)
}

// alsoAsItIs adds what is found by asking about every pod in the cluster as it is to what was found in the order of
// the queue: in that, the others come after what becomes of the first.
func (p *Plan) alsoAsItIs(ctx context.Context, b Budget, seed int64, began time.Time, explored *Result) error {
	if len(cluster.Waiting(p.given)) < 2 {
		return nil
	}
	asked, err := p.survey(ctx, b, seed, began, true)
	if err != nil {
		return err
	}
	explored.join(asked)
	explored.Complete = explored.Complete && asked.Survey.Asked == asked.Survey.Pending
	return nil
}

// stopped reports whether a scenario was not explored to the end for this reason.
func stopped(r *Result, reason checker.Reason) bool {
	return slices.ContainsFunc(r.Scenarios, func(s ScenarioResult) bool { return s.Stopped == reason })
}

// survey surveys the given cluster.
func (p *Plan) survey(ctx context.Context, b Budget, seed int64, began time.Time, asItIs bool) (*Result, error) {
	o := p.Options
	survey := SurveyOptions{
		RandomOptions: RandomOptions{
			Spec: o.Spec, NewDecider: o.NewDecider, Properties: o.Properties, Valid: o.Valid, Workers: o.Workers,
		},
		Cluster: p.given, Actions: p.actions, Seed: seed, AsItIs: asItIs,
	}
	if o.Progress != nil {
		survey.ProgressEvery = o.ProgressEvery
		survey.Progress = func(asked int64, elapsed time.Duration) {
			o.Progress(Progress{Chunk: "runs at random", Number: 1, Of: 1, Asked: asked,
				Progress: checker.Progress{Elapsed: elapsed}})
		}
	}
	switch {
	case b.States > 0:
		survey.Questions = max(1, b.States/statesPerAsked)
	case b.For > 0:
		survey.For = time.Duration(float64(b.For-time.Since(began)) * surveyShare)
		if p.Unencodable != nil {
			survey.For = b.For - time.Since(began)
		}
		survey.For = max(survey.For, 1)
	}
	return Survey(ctx, survey)
}

// join adds what a survey of the same cluster found.
func (r *Result) join(surveyed *Result) {
	known := map[string]bool{}
	for _, f := range r.Findings {
		known[f.ID] = true
	}
	for _, f := range surveyed.Findings {
		if !known[f.ID] {
			r.Findings = append(r.Findings, f)
		}
	}
	sortFindings(r.Findings)
	for i := range r.Properties {
		p := &r.Properties[i]
		j := slices.IndexFunc(surveyed.Properties, func(o PropertyResult) bool { return o.Name == p.Name })
		if j < 0 {
			continue
		}
		p.Exercised = max(p.Exercised, surveyed.Properties[j].Exercised)
		if p.Broken == 0 {
			p.Broken, p.By = surveyed.Properties[j].Broken, surveyed.Properties[j].By
		}
	}
	r.Untold, r.Hanging = append(r.Untold, surveyed.Untold...), append(r.Hanging, surveyed.Hanging...)
	r.InProduction += surveyed.InProduction
}

// unencodable says why the states of a scenario cannot be gone through; nil if they can.
func unencodable(s *model.Scenario) error {
	if err := s.Validate(); err != nil {
		return err
	}
	if n := s.MaxNodes(); n >= sampledNodes {
		return errSampled
	}
	return nil
}
