package spec

import v1 "k8s.io/api/core/v1"

// scorePlugins returns the scores of the text, and for each score plugin that it leaves out one that scores every
// node 0. The text has one sum; its parts are given to the plugins that rate by the same terms.
//
//	Viability(Pod, Node) ==
//	      sum of the weights of the matching preferred node selector terms
//	    + sum of the weights of the matching preferred pod affinity terms
//	    + sum of the weights of the matching preferred pod anti-affinity terms
func (t *text) scorePlugins() []ScorePlugin {
	scorePlugins := append([]ScorePlugin{t.preferredNodes(), t.preferredPods()}, t.furtherScorePlugins...)
	absent := filter(ScorePlugins(), func(documented ScorePlugin) bool {
		return !exists(scorePlugins, func(r ScorePlugin) bool { return r.Plugin == documented.Plugin })
	})
	return append(scorePlugins, each(absent, unscored)...)
}

// unscored is what the text says about a score plugin that it does not know.
func unscored(r ScorePlugin) ScorePlugin {
	return ScorePlugin{
		Plugin:     r.Plugin,
		Unweighted: true,
		Raw:        func(*Profile, *v1.Pod, *v1.Node, *Snapshot) int64 { return 0 },
	}
}

// scoresByPlugin reports whether all that the text has or lacks of scores is mended, so that each is a score plugin's.
func (t *text) scoresByPlugin() bool {
	return t.avoidance < 0 && t.welcome != nil && t.normalized && len(t.furtherScorePlugins) > 0
}

func (t *text) preferredNodes() ScorePlugin {
	return t.weighted(PreferredNodeAffinity(), func(p *Profile, pod *v1.Pod, node *v1.Node, _ *Snapshot) int64 {
		terms := union(t.affinities(p, pod), func(a *v1.NodeAffinity) []v1.PreferredSchedulingTerm {
			return a.PreferredDuringSchedulingIgnoredDuringExecution
		})
		matching := filter(
			terms,
			func(term v1.PreferredSchedulingTerm) bool { return t.matches(term.Preference, node) },
		)
		return sum(matching, func(term v1.PreferredSchedulingTerm) int64 { return int64(term.Weight) })
	})
}

func (t *text) preferredPods() ScorePlugin {
	return t.weighted(PreferredPodAffinity(), func(p *Profile, pod *v1.Pod, node *v1.Node, s *Snapshot) int64 {
		matching := func(terms []v1.WeightedPodAffinityTerm) int64 {
			holding := filter(
				terms,
				func(term v1.WeightedPodAffinityTerm) bool { return found(term.PodAffinityTerm, pod, node, s) },
			)
			return sum(holding, func(term v1.WeightedPodAffinityTerm) int64 { return int64(term.Weight) })
		}
		score := matching(preferredAffinity(pod)) + t.avoidance*matching(preferredAntiAffinity(pod))
		if t.welcome != nil {
			score += t.welcome(p, pod, node, s)
		}
		return score
	})
}

// weighted returns the score plugin that scores by raw, as it is or normalised and weighted like the documented one.
func (t *text) weighted(documented ScorePlugin, raw func(*Profile, *v1.Pod, *v1.Node, *Snapshot) int64) ScorePlugin {
	documented.Raw = raw
	if !t.normalized {
		documented.Normalize, documented.Abstains, documented.Unweighted = nil, nil, true
	}
	return documented
}
