package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// featureGates is the package with Kubernetes' table of feature gates.
const featureGates = "k8s.io/kubernetes/pkg/features"

// gates says which of production's conditions always come out the same with every feature gate at its default, and
// which code is therefore never run. It follows a gate to the fields, variables and parameters that hold it.
type gates struct {
	// defaults are those of the release, by the name of the gate.
	defaults map[string]bool
	// values are what is known of variables, by their place.
	values map[string]truth
	// dead are the functions that only code calls which is never run, by their place.
	dead map[string]bool
}

// newGates works it out from the packages of the scheduler. Without the package of the gates nothing is known.
func newGates(loaded []*packages.Package) *gates {
	g := &gates{defaults: map[string]bool{}}
	flow := flow{within: map[string]bool{}, byName: map[string]bool{}}
	for _, pkg := range loaded {
		flow.within[pkg.PkgPath] = !strings.Contains(pkg.PkgPath, "/apis/") // what is read from files is set there
	}
	for _, pkg := range loaded {
		for _, tree := range pkg.Syntax {
			if pkg.PkgPath == featureGates {
				g.readDefaults(tree)
			} else {
				flow.read(pkg, tree)
			}
		}
	}
	flow.end()
	// What is assigned in code that is never run is never assigned, so the next round may know more.
	for before := -1; before < g.known(); {
		before = g.known()
		g = g.settled(&flow)
		g.bury(&flow)
	}
	return g
}

// known is how much is known.
func (g *gates) known() int {
	n := len(g.dead)
	for _, value := range g.values {
		if value == never || value == always {
			n++
		}
	}
	return n
}

// readDefaults reads the table: of each gate the default of the last release that is named.
func (g *gates) readDefaults(tree *ast.File) {
	ast.Inspect(tree, func(n ast.Node) bool {
		entry, is := n.(*ast.KeyValueExpr)
		if !is {
			return true
		}
		specs, is := entry.Value.(*ast.CompositeLit)
		if !is || len(specs.Elts) == 0 {
			return true
		}
		last, is := specs.Elts[len(specs.Elts)-1].(*ast.CompositeLit)
		if !is {
			return true
		}
		for _, field := range last.Elts {
			pair, is := field.(*ast.KeyValueExpr)
			if is && nameOf(pair.Key) == "Default" {
				g.defaults[nameOf(entry.Key)] = nameOf(pair.Value) == "true"
			}
		}
		return false
	})
}

// nameOf is the name of an identifier, also of one of another package; empty for anything else.
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// settled works out what the variables hold that gates are assigned to. It goes on from nothing seen until nothing
// changes, so one that is assigned to itself is what it was first given.
func (g *gates) settled(f *flow) *gates {
	next := &gates{defaults: g.defaults, values: map[string]truth{}, dead: map[string]bool{}}
	var run []assignment
	of := map[string]bool{} // what a gate decides about
	for _, a := range f.assigned {
		next.values[a.to] = unseen
		if g.off(a.pkg, a.path) {
			of[a.to] = true
		} else {
			run = append(run, a)
		}
	}
	until(func() (changed bool) {
		for _, a := range run {
			now := next.given(a)
			if now = next.values[a.to].either(now); now != next.values[a.to] {
				next.values[a.to], changed = now, true
			}
		}
		return changed
	})
	// What no gate decides about may be set where nobody looked, as by what reads the configuration.
	until(func() (changed bool) {
		for _, a := range run {
			if !of[a.to] && a.value != nil && g.holdsGate(a, of) {
				of[a.to], changed = true, true
			}
		}
		return changed
	})
	for variable, value := range next.values {
		switch {
		case !of[variable]:
			next.values[variable] = open
		case value == unseen: // it is as nobody ever gave it anything
			next.values[variable] = never
		}
	}
	return next
}

func until(changed func() bool) {
	for changed() {
	}
}

// given is what is known of what is assigned.
func (g *gates) given(a assignment) truth {
	switch {
	case a.value != nil && a.nillable:
		return g.something(a.pkg, a.value)
	case a.value != nil:
		return g.of(a.pkg, a.value)
	case a.zero:
		return never
	}
	return open
}

// something is whether there is anything in what may be nil.
func (g *gates) something(pkg *packages.Package, e ast.Expr) truth {
	if pkg.TypesInfo.Types[e].IsNil() {
		return never
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return g.variable(pkg, e, nillable)
	case *ast.SelectorExpr:
		return g.variable(pkg, e.Sel, nillable)
	}
	return open
}

// holdsGate reports whether a gate, or a variable that a gate decides about, is in what is assigned.
func (g *gates) holdsGate(a assignment, of map[string]bool) bool {
	found := false
	ast.Inspect(a.value, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			_, isGate := g.gate(a.pkg, n)
			found = found || isGate
		case *ast.Ident:
			object := a.pkg.TypesInfo.Uses[n]
			found = found || object != nil && of[placeOf(a.pkg, object)]
		}
		return !found
	})
	return found
}

// gate returns the default of the gate that the call asks for.
func (g *gates) gate(pkg *packages.Package, call *ast.CallExpr) (on, is bool) {
	if nameOf(call.Fun) != "Enabled" || len(call.Args) != 1 {
		return false, false
	}
	var name *ast.Ident
	switch argument := call.Args[0].(type) {
	case *ast.Ident:
		name = argument
	case *ast.SelectorExpr:
		name = argument.Sel
	default:
		return false, false
	}
	object := pkg.TypesInfo.Uses[name]
	if object == nil || object.Pkg() == nil || object.Pkg().Path() != featureGates {
		return false, false
	}
	on, is = g.defaults[name.Name]
	return on, is
}

