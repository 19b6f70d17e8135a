package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// LoopRun is what a report about the scheduler as a whole is made from.
type LoopRun struct {
	// KubernetesVersion is the release of the kube-scheduler that was stepped.
	KubernetesVersion string
	// Spec is the formal model, with the profile that both sides ran.
	Spec    *spec.Scheduler
	Results []*loop.Result
	// Seed is that of runs that were followed at random.
	Seed uint64
	// WakeUps: the runs are one for each event that lets a pod be placed.
	WakeUps bool
	// Notes tell what was read and will not matter, or matters otherwise than expected.
	Notes []string
	// NotRead tells what was not read and may matter. One line each.
	NotRead []string
	// Strict are the classes of deviations that count as violations too.
	Strict decisions.Strict
	// Verbose lists every queueing hint.
	Verbose bool
	Elapsed time.Duration
	Workers int
}

// Verdict sums the run up. A violation counts even if the run did not finish.
func (r *LoopRun) Verdict() decisions.Verdict {
	verdict := decisions.Holds
	for _, result := range r.Results {
		fails := func(f loop.Finding) bool { return f.Known == "" || r.Strict.Has(loopClass(&f)) }
		if slices.ContainsFunc(result.Findings, fails) || slices.ContainsFunc(result.Untold, fails) {
			return decisions.Violated
		}
		if !result.Complete || result.Liveness != nil && !result.Liveness.Decided() {
			verdict = decisions.Unfinished
		}
	}
	return unlessRead(verdict, r.NotRead)
}

// LoopText writes the report for a person to read. The error is the writer's.
func LoopText(w io.Writer, r *LoopRun) error {
	p := &page{spec: r.Spec}
	p.line("kube-scheduler %s as a whole, stepped: queue, wake-ups, scheduling and binding cycles", r.KubernetesVersion)
	p.loopScopes(r)
	p.loopExplored(r)
	p.loopLiveness(r)
	p.section("Properties of every step")
	p.table("  ", loopVerdicts(r, loop.Properties()))
	p.loopBehaviours(r)
	p.loopHints(r)
	p.loopFindings(r)
	p.section("Not covered")
	for _, text := range loopNotCovered(r) {
		p.wrapped("  - ", text)
	}
	p.section("Verdict: " + loopVerdict(r))
	builds, steps := int64(0), int64(0)
	for _, result := range r.Results {
		builds, steps = builds+result.Builds, steps+result.Steps
	}
	p.line("Time: %s with %s; built %s, which took %s", rounded(r.Elapsed), plural(int64(r.Workers), "worker"),
		plural(builds, "scheduler"), plural(steps, "action"))
	_, err := io.WriteString(w, p.String())
	return err
}

func (p *page) loopScopes(r *LoopRun) {
	p.section("Scope")
	for _, result := range r.Results {
		s := result.Scope
		if r.WakeUps {
			p.wrapped(fmt.Sprintf("  %-12s ", s.Name), s.Doc)
			continue
		}
		clusters := plural(int64(len(s.Initial)), "initial cluster")
		if len(s.Initial) == 0 {
			clusters = fmt.Sprintf("a cluster of up to %s drawn for each run", plural(int64(s.Nodes), "node"))
		}
		text := fmt.Sprintf("%s, up to %s, %s", clusters,
			plural(int64(s.Arrivals), "new pod"), plural(int64(s.Events), "event"))
		if s.Faults > 0 {
			text += fmt.Sprintf(" and %s", plural(int64(s.Faults), "cycle")) + " that fail or wait on permit"
			if s.FaultsFirst {
				text += ", by a plugin that comes first"
			}
		}
		if s.Late > 0 {
			text += fmt.Sprintf(", up to %s of each kind of object unheard", plural(int64(s.Late), "change"))
		}
		if s.Evictions {
			text += ", evictions one by one"
		}
		if s.Meanwhile {
			text += ", events while a pod is being tried"
		}
		if s.Sampled {
			text += ", as many nodes looked at as the configuration says"
		}
		if len(s.Happens) > 0 && s.Events > 0 {
			text += "; events: " + joined(s.Happens)
		}
		if s.Calm {
			text += "; they happen only while no pod is in activeQ"
		}
		p.wrapped(fmt.Sprintf("  %-12s ", s.Name), text)
	}
	for _, text := range r.NotRead {
		p.wrapped("  ", text)
	}
	for _, note := range r.Notes {
		p.wrapped("  note: ", note)
	}
}

