package decisions

import (
	"slices"
	"strings"
)

// Verdict is the answer of a run.
type Verdict uint8

const (
	// Holds: everything was explored, and nothing is violated.
	Holds Verdict = iota
	// Violated: a property is violated.
	Violated
	// Unfinished: nothing is violated so far, but not everything was explored.
	Unfinished
)

// String returns the words used in reports.
func (v Verdict) String() string {
	return [...]string{"holds", "violated", "not finished"}[v]
}

// Verdict sums the result up. A violation counts even if the run did not finish; that something was not reached
// counts only if it did. strict is that of Fails.
func (r *Result) Verdict(strict Strict) Verdict {
	fails := func(f Finding) bool { return f.Fails(strict) }
	switch {
	case slices.ContainsFunc(r.Findings, fails) || slices.ContainsFunc(r.Untold, fails):
		return Violated
	case !r.Complete:
		return Unfinished
	case len(r.Unreached()) > 0:
		return Violated
	default:
		return Holds
	}
}

// Strict are the classes of findings that fail a run, besides new ones.
type Strict []Class

// StrictOfAll returns all classes that can be made to fail a run.
func StrictOfAll() Strict {
	return slices.DeleteFunc(Classes(), func(c Class) bool { return c == New || c == Witness })
}

// Has reports whether the class fails a run.
func (s Strict) Has(class Class) bool { return slices.Contains(s, class) }

// Fails reports whether a run with the finding fails: if nothing explains it, or if it is of a class that strict has.
// What was to be found never does.
func (f *Finding) Fails(strict Strict) bool { return f.Class == New || strict.Has(f.Class) }

// Unreached returns the names of the properties that were to be reached and are not.
func (r *Result) Unreached() []string {
	var names []string
	for _, p := range r.Properties {
		if p.Missing() {
			names = append(names, p.Name)
		}
	}
	return names
}

// Verdict sums up what is kept of the chunks of a shard, so many. A limit on states or levels leaves none out: what
// it means for the run is decided when the shards are merged.
func (s *Shard) Verdict(chunks int) Verdict {
	switch {
	case s.Chunks < chunks:
		return Unfinished
	case len(s.New) > 0:
		return Violated
	default:
		return Holds
	}
}

// Expected is what somebody expects to come out of a run.
type Expected struct {
	Verdict Verdict
	// Findings are ids of findings, or what they begin with.
	Findings []string
}

// Absent returns the expected findings that are not there.
func (e *Expected) Absent(r *Result) []string {
	return slices.DeleteFunc(slices.Clone(e.Findings), func(id string) bool {
		return slices.ContainsFunc(r.Findings, func(f Finding) bool { return strings.HasPrefix(f.ID, id) })
	})
}

// VerdictOf returns Holds if the result, with this verdict, is as expected, and Violated if it is not. A run that did
// not finish may still come to what was expected.
func (e *Expected) VerdictOf(r *Result, verdict Verdict) Verdict {
	switch {
	case verdict == e.Verdict && len(e.Absent(r)) == 0:
		return Holds
	case verdict == Unfinished:
		return Unfinished
	default:
		return Violated
	}
}
