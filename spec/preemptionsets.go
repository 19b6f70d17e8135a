package spec

// Sets returns the documented candidates of the nodes and their preemptions of least casualty, of pods that are alike
// the first ones. all is false if there are more. Unlike in an expectation the latter are there without the former:
// filters that want pods to be there may hold for some set even where they fail without everybody.
func (p *Preemptions) Sets() (documented, least []Candidate, all bool) {
	var sets []foundSet
	for _, d := range p.nodes {
		if r := p.rivals[d.Node]; r != nil {
			for _, set := range r.sets {
				sets = append(sets, foundSet{d, set})
			}
		}
	}
	documented, _ = named(sets, 0)
	least, _ = named(p.ideal, 0)
	return documented, least, !p.unlisted
}

// Enabled is PreemptionEnabled, also where the search was given up before it found a set.
func (p *Preemptions) Enabled() bool { return len(p.least.found) > 0 || p.notWeighed > 0 }
