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
	// plain are the tables of the model without quirks.
	plain *model.Tables
	// errata and defects are what may explain a decision, plugins what the defects are of.
	errata, defects []*cause
	plugins         []pluginDefects
	// agrees tells whether a decision breaks no property under an answer, but by design.
	agrees func(q *model.Question, a *model.Answer, decision *spec.Decision) bool

	mu     sync.Mutex
	tables map[string]*model.Tables // by the causes' numbers
	// speaking are the defects of plugins that have something to say, by the company of the question.
	speaking map[uint32][]*cause
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
	// onlyRates: it makes no difference where no node is rated.
	onlyRates bool
}

// pluginDefects are the defects of one plugin.
type pluginDefects struct {
	plugin string
	// mended and odd are tables of the model, errata mended, with none of the defects and with all of them.
	mended, odd *model.Tables
}

func newExplainer(plain *model.Tables, s *spec.Scheduler, agrees func(*model.Question, *model.Answer, *spec.Decision) bool) *explainer {
	x := &explainer{plain: plain, agrees: agrees, tables: map[string]*model.Tables{}, speaking: map[uint32][]*cause{}}
	for i, quirk := range s.Explanations() {
		c := &cause{quirk, byte(i), quirk.Plugin(), quirk.Plugins(), quirk.OnlyRates()}
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
		mended: x.tablesWith(x.errata), odd: x.tablesWith(slices.Concat(x.errata, own)),
	}
}

// explain finds a set of errata and defects, none of which can be left out, with which the model agrees with production on the
// whole decision. It gives nothing if there is none.
//
// A model without errata is that of Kubernetes, and the set is the smallest one. One with errata is that of Kubernetes when all are
// mended; then the defects are looked for, and the errata that make no difference are left as they are.
func (x *explainer) explain(q *model.Question, plain *model.Answer, decision *spec.Decision) []spec.Quirk {
	i := &inquiry{explainer: x, question: q, plain: plain, decision: decision}
	i.rated = slices.ContainsFunc(decision.Nodes, func(n spec.NodeDecision) bool { return n.Ratings != nil })
	var quirks []spec.Quirk
	for _, c := range i.explain() {
		quirks = append(quirks, c.Quirk)
	}
	return quirks
}

// tablesWith gives the tables of the model with the causes.
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

// inquiry is the search for what explains one decision.
type inquiry struct {
	*explainer
	question *model.Question
	plain    *model.Answer
	decision *spec.Decision
	rated    bool // by production, some node
	// answers are those of the model with causes.
	answers []*answer
}

// answer is an answer of tables that may go only as far as filters.
type answer struct {
	*model.Answer
	tables   *model.Tables
	complete bool
}

func (i *inquiry) explain() []*cause {
	if len(i.errata) == 0 {
		return i.smallest(i.plain)
	}
	mended := i.answer(i.errata)
	if i.agrees(i.question, mended, i.decision) {
		return i.shrink(i.errata)
	}
	defects := i.smallest(mended)
	if defects == nil {
		return nil
	}
	return i.shrink(slices.Concat(i.errata, defects))
}

