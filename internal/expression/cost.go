package expression

import (
	"fmt"
	"slices"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types/ref"
	"k8s.io/apiserver/pkg/cel/library"
)

// limits are the options that have an evaluation end when it costs or takes too much.
func limits(env *cel.Env) ([]cel.ProgramOption, error) {
	charged, err := metered(env)
	if err != nil {
		return nil, err
	}
	return []cel.ProgramOption{cel.CostTracking(estimator{}), cel.CostLimit(MaxCost), charged}, nil
}

// affordable returns an error if the expression is sure to cost too much, or has a function of which nobody knows what
// it costs. That loops may end early is left aside, as Kubernetes does in its estimates.
func affordable(ast *cel.Ast) error {
	var unknown *Error
	info := ast.NativeRep().SourceInfo()
	celast.PostOrderVisit(ast.NativeRep().Expr(), celast.NewExprVisitor(func(e celast.Expr) {
		if e.Kind() != celast.CallKind || unknown != nil {
			return
		}
		name := e.AsCall().FunctionName()
		if _, known := charges[name]; !known && !slices.Contains(constant, name) {
			at := info.GetStartLocation(e.ID())
			unknown = &Error{at.Line(), at.Column() + 1,
				fmt.Errorf("%s cannot be used: what it costs is not known", name)}
		}
	}))
	if unknown != nil {
		return unknown
	}
	cost, err := checker.Cost(ast.NativeRep(), estimator{}, checker.PresenceTestHasCost(false))
	switch {
	case err != nil:
		return &Error{Err: fmt.Errorf("what it costs cannot be estimated: %w", err)}
	case cost.Min > MaxCost:
		return &Error{1, 1, fmt.Errorf("it costs at least %d units for each state: at most %d may be spent", cost.Min,
			MaxCost)}
	}
	return nil
}

// estimator says what functions cost, before and after the fact: those of Kubernetes as Kubernetes does.
type estimator struct{ library.CostEstimator }

// EstimateSize returns nil: of variables, no more than their types is known.
func (estimator) EstimateSize(checker.AstNode) *checker.SizeEstimate { return nil }

// EstimateCallCost returns what a call costs, nil if it is not known before the fact.
func (e estimator) EstimateCallCost(function, overload string, target *checker.AstNode,
	args []checker.AstNode) *checker.CallEstimate {
	if function == "lists.range" && len(args) == 1 && args[0].Expr().Kind() == celast.LiteralKind {
		if n, ok := args[0].Expr().AsLiteral().Value().(int64); ok && n >= 0 {
			size := checker.FixedSizeEstimate(uint64(n))
			return &checker.CallEstimate{CostEstimate: checker.FixedCostEstimate(uint64(n)), ResultSize: &size}
		}
	}
	if _, ours := ourCosts[function]; ours {
		return nil
	}
	return e.CostEstimator.EstimateCallCost(function, overload, target, args)
}

// ourCosts are the functions that only this package charges for.
var ourCosts = map[string]bool{"requests": true, "on": true}

// CallCost returns what a call has cost; nil if CEL knows by itself, or it was charged for before.
func (e estimator) CallCost(function, overload string, args []ref.Val, result ref.Val) *uint64 {
	if ourCosts[function] {
		return nil
	}
	return e.CostEstimator.CallCost(function, overload, args, result)
}
