package decisions

import (
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// mostFacts bounds the tables of each set of quirks: there are dozens of sets, and together they would take more
// memory than all else. What was dropped is asked again.
const mostFacts = 10_000

// mostQuirks is how many defects may come together in one decision.
const mostQuirks = 3

// explainer finds out what explains a decision: known defects of production, and errata of the model where it is as
// first written. It is safe for concurrent use.
type explainer struct {
	// plain are the tables of the model without quirks.
	plain *model.Tables
	// errata and defects are what may explain a decision, plugins what the defects are of.
	errata, defects []*cause
	plugins         []pluginDefects
	// agrees reports whether a decision breaks no property under an evaluation, but by design.
	agrees func(q *model.CanonicalQuestion, a *model.Evaluation, decision *spec.Decision) bool

	mu     sync.Mutex
	tables map[string]*model.Tables // by the causes' numbers
	// applying are the defects of plugins that have something to say, by the set of pod templates in the question.
	applying map[uint32][]*cause
	// dropped counts the facts of tables that became too large.
	dropped int64
	tried   atomic.Int64 // how often a model with quirks was asked about a whole question
}

// cause is an erratum or a defect that may explain a decision.
type cause struct {
	spec.Quirk
	number byte
	// plugin is the one whose defects it is looked for among, plugins are all that have it.
	plugin  string
	plugins []string
	// onlyScores: it makes no difference where no node is scored.
	onlyScores bool
}

// pluginDefects are the defects of one plugin.
type pluginDefects struct {
	plugin string
	// mended and odd return tables of the model, errata mended, with none of the defects and with all of them. They take
	// a while to make, and most scopes need few.
	mended, odd func() *model.Tables
}

func newExplainer(plain *model.Tables, s *spec.Scheduler, agrees func(*model.CanonicalQuestion, *model.Evaluation,
	*spec.Decision) bool) *explainer {
	x := &explainer{plain: plain, agrees: agrees, tables: map[string]*model.Tables{}, applying: map[uint32][]*cause{}}
	for i, quirk := range s.Explanations() {
		c := &cause{quirk, byte(i), quirk.Plugin, quirk.Plugins(), quirk.OnlyScores()}
		if quirk.Erratum != nil {
			x.errata = append(x.errata, c)
		} else {
			x.defects = append(x.defects, c)
		}
	}
	for _, d := range x.defects {
		if !slices.ContainsFunc(x.plugins, func(p pluginDefects) bool { return p.plugin == d.plugin }) {
			x.plugins = append(x.plugins, x.defectsOf(d.plugin))
		}
	}
	return x
}

func (x *explainer) defectsOf(plugin string) pluginDefects {
	own := slices.DeleteFunc(slices.Clone(x.defects), func(d *cause) bool { return d.plugin != plugin })
	return pluginDefects{
		plugin: plugin,
		mended: sync.OnceValue(func() *model.Tables { return x.tablesWith(x.errata) }),
		odd:    sync.OnceValue(func() *model.Tables { return x.tablesWith(slices.Concat(x.errata, own)) }),
	}
}

// explain finds a set of errata and defects, none of which can be left out, with which the model agrees with
// production on the whole decision. It returns nil if there is none.
//
// A model without errata is that of Kubernetes, and the set is the smallest one. One with errata is that of
// Kubernetes when all are mended; then the defects are looked for, and the errata that make no difference are left
// as they are.
func (x *explainer) explain(q *model.CanonicalQuestion, plain *model.Evaluation, decision *spec.Decision) []spec.Quirk {
	i := &explanation{explainer: x, question: q, plain: plain, decision: decision}
	i.scored = isScored(decision)
	var quirks []spec.Quirk
	for _, c := range i.explain() {
		quirks = append(quirks, c.Quirk)
	}
	return quirks
}

// isScored reports whether production scored some node.
func isScored(decision *spec.Decision) bool {
	return slices.ContainsFunc(decision.Nodes, func(n spec.NodeDecision) bool { return n.Scores != nil })
}

// tablesWith returns the tables of the model with the causes.
func (x *explainer) tablesWith(causes []*cause) *model.Tables {
	if len(causes) == 0 {
		return x.plain
	}
	key := make([]byte, 0, 32)
	for _, c := range causes {
		key = append(key, c.number)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	known := x.tables[string(key)]
	if known != nil && known.Size() > mostFacts {
		x.dropped += int64(known.Size())
		known = nil
	}
	if known == nil {
		var quirks []spec.Quirk
		for _, c := range causes {
			quirks = append(quirks, c.Quirk)
		}
		known = x.plain.With(quirks...)
		x.tables[string(key)] = known
	}
	return known
}

// work returns how often a model with quirks was asked, and how many facts that took.
func (x *explainer) work() (tried, facts int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	facts = x.dropped
	for _, tables := range x.tables {
		facts += int64(tables.Size())
	}
	return x.tried.Load(), facts
}

// explanation is the search for what explains one decision.
type explanation struct {
	*explainer
	question *model.CanonicalQuestion
	plain    *model.Evaluation
	decision *spec.Decision
	scored   bool // by production, some node
	// evaluations are those of the model with causes.
	evaluations []*partialEvaluation
	idling      map[*cause]bool // what idle said
}

// partialEvaluation is an evaluation that may go only as far as filters.
type partialEvaluation struct {
	*model.Evaluation
	tables   *model.Tables
	complete bool
}

func (i *explanation) explain() []*cause {
	if len(i.errata) == 0 {
		return i.smallest(i.plain)
	}
	mended := i.evaluate(i.errata)
	if i.agrees(i.question, mended, i.decision) {
		return i.shrink(i.errata)
	}
	defects := i.smallest(mended)
	if defects == nil {
		return nil
	}
	return i.shrink(slices.Concat(i.errata, defects))
}

// smallest finds the smallest set of defects with which the model, its errata mended, agrees with production. Of
// sets of one size those count first that are about the plugins that differ alone, and of these the first in the
// order of the defects.
//
// Defects can hide each other altogether: if no small set is found, all are tried at once, and what is not needed
// is left out.
func (i *explanation) smallest(mended *model.Evaluation) []*cause {
	wrong := wrongStatuses(mended.Expected, i.decision)
	// What a plugin says is changed by a defect of that plugin only.
	var differing []string
	for _, status := range wrong {
		differing = append(differing, status.plugin)
	}
	differing = append(differing, differingScorePlugins(mended.Expected, i.decision)...)
	// Most defects do not even mend what is quickly asked for.
	agrees := func(defects []*cause) bool {
		if !covers(defects, differing) || !i.mends(wrong, defects) {
			return false
		}
		filters := i.filters(i.errata, defects...).Expected
		return filters.NoDecision == (i.decision.Failure != "") && len(wrongStatuses(filters, i.decision)) == 0 &&
			i.agrees(i.question, i.evaluate(i.errata, defects...), i.decision)
	}
	applicable := i.applicable(i.plain)
	for n := range applicable {
		// Only those that may be the one are worth the question whether they are idle.
		if one := applicable[n : n+1]; covers(one, differing) && !i.idle(applicable[n]) && agrees(one) {
			return one
		}
	}
	suspects := slices.DeleteFunc(slices.Clone(applicable), i.idle)
	groups := []func() []*cause{sync.OnceValue(func() []*cause { return i.relevant(mended, suspects) })}
	if len(differing) > 0 {
		blamed := slices.DeleteFunc(slices.Clone(suspects), func(d *cause) bool {
			return !slices.ContainsFunc(
				d.plugins,
				func(plugin string) bool { return slices.Contains(differing, plugin) },
			)
		})
		own := sync.OnceValue(func() []*cause { return i.relevant(mended, blamed) })
		if groups = slices.Insert(groups, 0, own); len(wrong) == 0 {
			// the right nodes are scored, so no other defect makes a difference to where the pod is bound
			groups = groups[:1]
		}
	}
	for size := 2; size <= mostQuirks; size++ {
		for _, defects := range groups {
			if causes := combination(defects(), nil, size, agrees); causes != nil {
				return causes
			}
		}
	}
	if !agrees(suspects) {
		return nil
	}
	if len(i.errata) > 0 {
		return suspects // explain leaves out what is not needed, of the errata too
	}
	return i.shrink(suspects)
}

// covers reports whether every plugin has a defect among these.
func covers(defects []*cause, plugins []string) bool {
	return !slices.ContainsFunc(plugins, func(plugin string) bool {
		return !slices.ContainsFunc(defects, func(d *cause) bool { return slices.Contains(d.plugins, plugin) })
	})
}

// idle reports whether a defect can make no difference to the question, or only one to scores where production
// scored no node.
func (i *explanation) idle(d *cause) bool {
	if d.onlyScores && !i.scored {
		return true
	}
	idle, known := i.idling[d]
	if !known {
		asked := i.plain.Question
		idle = d.Idle(i.plain.Spec().Profile, asked.Pod, asked.Snapshot)
		if i.idling == nil {
			i.idling = map[*cause]bool{}
		}
		i.idling[d] = idle
	}
	return idle
}

// applicable returns the defects of plugins that have something to say to the question, with or without all their
// defects, of which one may have something to say only because of another.
func (x *explainer) applicable(a *model.Evaluation) []*cause {
	x.mu.Lock()
	known, ok := x.applying[a.PodSet()]
	x.mu.Unlock()
	if ok {
		return known
	}
	for _, d := range x.defects {
		i := slices.IndexFunc(x.plugins, func(p pluginDefects) bool { return p.plugin == d.plugin })
		// What becomes of a nomination is not what its plugin says of nodes.
		if p := x.plugins[i]; d.KeepsNomination != nil || !p.mended().Idle(a, p.plugin) || !p.odd().Idle(a, p.plugin) {
			known = append(known, d)
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.applying[a.PodSet()] = known
	return known
}

// combination returns the first combination of so many more causes, beside those chosen, that agrees; nil if none does.
func combination(causes, chosen []*cause, more int, agrees func([]*cause) bool) []*cause {
	if more == 0 {
		if agrees(chosen) {
			return chosen
		}
		return nil
	}
	for i := 0; i+more <= len(causes); i++ {
		candidate := append(chosen[:len(chosen):len(chosen)], causes[i])
		if found := combination(causes[i+1:], candidate, more-1, agrees); found != nil {
			return found
		}
	}
	return nil
}

// relevant returns the defects that change something in what the model says to the question, by themselves or
// beside such ones, until there are no more: a defect of a score may show only on a node that another defect makes
// feasible.
func (i *explanation) relevant(mended *model.Evaluation, defects []*cause) []*cause {
	var relevant []*cause
	for together := mended; ; together = i.evaluate(i.errata, relevant...) {
		var grown []*cause
		for _, d := range defects {
			if slices.Contains(relevant, d) || i.differs(together, slices.Concat(i.errata, relevant, []*cause{d})) {
				grown = append(grown, d)
			}
		}
		if len(grown) == len(relevant) {
			return grown
		}
		relevant = grown
	}
}

// mends reports whether the model with the defects returns the statuses that production did, of those that are
// wrong without.
func (i *explanation) mends(wrong []wrongStatus, defects []*cause) bool {
	tables := i.tablesWith(slices.Concat(i.errata, defects))
	return !slices.ContainsFunc(
		wrong,
		func(s wrongStatus) bool { return !tables.Allowed(i.plain, s.plugin, s.node).Allow(s.got) },
	)
}

// shrink leaves out of an explanation what is not needed.
func (i *explanation) shrink(causes []*cause) []*cause {
	return shrunk(causes, func(fewer []*cause) bool {
		return i.agrees(i.question, i.evaluate(fewer), i.decision)
	})
}

// shrunk leaves out of what explains something all that is not needed for it, halves first and then ever fewer at a
// time, the last first. Something is left.
func shrunk[E any](all []E, explains func([]E) bool) []E {
	for size := len(all) / 2; size > 0; {
		before := len(all)
		for end := len(all); end > 0; end -= size {
			fewer := slices.Delete(slices.Clone(all), max(end-size, 0), end)
			if len(fewer) > 0 && explains(fewer) {
				all = fewer
			}
		}
		if size > 1 || len(all) == before {
			size /= 2
		}
	}
	return all
}

// differs reports whether the model with the causes says anything else than the evaluation.
func (i *explanation) differs(other *model.Evaluation, causes []*cause) bool {
	sameFilters := func(a, b spec.ExpectedOnNode) bool {
		return a.Feasible == b.Feasible && slices.Equal(a.Statuses, b.Statuses)
	}
	filters := i.filters(causes).Expected
	return filters.NoDecision != other.Expected.NoDecision ||
		!slices.EqualFunc(filters.Nodes, other.Expected.Nodes, sameFilters) ||
		!reflect.DeepEqual(i.evaluate(causes).Expected, other.Expected)
}

// filters returns the evaluation of the model with the causes, as far as filters go.
func (i *explanation) filters(causes []*cause, more ...*cause) *model.Evaluation {
	return i.partialOf(slices.Concat(causes, more)).Evaluation
}

// evaluate returns the evaluation of the model with the causes.
func (i *explanation) evaluate(causes []*cause, more ...*cause) *model.Evaluation {
	a := i.partialOf(slices.Concat(causes, more))
	if !a.complete {
		i.tried.Add(1)
		a.Complete()
		normalize(i.question, a.Evaluation)
		a.complete = true
	}
	return a.Evaluation
}

func (i *explanation) partialOf(causes []*cause) *partialEvaluation {
	tables := i.tablesWith(causes)
	for _, known := range i.evaluations {
		if known.tables == tables {
			return known
		}
	}
	asked := &partialEvaluation{Evaluation: tables.EvaluateFilters(i.plain), tables: tables}
	i.evaluations = append(i.evaluations, asked)
	return asked
}
