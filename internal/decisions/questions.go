package decisions

// Questions is how often a question came up in the i-th scenario, asked of production or known already.
func (r *Result) Questions(i int) int64 {
	counters := r.Scenarios[i].Counters
	if counter := len(r.Properties); counter < len(counters) {
		return counters[counter]
	}
	return 0
}
