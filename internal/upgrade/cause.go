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
	// Unexplained: on one side or both, the decision is not what is documented, and no known defect explains it.
	Unexplained Kind = "unexplained"
	// Allowed: both decisions are what is documented, which does not say which of them it is to be.
	Allowed Kind = "allowed"
	// Documented: the releases document it otherwise.
	Documented Kind = "documented"
	// Came and Gone: a known defect is in the later release only, or in the earlier one only.
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
	// Name is the change or the known defect; of what is not explained the finding, and the release that has it.
	Name string
}

// explainer finds causes. It is for one worker.
type explainer struct {
	// to is the model with the documents of the later release, and changes lie between the two.
	to      *spec.Scheduler
	changes []spec.Change
}

// newExplainer makes one of the model with the documents of the later release.
func newExplainer(to *spec.Scheduler, from string) *explainer {
	x := &explainer{to: to}
	earlier := spec.ChangesSince(from)
	for _, c := range spec.Changes() {
		if slices.Contains(earlier, c.Name) != slices.Contains(to.Profile.Lacks, c.Name) {
			x.changes = append(x.changes, c)
		}
	}
	return x
}

// causes returns why two decisions about a question differ, in order. Findings are what of them is not documented.
func (x *explainer) causes(q spec.Question, differences []Difference, from, to []Finding) []Cause {
	var all []Cause
	for _, side := range [][]Finding{from, to} {
		for _, f := range side {
			if f.Class == decisions.New && !slices.Contains(all, Cause{Unexplained, f.ID}) {
				all = append(all, Cause{Unexplained, f.ID})
			}
		}
	}
	before, after := quirks(from), quirks(to)
	for _, name := range before {
		if !slices.Contains(after, name) {
			all = append(all, Cause{Gone, name})
		}
	}
	for _, name := range after {
		if !slices.Contains(before, name) {
			all = append(all, Cause{Came, name})
		}
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

// compareCauses orders causes, the weightiest first.
func compareCauses(a, b Cause) int {
	return cmp.Or(cmp.Compare(a.Kind.rank(), b.Kind.rank()), cmp.Compare(a.Name, b.Name))
}

// quirks returns the names of the known defects that explain findings, sorted.
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
	name := differences[0].In
	if plugin := differences[0].Plugin; plugin != "" {
		name += " of " + plugin
	}
	return name
}

// matters reports whether a documented change makes a difference to the question: whether the model says otherwise
// without it. Of a change of scores alone it is known where a score of its plugin differs.
func (x *explainer) matters(c spec.Change, q spec.Question, differences []Difference) bool {
	own := func(d Difference) bool { return d.Plugin == c.Plugin }
	if slices.ContainsFunc(differences, own) {
		return true
	}
	return !slices.ContainsFunc(differences, func(d Difference) bool { return d.Plugin != "" }) &&
		!sameOutcomes(x.to.For(q.Pod).Outcomes(q.Pod, q.Snapshot),
			x.to.For(q.Pod).Without(c).Outcomes(q.Pod, q.Snapshot))
}

func sameOutcomes(a, b []spec.Outcome) bool {
	in := func(o spec.Outcome, all []spec.Outcome) bool { return slices.ContainsFunc(all, o.Equal) }
	return !slices.ContainsFunc(a, func(o spec.Outcome) bool { return !in(o, b) }) &&
		!slices.ContainsFunc(b, func(o spec.Outcome) bool { return !in(o, a) })
}
