package spec

// ZeroScoreLeftOut is a defect of kube-scheduler v1.36. The page on bin packing divides by the sum of all weights.
func ZeroScoreLeftOut() Quirk {
	return Quirk{
		Name: "zero-score-left-out", Upstream: "not reported",
		About: "NodeResourcesFit",
		Doc: "With RequestedToCapacityRatio, a resource whose score is 0 is left out of the mean, so the worst that can be said of it is " +
			"as good as nothing.",
		Change: func(p *Predicates) {
			counts := p.Allocation.counts
			p.Allocation.counts = func(args FitArgs, u utilization) bool {
				return counts(args, u) && (args.Strategy != "RequestedToCapacityRatio" || strategyScore(args, u) > 0)
			}
		},
	}
}
