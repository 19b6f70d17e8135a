package layout

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAPI: nothing that the root package exports mentions a type that users cannot name: one of a package under
// internal, or one that is not exported.
func TestAPI(t *testing.T) {
	fset := token.NewFileSet()
	var files []*ast.File
	goFiles(t, func(name string) {
		if layerOf(name) != top || strings.HasSuffix(name, "_test.go") {
			return
		}
		file, err := parser.ParseFile(fset, filepath.Join(root, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	})
	if len(files) == 0 {
		t.Fatal("the root package has no files")
	}
	for _, leak := range leaks(files) {
		t.Error(leak)
	}
}

// TestExamplesImports: examples, with their tests, use of the module what users can.
func TestExamplesImports(t *testing.T) {
	goFiles(t, func(name string) {
		if layerOf(name) != "examples" {
			return
		}
		for _, imported := range importsOf(t, name) {
			if within(imported, module+"/internal") {
				t.Errorf("%s imports %s, which users cannot", name, imported)
			}
		}
	})
}

// leaks says what the exported declarations of a package mention that users cannot name.
func leaks(files []*ast.File) []string {
	hidden := map[string]bool{} // types of the package that are not exported
	for _, file := range files {
		for _, decl := range file.Decls {
			if general, ok := decl.(*ast.GenDecl); ok && general.Tok == token.TYPE {
				for _, s := range general.Specs {
					if name := s.(*ast.TypeSpec).Name; !name.IsExported() {
						hidden[name.Name] = true
					}
				}
			}
		}
	}
	var all []string
	for _, file := range files {
		api := api{hidden: hidden, internal: internalImports(file)}
		for _, decl := range file.Decls {
			api.decl(decl)
		}
		all = append(all, api.leaks...)
	}
	return all
}

// internalImports returns the names under which a file knows packages under internal.
func internalImports(file *ast.File) map[string]bool {
	names := map[string]bool{}
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil || !slices.Contains(strings.Split(imported, "/"), "internal") {
			continue
		}
		name := path.Base(imported)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = true
	}
	return names
}

// api goes through the exported declarations of a file.
type api struct {
	hidden, internal map[string]bool
	leaks            []string
}

func (a *api) decl(decl ast.Decl) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		name := decl.Name.Name
		if decl.Recv != nil {
			receiver := receiverOf(decl)
			if name = receiver + "." + name; !ast.IsExported(receiver) {
				return
			}
		}
		if decl.Name.IsExported() {
			a.mention(name, decl.Type)
		}
	case *ast.GenDecl:
		for _, s := range decl.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					a.mention(s.Name.Name, s.Type)
				}
			case *ast.ValueSpec:
				if slices.ContainsFunc(s.Names, (*ast.Ident).IsExported) {
					a.mention(s.Names[0].Name, s)
				}
			}
		}
	}
}

// receiverOf returns the name of the type of a method.
func receiverOf(f *ast.FuncDecl) string {
	expr := f.Recv.List[0].Type
	if star, ok := expr.(*ast.StarExpr); ok {
		expr = star.X
	}
	if generic, ok := expr.(*ast.IndexExpr); ok {
		expr = generic.X
	}
	return expr.(*ast.Ident).Name
}

// mention notes what users cannot name in a type, or in the value that a variable has its type from. Fields that are
// not exported are none of their business.
func (a *api) mention(name string, node ast.Node) {
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			exported := len(n.Names) == 0 || slices.ContainsFunc(n.Names, (*ast.Ident).IsExported)
			if _, signature := node.(*ast.FuncType); signature || exported {
				a.mention(name, n.Type)
			}
			return false
		case *ast.SelectorExpr:
			if of, ok := n.X.(*ast.Ident); ok && a.internal[of.Name] {
				a.leaks = append(a.leaks, fmt.Sprintf("%s mentions %s.%s", name, of.Name, n.Sel.Name))
			}
			return false
		case *ast.FuncType:
			if n != node {
				a.mention(name, n)
				return false
			}
		case *ast.Ident:
			if a.hidden[n.Name] {
				a.leaks = append(a.leaks, fmt.Sprintf("%s mentions %s", name, n.Name))
			}
		}
		return true
	})
}

func TestLeaks(t *testing.T) {
	const header = "package p\nimport (\n\t\"example.com/m/internal/report\"\n\tr \"example.com/m/internal/run\"\n" +
		"\t\"example.com/m/spec\"\n)\ntype hidden struct{}\n"
	for _, row := range []struct {
		reason, code string
		want         []string
	}{
		{"what users can name", "func F(q spec.Question, n int) error { return report.Do(q) }", nil},
		{"what a function returns", "func F() (*report.Run, error) { return nil, nil }",
			[]string{"F mentions report.Run"}},
		{"what it takes, under another name, in a function in a slice", "func F(a int, fs []func(x r.Run)) {}",
			[]string{"F mentions r.Run"}},
		{"a method", "type T struct{}\nfunc (t *T) M() hidden { return hidden{} }", []string{"T.M mentions hidden"}},
		{"a method nobody can call", "func (h hidden) M() *report.Run { return nil }", nil},
		{"fields", "type T struct {\n\tA map[string]report.Run\n\tb report.Run\n\treport.Other\n}",
			[]string{"T mentions report.Run", "T mentions report.Other"}},
		{"an alias", "type T = report.Run", []string{"T mentions report.Run"}},
		{"a constraint", "func F[T any](x T) {}\nvar V report.Run", []string{"V mentions report.Run"}},
		{"a value", "const A = report.A\nvar b = report.B", []string{"A mentions report.A"}},
		{"what is not exported", "func f() report.Run { return report.Run{} }", nil},
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "p.go", header+row.code, parser.SkipObjectResolution)
		if err != nil {
			t.Fatalf("%s: %v", row.reason, err)
		}
		if diff := cmp.Diff(row.want, leaks([]*ast.File{file})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
}