// of is what is known of a condition.
func (g *gates) of(pkg *packages.Package, e ast.Expr) truth {
	if value := pkg.TypesInfo.Types[e].Value; value != nil && value.Kind() == constant.Bool {
		return known(constant.BoolVal(value))
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return g.of(pkg, e.X)
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			return g.of(pkg, e.X).not()
		}
	case *ast.BinaryExpr:
		switch e.Op {
		case token.LAND:
			return g.of(pkg, e.X).and(g.of(pkg, e.Y))
		case token.LOR:
			return g.of(pkg, e.X).or(g.of(pkg, e.Y))
		case token.EQL, token.NEQ:
			is := open
			if pkg.TypesInfo.Types[e.Y].IsNil() {
				is = g.something(pkg, e.X)
			}
			if e.Op == token.EQL {
				is = is.not()
			}
			return is
		}
	case *ast.CallExpr:
		if on, is := g.gate(pkg, e); is {
			return known(on)
		}
		return g.returned(pkg, e)
	case *ast.Ident:
		return g.variable(pkg, e, isBool)
	case *ast.SelectorExpr:
		return g.variable(pkg, e.Sel, isBool)
	}
	return open
}

// returned is what is known of what a function returns.
func (g *gates) returned(pkg *packages.Package, call *ast.CallExpr) truth {
	function, is := pkg.TypesInfo.Uses[called(call)].(*types.Func)
	if !is {
		return open
	}
	if value, assigned := g.values[placeOf(pkg, function.Origin())]; assigned {
		return value
	}
	return open
}

// called is the name by which the function is called, the last part of it; nil if it has none.
func called(call *ast.CallExpr) *ast.Ident {
	switch function := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		return function
	case *ast.SelectorExpr:
		return function.Sel
	}
	return nil
}

// variable is what is known of a variable, parameter or field of such a type.
func (g *gates) variable(pkg *packages.Package, name *ast.Ident, such func(types.Type) bool) truth {
	object := pkg.TypesInfo.Uses[name]
	if object == nil {
		object = pkg.TypesInfo.Defs[name]
	}
	if _, is := object.(*types.Var); !is || !such(object.Type()) {
		return open
	}
	if value, assigned := g.values[placeOf(pkg, object)]; assigned {
		return value
	}
	return open
}

func isBool(t types.Type) bool {
	basic, is := t.Underlying().(*types.Basic)
	return is && basic.Info()&types.IsBoolean != 0
}

// nillable is whether the type is one of which the nil is looked at: of lists and maps it is as good as an empty one.
func nillable(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Interface, *types.Signature:
		return true
	}
	return false
}

// placeOf tells objects apart, also where one package has it from the other's source and one from what the compiler
// wrote of it.
func placeOf(pkg *packages.Package, object types.Object) string {
	at := pkg.Fset.Position(object.Pos())
	path := ""
	if object.Pkg() != nil {
		path = object.Pkg().Path()
	}
	column := at.Column
	if variable, is := object.(*types.Var); is && variable.IsField() {
		column = 0 // a line has one field of a name, and what the compiler writes need not have the column
	}
	return fmt.Sprintf("%s/%s:%d:%d %s", path, filepath.Base(at.Filename), at.Line, column, object.Name())
}

// off reports whether what is at the end of the path is never run, or what comes of it never asked for, with the gates
// at their defaults.
func (g *gates) off(pkg *packages.Package, path []ast.Node) bool {
	for i := range len(path) - 1 {
		child := path[i+1]
		switch around := path[i].(type) {
		case *ast.FuncDecl:
			if object := pkg.TypesInfo.Defs[around.Name]; object != nil && g.dead[placeOf(pkg, object)] {
				return true
			}
		case *ast.IfStmt:
			condition := g.of(pkg, around.Cond)
			if child == around.Body && condition == never || child == around.Else && condition == always {
				return true
			}
		case *ast.BinaryExpr:
			beside := around.X
			if child == around.X {
				beside = around.Y
			}
			if around.Op == token.LAND && g.of(pkg, beside) == never ||
				around.Op == token.LOR && g.of(pkg, beside) == always {
				return true
			}
		case *ast.SelectorExpr: // what has nothing to call a method of cannot be come by
			if child == around.Sel && g.something(pkg, around.X) == never {
				return true
			}
		case *ast.BlockStmt:
			if g.leavesBefore(pkg, around.List, child) {
				return true
			}
		case *ast.CaseClause:
			if len(around.List) > 0 && !slices.ContainsFunc(around.List, func(e ast.Expr) bool {
				return !isBool(pkg.TypesInfo.TypeOf(e)) || g.of(pkg, e) != never
			}) || g.leavesBefore(pkg, around.Body, child) {
				return true
			}
		}
	}
	return false
}

// leavesBefore reports whether one of the statements before the node always leaves them.
func (g *gates) leavesBefore(pkg *packages.Package, statements []ast.Stmt, n ast.Node) bool {
	for _, statement := range statements {
		if n.Pos() < statement.End() {
			return false
		}
		condition, is := statement.(*ast.IfStmt)
		if !is || len(condition.Body.List) == 0 || g.of(pkg, condition.Cond) != always {
			continue
		}
		switch condition.Body.List[len(condition.Body.List)-1].(type) {
		case *ast.ReturnStmt, *ast.BranchStmt:
			return true
		}
	}
	return false
}
