package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/packages"
)

// assignment is what a variable that may hold a gate is given: a value, the zero value, or what nobody knows.
type assignment struct {
	to    string
	pkg   *packages.Package
	value ast.Expr
	zero  bool
}

// use is a place where a function is named.
type use struct {
	of   string
	pkg  *packages.Package
	path []ast.Node
}

// parameters are those of a function or method that may hold a gate.
type parameters struct {
	of, name string
	method   bool
	// unknown gives them what nobody knows.
	unknown []assignment
}

// flow is what is assigned to what, and where functions are named.
type flow struct {
	assigned []assignment
	uses     []use
	// byName are methods that an interface has, which may be called by name.
	byName map[string]bool
	// methods are the names of those methods that are used.
	methods map[string]string
	// functions are those that have a body.
	functions []parameters
}

// read takes in a file.
func (f *flow) read(pkg *packages.Package, tree *ast.File) {
	if f.byName == nil {
		f.byName, f.methods = map[string]bool{}, map[string]string{}
	}
	var path []ast.Node
	ast.Inspect(tree, func(n ast.Node) bool {
		if n == nil {
			path = path[:len(path)-1]
			return true
		}
		path = append(path, n)
		switch n := n.(type) {
		case *ast.AssignStmt:
			f.assign(pkg, n)
		case *ast.ValueSpec:
			f.declare(pkg, n)
		case *ast.CompositeLit:
			f.literal(pkg, n)
		case *ast.RangeStmt:
			f.give(pkg, n.Key, nil)
			f.give(pkg, n.Value, nil)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				f.give(pkg, n.X, nil)
			}
		case *ast.CallExpr:
			f.call(pkg, n)
		case *ast.FuncDecl:
			f.unknown(pkg, n.Type.Results) // nobody looked what it gives those that it names
			f.takes(pkg, n)
		case *ast.FuncLit:
			f.unknown(pkg, n.Type.Results)
			f.unknown(pkg, n.Type.Params)
		case *ast.InterfaceType:
			for _, method := range n.Methods.List {
				for _, name := range method.Names {
					f.byName[name.Name] = true
				}
			}
		case *ast.Ident:
			f.use(pkg, n, path)
		}
		return true
	})
}

// use notes where a function is named. One that is not called there may be called with anything.
func (f *flow) use(pkg *packages.Package, name *ast.Ident, path []ast.Node) {
	function, is := pkg.TypesInfo.Uses[name].(*types.Func)
	if !is {
		return
	}
	function = function.Origin()
	place := placeOf(pkg, function)
	f.uses = append(f.uses, use{place, pkg, slices.Clone(path)})
	if function.Signature().Recv() != nil {
		f.methods[place] = function.Name()
	}
	var called ast.Node = name
	above := len(path) - 2
	if selector, is := path[above].(*ast.SelectorExpr); is {
		called, above = selector, above-1
	}
	if call, is := path[above].(*ast.CallExpr); is && call.Fun == called {
		return
	}
	for parameter := range function.Signature().Params().Variables() {
		f.to(pkg, parameter, assignment{})
	}
}

// to notes what a variable is given, if it may hold a gate.
func (f *flow) to(pkg *packages.Package, object types.Object, a assignment) {
	if variable, is := object.(*types.Var); is && isBool(variable.Type()) {
		a.to, a.pkg = placeOf(pkg, variable.Origin()), pkg
		f.assigned = append(f.assigned, a)
	}
}

// give notes what is assigned to what is on the left.
func (f *flow) give(pkg *packages.Package, left, value ast.Expr) {
	var name *ast.Ident
	switch left := left.(type) {
	case *ast.Ident:
		name = left
	case *ast.SelectorExpr:
		name = left.Sel
	case *ast.ParenExpr:
		f.give(pkg, left.X, value)
		return
	default:
		return
	}
	object := pkg.TypesInfo.Defs[name]
	if object == nil {
		object = pkg.TypesInfo.Uses[name]
	}
	f.to(pkg, object, assignment{value: value})
}

func (f *flow) assign(pkg *packages.Package, n *ast.AssignStmt) {
	for i, left := range n.Lhs {
		if len(n.Lhs) == len(n.Rhs) {
			f.give(pkg, left, n.Rhs[i])
		} else {
			f.give(pkg, left, nil)
		}
	}
}

