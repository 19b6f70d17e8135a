package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/expression"
	"github.com/seed-a3f26817/modelcheck/internal/patience"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/report"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// replay is the subcommand that takes the steps of a saved counterexample again.
func (c command) replay(done func(decisions.Verdict)) *cobra.Command {
	return &cobra.Command{
		Use:   "replay FOLDER|" + report.TraceFile,
		Short: "Repeat a saved counterexample, step by step, and ask kube-scheduler again",
		Long: `replay reads a counterexample that --save wrote and repeats its steps: each must be enabled in the
model, and be one that kube-scheduler ` + production.KubernetesVersion + ` or the model may take, as recorded. Then the decision
is asked for again and compared with the recorded one.

Exit codes: 0 the finding is still there, as recorded; 1 something differs, which is printed; 2 wrong
usage or input; 3 it was interrupted before something differed; 4 modelcheck failed.`,
		Example: `  modelcheck -f cluster.yaml --save findings
  modelcheck replay findings/outcome-conforms_new`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("replay takes one argument, the folder of a finding or its %s; %d are given",
					report.TraceFile, len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			replayed, err := c.replayed(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			done(replayed.Verdict())
			if err := report.ReplayText(c.stdout, replayed); err != nil {
				return fmt.Errorf("writing the replay: %w", err)
			}
			return nil
		},
	}
}

// replayed reads the trace and takes its steps again.
func (c command) replayed(ctx context.Context, path string) (*report.Replayed, error) {
	c.progress.begin(reading(path))
	trace, file, err := readTrace(path)
	if err != nil {
		return nil, err
	}
	wrong := func(err error) error { return usage("%s: %w", file, err) }
	r := &report.Replayed{KubernetesVersion: production.KubernetesVersion, Trace: trace}
	if r.Clusters, err = clustersOf(trace); err != nil {
		return nil, wrong(err)
	}
	config, err := configOf(trace)
	if err != nil {
		return nil, wrong(err)
	}
	profile, err := config.Spec(trace.Profile)
	if err != nil {
		return nil, wrong(fmt.Errorf("profile: %w", err))
	}
	if !slices.Contains(spec.Readings(), spec.Reading(trace.Reading)) {
		return nil, wrong(fmt.Errorf("reading is %q: it must be one of %s", trace.Reading, readings()))
	}
	r.Spec = spec.NewReading(spec.Reading(trace.Reading), profile)
	property, properties, err := propertiesOf(trace)
	if err != nil {
		return nil, wrong(err)
	}
	arriving, err := arrivingIn(trace, r.Clusters)
	if err != nil {
		return nil, wrong(err)
	}
	pending, err := pendingPodOf(trace, property, r.Clusters)
	if err != nil {
		return nil, wrong(err)
	}
	c.progress.begin(phase{name: "starting kube-scheduler", lost: "no step is taken again", blank: true})
	decider, err := c.kubeScheduler(ctx, config, trace.Profile)()
	if err != nil {
		return nil, err
	}
	defer func() {
		if r.Interrupted == "" { // else it may be at work for ever
			_ = decider.Close() // it changes no answer any more
		}
	}()
	again := scenario.OfTrace(trace.Scenario, r.Clusters[0], arriving, trace.Actions.Model())
	if property.Behaviour != nil {
		err = c.loopAgain(ctx, r, property, decider, again)
	} else {
		err = c.questionAgain(ctx, r, properties, decider, again, pending)
	}
	if err != nil {
		return nil, wrong(err)
	}
	if r.Interrupted == "" {
		r.Conclude()
	}
	return r, nil
}

// inTime does a part of the replay, and reports whether it came to its end before an interrupt. What the work writes
// may be read only then.
func (c command) inTime(ctx context.Context, r *report.Replayed, at string, work func()) bool {
	c.progress.begin(phase{name: at, lost: "it is not told how far the replay came"})
	if patience.Do(ctx, work) {
		return true
	}
	r.Interrupted = at
	return false
}

// questionAgain takes the steps again, and asks about the pod at their end, if there is one.
func (c command) questionAgain(ctx context.Context, r *report.Replayed, properties []invariants.Property,
	decider decisions.Decider, again *model.Scenario, pending *v1.Pod) error {
	var replay *decisions.Replay
	var err error
	if !c.inTime(ctx, r, beginning, func() { replay, err = decisions.NewReplay(r.Spec, properties, decider, again) }) {
		return nil
	}
	if err != nil {
		return err
	}
	if c.takeAgain(ctx, r, replay); r.Interrupted != "" {
		return nil
	}
	var asked *invariants.Case
	var findings []decisions.Finding
	last := r.Clusters[len(r.Clusters)-1]
	at, work := lookingForIt, func() { findings = replay.Findings(last) }
	if pending != nil {
		at = fmt.Sprintf("asking where %s/%s should go", pending.Namespace, pending.Name)
		work = func() {
			asked, findings = decisions.NewSession(r.Spec, properties, decider).Ask(
				spec.Question{Pod: pending, Snapshot: last})
		}
	}
	if c.inTime(ctx, r, at, work) {
		r.Case, r.Findings = asked, findings
	}
	return nil
}

// loopAgain takes the steps of what goes on for ever again, and asks whether it does.
func (c command) loopAgain(ctx context.Context, r *report.Replayed, property invariants.Property,
	decider decisions.Decider, again *model.Scenario) error {
	if r.Trace.Loop == 0 {
		return fmt.Errorf("loop is missing: %s is about what goes on for ever, and it says how many of the last "+
			"steps do", property.Name)
	}
	var replay *decisions.LassoReplay
	var err error
	if !c.inTime(ctx, r, beginning, func() {
		replay, err = decisions.NewLassoReplay(r.Spec, property, decider, again,
			r.Trace.Actions.Order == model.QueueOrder.String())
	}) {
		return nil
	}
	if err != nil {
		return err
	}
	if !c.takeAgain(ctx, r, replay) {
		return nil
	}
	var finding *decisions.Finding
	switch finished := c.inTime(ctx, r, lookingForIt, func() { finding, err = replay.Finding(r.Trace.Loop) }); {
	case !finished:
	case err != nil:
		r.Differ("steps %d to %d: %v", len(r.Trace.States)-r.Trace.Loop, len(r.Trace.States)-1, err)
	default:
		r.Findings = append(r.Findings, *finding)
	}
	return nil
}

// What a replay is at before and after its steps.
const (
	beginning    = "building the first state"
	lookingForIt = "looking for the finding"
)

// takeAgain takes the steps again, as far as they are enabled and nobody interrupts it, and reports whether all were
// taken.
func (c command) takeAgain(ctx context.Context, r *report.Replayed, again interface {
	Take(step *model.NamedStep) (decisions.StepTakers, error)
	Cluster() *spec.Snapshot
}) bool {
	for i, state := range r.Trace.States[:len(r.Trace.States)-1] {
		var who decisions.StepTakers
		var cluster *spec.Snapshot
		var err error
		if !c.inTime(ctx, r, fmt.Sprintf("taking step %d (%s)", i+1, state.Step.Text), func() {
			if who, err = again.Take(namedStep(state.Step)); err == nil {
				cluster = again.Cluster()
			}
		}) {
			return false
		}
		if err != nil {
			r.Differ("step %d (%s) is not enabled: %v", i+1, state.Step.Text, err)
			return false
		}
		r.Took(i, who)
		r.Reached(i+1, cluster)
	}
	return true
}

// readTrace reads the trace, from its folder or its file.
func readTrace(path string) (trace *report.Trace, file string, err error) {
	file = path
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		file = filepath.Join(path, report.TraceFile)
	}
	data, err := os.ReadFile(file)
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return nil, file, usage(
			"%s: cannot read it: %w; name the folder of a finding that --save wrote, or the %s in it", file, path.Err,
			report.TraceFile)
	}
	if trace, err = report.ReadTrace(data); err != nil {
		return nil, file, usage("%s: %w", file, err)
	}
	return trace, file, nil
}

