package expression

import (
	"slices"

	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	celtypes "github.com/google/cel-go/common/types"
	v1 "k8s.io/api/core/v1"
)

// usesNames reports whether an expression can tell pods or nodes apart that are alike but for their names: it does
// with a name something else than to ask whether it is that of another object.
func usesNames(root celast.NavigableExpr) bool {
	for _, e := range celast.MatchDescendants(root, celast.AllMatcher()) {
		if e.Kind() == celast.LiteralKind && e.AsLiteral() == celtypes.String(v1.LabelHostname) {
			return true
		}
		if isName(e) && !compared(e) || isOptionalName(e) {
			return true
		}
	}
	return false
}

// isName reports whether the part selects a field that follows from a name.
func isName(e celast.Expr) bool {
	if e.Kind() != celast.SelectKind || e.AsSelect().IsTestOnly() {
		return false
	}
	selected := e.AsSelect()
	switch selected.FieldName() {
	case "name":
		operand := selected.Operand()
		return operand.Kind() == celast.SelectKind && operand.AsSelect().FieldName() == "metadata"
	case "nodeName", "nominatedNodeName", "uid", "node", "feasible", "rejected", "scores":
		return true
	}
	return false
}

// isOptionalName reports whether the part selects a name by .? which is not looked into further.
func isOptionalName(e celast.Expr) bool {
	if e.Kind() != celast.CallKind || e.AsCall().FunctionName() != operators.OptSelect {
		return false
	}
	field := e.AsCall().Args()[1]
	return field.Kind() == celast.LiteralKind &&
		slices.Contains([]any{"name", "nodeName", "nominatedNodeName", "uid"}, field.AsLiteral().Value())
}

// compared reports whether the part is compared with another name.
func compared(e celast.NavigableExpr) bool {
	parent, found := e.Parent()
	if !found || parent.Kind() != celast.CallKind {
		return false
	}
	call := parent.AsCall()
	if !slices.Contains([]string{operators.Equals, operators.NotEquals, operators.In, operators.Index, "size"},
		call.FunctionName()) {
		return false
	}
	return !slices.ContainsFunc(call.Args(), func(arg celast.Expr) bool { return !isName(arg) })
}