// smallest finds the smallest set of defects with which the model, its errata mended, agrees with production. Of sets of one size
// those count first that are about the plugins that differ alone, and of these the first in the order of the defects.
//
// Defects can hide each other altogether: if no small set is found, all are tried at once, and what is not needed is left out.
func (i *inquiry) smallest(mended *model.Answer) []*cause {
	wrong := wrongVerdicts(mended.Expectation, i.decision)
	// What a plugin says is changed by a defect of that plugin only.
	var differing []string
	for _, v := range wrong {
		differing = append(differing, v.plugin)
	}
	differing = append(differing, differingRaters(mended.Expectation, i.decision)...)
	// Most defects do not even mend what is quickly asked for.
	agrees := func(defects []*cause) bool {
		if !covers(defects, differing) || !i.mends(wrong, defects) {
			return false
		}
		filters := i.filters(i.errata, defects...).Expectation
		return filters.NoDecision == (i.decision.Failure != "") && len(wrongVerdicts(filters, i.decision)) == 0 &&
			i.agrees(i.question, i.answer(i.errata, defects...), i.decision)
	}
	spoken := i.spoken(i.plain)
	for n := range spoken {
		// Whether a defect is idle is asked of those that may be the one.
		if one := spoken[n : n+1]; covers(one, differing) && !i.idle(spoken[n]) && agrees(one) {
			return one
		}
	}
	suspects := slices.DeleteFunc(slices.Clone(spoken), i.idle)
	groups := []func() []*cause{sync.OnceValue(func() []*cause { return i.relevant(mended, suspects) })}
	if len(differing) > 0 {
		blamed := slices.DeleteFunc(slices.Clone(suspects), func(d *cause) bool {
			return !slices.ContainsFunc(d.plugins, func(plugin string) bool { return slices.Contains(differing, plugin) })
		})
		own := sync.OnceValue(func() []*cause { return i.relevant(mended, blamed) })
		if groups = slices.Insert(groups, 0, own); len(wrong) == 0 {
			groups = groups[:1] // the right nodes are rated, so no other defect makes a difference to where the pod is bound
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

// covers tells whether every plugin has a defect among these.
func covers(defects []*cause, plugins []string) bool {
	return !slices.ContainsFunc(plugins, func(plugin string) bool {
		return !slices.ContainsFunc(defects, func(d *cause) bool { return slices.Contains(d.plugins, plugin) })
	})
}

// idle tells whether a defect can make no difference to the question, or only one to ratings where production rated no node.
func (i *inquiry) idle(d *cause) bool {
	asked := i.plain.Question
	return d.onlyRates && !i.rated || d.Idle(i.plain.Spec().Profile, asked.Pod, asked.Snapshot)
}

// spoken gives the defects of plugins that have something to say to the question of the answer, with or without all their defects, of which one
// may have something to say only because of another.
func (x *explainer) spoken(a *model.Answer) []*cause {
	x.mu.Lock()
	known, ok := x.speaking[a.Company()]
	x.mu.Unlock()
	if ok {
		return known
	}
	for _, d := range x.defects {
		i := slices.IndexFunc(x.plugins, func(p pluginDefects) bool { return p.plugin == d.plugin })
		if p := x.plugins[i]; !p.mended.Idle(a, p.plugin) || !p.odd.Idle(a, p.plugin) {
			known = append(known, d)
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.speaking[a.Company()] = known
	return known
}

// combination gives the first combination of so many more causes, beside those chosen, that agrees; nil if none does.
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

// relevant gives the defects that change something in what the model says to the question, by themselves or beside such ones, until
// there are no more: a defect of a rating may show only on a node that another defect makes feasible.
func (i *inquiry) relevant(mended *model.Answer, defects []*cause) []*cause {
	var relevant []*cause
	for together := mended; ; together = i.answer(i.errata, relevant...) {
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

// mends tells whether the model with the defects gives the verdicts that production did, of those that are wrong without.
func (i *inquiry) mends(wrong []wrongVerdict, defects []*cause) bool {
	tables := i.tablesWith(slices.Concat(i.errata, defects))
	return !slices.ContainsFunc(wrong, func(v wrongVerdict) bool { return !tables.Allowed(i.plain, v.plugin, v.node).Allow(v.got) })
}

// shrink leaves out of an explanation what is not needed, large parts first, the last first.
func (i *inquiry) shrink(causes []*cause) []*cause {
	for part := len(causes) / 2; part > 0; {
		before := len(causes)
		for end := len(causes); end > 0; end -= part {
			fewer := slices.Delete(slices.Clone(causes), max(end-part, 0), end)
			if len(fewer) > 0 && i.agrees(i.question, i.answer(fewer), i.decision) {
				causes = fewer
			}
		}
		if part > 1 || len(causes) == before {
			part /= 2
		}
	}
	return causes
}

// differs tells whether the model with the causes says anything else than the answer.
func (i *inquiry) differs(other *model.Answer, causes []*cause) bool {
	sameFilters := func(a, b spec.NodeExpectation) bool {
		return a.Feasible == b.Feasible && slices.Equal(a.Verdicts, b.Verdicts)
	}
	filters := i.filters(causes).Expectation
	return filters.NoDecision != other.Expectation.NoDecision || !slices.EqualFunc(filters.Nodes, other.Expectation.Nodes, sameFilters) ||
		!reflect.DeepEqual(i.answer(causes).Expectation, other.Expectation)
}

// filters gives the answer of the model with the causes, as far as filters go.
func (i *inquiry) filters(causes []*cause, more ...*cause) *model.Answer {
	return i.answerOf(slices.Concat(causes, more)).Answer
}

// answer gives the answer of the model with the causes.
func (i *inquiry) answer(causes []*cause, more ...*cause) *model.Answer {
	a := i.answerOf(slices.Concat(causes, more))
	if !a.complete {
		i.tried.Add(1)
		a.Complete()
		normalize(i.question, a.Answer)
		a.complete = true
	}
	return a.Answer
}

func (i *inquiry) answerOf(causes []*cause) *answer {
	tables := i.tablesWith(causes)
	for _, known := range i.answers {
		if known.tables == tables {
			return known
		}
	}
	asked := &answer{Answer: tables.AnswerFilters(i.plain), tables: tables}
	i.answers = append(i.answers, asked)
	return asked
}
