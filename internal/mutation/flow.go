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
	// nillable is whether it may be nil, and no condition.
	nillable bool
	// path is where.
	path []ast.Node
}

// use is a place where a function is named, or something of a type is made.
type use struct {
	of   string
	pkg  *packages.Package
	path []ast.Node
}

// body is a function that has one, with the parameters that may hold a gate.
type body struct {
	of, name string
	// receiver is the type that it is a method of, if any.
	receiver string
	// unknown gives them what nobody knows.
	unknown []assignment
}

// flow is what is assigned to what, and where functions are named.
type flow struct {
	// within are the packages that are looked at: of others fields are set elsewhere.
	within map[string]bool
	// path is where it is read.
	path     []ast.Node
	assigned []assignment
	uses     []use
	// byName are methods that an interface has, which may be called by name.
	byName map[string]bool
	// made is where something of a type is made.
	made []use
	// functions are those that have a body.
	functions []body
}

// read takes in a file.
func (f *flow) read(pkg *packages.Package, tree *ast.File) {
	ast.Inspect(tree, func(n ast.Node) bool {
		if n == nil {
			f.path = f.path[:len(f.path)-1]
			return true
		}
		if assertion(n) {
			return false
		}
		f.path = append(f.path, n)
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
			f.returns(pkg, n)
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
			f.use(pkg, n)
		}
		return true
	})
}

// assertion reports whether the node only has the compiler see that a type has an interface: nothing comes of what is
// made there.
func assertion(n ast.Node) bool {
	spec, is := n.(*ast.ValueSpec)
	return is && len(spec.Names) == 1 && spec.Names[0].Name == "_"
}

// use notes where a function is named. One that is not called there may be called with anything.
func (f *flow) use(pkg *packages.Package, name *ast.Ident) {
	function, is := pkg.TypesInfo.Uses[name].(*types.Func)
	if !is {
		return
	}
	function = function.Origin()
	f.uses = append(f.uses, use{placeOf(pkg, function), pkg, slices.Clone(f.path)})
	var called ast.Node = name
	above := len(f.path) - 2
	if selector, is := f.path[above].(*ast.SelectorExpr); is {
		called, above = selector, above-1
	}
	if call, is := f.path[above].(*ast.CallExpr); is && call.Fun == called {
		return
	}
	for parameter := range function.Signature().Params().Variables() {
		f.to(pkg, parameter, assignment{})
	}
}

// to notes what a variable is given, if it may hold a gate.
func (f *flow) to(pkg *packages.Package, object types.Object, a assignment) {
	variable, is := object.(*types.Var)
	if is && f.within[object.Pkg().Path()] && (isBool(variable.Type()) || nillable(variable.Type())) {
		a.to, a.pkg, a.path = placeOf(pkg, variable.Origin()), pkg, slices.Clone(f.path)
		a.nillable = nillable(variable.Type())
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

// typeAt is the place of a type that has a name, or of what it points at.
func typeAt(pkg *packages.Package, t types.Type) string {
	if pointer, is := types.Unalias(t).(*types.Pointer); is {
		t = pointer.Elem()
	}
	if named, is := types.Unalias(t).(*types.Named); is {
		return placeOf(pkg, named.Obj())
	}
	return ""
}

// make notes that something of the type is made.
func (f *flow) make(pkg *packages.Package, t types.Type) {
	if of := typeAt(pkg, t); of != "" {
		f.made = append(f.made, use{of, pkg, slices.Clone(f.path)})
	}
}

// zero notes that the fields of a struct are what they are in the zero value.
func (f *flow) zero(pkg *packages.Package, t types.Type) {
	fields, is := t.Underlying().(*types.Struct)
	if !is {
		return
	}
	f.make(pkg, t)
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
	f.make(pkg, t)
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
	switch called := pkg.TypesInfo.Uses[called(n)].(type) {
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

// returns notes what a function returns that says yes or no, as what it holds.
func (f *flow) returns(pkg *packages.Package, n *ast.FuncDecl) {
	function, is := pkg.TypesInfo.Defs[n.Name].(*types.Func)
	if !is || n.Body == nil {
		return
	}
	results := function.Signature().Results()
	if results.Len() != 1 || results.At(0).Name() != "" || !isBool(results.At(0).Type()) {
		return
	}
	path := slices.Clone(f.path)
	ast.Inspect(n.Body, func(inside ast.Node) bool {
		switch inside := inside.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			f.assigned = append(f.assigned, assignment{to: placeOf(pkg, function), pkg: pkg, value: inside.Results[0],
				path: append(path, n.Body, inside)})
		}
		return true
	})
}

// takes notes the parameters of a function.
func (f *flow) takes(pkg *packages.Package, n *ast.FuncDecl) {
	before := len(f.assigned)
	f.unknown(pkg, n.Type.Params)
	p := body{name: n.Name.Name, unknown: slices.Clone(f.assigned[before:])}
	if function, is := pkg.TypesInfo.Defs[n.Name].(*types.Func); is {
		p.of = placeOf(pkg, function)
		if receiver := function.Signature().Recv(); receiver != nil {
			p.receiver = typeAt(pkg, receiver.Type())
		}
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
		if p.receiver != "" && f.byName[p.name] || !named[p.of] {
			f.assigned = append(f.assigned, p.unknown...)
		}
	}
}

// bury finds the functions that are named in code only that is never run, and the methods of what is made there only.
// Of others an interface may have a method of the same name, and then whoever has it may call them.
func (g *gates) bury(f *flow) {
	until(func() (changed bool) {
		named, alive := g.alive(f.uses)
		made, living := g.alive(f.made)
		for _, b := range f.functions {
			unnamed := named[b.of] && !alive[b.of] && (b.receiver == "" || !f.byName[b.name])
			unmade := made[b.receiver] && !living[b.receiver]
			if (unnamed || unmade) && !g.dead[b.of] {
				g.dead[b.of], changed = true, true
			}
		}
		return changed
	})
}

// alive returns what is used at all, and what in code that may be run.
func (g *gates) alive(uses []use) (used, alive map[string]bool) {
	used, alive = map[string]bool{}, map[string]bool{}
	for _, u := range uses {
		used[u.of] = true
		alive[u.of] = alive[u.of] || !g.off(u.pkg, u.path)
	}
	return used, alive
}
