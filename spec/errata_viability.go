package spec

// viabilityErrata are about scores.
func viabilityErrata() []Erratum {
	return []Erratum{
		{
			ID: "E17", Name: "preferred anti-affinity counts against a node", Plugin: "InterPodAffinity",
			Written:    "the score is the sum of the weights of matching terms, those of pod anti-affinity included",
			Documented: "the weight of a matching term of preferred pod anti-affinity is taken off",
			Source:     assignPage + "#inter-pod-affinity-and-anti-affinity; see PreferredPodAffinity",
			mend:       func(t *text) { t.avoidance = -1 },
		},
		{
			ID: "E18", Name: "pods already there have wishes", Plugin: "InterPodAffinity",
			Written: "the terms of the incoming pod are scored",
			Documented: "preferred terms of pods already there, and required affinity of theirs with " +
				"hardPodAffinityWeight, are scored too",
			Source: "field docs of InterPodAffinityArgs; see PreferredPodAffinity",
			mend:   func(t *text) { t.welcome = DocumentedAffinity().welcome },
		},
		{
			ID: "E19", Name: "scores are normalised and weighted",
			Written: "all weights of terms are added up",
			Documented: "each score plugin adds up its own, which is mapped to 0..100 over the feasible nodes and " +
				"multiplied by the weight of the plugin",
			Source: "https://kubernetes.io/docs/concepts/scheduling-eviction/scheduling-framework/#normalize-scoring",
			mend:   func(t *text) { t.normalized = true },
		},
		{
			ID: "E20", Name: "further scores",
			Written: "nothing but preferred node affinity, pod affinity and pod anti-affinity is scored",
			Documented: "how much of a node is allocated and how evenly, taints with the effect PreferNoSchedule, " +
				"images that are there, topology spread and " +
				"volumes are scored too",
			Source: "https://kubernetes.io/docs/reference/scheduling/config/#scheduling-plugins",
			mend: func(t *text) {
				t.furtherScorePlugins = filter(
					ScorePlugins(),
					func(r ScorePlugin) bool {
						return !contains([]string{"NodeAffinity", "InterPodAffinity"},
							r.Plugin)
					},
				)
			},
		},
	}
}
