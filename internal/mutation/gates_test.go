package main

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/packages"
)

// table is a package of feature gates: one that came to be on, one that is off, and one that was on from the first.
const table = `package features
type Feature string
type Spec struct { Default bool; Version string }
const ( Late Feature = "Late"; Off Feature = "Off"; On Feature = "On" )
var Defaults = map[Feature][]Spec{
	Late: {{Default: false, Version: "1.35"}, {Default: true, Version: "1.37"}},
	Off: {{Version: "1.37", Default: false}},
	On: {{Default: true}},
}
`

// plugin is a package that asks for them, and begins a file.
const plugin = `package p
import "k8s.io/kubernetes/pkg/features"
type gate struct{}
func (gate) Enabled(features.Feature) bool { return false }
var all gate
type Features struct{ Off, On bool }
func fts() Features { return Features{Off: all.Enabled(features.Off), On: all.Enabled(features.On)} }
type plugin struct{ off, on, either, unset bool }
func make(fts Features, any bool) []*plugin {
	return []*plugin{
		{off: fts.Off, on: fts.On, either: fts.On, unset: fts.On}, {off: fts.Off && any, on: fts.On || any, either: any},
	}
}
`

// checked returns a package of one file, which may import those before it.
func checked(t *testing.T, path, text string, before ...*packages.Package) *packages.Package {
	t.Helper()
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, path+".go", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{},
	}
	config := types.Config{Importer: imports(before)}
	pkg, err := config.Check(path, fset, []*ast.File{tree}, info)
	if err != nil {
		t.Fatal(err)
	}
	return &packages.Package{PkgPath: path, Fset: fset, Types: pkg, TypesInfo: info, Syntax: []*ast.File{tree}}
}

type imports []*packages.Package

func (i imports) Import(path string) (*types.Package, error) {
	for _, pkg := range i {
		if pkg.PkgPath == path {
			return pkg.Types, nil
		}
	}
	return importer.Default().Import(path)
}

