package expression

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	celtypes "github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"
)

// longestValue and mostElements bound how values are shown.
const (
	longestValue = 120
	mostElements = 6
)

// why returns the values of the parts that made the expression what it is, such as "size(pods) is 3", in the order
// of the text. It costs several evaluations.
func (q *evaluation) why(variables map[string]any) []string {
	variables[meterName] = &meter{}
	t := &tracked{env: q.env, ast: q.ast, variables: variables, limits: q.limits, said: &[]string{}}
	if t.evaluate() {
		t.visit(q.ast.NativeRep().Expr())
	}
	return *t.said
}

// tracked is an evaluation of which the values of the parts are known.
type tracked struct {
	env       *cel.Env
	ast       *cel.Ast
	variables map[string]any
	// limits hold for all evaluations together, but for the cost that CEL counts itself.
	limits []cel.ProgramOption
	state  interpreter.EvalState
	result ref.Val
	said   *[]string
}

// evaluate reports whether there is an answer.
func (t *tracked) evaluate() bool {
	program, err := t.env.Program(t.ast, append(slices.Clone(t.limits), cel.EvalOptions(cel.OptTrackState))...)
	if err != nil {
		return false
	}
	answer, details, err := program.Eval(t.variables)

	if err != nil || details == nil {
		return false
	}
	t.result, t.state = answer, details.State()
	return true
}

func (t *tracked) value(e celast.Expr) (ref.Val, bool) {
	v, known := t.state.Value(e.ID())
	return v, known && v != nil
}

func (t *tracked) say(text string) {
	if !slices.Contains(*t.said, text) {
		*t.said = append(*t.said, text)
	}
}

// leaf says the value of a part, unless it says itself.
func (t *tracked) leaf(e celast.Expr) {
	v, known := t.value(e)
	if !known || e.Kind() == celast.LiteralKind {
		return
	}
	if e.Kind() == celast.ListKind &&
		!slices.ContainsFunc(
			e.AsList().Elements(),
			func(e celast.Expr) bool { return e.Kind() != celast.LiteralKind },
		) {
		return
	}
	text, err := t.text(e)
	if err != nil {
		return
	}
	t.say(strings.Join(strings.Fields(text), " ") + " is " + shown(v))
}

// text is a part as it was written.
func (t *tracked) text(e celast.Expr) (string, error) {
	return cel.ExprToString(e, t.ast.NativeRep().SourceInfo())
}

// visit goes through the parts that are true or false.
func (t *tracked) visit(e celast.Expr) {
	v, known := t.value(e)
	if !known {
		return // it was not needed
	}
	switch {
	case e.Kind() == celast.ComprehensionKind && (v == celtypes.True || v == celtypes.False):
		t.comprehension(e)
	case e.Kind() == celast.CallKind:
		t.call(e, v)
	default:
		t.leaf(e)
	}
}

// call goes through an operator or a function that is true or false.
func (t *tracked) call(e celast.Expr, v ref.Val) {
	call := e.AsCall()
	switch call.FunctionName() {
	case operators.LogicalAnd, operators.LogicalOr:
		for _, arg := range call.Args() {
			if is, known := t.value(arg); known && is == v { // the others did not decide
				t.visit(arg)
			}
		}
	case operators.LogicalNot, operators.Conditional:
		for _, arg := range call.Args() {
			t.visit(arg)
		}
	case operators.Equals,
		operators.NotEquals,
		operators.Less,
		operators.LessEquals,
		operators.Greater,
		operators.GreaterEquals,
		operators.In:
		for _, arg := range call.Args() {
			t.leaf(arg)
		}
	default:
		if call.IsMemberFunction() {
			t.leaf(call.Target())
		}
		for _, arg := range call.Args() {
			t.leaf(arg)
		}
	}
}

// comprehension says which element decided, and why; or, if all of them did, of what there was none.
func (t *tracked) comprehension(e celast.Expr) {
	c, step := e.AsComprehension(), e.AsComprehension().LoopStep()
	whole, _ := t.value(e)
	decided := step.Kind() == celast.CallKind && len(step.AsCall().Args()) == 2 &&
		(step.AsCall().FunctionName() == operators.LogicalAnd && whole == celtypes.False ||
			step.AsCall().FunctionName() == operators.LogicalOr && whole == celtypes.True)
	if !decided || !t.decider(c, step.AsCall().Args()[1], whole) {
		t.leaf(c.IterRange())
	}
}

// decider finds the first element for which the predicate is what the whole is, and goes on with the predicate for it.
func (t *tracked) decider(c celast.ComprehensionExpr, predicate celast.Expr, whole ref.Val) bool {
	over, known := t.value(c.IterRange())
	elements, isIterable := over.(traits.Iterable)
	checked := t.ast.NativeRep()
	part, err := celast.ToProto(celast.NewCheckedAST(celast.NewAST(predicate, checked.SourceInfo()), checked.TypeMap(),
		checked.ReferenceMap()))
	if !known || !isIterable || err != nil {
		return false
	}
	ast := cel.CheckedExprToAst(part)
	for i := elements.Iterator(); i.HasNext() == celtypes.True; {
		inner := &tracked{env: t.env, ast: ast, variables: maps.Clone(t.variables), limits: t.limits,
			said: t.said}
		element := i.Next()
		inner.variables[c.IterVar()] = element
		if inner.evaluate() && inner.result == whole {
			t.say(c.IterVar() + " is " + shown(element))
			inner.visit(ast.NativeRep().Expr())
			return true
		}
	}
	return false
}

// shown writes a value: objects by their names, lists by what is in them.
func shown(v ref.Val) string { return shownTo(v, mostNested) }

// mostNested is how deep lists and maps are shown. One that holds another one twice, again and again, takes little
// memory, and would be written for ever.
const mostNested = 3

func shownTo(v ref.Val, depth int) string {
	text := ""
	switch value := v.(type) {
	case *objectValue:
		return name(value.object)
	case *celtypes.Err:
		return "an error (" + value.String() + ")"
	case celtypes.String:
		text = fmt.Sprintf("%q", string(value[:min(len(value), longestValue+1)]))
	case traits.Lister:
		var words []string
		for i := value.Iterator(); depth > 0 && len(words) < mostElements && i.HasNext() == celtypes.True; {
			words = append(words, shownTo(i.Next(), depth-1))
		}
		if more := int(length(value)) - len(words); more > 0 {
			words = append(words, fmt.Sprintf("and %d more", more))
		}
		return "[" + strings.Join(words, ", ") + "]"
	case traits.Mapper:
		var keys, words []string
		values := map[string]ref.Val{}
		for i := value.Iterator(); i.HasNext() == celtypes.True; {
			key := i.Next()
			keys = append(keys, fmt.Sprint(key.Value()))
			values[keys[len(keys)-1]] = value.Get(key)
		}
		slices.Sort(keys)
		for _, key := range keys[:min(len(keys), longestValue/2)] { // more do not fit
			shown := "..."
			if depth > 0 {
				shown = shownTo(values[key], depth-1)
			}
			words = append(words, key+": "+shown)
		}
		text = "{" + strings.Join(words, ", ") + "}"
	default:
		text = fmt.Sprint(v.Value())
	}
	if len(text) > longestValue {
		text = text[:longestValue] + "..."
	}
	return text
}
