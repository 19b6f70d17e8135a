package main

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"
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

// random is the subcommand that draws clusters.
func (c command) random(done func(decisions.Verdict)) *cobra.Command {
	o := &options{outputs: runOutputs(), random: true}
	cmd := &cobra.Command{
		Use:   "random [--seed N] [--questions N] [--for TIME] [-f FILE|DIR|-]... [flags]",
		Short: "Check single decisions on clusters drawn at random, over all fields of pods and nodes",
		Long: `random draws clusters at random, over all fields of the API at once, and compares the decision of
kube-scheduler ` + production.KubernetesVersion + ` on each with the formal model. None of the last half a million
clusters is asked about twice, and no decision is carried out. The cluster of what is found is made
smaller, as long as it still shows it.

Every other cluster is asked about under one of eight profiles that are drawn, too: arguments of plugins,
and plugins that are left out. --profile default-scheduler is for the default one alone. With -f, the
KubeSchedulerConfiguration of the files is used; they must hold no Nodes.

Exit codes: 0 holds, 1 violated, 2 wrong usage or input, 3 not finished, 4 modelcheck failed.`,
		Example: `  modelcheck random --seed 7 --for 10m
  modelcheck random --questions 1000 --nodes 2 --pods 3 -f scheduler-config.yaml`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("unexpected argument %q: configurations are given as -f %s", args[0], args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.parsed(cmd.Flags())
			return c.report(cmd.Context(), o, done)
		},
	}
	f := cmd.Flags()
	o.someFlags(f, inputFlagNames()...)
	f.Int64Var(&o.seed, "seed", 1,
		"Start the random numbers from this `seed`. The same --seed and --questions print the same report.")
	f.Int64Var(&o.questions, "questions", 0,
		"Stop after `N` distinct clusters. The default is 10000, or no limit with --for.")
	f.DurationVar(&o.duration, "for", 0,
		"Stop after this `time`, such as 10m. How many clusters that makes depends on the machine.")
	f.IntVar(&o.nodes, "nodes", 3, "Draw clusters of 1 to `N` nodes.")
	f.IntVar(&o.pods, "pods", 5, "Draw clusters of up to `K` pods, one of which is to be scheduled.")
	o.someFlags(f, "profile", "feature-gates",
		"reading", "check", "workers", "memory", "strict", "output", "verbose", "show", "save",
		"html", "quiet")
	return cmd
}

// validateRandom finds what is wrong with the flags of modelcheck random.
func (o *options) validateRandom() error {
	switch {
	case !o.random:
		return nil
	case o.questions < 1 && o.given("questions"):
		return usage("--questions is %d: it must be at least 1", o.questions)
	case o.duration <= 0 && o.given("for"):
		return usage("--for is %v: it must be positive, such as 10m", o.duration)
	case o.pods < 1 || o.pods > decisions.MaxDrawnPods:
		return usage("--pods is %d: of drawn clusters it must be from 1 to %d", o.pods, decisions.MaxDrawnPods)
	}
	if o.questions == 0 && o.duration == 0 {
		o.questions = defaultQuestions
	}
	return nil
}

// checkRandom asks about drawn clusters.
func (c command) checkRandom(ctx context.Context, o *options) (*report.Run, error) {
	properties, err := o.properties()
	if err != nil {
		return nil, err
	}
	ctx, end, err := c.withinMemory(ctx, o)
	if err != nil {
		return nil, err
	}
	defer end()
	c.progress.hush(o.quiet).begin(readingFiles(o.files))
	in, err := o.randomInput(c.stdin)
	if err != nil {
		return nil, err
	}
	model, err := in.model(o)
	if err != nil {
		return nil, err
	}
	c.progress.begin(phase{name: "asking about drawn clusters", lost: "what was found is not reported"})
	properties = append(properties, invariants.Oracles()...)
	conclusion, err := decisions.Draw(ctx, decisions.RandomOptions{
		Spec:       model,
		NewDecider: c.kubeScheduler(ctx, in.config, in.profile),
		Draw:       o.drawn(in.askedProfiles()),
		Valid:      valid,
		Properties: properties,
		Workers:    o.workers, Questions: o.questions, For: o.duration,
		Progress: c.progress.showRandom, ProgressEvery: c.progress.every,
	})
	if err != nil {
		return nil, err
	}
	for i := range conclusion.Result.Findings {
		if err := c.configured(ctx, o, in, properties, &conclusion.Result.Findings[i]); err != nil {
			return nil, err
		}
	}
	return in.report(o, conclusion), nil
}

// drawn returns the n-th question, under the profiles in turn, without what the release does not admit.
func (o *options) drawn(profiles []string) func(n int64) (*spec.Question, int) {
	questions := generate.DrawQuestion(generate.Scope{Nodes: o.nodes, Pods: cmp.Or(o.pods-1, -1)})
	return func(n int64) (*spec.Question, int) {
		q := questions.Example(int(generate.Mixed(o.seed, n)))
		for _, pod := range q.Snapshot.Pods {
			pod.Spec.SchedulerName = profiles[n%int64(len(profiles))]
		}
		return generate.Comparable(q, admission.AdmitAnew)
	}
}

// valid reports whether the API server would let the object be.
func valid(object apiruntime.Object) bool {
	_, errs := admission.Admit([]apiruntime.Object{object})
	return len(errs[0]) == 0
}
