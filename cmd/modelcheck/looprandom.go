package main

import (
	"slices"
	"time"

	"github.com/spf13/pflag"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/seed-a3f26817/modelcheck/internal/generate"
	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// What modelcheck loop --random draws if the flags do not say.
const (
	drawnRuns     = 200
	drawnNodes    = 3
	drawnPods     = 3
	drawnEvents   = 8
	drawnFaults   = 1
	drawnSteps    = 40
	besidesTheOne = 3 // pods of a drawn cluster besides the one that is pending
)

// loopRandomOptions are the flags of modelcheck loop --random.
type loopRandomOptions struct {
	random    bool
	questions int64
	duration  time.Duration
	// run is the only run to follow, if it is given.
	run int64
}

func (o *loopRandomOptions) flags(f *pflag.FlagSet) {
	f.BoolVar(&o.random, "random", false, "Draw a whole cluster, over all fields of all objects, and a sequence of "+
		"events for each run, instead of the themes. The bounds are by default --nodes 3 --pods 3 --events 8 --faults 1.")
	f.Int64Var(&o.questions, "questions", 0, "With --random, follow `N` runs. The default is 200, or no limit with --for.")
	f.DurationVar(&o.duration, "for", 0, "With --random, begin no more runs after this `time`, such as 10m.")
	f.Int64Var(&o.run, "run", 0,
		"With --random or --simulate, follow only the run of this `number`, which a finding names with its seed.")
}

// validateRandom finds what is wrong with the flags of --random.
func (o *loopOptions) validateRandom() error {
	switch {
	case o.given("run") && !o.random && o.simulate == 0:
		return usage("--run is for runs that are followed at random; add --random, or --simulate 1")
	case o.given("run") && (o.given("questions") || o.given("for")):
		return usage("--run is one run: leave --questions and --for out")
	case o.run < 0:
		return usage("--run is %d: the first run is 0", o.run)
	}
	if !o.random {
		for _, flag := range []string{"questions", "for"} {
			if o.given(flag) {
				return usage("--%s is for drawn clusters; add --random", flag)
			}
		}
		return nil
	}
	for _, flag := range []string{"theme", "simulate", "liveness", "max-states"} {
		if o.given(flag) {
			return usage("--%s does not go with --random: leave one of them out", flag)
		}
	}
	switch {
	case o.questions < 1 && o.given("questions"):
		return usage("--questions is %d: it must be at least 1", o.questions)
	case o.duration <= 0 && o.given("for"):
		return usage("--for is %v: it must be positive, such as 10m", o.duration)
	}
	switch {
	case o.given("run"):
		o.questions = 1
	case o.questions == 0 && o.duration == 0:
		o.questions = drawnRuns
	}
	return nil
}

// followed is how many runs of a theme are followed at random.
func (o *loopOptions) followed() int64 {
	if o.given("run") {
		return 1
	}
	return o.simulate
}

// drawnScope is what all drawn runs have in common.
func (o *loopOptions) drawnScope() *loop.Scope {
	scope := &loop.Scope{
		Name: "random", Doc: "clusters drawn at random", Nodes: drawnNodes, Arrivals: drawnPods, Events: drawnEvents,
		Faults: drawnFaults, Happens: loop.EventTypes(), Templates: &spec.Snapshot{},
	}
	o.bound(scope)
	scope.Initial = nil
	return scope
}

// drawScope returns the scope of the run of a number: a cluster that is drawn, and another one that objects become
// like. nil if chance decides among its volumes, or kube-scheduler would change what a pod requests.
func (o *loopOptions) drawScope(all *loop.Scope, profile string, number int64) (*loop.Scope, error) {
	questions := generate.DrawQuestion(generate.Scope{Nodes: all.Nodes, Pods: besidesTheOne})
	var drawn []*spec.Snapshot
	for half := range int64(2) {
		q := questions.Example(int(mixed(int64(o.seed), 2*number+half)))
		for _, pod := range q.Snapshot.Pods {
			pod.Spec.SchedulerName = profile
		}
		q, err := generate.Admitted(q, admission.Admit)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(q.Snapshot.Pods, func(pod *v1.Pod) bool {
			return grows(pod) || generate.LeftToChance(spec.Question{Pod: pod, Snapshot: q.Snapshot})
		}) {
			return nil, nil
		}
		drawn = append(drawn, q.Snapshot)
	}
	scope := *all
	scope.Initial, scope.Templates = drawn[:1], drawn[1]
	gate(scope.Templates.Pods, mixed(int64(o.seed), number))
	return &scope, nil
}

// gate gives some of the pods a scheduling gate, as the number says.
func gate(pods []*v1.Pod, number uint64) {
	for i, pod := range pods {
		if (number>>i)%4 == 0 && pod.Spec.NodeName == "" {
			pod.Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: "example.com/gate"}}
		}
	}
}

// grows reports whether kube-scheduler v1.36 adds the overhead of the pod to its own requests in every cycle, as it
// does to those of the pod as a whole that are too long to be read as numbers.
func grows(pod *v1.Pod) bool {
	for name := range pod.Spec.Overhead {
		if pod.Spec.Resources == nil {
			return false
		}
		requested := pod.Spec.Resources.Requests[name]
		parsed, err := resource.ParseQuantity(requested.String())
		if _, short := parsed.AsInt64(); err == nil && !short {
			return true
		}
	}
	return false
}
