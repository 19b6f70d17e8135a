package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Other operators: what each becomes, one candidate each.
var (
	relational = map[token.Token][]token.Token{
		token.LSS: {token.LEQ, token.GEQ}, token.LEQ: {token.LSS, token.GTR},
		token.GTR: {token.GEQ, token.LEQ}, token.GEQ: {token.GTR, token.LSS},
		token.EQL: {token.NEQ}, token.NEQ: {token.EQL},
	}
	logical    = map[token.Token]token.Token{token.LAND: token.LOR, token.LOR: token.LAND}
	arithmetic = map[token.Token]token.Token{
		token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.ADD, token.QUO: token.MUL, token.REM: token.MUL,
	}
	assignments = map[token.Token]token.Token{token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN}
)

// visit adds the candidates about a node.
func (w *walker) visit(n ast.Node) {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		w.binary(n)
	case *ast.IfStmt:
		if _, compares := ast.Unparen(n.Cond).(*ast.BinaryExpr); !compares {
			w.condition(n.Cond, negated(w.of(n.Cond)))
		}
	case *ast.BasicLit:
		w.number(n)
	case *ast.KeyValueExpr:
		if key, ok := n.Key.(*ast.Ident); ok && key.Name == "ActionType" {
			w.value(n.Value, w.typeOf(n.Value), "0")
		}
	case *ast.ExprStmt:
		w.statement(n, "")
	case *ast.AssignStmt:
		if other, ok := assignments[n.Tok]; ok && w.isNumber(n.Lhs[0]) {
			w.statement(n, w.of(n.Lhs[0])+" "+other.String()+" "+w.of(n.Rhs[0]))
		}
		if n.Tok != token.DEFINE {
			w.statement(n, "")
		}
	case *ast.IncDecStmt:
		other := map[token.Token]string{token.INC: "--", token.DEC: "++"}[n.Tok]
		w.statement(n, w.of(n.X)+other)
		w.statement(n, "")
	case *ast.BranchStmt:
		w.branch(n)
	case *ast.ReturnStmt:
		w.result(n)
	}
}

func (w *walker) binary(n *ast.BinaryExpr) {
	left, right := w.of(n.X), w.of(n.Y)
	for _, other := range relational[n.Op] {
		w.condition(n, left+" "+other.String()+" "+right)
	}
	if other, ok := logical[n.Op]; ok {
		w.condition(n, "("+left+") "+other.String()+" ("+right+")")
	}
	if other, ok := arithmetic[n.Op]; ok && w.isNumber(n) && !w.isConstant(n) {
		w.value(n, "", "("+left+") "+other.String()+" ("+right+")")
	}
	if n.Op == token.OR && strings.HasSuffix(w.typeOf(n), "ActionType") {
		w.value(n, w.typeOf(n), left)
		w.value(n, w.typeOf(n), right)
	}
}

// number changes a number that is written out, where it is a value.
func (w *walker) number(n *ast.BasicLit) {
	if n.Kind != token.INT {
		return
	}
	switch parent := w.parent().(type) {
	case *ast.ArrayType, *ast.CaseClause:
		return
	case *ast.BinaryExpr:
		if parent.Op == token.SHL || parent.Op == token.SHR || w.isConstant(parent) {
			return
		}
	case *ast.CallExpr: // a capacity decides nothing
		if called, ok := parent.Fun.(*ast.Ident); ok && called.Name == "make" {
			return
		}
	}
	value, err := strconv.ParseInt(n.Value, 0, 64)
	if err != nil {
		return
	}
	w.value(n, "", strconv.FormatInt(value+1, 10))
	if value == 1 {
		w.value(n, "", "0")
	}
}

// branch makes continue of break and the other way round, where both mean the same loop.
func (w *walker) branch(n *ast.BranchStmt) {
	if n.Label != nil || n.Tok != token.CONTINUE && n.Tok != token.BREAK {
		return
	}
	for _, around := range slices.Backward(w.path) {
		switch around.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			other := map[token.Token]string{token.CONTINUE: "break", token.BREAK: "continue"}[n.Tok]
			w.statement(n, other)
			if n.Tok == token.CONTINUE {
				w.statement(n, "")
			}
			return
		case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt, *ast.FuncLit:
			return
		}
	}
}

