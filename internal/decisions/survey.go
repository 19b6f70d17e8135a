package decisions

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/cluster"
	"github.com/seed-a3f26817/modelcheck/internal/patience"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// SurveyOptions say how to survey a cluster. One of Questions and For is needed besides the fields of RandomOptions
// that all runs need.
type SurveyOptions struct {
	RandomOptions
	// Cluster is where everything begins.
	Cluster *spec.Snapshot
	// Actions say what happens besides scheduling: of them Preempt, VictimGone and Recreations are heeded.
	Actions model.Actions
	// Seed makes chance repeatable.
	Seed int64
	// AsItIs leaves out the runs.
	AsItIs bool
}

// SurveyResult is the part of a result that concerns a survey.
type SurveyResult struct {
	// Pending is how many pods of the cluster ask for a node, and Asked about how many of them kube-scheduler was
	// asked in the cluster as it is.
	Pending, Asked int
	// Runs came to their ends, with so many Decisions, those included that came up before.
	Runs, Decisions int64
	// Never were placed in any of the runs, Sometimes in some and not in others: pods by namespace and name, in the
	// cluster's order. Both are empty if there were no runs.
	Never, Sometimes []string
}

// runsAtOnce is how many runs go on side by side. It does not depend on the number of workers, so neither does what is
// found.
const runsAtOnce = 16

// mostStale is after how many rounds of runs that bring no question which did not come up before there are no more.
const mostStale = 4

// Survey looks at a cluster that may be too large to be explored: it asks about every pending pod in the cluster as it
// is, then follows runs at random in the order of kube-scheduler's queue, and compares every distinct decision on the
// way as Random does. It takes clusters of any size.
//
// An error means that it could not check. A cancelled context is in the result, as is what was not come to. The result
// is never complete: other runs may go on otherwise.
func Survey(ctx context.Context, o SurveyOptions) (*Result, error) {
	s := &survey{
		random: random{
			options: o.RandomOptions, kept: map[string]*drawn{},
			result: &Result{Random: &RandomResult{}}, from: "the cluster",
		},
		options: o, tally: SurveyResult{Pending: len(cluster.Waiting(o.Cluster))},
	}
	if err := s.prepare(); err != nil {
		return nil, err
	}
	defer s.close()
	until, end := patience.Extend(ctx, afterwards)
	defer end()
	s.until = until
	s.began, s.shown = time.Now(), time.Now()
	s.signatures()
	s.asItIs(ctx)
	if !o.AsItIs {
		s.follow(ctx)
	}
	s.result.Random.Repeated = s.tally.Decisions + int64(s.tally.Asked) - s.totals.distinct
	s.conclude(ctx)
	s.fates()
	s.result.Survey, s.result.Random = &s.tally, nil
	return s.result, nil
}

// survey is a survey in progress.
type survey struct {
	random
	options SurveyOptions
	tally   SurveyResult
	began   time.Time
	shown   time.Time
	// signature numbers the pods of the cluster; pods that nothing but the name tells apart have the same number.
	signature []int
	// placedIn counts the runs at whose ends a pod of the cluster is on a node.
	placedIn []int64
}

// mostSigned is how many pods are compared with each other; in larger clusters each counts for itself.
const mostSigned = 5_000

// signatures numbers the pods.
func (s *survey) signatures() {
	pods := s.options.Cluster.Pods
	s.signature, s.placedIn = make([]int, len(pods)), make([]int64, len(pods))
	known := map[string]int{}
	for i, pod := range pods {
		if s.signature[i] = i; len(pods) > mostSigned {
			continue
		}
		text := string(written(nameless(pod)))
		first, ok := known[text]
		if !ok {
			first = i
			known[text] = i
		}
		s.signature[i] = first
	}
}

// keyOf identifies a question of a run: pods that wait without a nomination are not looked at by the scheduler.
func (s *survey) keyOf(r *surveyRun) questionKey {
	var here []string
	for _, pod := range r.cluster.Now.Pods {
		if pod != r.asks && (pod.Spec.NodeName != "" || pod.Status.NominatedNodeName != "") {
			here = append(here, s.describe(r, pod))
		}
	}
	slices.Sort(here)
	hash := sha256.New()
	fmt.Fprintln(hash, s.describe(r, r.asks))
	for _, pod := range here {
		fmt.Fprintln(hash, pod)
	}
	return questionKey(hash.Sum(nil))
}

