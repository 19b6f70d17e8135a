package explore

import (
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// mostFacts bounds the tables of each set of quirks: there are dozens of sets, and together they would take more memory than all else.
// What was dropped is asked again.
const mostFacts = 10_000

// mostQuirks is how many defects may come together in one decision.
const mostQuirks = 3

// explainer finds out what explains a decision: known defects of production, and errata of the model where it is as first written.
// It is safe for concurrent use.
type explainer struct {
	catalog *model.Catalog
	spec    *spec.Scheduler
	// errata and defects are what may explain a decision.
	errata, defects []spec.Quirk
	// agrees tells whether a decision breaks no property under an answer, but by design.
	agrees func(q *model.Question, a *model.Answer, decision *spec.Decision) bool

	mu     sync.Mutex
	tables map[string]*model.Tables // by the quirks' names
	// dropped counts the facts of tables that became too large.
	dropped int64
	tried   atomic.Int64 // how often a model with quirks was asked about a whole question
}

func newExplainer(c *model.Catalog, s *spec.Scheduler, agrees func(*model.Question, *model.Answer, *spec.Decision) bool) *explainer {
	x := &explainer{catalog: c, spec: s, agrees: agrees, tables: map[string]*model.Tables{}}
	for _, quirk := range s.Explanations() {
		if quirk.Erratum != nil {
			x.errata = append(x.errata, quirk)
		} else {
			x.defects = append(x.defects, quirk)
		}
	}
	return x
}

// explain finds a set of errata and defects, none of which can be left out, with which the model agrees with production on the
// whole decision. It gives nothing if there is none.
//
// A model without errata is that of Kubernetes, and the set is the smallest one. One with errata is that of Kubernetes when all are
// mended; then the defects are looked for, and the errata that make no difference are left as they are.
func (x *explainer) explain(q *model.Question, plain *model.Answer, decision *spec.Decision) []spec.Quirk {
	if len(x.errata) == 0 {
		return x.smallest(q, plain, decision)
	}
	mended := x.answer(q)
	if x.agrees(q, mended, decision) {
		return x.shrink(q, decision, x.errata)
	}
	defects := x.smallest(q, mended, decision)
	if defects == nil {
		return nil
	}
	return x.shrink(q, decision, slices.Concat(x.errata, defects))
}

// smallest finds the smallest set of defects with which the model, its errata mended, agrees with production. Of sets of one size
// those count first that are about the plugins that differ alone, and of these the first in the order of the defects.
//
// Defects can hide each other altogether: if no small set is found, all are tried at once, and what is not needed is left out.
func (x *explainer) smallest(q *model.Question, plain *model.Answer, decision *spec.Decision) []spec.Quirk {
	wrong := wrongVerdicts(plain.Expectation, decision)
	// What a plugin says is changed by a defect of that plugin only.
	var differing []string
	for _, v := range wrong {
		differing = append(differing, v.plugin)
	}
	differing = append(differing, differingRaters(plain.Expectation, decision)...)
	// Most defects do not even mend what is quickly asked for.
	agrees := func(defects ...spec.Quirk) bool {
		return x.mends(plain.Question, wrong, decision, defects) && x.agrees(q, x.answer(q, defects...), decision)
	}
	suspects := x.suspects(plain.Question, decision)
	for _, defect := range suspects {
		elsewhere := slices.ContainsFunc(differing, func(plugin string) bool { return plugin != defect.Plugin() })
		if !elsewhere && agrees(defect) {
			return []spec.Quirk{defect}
		}
	}
	groups := []func() []spec.Quirk{sync.OnceValue(func() []spec.Quirk { return x.relevant(q, plain.Expectation, suspects) })}
	if len(differing) > 0 {
		blamed := slices.DeleteFunc(slices.Clone(suspects), func(d spec.Quirk) bool { return !slices.Contains(differing, d.Plugin()) })
		own := sync.OnceValue(func() []spec.Quirk { return x.relevant(q, plain.Expectation, blamed) })
		if groups = slices.Insert(groups, 0, own); len(wrong) == 0 {
			groups = groups[:1] // the right nodes are rated, so no other defect makes a difference to where the pod is bound
		}
	}
	for size := 2; size <= mostQuirks; size++ {
		for _, defects := range groups {
			if quirks := combination(defects(), nil, size, agrees); quirks != nil {
				return quirks
			}
		}
	}
	if !agrees(suspects...) {
		return nil
	}
	if len(x.errata) > 0 {
		return suspects // explain leaves out what is not needed, of the errata too
	}
	return x.shrink(q, decision, suspects)
}

// suspects are the defects that can make a difference to the question: not those of plugins that have nothing to say, with and
// without all their defects, of which one may have something to say only because of another, nor those of ratings if production rated no node.
func (x *explainer) suspects(q spec.Question, decision *spec.Decision) []spec.Quirk {
	rated := slices.ContainsFunc(decision.Nodes, func(n spec.NodeDecision) bool { return n.Ratings != nil })
	mended := x.tablesWith(x.errata...)
	return slices.DeleteFunc(slices.Clone(x.defects), func(d spec.Quirk) bool {
		plugin := d.Plugin()
		return !rated && x.rates(d) || mended.Idle(q, plugin) && x.tablesWith(slices.Concat(x.errata, x.defectsOf(plugin))...).Idle(q, plugin)
	})
}

// defectsOf gives the defects of a plugin.
func (x *explainer) defectsOf(plugin string) []spec.Quirk {
	return slices.DeleteFunc(slices.Clone(x.defects), func(d spec.Quirk) bool { return d.Plugin() != plugin })
}

// rates tells whether a defect is about ratings alone.
func (x *explainer) rates(d spec.Quirk) bool {
	plugin := d.Plugin()
	return !slices.ContainsFunc(x.spec.Filters(), func(f spec.Filter) bool { return f.Plugin == plugin }) &&
		slices.ContainsFunc(x.spec.Raters(), func(r spec.Rater) bool { return r.Plugin == plugin })
}

// combination gives the first combination of so many more quirks, beside those chosen, that agrees; nil if none does.
func combination(quirks, chosen []spec.Quirk, more int, agrees func(...spec.Quirk) bool) []spec.Quirk {
	if more == 0 {
		if agrees(chosen...) {
			return chosen
		}
		return nil
	}
	for i := 0; i+more <= len(quirks); i++ {
		candidate := append(chosen[:len(chosen):len(chosen)], quirks[i])
		if found := combination(quirks[i+1:], candidate, more-1, agrees); found != nil {
			return found
		}
	}
	return nil
}

// relevant gives the defects that change something in what the model says to the question, by themselves or beside such ones, until
// there are no more: a defect of a rating may show only on a node that another defect makes feasible.
func (x *explainer) relevant(q *model.Question, plain *spec.Expectation, defects []spec.Quirk) []spec.Quirk {
	var relevant []spec.Quirk
	for together := plain; ; together = x.answer(q, relevant...).Expectation {
		var grown []spec.Quirk
		for _, defect := range defects {
			there := slices.ContainsFunc(relevant, func(d spec.Quirk) bool { return d.Name == defect.Name })
			if there || !reflect.DeepEqual(together, x.answer(q, slices.Concat(relevant, []spec.Quirk{defect})...).Expectation) {
				grown = append(grown, defect)
			}
		}
		if len(grown) == len(relevant) {
			return grown
		}
		relevant = grown
	}
}

// wrongVerdict is a filter's verdict on a node that is not the one expected.
type wrongVerdict struct {
	plugin string
	node   int // index
	got    spec.Verdict
}

func wrongVerdicts(expected *spec.Expectation, decision *spec.Decision) []wrongVerdict {
	var wrong []wrongVerdict
	for f, plugin := range expected.Filters {
		column := slices.Index(decision.Filters, plugin)
		for n, node := range decision.Nodes {
			if column < len(node.Verdicts) && n < len(expected.Nodes) && !expected.Nodes[n].Verdicts[f].Allow(node.Verdicts[column]) {
				wrong = append(wrong, wrongVerdict{plugin, n, node.Verdicts[column]})
			}
		}
	}
	return wrong
}

// mends tells whether the model with the defects has an answer if production has, and gives the verdicts that production did, of those
// that are wrong without.
func (x *explainer) mends(q spec.Question, wrong []wrongVerdict, decision *spec.Decision, defects []spec.Quirk) bool {
	tables := x.tablesWith(slices.Concat(x.errata, defects)...)
	return tables.Answers(q) == (decision.Failure == "") &&
		!slices.ContainsFunc(wrong, func(v wrongVerdict) bool { return !tables.Allowed(q, v.plugin, v.node).Allow(v.got) })
}

// differingRaters names the raters whose rating of some node is not the one expected, if the same nodes are feasible: which nodes
// are rated decides what normalisation makes of it.
func differingRaters(expected *spec.Expectation, decision *spec.Decision) []string {
	for n, node := range decision.Nodes {
		if n >= len(expected.Nodes) || !node.Asked || (node.Overall == spec.Fits) != expected.Nodes[n].Feasible {
			return nil
		}
	}
	var plugins []string
	for r, plugin := range expected.Raters {
		column := slices.Index(decision.Raters, plugin)
		for n, node := range decision.Nodes {
			ratings := expected.Nodes[n].Ratings
			if column < len(node.Ratings) && r < len(ratings) && !node.Ratings[column].Agrees(ratings[r]) {
				plugins = append(plugins, plugin)
				break
			}
		}
	}
	return plugins
}

// shrink leaves out of an explanation what is not needed, large parts first, the last first.
func (x *explainer) shrink(q *model.Question, decision *spec.Decision, quirks []spec.Quirk) []spec.Quirk {
	for part := len(quirks) / 2; part > 0; {
		before := len(quirks)
		for end := len(quirks); end > 0; end -= part {
			fewer := slices.Delete(slices.Clone(quirks), max(end-part, 0), end)
			if len(fewer) > 0 && x.agrees(q, x.answerWith(q, fewer), decision) {
				quirks = fewer
			}
		}
		if part > 1 || len(quirks) == before {
			part /= 2
		}
	}
	return quirks
}

// answer gives the answer of the model with its errata mended and the defects put in.
func (x *explainer) answer(q *model.Question, defects ...spec.Quirk) *model.Answer {
	return x.answerWith(q, slices.Concat(x.errata, defects))
}

func (x *explainer) answerWith(q *model.Question, quirks []spec.Quirk) *model.Answer {
	x.tried.Add(1)
	return x.tablesWith(quirks...).Answer(q)
}

// tablesWith gives the tables of the model with the quirks.
func (x *explainer) tablesWith(quirks ...spec.Quirk) *model.Tables {
	x.mu.Lock()
	defer x.mu.Unlock()
	key := nameOf(quirks)
	known := x.tables[key]
	if known != nil && known.Size() > mostFacts {
		x.dropped += int64(known.Size())
		known = nil
	}
	if known == nil {
		known = model.NewTables(x.catalog, x.spec.With(quirks...))
		x.tables[key] = known
	}
	return known
}

// work gives how often a model with quirks was asked, and how many facts that took.
func (x *explainer) work() (tried, facts int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	facts = x.dropped
	for _, tables := range x.tables {
		facts += int64(tables.Size())
	}
	return x.tried.Load(), facts
}
