package decisions

// mostRecent is how many questions are remembered at least, to tell which come up again: about 40 MB.
const mostRecent = 1 << 19

// recent remembers the questions that came up last, at least the last mostRecent ones and at most twice as many, so
// that a run of any length takes as much memory. The zero value remembers none.
type recent struct {
	younger, older map[questionKey]bool
	// added counts the questions that were not remembered when they came up.
	added int
}

// add adds a question, and reports whether it was remembered.
func (r *recent) add(key questionKey) bool {
	if r.younger[key] || r.older[key] {
		return true
	}
	if r.younger == nil || len(r.younger) >= mostRecent {
		r.older, r.younger = r.younger, map[questionKey]bool{}
	}
	r.younger[key] = true
	r.added++
	return false
}