func (s *survey) describe(r *surveyRun, p *v1.Pod) string {
	return fmt.Sprintf("%d %s %s %t %t", s.signature[r.of[p]], p.Spec.NodeName, p.Status.NominatedNodeName,
		p.DeletionTimestamp != nil, spec.TerminatingByPreemption(p))
}

// asItIs asks about every pending pod in the cluster as it is.
func (s *survey) asItIs(ctx context.Context) {
	pods := cluster.InQueueOrder(cluster.Waiting(s.options.Cluster))
	for len(pods) > 0 && ctx.Err() == nil {
		var questions []*drawn
		for _, pod := range pods[:min(len(pods), runsAtOnce)] {
			questions = append(questions, &drawn{
				question: &spec.Question{Pod: pod, Snapshot: s.options.Cluster}, size: s.tally.Asked + len(questions),
			})
		}
		pods = pods[len(questions):]
		done := s.each(ctx, questions, func(c *comparer, d *drawn) {
			d.outcome = tallyOf(s.plugins, c.compare(*d.question))
		})
		for _, d := range questions[:done] {
			s.count(d)
			s.tally.Asked++
		}
		s.progress()
	}
}

// stepOfRun is a question of a run, and what is known of it.
type stepOfRun struct {
	drawn
	run      *surveyRun
	known    bool
	decision *spec.Decision
}

// follow goes on with runs until there are enough of them.
func (s *survey) follow(ctx context.Context) {
	if s.tally.Pending == 0 {
		return
	}
	stale := 0 // rounds that brought nothing new
	for seed := int64(0); !s.over(ctx) && stale < mostStale; seed += runsAtOnce {
		before := s.totals.distinct
		var runs []*surveyRun
		for i := range int64(runsAtOnce) {
			runs = append(runs, newSurveyRun(s.options.Cluster, s.options.Actions, uint64(s.options.Seed+seed+i)))
		}
		for s.step(ctx, runs) {
			if s.over(ctx) {
				return
			}
		}
		if ctx.Err() != nil {
			return
		}
		for _, r := range runs {
			s.tally.Runs++
			r.placed(func(pod int) { s.placedIn[pod]++ })
		}
		if stale++; s.totals.distinct > before {
			stale = 0
		}
	}
}

// over reports whether the budget is used up.
func (s *survey) over(ctx context.Context) bool {
	return ctx.Err() != nil || s.enough(time.Since(s.began))
}

// step takes one decision in each of the runs that go on, and reports whether there are any.
func (s *survey) step(ctx context.Context, runs []*surveyRun) bool {
	var steps []*stepOfRun
	for _, r := range runs {
		if q := r.question(); q != nil {
			step := &stepOfRun{drawn: drawn{question: q, key: s.keyOf(r), size: s.tally.Asked + s.seen.added}, run: r}
			step.known = s.seen.add(step.key)
			step.index = len(steps)
			steps = append(steps, step)
		}
	}
	questions := make([]*drawn, len(steps))
	for i, step := range steps {
		questions[i] = &step.drawn
	}
	done := s.each(ctx, questions, func(c *comparer, d *drawn) {
		step := steps[d.index]
		if step.known {
			step.decision = c.decider.Decide(*d.question)
			return
		}
		compared := c.compare(*d.question)
		d.outcome, step.decision = tallyOf(s.plugins, compared), compared.compared.Decision
	})
	for _, step := range steps[:done] {
		if !step.known {
			s.count(&step.drawn)
		}
		s.tally.Decisions++
		step.run.follow(step.decision)
	}
	s.progress()
	return len(steps) > 0
}

// progress tells how far the survey has come.
func (s *survey) progress() {
	if s.options.Progress != nil && time.Since(s.shown) >= s.options.ProgressEvery {
		s.shown = time.Now()
		s.options.Progress(s.totals.distinct, time.Since(s.began))
	}
}

// fates sums up what became of the pods that wait in the cluster.
func (s *survey) fates() {
	if s.tally.Runs == 0 {
		return
	}
	for i, pod := range s.options.Cluster.Pods {
		if pod.Spec.NodeName != "" || spec.Gated(pod) {
			continue
		}
		switch name := pod.Namespace + "/" + pod.Name; s.placedIn[i] {
		case 0:
			s.tally.Never = append(s.tally.Never, name)
		case s.tally.Runs:
		default:
			s.tally.Sometimes = append(s.tally.Sometimes, name)
		}
	}
}
