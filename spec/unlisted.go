package spec

// Unlisted answers for the preemptions of a question that has too many to list them all. An answer that is not
// decided is neither yes nor no: the search for it ended at its limit.
type Unlisted interface {
	// Allows reports whether the preemption may be chosen: it is one of the DocumentedPreemption.
	Allows(c Candidate) (allowed, decided bool)
	// Documents reports whether the set is one of the DocumentedCandidates of its node.
	Documents(c Candidate) (documented, decided bool)
	// Ideal reports whether the preemption is one of least casualty over all nodes and sets. It is asked only where
	// that is known.
	Ideal(c Candidate) bool
}

// Allows reports whether the outcome is one that the model gives. One that is Undecided counts as such.
func (e *Expected) Allows(o Outcome) bool {
	if exists(e.Outcomes, o.Equal) {
		return true
	}
	if e.Unlisted == nil || o.Type != Preempt {
		return false
	}
	allowed, decided := e.Unlisted.Allows(o.candidate())
	return allowed || !decided
}

// Undecided reports whether it is not known if the model gives the outcome: to find out would take too long.
func (e *Expected) Undecided(o Outcome) bool {
	if e.Unlisted == nil || o.Type != Preempt || exists(e.Outcomes, o.Equal) {
		return false
	}
	_, decided := e.Unlisted.Allows(o.candidate())
	return !decided
}

// Documents reports whether the documented procedure may find the candidate. Where that is not decided it counts as
// such.
func (e *Expected) Documents(c Candidate) bool {
	if exists(e.Candidates, c.Equal) {
		return true
	}
	if e.Unlisted == nil {
		return false
	}
	documented, decided := e.Unlisted.Documents(c)
	return documented || !decided
}

// Consider takes notice of candidates that were found elsewhere. Of very many, those that are documented show how much
// damage their nodes may bring, which is quicker than to search for it.
func (e *Expected) Consider(candidates []Candidate) {
	if e.Unlisted == nil {
		return
	}
	for _, c := range candidates {
		e.Unlisted.Documents(c)
	}
}

// LeastDamage reports whether the preemption does the least damage possible. Nothing is said where NotWeighed is set.
func (e *Expected) LeastDamage(c Candidate) bool {
	return exists(e.Ideal, c.Equal) || e.Unlisted != nil && e.NotWeighed == 0 && e.Unlisted.Ideal(c)
}

// candidate returns the preemption that the outcome is.
func (o Outcome) candidate() Candidate { return Candidate{Node: o.Node, Victims: o.Victims} }

// Equal reports whether two candidates of the same question are the same. Victims are the same objects, in any order.
func (c Candidate) Equal(other Candidate) bool {
	return c.Node == other.Node && SamePods(c.Victims, other.Victims)
}