func joined[T ~string](words []T) string {
	var all []string
	for _, word := range words {
		all = append(all, string(word))
	}
	return strings.Join(all, ", ")
}

func (p *page) loopExplored(r *LoopRun) {
	if r.simulated() {
		p.loopFollowed(r)
		return
	}
	p.section("Explored")
	rows := table{{"theme", "states", "transitions", "depth", "needless wake-ups", "search"}}
	for _, result := range r.Results {
		ended := "complete"
		if !result.Complete {
			ended = result.Stopped.String()
		}
		rows = append(rows, []string{result.Scope.Name, count(result.Distinct), count(result.Generated),
			count(int64(result.Depth)), count(result.Needless), ended})
	}
	p.table("  ", rows)
	for _, result := range r.Results {
		if result.MostActions >= loop.ManyActions {
			p.wrapped("  ", fmt.Sprintf("%s: in one state %s may be taken: follow some runs at random (--simulate N), or let "+
				"fewer kinds of events happen (--happens)", result.Scope.Name, plural(int64(result.MostActions), "action")))
		}
		if result.Grows != "" {
			p.wrapped("  ", fmt.Sprintf("%s: a bound stopped it; what changes most: %s", result.Scope.Name, result.Grows))
		}
	}
}

// simulated reports whether runs were followed at random.
func (r *LoopRun) simulated() bool {
	return slices.ContainsFunc(r.Results, func(result *loop.Result) bool { return result.Simulated })
}

func (p *page) loopFollowed(r *LoopRun) {
	followed := fmt.Sprintf("Followed at random, seed %d", r.Seed)
	if r.WakeUps {
		followed = "Followed, a run for each event that lets a pod be placed"
	}
	p.section(followed)
	rows := table{{"theme", "runs", "steps", "longest run", "needless wake-ups", "search"}}
	for _, result := range r.Results {
		ended := "every run asked for"
		if result.Late {
			ended = "every run until the time was over"
		}
		if !result.Complete {
			ended = result.Stopped.String()
		}
		rows = append(rows, []string{result.Scope.Name, count(result.Walks), count(result.Generated),
			count(int64(result.Depth)), count(result.Needless), ended})
	}
	p.table("  ", rows)
	for _, result := range r.Results {
		if result.Stopped == checker.ActionLimit {
			may := "more may happen than can be tried"
			if result.MostActions > 0 {
				may = fmt.Sprintf("in one state %s may be taken, too many to take all", plural(int64(result.MostActions), "action"))
			}
			p.wrapped("  ", fmt.Sprintf("%s: %s, so runs are drawn. --simulate N follows more of them, --happens lets fewer "+
				"kinds of events happen, --max-states N tries all the same", result.Scope.Name, may))
		}
	}
}

func (p *page) loopFindings(r *LoopRun) {
	number, of := 0, 0
	for _, result := range r.Results {
		of += len(result.Findings)
	}
	if of == 0 && !slices.ContainsFunc(r.Results, func(r *loop.Result) bool { return len(r.Untold) > 0 }) {
		p.section("Findings: none")
	}
	for _, result := range r.Results {
		for i := range result.Findings {
			number++
			f := &result.Findings[i]
			p.section(fmt.Sprintf("Finding %d of %d: %s", number, of, f.Key()))
			p.loopFinding(r, result.Scope, f)
		}
	}
}