// result flips what a function returns: yes and no, a status that is nil and one that is not, and a queueing hint.
func (w *walker) result(n *ast.ReturnStmt) {
	for _, value := range n.Results {
		switch name := w.of(value); {
		case name == "true" || name == "false":
			w.condition(value, "!"+name)
		case strings.HasSuffix(w.typeOf(value), "QueueingHint") && isSelector(value):
			other := map[bool]string{true: "Skip", false: ""}[!strings.HasSuffix(name, "Skip")]
			w.value(value, w.typeOf(value), strings.TrimSuffix(name, "Skip")+other)
		}
	}
	w.status(n)
}

// status flips results that are nothing but a status.
func (w *walker) status(n *ast.ReturnStmt) {
	results := w.function.Type.Results
	for _, around := range slices.Backward(w.path) {
		if literal, ok := around.(*ast.FuncLit); ok {
			results = literal.Type.Results
			break
		}
	}
	if len(n.Results) != 1 || results == nil || len(results.List) != 1 {
		return
	}
	pointer, ok := results.List[0].Type.(*ast.StarExpr)
	if !ok || w.of(pointer.X) != "Status" && !strings.HasSuffix(w.of(pointer.X), ".Status") {
		return
	}
	framework := strings.TrimSuffix(w.of(pointer.X), "Status") // with its dot
	if w.of(n.Results[0]) == "nil" {
		w.statement(n, "return "+framework+"NewStatus("+framework+"Unschedulable)")
	} else {
		w.statement(n, "return nil")
	}
}

func isSelector(n ast.Expr) bool {
	_, ok := n.(*ast.SelectorExpr)
	return ok
}

// typeOf is the type's name as the file writes it; empty for types of packages that it does not import.
func (w *walker) typeOf(n ast.Expr) string {
	t := w.pkg.TypesInfo.TypeOf(n)
	if t == nil {
		return ""
	}
	return types.TypeString(t, func(p *types.Package) string {
		if p == w.pkg.Types {
			return ""
		}
		for _, imported := range w.tree.Imports {
			if path, _ := strconv.Unquote(imported.Path.Value); path == p.Path() && imported.Name != nil {
				return imported.Name.Name
			}
		}
		return p.Name()
	})
}

func (w *walker) isNumber(n ast.Expr) bool {
	basic, ok := w.pkg.TypesInfo.TypeOf(n).Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsNumeric != 0
}

func (w *walker) isConstant(n ast.Expr) bool { return w.pkg.TypesInfo.Types[n].Value != nil }

// tellsOnly reports whether the node does nothing but tell, measure or lock.
func (w *walker) tellsOnly(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.DeferStmt:
		return true
	case *ast.IfStmt:
		return measuresOrLogs.MatchString(w.of(n.Cond))
	case *ast.AssignStmt:
		return len(n.Lhs) == 1 && slices.Contains([]string{"logger", "verboseLogs", "start", "startTime"}, w.of(n.Lhs[0]))
	case *ast.CallExpr:
		function := w.pkg.TypesInfo.Uses[called(n)]
		return function != nil && (measuring.MatchString(function.Name()) || tells(function.Pkg()))
	case *ast.ExprStmt:
		return w.tellsOnly(n.X)
	}
	return false
}

// Conditions of what is logged or measured.
var measuresOrLogs = regexp.MustCompile(`\.Enabled\(\)|^verboseLogs$|^!?state\.ShouldRecordPluginMetrics\(\)$`)

var measuring = regexp.MustCompile(measures)

func tells(p *types.Package) bool {
	return p != nil && (slices.Contains([]string{"sync", "sync/atomic", "fmt", "errors", "github.com/go-logr/logr"},
		p.Path()) || strings.Contains(p.Path(), "klog") || strings.Contains(p.Path(), "metrics") ||
		strings.HasSuffix(p.Path(), "util/runtime"))
}
