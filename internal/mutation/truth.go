package main

// truth is what is known of a condition from the defaults of the feature gates alone, or of whether there is anything
// in a variable that may be nil.
type truth int

const (
	// unseen is what nothing was assigned to yet, open what may be either.
	unseen truth = iota
	never
	always
	open
)

func known(yes bool) truth {
	if yes {
		return always
	}
	return never
}

func (t truth) not() truth {
	switch t {
	case never:
		return always
	case always:
		return never
	}
	return t
}

// and is what is known of both: never if one is, unseen while one may turn out to be never.
func (t truth) and(other truth) truth {
	switch {
	case t == never || other == never:
		return never
	case t == unseen || other == unseen:
		return unseen
	}
	return max(t, other)
}

func (t truth) or(other truth) truth { return t.not().and(other.not()).not() }

// either is what is known of a variable that both are assigned to.
func (t truth) either(other truth) truth {
	switch {
	case t == unseen:
		return other
	case other == unseen || t == other:
		return t
	}
	return open
}