// TestGates: what is never run as the gates are by default is no candidate, wherever the value of a gate has gone.
func TestGates(t *testing.T) {
	tests := []struct {
		reason, code string
		want         []string
	}{
		{"a gate that is off", "func f(a, b int) { if all.Enabled(features.Off) { b = a } }",
			[]string{"all.Enabled(features.Off) becomes !(all.Enabled(features.Off))"}},
		{"one that came to be on", "func f(a, b int) { if !all.Enabled(features.Late) { b = a } else { a = b } }",
			[]string{"!all.Enabled(features.Late) becomes !(!all.Enabled(features.Late))", "deleted: a = b"}},
		{"fields that a gate is given to", `
func (p plugin) f(a, b int) { if p.off && a == b { b = a }; if p.on || a == b { a = b } }`,
			[]string{
				"p.off && a == b becomes (p.off) || (a == b)", "p.on || a == b becomes (p.on) && (a == b)", "deleted: a = b",
			}},
		{"a field that is given something else too", "func (p plugin) f(a, b int) { if !p.either { b = a } }",
			[]string{"!p.either becomes !(!p.either)", "deleted: b = a"}},
		{"what only the compiler sees", `
type q struct{ on bool }
var _ any = &q{}
func n(fts Features) *q { return &q{on: fts.On} }
func (q *q) f(a, b int) { if !q.on { b = a } }`, []string{"!q.on becomes !(!q.on)"}},
		{"a field that is given nothing once", "func (p plugin) f(a, b int) { if !p.unset { b = a } }",
			[]string{"!p.unset becomes !(!p.unset)", "deleted: b = a"}},
		{"variables, and parameters of functions that are only called", `
func g(off, any bool) { if off { fts() }; if any { fts() } }
func f(p plugin) { off := p.off; _, _ = off && p.either, func() { g(off, p.either) } }`, []string{
			"off becomes !(off)", "any becomes !(any)", "deleted: fts()", "off && p.either becomes (off) || (p.either)",
			"deleted: _, _ = off && p.either, func() { g(off, p.either) }", "deleted: g(off, p.either)"}},
		{"parameters of functions that are handed on", `
func g(off bool) { if off { fts() } }
var h = g
func f(p plugin) { g(p.off) }`, []string{"off becomes !(off)", "deleted: fts()", "deleted: g(p.off)"}},
		{"parameters of methods that an interface has", `
type i interface{ g(off bool) }
func (p plugin) g(off bool) { if off { fts() } }
func f(p plugin, x i) { p.g(p.off) }`, []string{"off becomes !(off)", "deleted: fts()", "deleted: p.g(p.off)"}},
		{"what only others call", "func F(off bool) { if off || all.Enabled(features.Off) { fts() } }",
			[]string{"off || all.Enabled(features.Off) becomes (off) && (all.Enabled(features.Off))", "deleted: fts()"}},
		{"what functions say that ask for one", `
func (p plugin) asks(any bool) bool { return p.off && any }
func (p plugin) may(any bool) bool { if any { return true }; return p.off }
func f(p plugin, a, b int) { if p.asks(p.either) { b = a }; if p.may(p.either) { a = b } }`,
			[]string{"p.off && any becomes (p.off) || (any)", "any becomes !(any)", "true becomes !true",
				"p.asks(p.either) becomes !(p.asks(p.either))", "p.may(p.either) becomes !(p.may(p.either))", "deleted: a = b"}},
		{"what comes after", `
func f(p plugin, a, b int) { if p.on { b = a; return }; a = b }
func g(p plugin, a, b int) { if p.off { return }; a = b }`,
			[]string{"p.on becomes !(p.on)", "deleted: b = a", "p.off becomes !(p.off)", "deleted: a = b"}},
		{"cases", "func f(p plugin, a, b int) { switch { case p.off: b = a; case p.on: a = b } }",
			[]string{"deleted: a = b"}},
		{"functions that are called only there, and those that they call", `
func h(a, b int) { a = b }
func g(a, b int) { b = a; h(a, b) }
func k(a, b int) { k(b, a) }
func f(p plugin, a, b int) { if p.off { g(a, b) } }`, []string{"p.off becomes !(p.off)", "deleted: k(b, a)"}},
		{"what is there only with a gate that is off", `
type lister struct{ all, none *int }
func n(fts Features, p *int) *lister { l := &lister{}; if fts.Off { l.none = p }; l.all = p; return l }
func (l *lister) f(a, b int) { if l.none != nil { a = b }; if l.all == nil { b = a } }`,
			[]string{
				"fts.Off becomes !(fts.Off)", "deleted: l.all = p", "l.none != nil becomes l.none == nil",
				"l.all == nil becomes l.all != nil", "deleted: b = a",
			}},
		{"methods of what is made only there, and what is called on it", `
type i interface { G(a, b int) }
type made struct{}
func (*made) G(a, b int) { a = b }
func h(a, b int) { b = a }
type l struct { made i }
func n(fts Features) *l { l := &l{}; if fts.Off { l.made = &made{} }; return l }
func (l *l) f(a, b int) { l.made.G(a, b) }`,
			[]string{"fts.Off becomes !(fts.Off)", "deleted: b = a", "deleted: l.made.G(a, b)"}},
	}
	features := checked(t, featureGates, table)
	for _, tt := range tests {
		text := plugin + tt.code
		pkg := checked(t, "p", text, features)
		s := &source{
			path: "p.go", name: "p/p.go", text: []byte(text), pkg: pkg, tree: pkg.Syntax[0], stratum: "p",
			gates: newGates([]*packages.Package{features, pkg}),
		}
		var got []string
		for _, f := range faults([]*source{s}) {
			if f.from > len(plugin) {
				got = append(got, oneLine(f.what))
			}
		}
		slices.Sort(got)
		slices.Sort(tt.want)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
	}
}

// TestTruth: what is known of two conditions together is what holds whatever each comes out as.
func TestTruth(t *testing.T) {
	name := map[truth]string{unseen: "?", never: "0", always: "1", open: "x"}
	var got []string
	for _, a := range []truth{never, always, open, unseen} {
		var and, or, either strings.Builder
		for _, b := range []truth{never, always, open, unseen} {
			fmt.Fprint(&and, name[a.and(b)])
			fmt.Fprint(&or, name[a.or(b)])
			fmt.Fprint(&either, name[a.either(b)])
		}
		got = append(got, and.String()+" "+or.String()+" "+either.String())
	}
	want := []string{"0000 01x? 0xx0", "01x? 1111 x1x1", "0xx? x1x? xxxx", "0??? ?1?? 01x?"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("and, or, either (-want +got):\n%s", diff)
	}
}
