package expression

import (
	"errors"
	"fmt"
	"maps"

	"github.com/google/cel-go/cel"
	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	celtypes "github.com/google/cel-go/common/types"
)

// The checker of CEL takes a time that grows with the square of the number of calls. So an expression of many calls is
// checked in pieces, which && and || join. A piece of one kind of calls cannot be cut.
const (
	callsTogether = 50
	mostCalls     = 1000
)

// logical are the operators whose arguments may be checked one by one, with their overloads.
var logical = map[string]string{
	operators.LogicalAnd: overloads.LogicalAnd,
	operators.LogicalOr:  overloads.LogicalOr,
}

// checked parses an expression and checks its types. The error joins one *Error for each thing that is wrong.
func checked(env *cel.Env, text string) (*cel.Ast, error) {
	parsed, issues := env.Parse(text)
	if issues.Err() != nil {
		return nil, errorsOf(issues)
	}
	native := parsed.NativeRep()
	p := &pieces{env: env, info: native.SourceInfo(), calls: map[int64]int{},
		types: map[int64]*celtypes.Type{}, refs: map[int64]*celast.ReferenceInfo{}}
	if p.count(native.Expr()) <= callsTogether {
		ast, issues := env.Check(parsed)
		if issues.Err() != nil {
			return nil, errorsOf(issues)
		}
		return ast, nil
	}
	if p.check(native.Expr()); len(p.errs) > 0 {
		return nil, errors.Join(p.errs...)
	}
	whole, err := celast.ToProto(celast.NewCheckedAST(native, p.types, p.refs))
	if err != nil {
		return nil, &Error{Err: err}
	}
	return cel.CheckedExprToAst(whole), nil
}

func errorsOf(issues *cel.Issues) error {
	var errs []error
	for _, issue := range issues.Errors() {
		// What concerns the whole is at line -1.
		errs = append(errs, &Error{max(0, issue.Location.Line()), issue.Location.Column() + 1,
			errors.New(plain(issue.Message))})
	}
	return errors.Join(errs...)
}

// pieces is an expression that is checked in pieces.
type pieces struct {
	env  *cel.Env
	info *celast.SourceInfo
	// calls are the numbers of calls in each part, itself included.
	calls map[int64]int
	types map[int64]*celtypes.Type
	refs  map[int64]*celast.ReferenceInfo
	errs  []error
}

// count counts the calls of every part.
func (p *pieces) count(root celast.Expr) int {
	total := 0
	// Parts come after what they are made of, so what was counted since a part's first one is in it.
	celast.PostOrderVisit(root, celast.NewExprVisitor(func(e celast.Expr) {
		if e.Kind() != celast.CallKind {
			return
		}
		total++
		n := 1
		if _, isLogical := logical[e.AsCall().FunctionName()]; isLogical {
			for _, arg := range e.AsCall().Args() {
				n += p.within(arg)
			}
			p.calls[e.ID()] = n
		}
	}))
	return total
}

// within is how many calls a part has.
func (p *pieces) within(e celast.Expr) int {
	if n, known := p.calls[e.ID()]; known {
		return n
	}
	n := 0
	celast.PostOrderVisit(e, celast.NewExprVisitor(func(e celast.Expr) {
		if e.Kind() == celast.CallKind {
			n++
		}
	}))
	p.calls[e.ID()] = n
	return n
}

func (p *pieces) check(e celast.Expr) {
	n := p.within(e)
	if e.Kind() == celast.CallKind && n > callsTogether {
		if overload, isLogical := logical[e.AsCall().FunctionName()]; isLogical {
			for _, arg := range e.AsCall().Args() {
				p.check(arg)
			}
			p.types[e.ID()], p.refs[e.ID()] = celtypes.BoolType, celast.NewFunctionReference(overload)
			return
		}
	}
	if n > mostCalls {
		p.fail(e, fmt.Errorf("here are %d operators and functions that neither && nor || joins: at most %d can be checked",
			n, mostCalls))
		return
	}
	part, err := celast.ToProto(celast.NewAST(e, celast.CopySourceInfo(p.info)))
	if err != nil {
		p.errs = append(p.errs, &Error{Err: err})
		return
	}
	ast, issues := p.env.Check(cel.CheckedExprToAst(part))
	if issues.Err() != nil {
		p.errs = append(p.errs, errorsOf(issues))
		return
	}
	if is := ast.OutputType(); !is.IsExactType(cel.BoolType) && !is.IsExactType(cel.DynType) {
		p.fail(e, fmt.Errorf("expected type 'bool' but found '%s'", is)) // as CEL says it
		return
	}
	maps.Copy(p.types, ast.NativeRep().TypeMap())
	maps.Copy(p.refs, ast.NativeRep().ReferenceMap())
}

func (p *pieces) fail(e celast.Expr, err error) {
	at := p.info.GetStartLocation(e.ID())
	p.errs = append(p.errs, &Error{at.Line(), at.Column() + 1, err})
}
