package expression

import (
	"errors"
	"fmt"
	"strings"

	"github.com/google/cel-go/cel"
	celast "github.com/google/cel-go/common/ast"
	celtypes "github.com/google/cel-go/common/types"

	"github.com/seed-a3f26817/modelcheck/invariants"
)

// MaxCost bounds what one evaluation may cost, in the units of CEL: about one for each step of the evaluation. It
// is the limit that Kubernetes has for the validation rules of one object. MaxBytes bounds what it may take.
const MaxCost = 10_000_000

// Rule is an expression with what is said about it.
type Rule struct {
	Name string
	// Doc says in one sentence what must hold, or what is to be found; empty if the expression speaks for itself.
	Doc        string
	Subject    Subject
	Expression string
}

// Compiled is a rule that can be asked.
type Compiled struct {
	Property invariants.Property
	// Names: the expression tells pods or nodes apart by their names. Those that are alike but for their names must
	// then be kept apart.
	Names bool
}

// Error is something wrong with an expression.
type Error struct {
	// Line and Column are those of the expression, from 1; 0 if it is wrong as a whole.
	Line, Column int
	Err          error
}

// Error returns the place and what is wrong.
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Err.Error()
	}
	return fmt.Sprintf("%d:%d: %v", e.Line, e.Column, e.Err)
}

// Unwrap returns what is wrong.
func (e *Error) Unwrap() error { return e.Err }

// Compile makes a property of a rule. The error joins one *Error for each thing that is wrong.
func Compile(rule Rule) (*Compiled, error) {
	env, err := environment(rule.Subject)
	if err != nil {
		return nil, fmt.Errorf("the environment of expressions: %w", err)
	}
	if strings.TrimSpace(rule.Expression) == "" {
		return nil, &Error{
			Err: errors.New("it is empty: write an expression that is true or false, such as size(pods) > 0"),
		}
	}
	ast, err := checked(env, rule.Expression)
	if err != nil {
		return nil, err
	}
	if !ast.OutputType().IsExactType(cel.BoolType) {
		return nil, &Error{1, 1, fmt.Errorf("it is of type %s: want one that is true or false", ast.OutputType())}
	}
	if err := affordable(ast); err != nil {
		return nil, err
	}
	question := &evaluation{rule: rule, env: env, ast: ast, values: values{adapter: env.CELTypeAdapter()}}
	if question.limits, err = limits(env); err != nil {
		return nil, &Error{Err: err}
	}
	if question.program, err = env.Program(ast, question.limits...); err != nil {
		return nil, &Error{Err: err}
	}
	return &Compiled{Property: question.property(), Names: usesNames(celast.NavigateAST(ast.NativeRep()))}, nil
}

// plain takes the wording of a parser off a message.
func plain(message string) string {
	message = strings.ReplaceAll(message, " (in container '')", "")
	return strings.ReplaceAll(message, "\n", " ")
}

// evaluation is a compiled rule.
type evaluation struct {
	rule    Rule
	env     *cel.Env
	ast     *cel.Ast
	values  values
	program cel.Program
	// limits are what every program of the rule is made with.
	limits []cel.ProgramOption
}

func (q *evaluation) property() invariants.Property {
	p := invariants.Property{
		Name: q.rule.Name, Doc: q.doc(), Own: true, Witness: q.rule.Subject == Reachable, Text: string(q.rule.Subject) +
			": " + q.rule.Expression,
	}
	switch q.rule.Subject {
	case OfSteps:
		p.Step = func(s *invariants.Step) (bool, []invariants.Breach) { return true, q.eval(q.values.step(s.Named())) }
	case OfDecisions:
		p.Decision = func(c *invariants.Case) (bool, []invariants.Breach) { return true, q.eval(q.values.decision(c)) }
	default:
		p.State = func(s *invariants.State) (bool, []invariants.Breach) { return true, q.eval(q.values.state(s)) }
	}
	return p
}

// doc says what must hold, with the expression.
func (q *evaluation) doc() string {
	must := map[Subject]string{
		OfStates: "In every state", OfSteps: "In every step", OfDecisions: "In every decision",
		Reachable: "In some state that can be reached",
	}[q.rule.Subject] + ": " + strings.Join(strings.Fields(q.rule.Expression), " ")
	if q.rule.Doc == "" {
		return must
	}
	return q.rule.Doc + " " + must
}

// eval evaluates the expression. An expression that cannot be evaluated does not hold, and is not found either.
func (q *evaluation) eval(variables map[string]any) []invariants.Breach {
	variables[meterName] = &meter{}
	answer, _, err := q.program.Eval(variables)
	switch {
	case err != nil:
		return []invariants.Breach{
			{Reason: fmt.Sprintf("the expression cannot be evaluated: %s%s", plain(err.Error()), remedy(err))},
		}
	case (answer == celtypes.True) == (q.rule.Subject != Reachable):
		return nil
	}
	reason := "the expression is false"
	if q.rule.Subject == Reachable {
		reason = "the expression is true"
	}
	because := func() string { return strings.Join(q.why(variables), ", ") }
	return []invariants.Breach{{Reason: reason, Because: because, Found: q.rule.Subject == Reachable}}
}

// remedy says what to do about an error that comes up when an expression is evaluated.
func remedy(err error) string {
	switch text := err.Error(); {
	case strings.Contains(text, "no such key"):
		return "; a field that is empty is absent: ask has(), or write .?field.orValue(...)"
	case strings.Contains(text, "cost limit"):
		return fmt.Sprintf(": more than %d units; make it smaller, or the cluster", MaxCost)
	case strings.Contains(text, "at most"):
		return "; make it smaller, or the cluster"
	}
	return ""
}
