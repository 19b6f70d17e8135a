package spec

import v1 "k8s.io/api/core/v1"

// domainNamed is a domain of a topology.
type domainNamed struct{ key, value string }

// tally counts by domain.
type tally map[domainNamed]int64

// of returns what is counted in the node's domain; 0 if it is in none.
func (t tally) of(key string, node *v1.Node) int64 {
	value, labelled := node.Labels[key]
	if !labelled {
		return 0
	}
	return t[domainNamed{key, value}]
}

// add counts a pod in its node's domain, if it is in one.
func (t tally) add(key string, pod *v1.Pod, x *Index, n int64) {
	if value, labelled := x.labelOf(pod, key); labelled {
		t[domainNamed{key, value}] += n
	}
}

// affinityTally is what the filter InterPodAffinity counts for a pod.
type affinityTally struct {
	r   AffinityRules
	pod *v1.Pod
	x   *Index
	// satisfying, about count the pods that terms of the pod's required affinity, and anti-affinity, are about.
	satisfying, about []tally
	// group counts the others of its group, repelling the terms of other pods by domain.
	group     int64
	repelling tally
}

// indexedFilter is the fast form of interPodAffinity. Pods that are away, or put on the node, are counted anew: a dry
// run has few of them.
func (r AffinityRules) indexedFilter(_ *Profile, pod *v1.Pod, q *indexed) func(at *stage) bool {
	x := q.x
	now := affinityTally{r: r, pod: pod, x: x}
	now.reset()
	if len(requiredAffinity(pod))+len(requiredAntiAffinity(pod)) > 0 {
		for _, other := range x.bound {
			now.countOwn(other, 1)
		}
	}
	for _, other := range x.repelling {
		now.countTheirs(other, 1)
	}
	anywhere := len(now.repelling) > 0
	heeded := r.heeds(pod, func() bool { return anywhere })
	self := r.ofItsGroup(pod, pod, x.namespaceOf(pod))
	return func(at *stage) bool {
		var moved affinityTally
		if !at.asIs() {
			moved = affinityTally{r: r, pod: pod, x: x}
			moved.reset()
			for _, other := range at.away {
				moved.countOwn(other, -1)
				moved.countTheirs(other, -1)
			}
			for _, other := range at.put {
				bound := *other
				bound.Spec.NodeName = at.node.Name
				moved.countOwn(&bound, 1)
				moved.countTheirs(&bound, 1)
			}
		}
		in := func(of func(affinityTally) int64) int64 {
			if at.asIs() {
				return of(now)
			}
			return of(now) + of(moved)
		}
		return drawsTo(pod, at.node, self, in) && !keepsOff(pod, at.node, in) &&
			!(heeded && repelsThere(at.node, now, moved))
	}
}

// drawsTo is AffinityRules.attracted.
func drawsTo(pod *v1.Pod, node *v1.Node, self bool, in func(func(affinityTally) int64) int64) bool {
	satisfied := true
	for i, term := range requiredAffinity(pod) {
		if !Colocated(term.TopologyKey, node, node) {
			return false
		}
		satisfied = satisfied &&
			in(func(t affinityTally) int64 { return t.satisfying[i].of(term.TopologyKey, node) }) > 0
	}
	return satisfied || self && in(func(t affinityTally) int64 { return t.group }) == 0
}

// keepsOff is AffinityRules.repelled.
func keepsOff(pod *v1.Pod, node *v1.Node, in func(func(affinityTally) int64) int64) bool {
	for i, term := range requiredAntiAffinity(pod) {
		if in(func(t affinityTally) int64 { return t.about[i].of(term.TopologyKey, node) }) > 0 {
			return true
		}
	}
	return false
}

// repelsThere is repels.
func repelsThere(node *v1.Node, now, moved affinityTally) bool {
	if len(now.repelling)+len(moved.repelling) == 0 {
		return false
	}
	for key, value := range node.Labels {
		domain := domainNamed{key, value}
		if now.repelling[domain]+moved.repelling[domain] > 0 {
			return true
		}
	}
	return false
}

func (t *affinityTally) reset() {
	t.satisfying = each(requiredAffinity(t.pod), func(v1.PodAffinityTerm) tally { return tally{} })
	t.about = each(requiredAntiAffinity(t.pod), func(v1.PodAffinityTerm) tally { return tally{} })
	t.repelling = tally{}
}

// countOwn counts a bound pod for the terms of the pod.
func (t *affinityTally) countOwn(other *v1.Pod, n int64) {
	at, bound := t.x.nodeOf(other)
	if !bound {
		return
	}
	s := t.x.namespaceOf(other)
	terms := requiredAffinity(t.pod)
	for i, term := range terms {
		if t.r.satisfies(t.r, term, t.pod, other, s) {
			t.satisfying[i].add(term.TopologyKey, other, t.x, n)
		}
	}
	if len(terms) > 0 && t.r.ofItsGroup(t.pod, other, s) && t.r.belongs(t.pod, t.x.Snapshot.Nodes[at]) {
		t.group += n
	}
	for i, term := range requiredAntiAffinity(t.pod) {
		if t.r.about(term, t.pod, other, s) {
			t.about[i].add(term.TopologyKey, other, t.x, n)
		}
	}
}

// countTheirs counts the terms of a bound pod that are about the pod.
func (t *affinityTally) countTheirs(other *v1.Pod, n int64) {
	s := t.x.namespaceOf(t.pod)
	for _, term := range requiredAntiAffinity(other) {
		if MatchesPod(term, other, t.pod, s) {
			t.repelling.add(term.TopologyKey, other, t.x, n)
		}
	}
}

// indexedScores is the fast form of preferredPodAffinity.
func (r AffinityRules) indexedScores(p *Profile, pod *v1.Pod, feasible []*v1.Node, q *indexed) indexedScores {
	x := q.x
	own := preferences(pod)
	about := each(own, func(v1.WeightedPodAffinityTerm) tally { return tally{} })
	theirs, abstains := tally{}, true
	for i, term := range own {
		for _, other := range x.bound {
			if r.about(term.PodAffinityTerm, pod, other, x.namespaceOf(other)) {
				about[i].add(term.PodAffinityTerm.TopologyKey, other, x, 1)
				abstains = false
			}
		}
	}
	for _, other := range x.affine {
		for _, term := range r.heeded(p, pod, other) {
			if MatchesPod(term.PodAffinityTerm, other, pod, x.namespaceOf(pod)) {
				theirs.add(term.PodAffinityTerm.TopologyKey, other, x, int64(term.Weight))
				abstains = false
			}
		}
	}
	if abstains {
		return indexedScores{abstains: true}
	}
	return indexedScores{raw: each(feasible, func(node *v1.Node) int64 {
		var raw int64
		for i, term := range own {
			raw += int64(term.Weight) * r.times(int(about[i].of(term.PodAffinityTerm.TopologyKey, node)))
		}
		for key, value := range node.Labels {
			raw += theirs[domainNamed{key, value}]
		}
		return raw
	})}
}