// clustersOf admits the clusters of the states.
func clustersOf(trace *report.Trace) ([]*spec.Snapshot, error) {
	var clusters []*spec.Snapshot
	for i := range trace.States {
		field := fmt.Sprintf("states[%d].cluster", i)
		raw, err := json.Marshal(trace.States[i].Cluster)
		if err != nil {
			return nil, err
		}
		manifests, err := scenario.Decode(field, raw, admission.Admit)
		if err != nil {
			return nil, err
		}
		if err := decisions.NotSampled(field, len(manifests.Nodes)); err != nil {
			return nil, err
		}
		clusters = append(clusters, manifests.Snapshot())
	}
	return clusters, nil
}

// configOf returns the configuration of the trace.
func configOf(trace *report.Trace) (*production.Config, error) {
	if trace.SchedulerConfiguration == "" {
		return production.DefaultConfig()
	}
	return production.LoadConfig("schedulerConfiguration", []byte(trace.SchedulerConfiguration))
}

// propertiesOf returns the property that is broken, and all that are checked.
func propertiesOf(trace *report.Trace) (invariants.Property, []invariants.Property, error) {
	properties := invariants.All()
	if spec.Reading(trace.Reading) == spec.Literal {
		properties = append(properties, invariants.Literal()...)
	}
	named := func(p invariants.Property) bool { return p.Name == trace.Finding.Property }
	if i := slices.IndexFunc(properties, named); i >= 0 {
		return properties[i], properties, nil
	}
	if rule := trace.Rule; rule != nil {
		compiled, err := expression.Compile(
			expression.Rule{
				Name:       trace.Finding.Property,
				Subject:    expression.Subject(rule.Kind),
				Expression: rule.Expression,
			},
		)
		if err != nil {
			return invariants.Property{}, nil, fmt.Errorf("rule.expression: %w", err)
		}
		compiled.Property.Doc = rule.Doc
		return compiled.Property, append(properties, compiled.Property), nil
	}
	others := slices.Concat(invariants.Optional(), invariants.Oracles(), invariants.Sized(), invariants.Liveness())
	i := slices.IndexFunc(others, named)
	if i < 0 {
		return invariants.Property{}, nil, fmt.Errorf("finding.property: no property is called %q",
			trace.Finding.Property)
	}
	return others[i], append(properties, others[i]), nil
}

