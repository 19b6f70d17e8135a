package spec

import (
	"slices"

	v1 "k8s.io/api/core/v1"
)

// Scheduler is the formal model under one profile. Its methods are the model's operators. They
// are pure, and read as the formulas they stand for; they are not meant to be fast.
type Scheduler struct {
	Profile *Profile

	filters []Filter
	ratings []Rater
}

// New gives the formal model under the profile. Plugins that the profile enables and the model does
// not know are left out of every predicate; Unmodelled names them.
func New(profile *Profile) *Scheduler {
	s := &Scheduler{Profile: profile}
	for _, f := range Filters() {
		if slices.Contains(profile.Filters, f.Plugin) {
			s.filters = append(s.filters, f)
		}
	}
	for _, r := range Raters() {
		if weight(profile, r.Plugin) > 0 {
			s.ratings = append(s.ratings, r)
		}
	}
	return s
}

// Unmodelled names the enabled filter and score plugins that the model has no predicate for, in the profile's order.
func (s *Scheduler) Unmodelled() (filters, raters []string) {
	for _, plugin := range s.Profile.Filters {
		if !exists(s.filters, func(f Filter) bool { return f.Plugin == plugin }) {
			filters = append(filters, plugin)
		}
	}
	for _, w := range s.Profile.Raters {
		if !exists(s.ratings, func(r Rater) bool { return r.Plugin == w.Plugin }) {
			raters = append(raters, w.Plugin)
		}
	}
	return filters, raters
}

// Filters gives the filters that take part under the profile.
func (s *Scheduler) Filters() []Filter { return s.filters }

// Raters gives the score plugins that take part under the profile.
func (s *Scheduler) Raters() []Rater { return s.ratings }

func weight(p *Profile, plugin string) int64 {
	return sum(p.Raters, func(w Weighted) int64 {
		if w.Plugin == plugin {
			return w.Weight
		}
		return 0
	})
}

// Footprint says how much of a snapshot a predicate reads besides the pod it is asked about.
type Footprint uint8

const (
	// ReadsNode: the Node object only.
	ReadsNode Footprint = iota
	// ReadsNodeAndPods: the Node object and the pods bound to it.
	ReadsNodeAndPods
	// ReadsCluster: anything.
	ReadsCluster
)

// Filter is one conjunct of Feasibility.
type Filter struct {
	// Plugin is the filter plugin it answers for.
	Plugin    string
	Footprint Footprint
	// Holds tells whether the node can take the pod, as far as this filter goes. The pods of the
	// snapshot that are bound to the node count, nominations do not.
	Holds func(p *Profile, pod *v1.Pod, node *v1.Node, s *Snapshot) bool
}

// Filters gives every filter of the model.
func Filters() []Filter {
	return []Filter{}
}

// Rater is one summand of Viability.
type Rater struct {
	// Plugin is the score plugin it answers for.
	Plugin    string
	Footprint Footprint
	// Raw rates a node before normalisation.
	Raw func(p *Profile, pod *v1.Pod, node *v1.Node, s *Snapshot) int64
	// Normalize maps the raw ratings of the feasible nodes to 0..100, in the same order; nil if Raw is in that
	// range already.
	Normalize func(raw []int64) []int64
	// Abstains tells that the plugin has nothing to say about the pod among these nodes, in which case
	// each node gets 0; nil if it never does.
	Abstains func(p *Profile, pod *v1.Pod, nodes []*v1.Node, s *Snapshot) bool
}

// Raters gives every score plugin of the model.
func Raters() []Rater {
	return []Rater{}
}
