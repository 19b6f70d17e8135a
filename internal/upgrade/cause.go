package upgrade

import (
	"cmp"
	"slices"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Kind is the sort of a cause.
type Kind string

const (
	// Unexplained: on one side or both, the decision is not what is documented, and no deviation explains it.
	Unexplained Kind = "unexplained"
	// Allowed: both decisions are what is documented, which does not say which of them it is to be.
	Allowed Kind = "allowed"
	// Documented: the releases document it otherwise.
	Documented Kind = "documented"
	// Came and Gone: a deviation is in the later release only, or in the earlier one only.
	Came Kind = "came"
	Gone Kind = "gone"
)

// rank orders kinds in reports.
func (k Kind) rank() int {
	return slices.Index([]Kind{Unexplained, Came, Gone, Documented, Allowed}, k)
}

// Cause is why decisions differ.
type Cause struct {
	Kind Kind
	// Name is the change or the deviation; of what is not explained the finding, and the release that has it.
	Name string
}

// explainer finds causes. It is for one worker.
type explainer struct {
	// to is the model with the documents of the later release, and changes lie between the two.
	to      *spec.Scheduler
	changes []spec.Change
	// from is the earlier release.
	from string
}

// newExplainer makes one of the model with the documents of the later release.
func newExplainer(to *spec.Scheduler, from string) *explainer {
	x := &explainer{to: to, from: from}
	earlier := spec.ChangesSince(from)
	for _, c := range spec.Changes() {
		if slices.Contains(earlier, c.Name) != slices.Contains(to.Profile.Lacks, c.Name) {
			x.changes = append(x.changes, c)
		}
	}
	return x
}

// causes returns why two decisions about a question differ, in order. A defect of a plugin that says the same in both
// has no part in it.
//
// Which deviations explain a decision is not always certain: of two that would, one is named. So a defect counts as
// gone only if the later release's decision is not explained by it together with those that are named there.
func (x *explainer) causes(q spec.Question, differences []Difference, from, to Side) []Cause {
	before, after := from.Explain(), to.Explain()
	all := unexplained(differences, before, after)
	if !hasNew(before) && !hasNew(after) {
		all = append(x.quirks(Gone, differences, quirks(before), quirks(after), to),
			x.quirks(Came, differences, quirks(after), quirks(before), from)...)
	}
	for _, c := range x.changes {
		if c.Concerns(q) && x.matters(c, q, differences) {
			all = append(all, Cause{Documented, c.Name})
		}
	}
	if len(all) == 0 {
		all = append(all, Cause{Allowed, where(differences)})
	}
	slices.SortFunc(all, compareCauses)
	return all
}

func hasNew(findings []Finding) bool {
	return slices.ContainsFunc(findings, func(f Finding) bool { return f.Class == decisions.New })
}

// unexplained returns what nothing known explains, on either side. What is said of no plugin follows from what plugins
// say, if they do.
func unexplained(differences []Difference, sides ...[]Finding) (all []Cause) {
	blamed := false
	for _, f := range slices.Concat(sides...) {
		if f.Class == decisions.New && f.Plugin != "" {
			blamed = true
			if differs(f.Plugin, differences) && !slices.Contains(all, Cause{Unexplained, f.ID}) {
				all = append(all, Cause{Unexplained, f.ID})
			}
		}
	}
	for _, f := range slices.Concat(sides...) {
		if f.Class == decisions.New && f.Plugin == "" && !blamed && !slices.Contains(all, Cause{Unexplained, f.ID}) {
			all = append(all, Cause{Unexplained, f.ID})
		}
	}
	return all
}

// differs reports whether what the plugin says differs, or no plugin says anything else.
func differs(plugin string, differences []Difference) bool {
	ofPlugins := false
	for _, d := range differences {
		if d.Plugin == plugin {
			return true
		}
		ofPlugins = ofPlugins || d.Plugin != ""
	}
	return !ofPlugins
}

// quirks returns the defects that one side has, and the other, with its own, has not.
func (x *explainer) quirks(kind Kind, differences []Difference, has, hasNot []string, other Side) (all []Cause) {
	for _, quirk := range spec.Quirks() {
		concerns := slices.ContainsFunc(quirk.Plugins(), func(plugin string) bool { return differs(plugin, differences) })
		certain := kind == Came && !quirk.In(x.from) // it is not there, though it may change nothing there
		if concerns && slices.Contains(has, quirk.Name) && !slices.Contains(hasNot, quirk.Name) &&
			(certain || !other.Explains(append(slices.Clone(hasNot), quirk.Name))) {
			all = append(all, Cause{kind, quirk.Name})
		}
	}
	return all
}

// quirks returns the names of the deviations that explain findings, sorted.
func quirks(findings []Finding) []string {
	var names []string
	for _, f := range findings {
		names = append(names, f.Quirks...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// where names what differs, the most weighty first.
func where(differences []Difference) string {
	for _, d := range differences {
		if d.Plugin != "" {
			return d.In + " of " + d.Plugin
		}
	}
	return differences[0].In
}

// matters reports whether a documented change makes a difference to the question: what its plugin says differs, or, if
// no plugin says anything else, the model without the change has other outcomes, or for them other writes.
func (x *explainer) matters(c spec.Change, q spec.Question, differences []Difference) bool {
	if slices.ContainsFunc(differences, func(d Difference) bool { return d.Plugin == c.Plugin }) {
		return true
	}
	model := x.to.For(q.Pod)
	without := model.Without(c)
	outcomes := model.Outcomes(q.Pod, q.Snapshot)
	return differs(c.Plugin, differences) && (!sameOutcomes(outcomes, without.Outcomes(q.Pod, q.Snapshot)) ||
		slices.ContainsFunc(differences, func(d Difference) bool { return d.In == inWrites }) &&
			slices.ContainsFunc(outcomes, func(o spec.Outcome) bool {
				return !slices.Equal(model.Deleted(o), without.Deleted(o)) ||
					model.MayClear(q.Pod, o) != without.MayClear(q.Pod, o)
			}))
}

func sameOutcomes(a, b []spec.Outcome) bool {
	in := func(o spec.Outcome, all []spec.Outcome) bool { return slices.ContainsFunc(all, o.Equal) }
	return !slices.ContainsFunc(a, func(o spec.Outcome) bool { return !in(o, b) }) &&
		!slices.ContainsFunc(b, func(o spec.Outcome) bool { return !in(o, a) })
}

// compareCauses orders causes, the weightiest first.
func compareCauses(a, b Cause) int {
	return cmp.Or(cmp.Compare(a.Kind.rank(), b.Kind.rank()), cmp.Compare(a.Name, b.Name))
}