// arrivingIn returns the pods that arrive, in order, as the states after their arrival have them. Who comes again
// under its name, as in what goes on for ever, is not another pod.
func arrivingIn(trace *report.Trace, clusters []*spec.Snapshot) ([]*v1.Pod, error) {
	var arriving []*v1.Pod
	known := map[string]bool{}
	for _, pod := range clusters[0].Pods {
		known[pod.Namespace+"/"+pod.Name] = true
	}
	for i, state := range trace.States[:len(trace.States)-1] {
		if !classNamed(state.Step.Action).Creates() {
			continue
		}
		pod := podNamed(state.Step.Pod, clusters[i+1])
		if pod == nil {
			return nil, fmt.Errorf("states[%d].step.pod: %s arrives, but is not in states[%d].cluster", i,
				state.Step.Pod, i+1)
		}
		if !known[state.Step.Pod] {
			arriving = append(arriving, pod)
			known[state.Step.Pod] = true
		}
	}
	return arriving, nil
}

// pendingPodOf returns the pod of the decision; nil if the property is not one of decisions.
func pendingPodOf(trace *report.Trace, property invariants.Property, clusters []*spec.Snapshot) (*v1.Pod, error) {
	if property.Decision == nil {
		return nil, nil
	}
	if trace.Decision == nil {
		return nil, fmt.Errorf("decision is missing: %s is a property of decisions", property.Name)
	}
	last := clusters[len(clusters)-1]
	pod := podNamed(trace.Decision.Pod, last)
	if pod == nil || spec.Bound(pod, last) {
		return nil, fmt.Errorf("decision.pod: no pod %q is pending in states[%d].cluster", trace.Decision.Pod,
			len(clusters)-1)
	}
	return pod, nil
}

func podNamed(name string, s *spec.Snapshot) *v1.Pod {
	i := slices.IndexFunc(s.Pods, func(pod *v1.Pod) bool { return pod.Namespace+"/"+pod.Name == name })
	if i < 0 {
		return nil
	}
	return s.Pods[i]
}

func classNamed(name string) model.Class { return model.Class(slices.Index(model.Classes(), name)) }

// namedStep returns a recorded step in the terms of the model. Only names count.
func namedStep(step *report.TraceStep) *model.NamedStep {
	pod := func(name string) *v1.Pod {
		named := &v1.Pod{}
		named.Namespace, named.Name, _ = strings.Cut(name, "/")
		return named
	}
	named := &model.NamedStep{Class: classNamed(step.Action), Idle: step.Idle}
	if step.Pod != "" {
		named.Pod = pod(step.Pod)
	}
	if step.Budget != "" {
		named.Budget = &policyv1.PodDisruptionBudget{}
		named.Budget.Namespace, named.Budget.Name, _ = strings.Cut(step.Budget, "/")
	}
	if step.Node != "" {
		named.Node = &v1.Node{}
		named.Node.Name = step.Node
	}
	for _, victim := range step.Victims {
		named.Victims = append(named.Victims, pod(victim))
	}
	return named
}
