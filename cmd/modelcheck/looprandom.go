package main

import (
	"time"

	"github.com/spf13/pflag"

	"github.com/seed-a3f26817/modelcheck/internal/generate"
	"github.com/seed-a3f26817/modelcheck/internal/loop"
)

// What modelcheck loop --random draws if the flags do not say.
const (
	drawnRuns  = 200
	drawnSteps = 40
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
		"events for each run, and a profile for every other one, instead of the themes. The bounds are "+
		"by default --nodes 3 --pods 3 --events 8 --faults 1.")
	f.Int64Var(&o.questions, "questions", 0, "With --random, follow `N` runs. The default is 200, or no limit with --for.")
	f.DurationVar(&o.duration, "for", 0, "With --random, begin no more runs after this `time`, such as 10m.")
	f.Int64Var(&o.run, "run", 0,
		"With --random or --simulate, follow only the run of this `number`, which a finding names with its seed.")
}

// validateRandom finds what is wrong with the flags of --random.
func (o *loopOptions) validateRandom() error {
	switch {
	case o.given("run") && !o.random && !o.wakeUps && o.simulate == 0:
		return usage("--run is for runs that are followed one by one; add --random, --wake-ups, or --simulate 1")
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
	scope := generate.RunScope()
	scope.Meanwhile = true
	o.bound(scope)
	scope.Initial = nil
	return scope
}
