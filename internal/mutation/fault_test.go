package main

import (
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

// sourceOf returns a file of a package of its own.
func sourceOf(t *testing.T, text string) *source {
	t.Helper()
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, "p.go", text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: importer.Default()}
	checked, err := config.Check("p", fset, []*ast.File{tree}, info)
	if err != nil {
		t.Fatal(err)
	}
	pkg := &packages.Package{PkgPath: "p", Fset: fset, Types: checked, TypesInfo: info}
	return &source{
		path: "p.go", name: "p/p.go", text: []byte(text), pkg: pkg, tree: tree, stratum: "p", gates: newGates(nil),
	}
}

func TestFaults(t *testing.T) {
	tests := []struct {
		reason, body string
		want         []string
	}{
		{"a bound that is off by one, and one that is turned round", "if a < b { a = b }; return a",
			[]string{"a < b becomes a <= b", "a < b becomes a >= b", "deleted: a = b"}},
		{"and for or", "if ok && a == b { a = 2 }; return a", []string{
			"ok && a == b becomes (ok) || (a == b)", "a == b becomes a != b", "deleted: a = 2", "2 becomes 3"}},
		{"a condition that is no comparison", "if ok { a += b }; return a",
			[]string{"ok becomes !(ok)", "a += b becomes a -= b", "deleted: a += b"}},
		{"arithmetic, of numbers only", `s := "x"; s = s + s; return a * b`,
			[]string{"deleted: s = s + s", "a * b becomes (a) + (b)"}},
		{"constants, but none that must be one", "var x [2]int; const c = 4; a = x[1]; return a",
			[]string{"deleted: a = x[1]", "1 becomes 2", "1 becomes 0"}},
		{"a loop that goes on, or ends", "for range a { if ok { continue }; break }; return a", []string{
			"ok becomes !(ok)", "continue becomes break", "deleted: continue", "break becomes continue"}},
		{"break ends a switch, not the loop", "for range a { switch { case ok: break } }; return a", nil},
		{"counting", "a++; return a", []string{"a++ becomes a--", "deleted: a++"}},
		{"yes and no", "f := func() bool { return true }; _ = f; return a",
			[]string{"true becomes !true", "deleted: _ = f"}},
		{"what only tells", `fmt.Println(a == b, fmt.Sprint(1)); return a`, nil},
		{"a statement in front of a condition cannot go", "if a = b; ok { b = a }; return a",
			[]string{"ok becomes !(ok)", "deleted: b = a"}},
	}
	for _, tt := range tests {
		s := sourceOf(t, "package p\n\nimport \"fmt\"\n\nvar _ = fmt.Sprint\n\n"+
			"func f(a, b int, ok bool) int { "+tt.body+" }\n")
		all := faults([]*source{s})
		var got []string
		for _, f := range all {
			got = append(got, oneLine(f.what))
		}
		sorted := func(of []string) []string { return slices.Sorted(slices.Values(of)) }
		if diff := cmp.Diff(sorted(tt.want), sorted(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
		compiles(t, tt.reason, s, all)
	}
}

// compiles: with all faults in it, around and inside each other, the text still is what the compiler takes.
func compiles(t *testing.T, reason string, s *source, all []*fault) {
	t.Helper()
	text := planted(s, inSource(all, s))
	text = strings.Replace(text, "; import \"k8s.io/component-helpers/planted\"", "", 1)
	text += "\ntype switches struct{}\nvar planted switches\nfunc (switches) On(int) bool { return false }\n" +
		"func (switches) If(n int, right, wrong func() bool) bool { return right() }\n" +
		"func (switches) Not(n int, right bool) bool { return right }\n"
	text = strings.ReplaceAll(text, "planted.Pick[", "pick[") +
		"func pick[T any](n int, right, wrong T) T { return right }\n"
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, "p.go", text, 0)
	if err == nil {
		config := types.Config{Importer: importer.Default()}
		_, err = config.Check("p", fset, []*ast.File{tree}, nil)
	}
	if err != nil {
		t.Errorf("%s: %v\n%s", reason, err, text)
	}
}

// TestLeftOutOfDevices: what is off in the plugin of devices is no candidate, and what an allocation is made of for
// later is one of another stratum.
func TestLeftOutOfDevices(t *testing.T) {
	s := sourceOf(t, `package p
type features struct{ CompatibilityGroups, Taints bool }
type allocation struct{ result []int }
func Allocate(features features, alloc allocation, a, b bool) bool {
	if features.CompatibilityGroups && a { return true }
	if !features.CompatibilityGroups && a { return true }
	if !features.Taints && a { return true }
	for range alloc.result { if b { return false } }
	return features.CompatibilityGroups
}
`)
	s.stratum = "dynamicresources"
	got := map[string]string{}
	for _, f := range faults([]*source{s}) {
		got[f.id] = f.stratum
	}
	want := map[string]string{
		"p/p.go:6 Allocate: true becomes !true":                                      "dynamicresources",
		"p/p.go:7 Allocate: !features.Taints && a becomes (!features.Taints) || (a)": "dynamicresources",
		"p/p.go:8 Allocate: b becomes !(b)":                                          cycles,
		"p/p.go:8 Allocate: false becomes !false":                                    cycles,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("candidates (-want +got):\n%s", diff)
	}
}

func TestLeftOut(t *testing.T) {
	s := sourceOf(t, `package p
func New(ok bool) int { if ok { return 1 }; return 2 }
func (x x) Name() bool { return true }
func filterPodGroup() bool { return true }
func (*x) Filter() bool { return true }
func (*QueuedPodGroupInfo) Filter() bool { return true }
func (*QueuedPodInfo) Size() bool { return true }
func isSchedulableAfterNodeChange() bool { return true }
type x struct{}
type QueuedPodInfo struct{}
type QueuedPodGroupInfo struct{}
`)
	got := map[string]string{}
	for _, f := range faults([]*source{s}) {
		got[f.id] = f.stratum
	}
	want := map[string]string{
		"p/p.go:5 Filter: true becomes !true":                       "p",
		"p/p.go:7 Size: true becomes !true":                         cycles,
		"p/p.go:8 isSchedulableAfterNodeChange: true becomes !true": hints,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("candidates (-want +got):\n%s", diff)
	}
}

func TestSample(t *testing.T) {
	var all []*fault
	for i, s := range strata() {
		for range 10 * (i + 1) {
			all = append(all, &fault{stratum: s.name, id: s.name + string(rune('a'+len(all)%26))})
		}
	}
	ids := func(seed uint64) (ids []string) {
		for _, f := range sample(all, 100, seed) {
			ids = append(ids, f.id)
		}
		return ids
	}
	if diff := cmp.Diff(ids(1), ids(1)); diff != "" {
		t.Errorf("one seed draws two samples:\n%s", diff)
	}
	if cmp.Equal(ids(1), ids(2)) {
		t.Error("two seeds draw the same sample")
	}
	if n := len(ids(1)); n < 100 || n > 140 {
		t.Errorf("%d are drawn", n)
	}
}

func TestTable(t *testing.T) {
	noticed, overlooked := outcome{Noticed: true, By: "x", Reached: true}, outcome{Reached: true}
	records := []*record{
		{"early", "nodeports", map[string]outcome{"small": noticed, upstream: noticed}},
		{"late", "nodeports", map[string]outcome{"small": overlooked, "default": noticed, upstream: {}}},
		{"idle", "nodeports", map[string]outcome{}},
		{"never", hints, map[string]outcome{"small": {}, "default": {}, upstream: {Noticed: true, By: "TestIt"}}},
		{"missed", hints, map[string]outcome{"small": overlooked, "default": overlooked, upstream: {}}},
	}
	var b strings.Builder
	if err := write(&b, stages()[:2], true, records, map[string]string{"idle": "it does nothing"}); err != nil {
		t.Fatal(err)
	}
	const want = `| part | faults | change nothing | small | default | upstream's tests |
| --- | --- | --- | --- | --- | --- |
| nodeports | 3 | 1 | 1 (50%) | 2 (100%) | 1 (50%) |
| hints and events | 2 | 0 | 0 (0%) | 0 (0%) | 1 (50%) |
| **decisions** | 3 | 1 | 1 (50%) | 2 (100%) | 1 (50%) |
| **all** | 5 | 1 | 1 (25%) | 2 (50%) | 2 (50%) |

Overlooked:

- never (never run; upstream: TestIt)
- missed (run, and not noticed)
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
}

// TestJudged: a reason is of a fault, of a line or of a function.
func TestJudged(t *testing.T) {
	reasons := verdicts{"a/b.go:1 F: x becomes y": "one", "a/b.go:2": "line", "a/b.go G": "function"}
	for id, want := range map[string]string{
		"a/b.go:1 F: x becomes y": "one", "a/b.go:1 F: x becomes z": "", "a/b.go:2 F: deleted: a: b": "line",
		"a/b.go:20 F: x": "", "a/b.go:9 G: x": "function", "a/c.go:9 G: x": "",
	} {
		if got := reasons.of(id); got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
	for id, counts := range map[string]bool{
		"a/b.go:3 F: fwk.QueueSkip becomes fwk.Queue": false, "a/b.go:3 F: fwk.Queue becomes fwk.QueueSkip": true,
	} {
		if got := reasons.of(id) == ""; got != counts {
			t.Errorf("%s: counts: %v", id, got)
		}
	}
}