func (p *page) loopFinding(r *LoopRun, scope *loop.Scope, f *loop.Finding) {
	p.wrapped("  class:    ", meaning(loopClass(f), f.Known))
	var names []string
	if f.Known != "" {
		names = strings.Split(f.Known, "+")
	}
	for _, known := range names {
		name, upstream, doc := defect(known)
		p.wrapped("  by rule:  ", fmt.Sprintf("%s (%s): %s", name, upstream, doc))
	}
	p.wrapped("  wanted:   ", f.Property.Doc)
	p.wrapped("  but:      ", f.But)
	if f.Flushed != "" {
		p.wrapped("            ", f.Flushed)
	}
	for _, known := range names {
		p.norm(known)
	}
	for _, known := range names {
		p.onPlane(known)
	}
	where := scope.Name
	if len(f.Scope.Configuration) > 0 {
		where += ", with the KubeSchedulerConfiguration below"
	}
	if f.Scope.Faults > 0 && f.Scope.FaultsFirst {
		where += ", where the plugin that fails comes first"
	}
	switch {
	case f.Property.OfBehaviours():
		p.line("  seen in:  %s", plural(f.Count, "set")+" of states")
		p.line("\n  Run, in %s, of:", where)
	case f.Unshrunk:
		p.line("  seen in:  %s", plural(f.Count, "run"))
		p.line("\n  Run%s, for which there was no time to shrink it to its end, in %s, of:", r.numbered(f), where)
	case r.simulated():
		p.line("  seen in:  %s", plural(f.Count, "run"))
		p.line("\n  Shrunk run%s, in %s, of:", r.numbered(f), where)
	default:
		p.line("  seen in:  %s", plural(f.Count, "distinct step"))
		p.line("\n  Shortest run, in %s, of:", where)
	}
	p.clusterBefore("    ", f.Initial, nil, created[*v1.Pod](f.Trace))
	for i, words := range actionsInWords(f) {
		p.wrapped(fmt.Sprintf("    %2d. ", i+1), words)
	}
	if f.Property.OfBehaviours() {
		p.line("  %s", loopGoesOn(f))
		p.line("  The scheduling queue, where that begins:")
	} else {
		p.line("  The scheduling queue after that:")
	}
	for _, q := range f.Last.After.Queue {
		p.wrapped("    ", queuedInWords(q))
	}
	if len(f.Last.After.Queue) == 0 {
		p.line("    no pod")
	}
	for _, u := range f.Last.After.Unheard {
		p.wrapped("  Not heard of by the scheduler: ", u.String())
	}
	p.runsWith(f.Scope.Configuration)
}

// numbered says which of the runs at random it is.
func (r *LoopRun) numbered(f *loop.Finding) string {
	if f.Number == nil {
		return ""
	}
	if r.WakeUps {
		return fmt.Sprintf(" (--run %d)", *f.Number)
	}
	return fmt.Sprintf(" (--seed %d --run %d)", r.Seed, *f.Number)
}

// schedulingQueues are the names that kube-scheduler's documentation has for the queues.
var schedulingQueues = map[loop.QueueName]string{
	loop.Active: "activeQ", loop.BackingOff: "backoffQ", loop.Unschedulable: "unschedulablePods",
}

func queuedInWords(q loop.Queued) string {
	var queues []string
	for _, queue := range q.Queues {
		queues = append(queues, cmp.Or(schedulingQueues[queue], queue.String()))
	}
	text := q.Pod + ": " + strings.Join(queues, " and ")
	switch {
	case !q.Waits, q.Volumes:
	case q.Devices:
		text += ", waits for its devices"
	case q.Fault == loop.SlowPreBind:
		text += ", is at pre-bind"
	case q.Fault == loop.Cancelled:
		text += ", is at pre-bind, which was cancelled"
	case q.Binds:
		text += ", the binding is under way"
	default:
		text += ", waits on permit"
	}
	if len(q.Rejectors) > 0 {
		text += ", rejected by " + strings.Join(q.Rejectors, ", ")
	}
	return text
}

// defect says what a deviation is: one between decisions, or a quirk of them.
func defect(known string) (name, upstream, doc string) {
	for _, d := range loop.Defects() {
		if d.Name == known {
			return d.Name, d.Upstream, d.Doc
		}
	}
	for _, q := range spec.Quirks() {
		if q.Name == known {
			return q.Name, q.Upstream, q.Doc
		}
	}
	return known, "", ""
}

