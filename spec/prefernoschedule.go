package spec

import v1 "k8s.io/api/core/v1"

// PreferNoSchedule is the score
//
//	Raw == Cardinality({Taint \in Node.Spec.Taints : Taint.Effect = PreferNoSchedule /\ ~Tolerated(Taint, Pod)})
//
// normalised so that the fewest are best (see fewestBest). It answers for the score of the plugin
// TaintToleration, and reads only the node.
//
// Source: https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/ (PreferNoSchedule), and
// https://kubernetes.io/docs/reference/scheduling/config/#scheduling-plugins.
func PreferNoSchedule() ScorePlugin {
	return ScorePlugin{
		Plugin:    "TaintToleration",
		Footprint: ReadsNode,
		Raw: func(_ *Profile, pod *v1.Pod, node *v1.Node, _ *Snapshot) int64 {
			return int64(count(node.Spec.Taints, func(t v1.Taint) bool {
				return t.Effect == v1.TaintEffectPreferNoSchedule && !Tolerated(t, pod)
			}))
		},
		Normalize: fewestBest,
	}
}
