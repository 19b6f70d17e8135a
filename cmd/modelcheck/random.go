package main

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"time"

	apiruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/generate"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/report"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// defaultQuestions is how many questions are drawn if the flags do not say.
const defaultQuestions = 10_000

// validateRandom finds what is wrong with the flags of random mode.
func (o *options) validateRandom() error {
	if !o.random {
		for _, flag := range []string{"seed", "for", "questions"} {
			if o.given(flag) {
				return usage("--%s goes with --random only; add --random, or leave it out", flag)
			}
		}
		return nil
	}
	ofClusters := []string{"filename", "nodes", "pods", "profile", "reading", "check"}
	for _, flag := range append(scopeFlags(), "memory", "results", "minimise") {
		if o.given(flag) && !slices.Contains(ofClusters, flag) {
			return usage("--%s does not go with --random: every drawn cluster is asked about once, and nothing "+
				"follows; leave it out", flag)
		}
	}
	switch {
	case o.questions < 1 && o.given("questions"):
		return usage("--questions is %d: it must be at least 1", o.questions)
	case o.duration <= 0 && o.given("for"):
		return usage("--for is %v: it must be positive, such as 10m", o.duration)
	case o.pods < 1 || o.pods > maxRandomPods:
		return usage("--pods is %d: with --random it must be from 1 to %d", o.pods, maxRandomPods)
	}
	if o.questions == 0 && o.duration == 0 {
		o.questions = defaultQuestions
	}
	return nil
}

// maxRandomPods bounds the pods of drawn clusters: the ideal preemption goes through every set of pods of a node.
const maxRandomPods = 16

// checkRandom asks about drawn clusters.
func (c command) checkRandom(ctx context.Context, o *options) (*report.Run, error) {
	properties, err := o.properties()
	if err != nil {
		return nil, err
	}
	in, err := o.randomInput(c.stdin)
	if err != nil {
		return nil, err
	}
	profile, err := in.config.Spec(in.profile)
	if err != nil {
		return nil, usage("scheduler configuration %s: %w", in.source, err)
	}
	if o.workers == 0 {
		o.workers = runtime.GOMAXPROCS(0)
	}
	model := spec.NewReading(spec.Reading(o.reading), profile)
	began := time.Now()
	progress := newProgress(c.stderr, c.live, o.quiet)
	result, err := decisions.Random(ctx, decisions.RandomOptions{
		Spec: model,
		NewDecider: func() (decisions.Decider, error) {
			return production.NewProfiles(context.WithoutCancel(ctx), in.config, in.profile, c.production)
		},
		Draw:       o.drawn(in.profiles),
		Valid:      valid,
		Properties: append(properties, invariants.Oracles()...),
		Workers:    o.workers, Questions: o.questions, For: o.duration,
		Progress: progress.showRandom, ProgressEvery: progress.every,
	})
	progress.clear()
	if err != nil {
		return nil, err
	}
	return &report.Run{
		KubernetesVersion: production.KubernetesVersion, Spec: model, Scope: in.scope, Notes: in.notes,
		Configuration: in.raw, Result: result,
		Strict: o.strict, Elapsed: time.Since(began), Workers: o.workers, Verbose: o.verbose, Show: o.show,
	}, nil
}

// drawn returns the n-th question, under the profiles in turn.
func (o *options) drawn(profiles []string) func(n int64) (*spec.Question, error) {
	questions := generate.DrawQuestion(generate.Scope{Nodes: o.nodes, Pods: cmp.Or(o.pods-1, -1)})
	return func(n int64) (*spec.Question, error) {
		q := questions.Example(int(mixed(o.seed, n)))
		for _, pod := range q.Snapshot.Pods {
			pod.Spec.SchedulerName = profiles[n%int64(len(profiles))]
		}
		q, err := generate.Admitted(q, admission.Admit)
		if err != nil {
			return nil, err
		}
		if generate.LeftToChance(q) {
			return nil, nil
		}
		return &q, nil
	}
}

// mixed makes one number of two, so that the questions of near seeds have nothing in common.
func mixed(seed, n int64) uint64 {
	x := uint64(seed)*0x9e3779b97f4a7c15 + uint64(n)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// valid reports whether the API server would let the object be.
func valid(object apiruntime.Object) bool {
	_, errs := admission.Admit([]apiruntime.Object{object})
	return len(errs[0]) == 0
}