// scopesWith returns the names of the scopes for which this is so.
func scopesWith(r *LoopRun, is func(*loop.Scope) bool) []string {
	var names []string
	for _, result := range r.Results {
		if is(result.Scope) {
			names = append(names, result.Scope.Name)
		}
	}
	return names
}

// except names the scopes for which something is not so; it is empty if it is so for all.
func except(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return ", except in " + strings.Join(names, ", ")
}

// chanceNotCovered says what is left out of what chance decides, and of where a search goes on.
func chanceNotCovered(r *LoopRun) string {
	sampled := scopesWith(r, func(s *loop.Scope) bool { return s.Sampled })
	return "Chance: every node is looked at" + except(sampled) + ", a preemption is tried on all, and the first by name " +
		"is taken of nodes of equal score."
}

// lateNotCovered says what is left out of when the scheduler hears of changes.
func lateNotCovered(r *LoopRun) string {
	late := scopesWith(r, func(s *loop.Scope) bool { return s.Late > 0 })
	if len(late) == len(r.Results) {
		evictions := "evictions that are under way when a cycle ends, "
		if !slices.ContainsFunc(r.Results, func(result *loop.Result) bool { return !result.Scope.Evictions }) {
			evictions = ""
		}
		return "More changes unheard than those of the scope, " + evictions +
			"and handlers of one kind of object that hear at different times."
	}
	return "Late informers" + except(late) + ": every change is known to the scheduler before the next action, and to " +
		"all its parts in one order; --late N lets them lag."
}

func loopNotCovered(r *LoopRun) []string {
	texts := []string{
		"Larger clusters, more pods and longer sequences of events than those of the scope.",
		lateNotCovered(r),
		"What several goroutines do at the same moment: a cycle runs to its end, or to where its binding waits, before " +
			"anything else happens" + except(scopesWith(r, func(s *loop.Scope) bool { return s.Meanwhile })) + ".",
		chanceNotCovered(r),
		"Pod groups, extenders.",
	}
	for _, result := range r.Results {
		if result.LeftOut > 0 {
			texts = append(texts, plural(result.LeftOut, "drawn run")+
				" not followed, as chance decides among the volumes of the cluster, or kube-scheduler would add the overhead "+
				"of a pod that requests 100Ti or more in every cycle.")
		}
		if result.Refused > 0 {
			texts = append(texts, notAdmitted(r.KubernetesVersion, result.Refused))
		}
		for i := range result.Untold {
			texts = append(texts, fmt.Sprintf("There was no time for the run of %s, in %s.", result.Untold[i].Key(),
				result.Scope.Name))
		}
	}
	texts = append(texts, loopLivenessNotCovered(r)...)
	if r.simulated() {
		texts = append([]string{"Every other run: those that were followed are a sample."}, texts...)
	}
	if filters, _ := r.Spec.Unmodelled(); len(filters) > 0 {
		texts = append(texts, "What these filters reject, as the model has no predicate for them: "+
			strings.Join(filters, ", ")+".")
	}
	return texts
}

// loopClass returns the class of a finding.
func loopClass(f *loop.Finding) decisions.Class {
	if f.Known == "" {
		return decisions.New
	}
	return decisions.Class(f.Class())
}

func loopVerdict(r *LoopRun) string {
	tally := tally{}
	news := 0
	for _, result := range r.Results {
		for _, f := range slices.Concat(result.Findings, result.Untold) {
			if f.Known == "" {
				news++
				continue
			}
			for name := range strings.SplitSeq(f.Known, "+") {
				tally.add(loopClass(&loop.Finding{Known: name}), name)
			}
		}
	}
	text := tally.verdict(r.Verdict())
	if news > 0 {
		text += fmt.Sprintf(", %s that nothing known explains", plural(int64(news), "finding"))
	} else if r.Verdict() == decisions.Violated {
		text += tally.failing(r.Strict)
	}
	if r.Verdict() == decisions.Unfinished {
		done := "explored"
		if r.simulated() {
			done = "followed"
		}
		text += "; " + tally.soFar(done)
	}
	return text + tally.rest(r.Verdict())
}
