package expression_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seed-a3f26817/modelcheck/internal/expression"
	"github.com/seed-a3f26817/modelcheck/invariants"
)

// TestLimits: what an expression takes is bounded, and one over its limit is told so: before a run if that is sure, or
// when it is evaluated.
func TestLimits(t *testing.T) {
	doubled := func(times int) string { return strings.Repeat(".map(x, [x, x])", times) }
	for _, row := range []struct{ reason, expression, want string }{
		{"a list of a constant length", "lists.range(1000000000).size() > 0", "costs at least 1000000"},
		{"a list of a length that follows from the state", "lists.range(1000000000 * size(pods)).size() > 0",
			"at most"},
		{"loops within loops", "[0,1,2,3,4,5,6,7,8,9].all(a, [0,1,2,3,4,5,6,7,8,9].all(b, [0,1,2,3,4,5,6,7,8,9].all(c, " +
			"[0,1,2,3,4,5,6,7,8,9].all(d, [0,1,2,3,4,5,6,7,8,9].all(e, [0,1,2,3,4,5,6,7,8,9].all(f, " +
			"[0,1,2,3,4,5,6,7,8,9].all(g, a+b+c+d+e+f+g < 100)))))))", "more than 10000000 units"},
		{"a text that grows", "'a'" + strings.Repeat(".replace('a', 'aaaaaaaaaaaaaaaa')", 8) + ".size() > 0",
			"replace makes values of 285212672 bytes, after 19014177 bytes"},
		{"an empty text that is replaced", "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'" +
			strings.Repeat(".replace('', 'aaaaaaaa')", 9) +
			" != ''", "at most"},
		{"a sum of texts", "lists.range(5000).map(i, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa').join('')" +
			".split('').join('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa') != ''",
			"at most"},
		{"digits", "'%.1000000f%.1000000f%.99999999f'.format([1.0, 2.0, 3.0]) != ''", "at most"},
		{"a list that is joined to itself", "[[1,2,3,4,5,6,7,8]]" +
			strings.Repeat(".map(x, x + x + x + x + x + x + x + x)", 9) +
			".size() > 0", "at most"},
		{"a small list that is a large tree", "[[1]]" + doubled(40) + " == [[1]]" + doubled(40), "at most"},
		{"... which is written", "'%s'.format([[[1]]" + doubled(40) + "]) != ''", "at most"},
		{"... and flattened", "[[1]]" + doubled(40) + ".flatten(50).size() > 0", "at most"},
		{"sets", "sets.contains(lists.range(100000), lists.range(100000))", "at most"},
		{"what is distinct", "lists.range(100000).distinct().size() > 0", "at most"},
		{"all that it finds", "lists.range(150000).map(i, 'aaaaaaaaaa').join('').findAll('a').size() > 0", "at most"},
		{"a long number", "quantity(lists.range(40000).map(i, '1').join('')).isInteger()", "at most"},
		{"a map", "lists.range(2000000).transformMapEntry(i, v, {string(i): v}).size() > 0", "at most"},
		{"what nobody knows the cost of", "authorizer.path('x').check('get').allowed()", "undeclared reference"},
		{"many calls that are joined by nothing", "[0" + strings.Repeat(", size(pods)", 2500) + "].size() > 0",
			"operators and functions that neither && nor || joins: at most 1000"},
		{"deep nesting", strings.Repeat("!(", 400) + "true" + strings.Repeat(")", 400), "recursion"},
		{"a long text", "size('" + strings.Repeat("a", 200_000) + "') > 0", "size"},
	} {
		t.Run(row.reason, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			began := time.Now()
			compiled, err := expression.Compile(expression.Rule{Name: "mine", Subject: expression.OfStates,
				Expression: row.expression})
			said := fmt.Sprint(err)
			if err == nil {
				_, breaches := compiled.Property.State(&invariants.State{Cluster: cluster()})
				for _, b := range breaches {
					said = b.Sentence()
				}
			}
			took := time.Since(began)
			runtime.ReadMemStats(&after)
			if !strings.Contains(said, row.want) {
				t.Errorf("it says %.300s\nwant %s", said, row.want)
			}
			if made := after.TotalAlloc - before.TotalAlloc; made > 1<<30 {
				t.Errorf("it took %d bytes in all, within %v", made, took)
			}
		})
	}
}

// TestManyConjuncts: the time to compile an expression grows as it does. That of twice as many is measured in
// allocations, which a machine that does much else does not change.
func TestManyConjuncts(t *testing.T) {
	made := func(n int) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		compiled, err := expression.Compile(expression.Rule{Name: "mine", Subject: expression.OfStates,
			Expression: "true" + strings.Repeat(" && size(pods) > 0", n)})
		if err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if _, breaches := compiled.Property.State(&invariants.State{Cluster: cluster()}); len(breaches) > 0 {
			t.Errorf("%d: %v", n, said(breaches))
		}
		return after.Mallocs - before.Mallocs
	}
	made(1) // the environment is made once
	small, large := made(500), made(2000)
	t.Logf("%d and %d allocations", small, large)
	if large > 6*small {
		t.Errorf("2000 conjuncts take %d allocations, 500 take %d", large, small)
	}
}

// TestConjunctsAreChecked: what is wrong in an expression that is checked in pieces is found in its place.
func TestConjunctsAreChecked(t *testing.T) {
	for wrong, want := range map[string]string{
		"size(pods)":               "expected type 'bool' but found 'int'",
		"pods.all(p, p.sepc == 1)": "undefined field 'sepc'",
		"size(nodes) == 'x'":       "found no matching overload for '_==_'",
	} {
		_, err := expression.Compile(expression.Rule{Name: "mine", Subject: expression.OfStates,
			Expression: "true" + strings.Repeat(" && size(pods) > 0", 100) + " &&\n" + wrong})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "2:") {
			t.Errorf("%s: it says %v, want %s on line 2", wrong, err, want)
		}
	}
}
