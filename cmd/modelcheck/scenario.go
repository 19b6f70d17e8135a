package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// follow takes from a Scenario what flags say otherwise. A flag that the Scenario decides is refused.
func (o *options) follow(s *scenario.Checked) error {
	for _, said := range []struct{ flag, field string }{
		{"pods", "spec.pods"}, {"completions", "spec.actions"}, {"deletions", "spec.actions"},
		{"placements", "spec.actions"},
		{"recreations", "spec.actions"}, {"preempt", "spec.actions"}, {"victim-gone", "spec.actions"},
		{"node-changes", "spec.actions"}, {"order", "spec.order"},
		{"refresh-budgets", "spec.actions"}, {"start-times", "spec.actions"},
		{"check", "spec.properties"}, {"liveness", "spec.properties"},
	} {
		if o.given(said.flag) {
			return usage("--%s does not go with a Scenario: %s says it in %s", said.flag, s, said.field)
		}
	}
	if !o.given("profile") {
		o.profile = s.Spec.Profile
	}
	if !o.given("max-states") {
		o.maxStates = s.Spec.Bounds.States
	}
	if !o.given("max-depth") {
		o.maxDepth = s.Spec.Bounds.Depth
	}
	o.recreations, o.refreshBudgets = s.Spec.Actions.Recreations, s.Spec.Actions.RefreshBudgets
	for i, name := range s.Spec.Properties.Enabled {
		if name == "liveness" {
			o.liveness = true
			continue
		}
		o.checks = append(o.checks, name)
		if _, err := o.properties(); err != nil {
			return usage("%s: %s: spec.properties.enabled[%d]: no built-in property is called %q; those that are not "+
				"checked "+"in any case are: %s, liveness", s.Source, s, i, name, optionalNames())
		}
	}
	return nil
}

// ofScenario takes what a Scenario says is explored.
func (in *input) ofScenario(o *options, manifests *scenario.Manifests) error {
	snapshot, err := in.snapshot(o, manifests)
	if err != nil {
		return err
	}
	s, err := in.scenario.Model(snapshot)
	if err != nil {
		return usageError{err}
	}
	if in.scenario.Names() {
		in.notes = append(in.notes, "an expression tells pods or nodes apart by their names: those that are alike "+
			"but for their names are "+"kept apart, which makes more states")
	}
	may := 0
	for i := range s.Pods {
		if bound := s.Actions.ArrivalsOfTemplate[i]; bound > 0 &&
			!slices.Contains(in.profiles, s.Pods[i].Pod.Spec.SchedulerName) {
			s.Actions.ArrivalsOfTemplate[i] = 0
			in.notes = append(in.notes, fmt.Sprintf("pods like %s do not arrive: their spec.schedulerName is %q, and "+
				"what is checked is %s", s.Pods[i].Name, s.Pods[i].Pod.Spec.SchedulerName,
				strings.Join(in.profiles, ", ")))
		}
		may += s.Actions.ArrivalsOfTemplate[i]
	}
	s.Actions.Arrivals = min(s.Actions.Arrivals, may)
	if len(spec.Unbound(snapshot)) == 0 && s.Actions.Arrivals == 0 {
		return usage("nothing would be asked of kube-scheduler: no pod of %s waits for it; let pods wait or arrive in "+
			"spec.pods%s", in.scenario, listed(in.notes))
	}
	in.scope.Files, in.scope.Nodes, in.scope.Pods, in.scope.Scenario = o.names(), s.MaxNodes(), s.Actions.Arrivals,
		in.scenario.Metadata.Name
	in.scenarios = []*model.Scenario{s}
	return nil
}

// properties returns the properties to check: those of the flags, as the Scenario has it.
func (in *input) properties(o *options) ([]invariants.Property, error) {
	properties, err := o.properties()
	if err != nil || in.scenario == nil {
		return properties, err
	}
	at := in.scenario.Source.String() + ": " + in.scenario.String() + ": spec.properties"
	var all []string
	for _, p := range properties {
		all = append(all, p.Name)
	}
	for i, name := range in.scenario.Spec.Properties.Disabled {
		if name == "all" {
			properties = slices.DeleteFunc(
				properties,
				func(p invariants.Property) bool {
					return !slices.Contains(in.scenario.Spec.Properties.Enabled,
						p.Name)
				},
			)
			continue
		}
		if !slices.Contains(all, name) {
			hint := ""
			if near := nearest(name, all); near != "" {
				hint = "; did you mean " + near + "?"
			}
			return nil, usage("%s.disabled[%d]: no built-in property that is checked is called %q%s", at, i, name, hint)
		}
		properties = slices.DeleteFunc(properties, func(p invariants.Property) bool { return p.Name == name })
	}
	for _, rule := range in.scenario.Rules {
		if slices.Contains(all, rule.Property.Name) {
			return nil, usage("%s: %s is the name of a built-in property: rename yours", at, rule.Property.Name)
		}
		properties = append(properties, rule.Property)
	}
	if len(properties) == 0 {
		return nil, usage("%s: no property is left to check", at)
	}
	return properties, nil
}

// expected returns what the Scenario expects to come out; nil if it says nothing.
func (in *input) expected() *decisions.Expected {
	if in.scenario == nil || in.scenario.Spec.Expect == nil {
		return nil
	}
	verdict := decisions.Holds
	if in.scenario.Spec.Expect.Verdict == decisions.Violated.String() {
		verdict = decisions.Violated
	}
	return &decisions.Expected{Verdict: verdict, Findings: in.scenario.Spec.Expect.Findings}
}
