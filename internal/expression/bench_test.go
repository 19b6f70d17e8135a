package expression_test

import (
	"testing"

	"github.com/seed-a3f26817/modelcheck/internal/expression"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
)

// BenchmarkState is an expression over every pod of every node.
func BenchmarkState(b *testing.B) {
	compiled, err := expression.Compile(expression.Rule{
		Name: "mine", Subject: expression.OfStates,
		Expression: "nodes.all(n, size(pods.on(n)) <= 2) && pods.all(p, p.metadata.namespace == 'default')",
	})
	if err != nil {
		b.Fatal(err)
	}
	state := &invariants.State{Cluster: cluster()}
	for b.Loop() {
		compiled.Property.State(state)
	}
}

// BenchmarkStep is an expression that most steps answer at once.
func BenchmarkStep(b *testing.B) {
	compiled, err := expression.Compile(expression.Rule{
		Name: "mine", Subject: expression.OfSteps,
		Expression: "step.action != 'preempt' || step.victims.all(v, v.spec.priority < step.pod.spec.priority)",
	})
	if err != nil {
		b.Fatal(err)
	}
	s := cluster()
	step := &invariants.Step{Named: func() invariants.NamedStep {
		return invariants.NamedStep{
			Before: s,
			After:  s,
			Step:   &model.NamedStep{Class: model.Bind, Pod: s.Pods[2], Node: s.Nodes[0]},
		}
	}}
	for b.Loop() {
		compiled.Property.Step(step)
	}
}