func (f *flow) declare(pkg *packages.Package, n *ast.ValueSpec) {
	for i, name := range n.Names {
		switch {
		case len(n.Values) == len(n.Names):
			f.give(pkg, name, n.Values[i])
		case len(n.Values) > 0:
			f.give(pkg, name, nil)
		case pkg.TypesInfo.Defs[name] != nil:
			f.to(pkg, pkg.TypesInfo.Defs[name], assignment{zero: true})
			f.zero(pkg, pkg.TypesInfo.TypeOf(name))
		}
	}
}

// zero notes that the fields of a struct are what they are in the zero value.
func (f *flow) zero(pkg *packages.Package, t types.Type) {
	fields, is := t.Underlying().(*types.Struct)
	if !is {
		return
	}
	for field := range fields.Fields() {
		f.to(pkg, field, assignment{zero: true})
		f.zero(pkg, field.Type())
	}
}

// literal notes what the fields of a struct are given, and which are given nothing.
func (f *flow) literal(pkg *packages.Package, n *ast.CompositeLit) {
	t := pkg.TypesInfo.TypeOf(n)
	if pointer, is := t.Underlying().(*types.Pointer); is { // of a list of them
		t = pointer.Elem()
	}
	fields, is := t.Underlying().(*types.Struct)
	if !is {
		return
	}
	given := map[string]ast.Expr{}
	for i, element := range n.Elts {
		if pair, is := element.(*ast.KeyValueExpr); is {
			given[nameOf(pair.Key)] = pair.Value
		} else {
			given[fields.Field(i).Name()] = element
		}
	}
	for field := range fields.Fields() {
		if value, is := given[field.Name()]; is {
			f.to(pkg, field, assignment{value: value})
			continue
		}
		f.to(pkg, field, assignment{zero: true})
		f.zero(pkg, field.Type())
	}
}

// call notes what the parameters of a function are given, and that new gives zero values.
func (f *flow) call(pkg *packages.Package, n *ast.CallExpr) {
	var name *ast.Ident
	switch called := ast.Unparen(n.Fun).(type) {
	case *ast.Ident:
		name = called
	case *ast.SelectorExpr:
		name = called.Sel
	default:
		return
	}
	switch called := pkg.TypesInfo.Uses[name].(type) {
	case *types.Builtin:
		if called.Name() == "new" {
			f.zero(pkg, pkg.TypesInfo.TypeOf(n.Args[0]))
		}
	case *types.Func:
		parameters := called.Origin().Signature().Params()
		for i := range parameters.Len() {
			a := assignment{}
			if len(n.Args) == parameters.Len() {
				a.value = n.Args[i]
			}
			f.to(pkg, parameters.At(i), a)
		}
	}
}

// unknown notes that anything may be given to what the list names.
func (f *flow) unknown(pkg *packages.Package, list *ast.FieldList) {
	if list == nil {
		return
	}
	for _, field := range list.List {
		for _, name := range field.Names {
			f.give(pkg, name, nil)
		}
	}
}

// takes notes the parameters of a function.
func (f *flow) takes(pkg *packages.Package, n *ast.FuncDecl) {
	before := len(f.assigned)
	f.unknown(pkg, n.Type.Params)
	p := parameters{name: n.Name.Name, method: n.Recv != nil, unknown: slices.Clone(f.assigned[before:])}
	if object := pkg.TypesInfo.Defs[n.Name]; object != nil {
		p.of = placeOf(pkg, object)
	}
	f.functions = append(f.functions, p)
	f.assigned = f.assigned[:before]
}

// end notes that whoever has an interface may give anything to its methods, and so may who calls a function that nobody
// here names.
func (f *flow) end() {
	named := map[string]bool{}
	for _, u := range f.uses {
		named[u.of] = true
	}
	for _, p := range f.functions {
		if p.method && f.byName[p.name] || !named[p.of] {
			f.assigned = append(f.assigned, p.unknown...)
		}
	}
}

// bury finds the functions that are named in code only that is never run. Methods that an interface has are not among
// them, as they may be called by whoever has the interface.
func (g *gates) bury(f *flow) {
	for changed := true; changed; {
		changed = false
		named, alive := map[string]bool{}, map[string]bool{}
		for _, u := range f.uses {
			named[u.of] = true
			alive[u.of] = alive[u.of] || !g.off(u.pkg, u.path)
		}
		for function := range named {
			if method := f.methods[function]; !alive[function] && !g.dead[function] && !f.byName[method] {
				g.dead[function], changed = true, true
			}
		}
	}
}
