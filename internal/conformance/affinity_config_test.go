package conformance

import (
	"testing"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/production"
)

// pluginConfig returns the default configuration with arguments of one plugin.
func pluginConfig(t *testing.T, plugin, args string) *production.Config {
	t.Helper()
	cfg, err := production.LoadConfig("scheduler.yaml", []byte(`
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
  pluginConfig:
  - name: `+plugin+`
    args: `+args))
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// TestConfiguredPodsThatLookAtEachOther: the same for arguments that are not the default ones.
func TestConfiguredPodsThatLookAtEachOther(t *testing.T) {
	for _, tt := range []struct{ reason, plugin, args string }{
		{"a weight for required affinity of pods already there", "InterPodAffinity", "{hardPodAffinityWeight: 37}"},
		{"preferred terms of pods already there are ignored", "InterPodAffinity",
			"{hardPodAffinityWeight: 5, ignorePreferredTermsOfExistingPods: true}"},
		{"default constraints that filter and rate", "PodTopologySpread",
			"{defaultingType: List, defaultConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: " +
				"DoNotSchedule}, {maxSkew: 1, topologyKey: rack, whenUnsatisfiable: ScheduleAnyway}]}"},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			newChecker(t, pluginConfig(t, tt.plugin, tt.args)).explainsNeighbourhoods(t)
		})
	}
}

// TestIgnoredTermsDefects keeps the smallest clusters that show what production does with
// ignorePreferredTermsOfExistingPods. The field is documented to ignore existing pods' preferred terms "unless the
// incoming pod has inter-pod affinities"; production abstains whenever the incoming pod has no preferred terms.
// Nobody reported it.
func TestIgnoredTermsDefects(t *testing.T) {
	c := newChecker(t, pluginConfig(t, "InterPodAffinity",
		"{hardPodAffinityWeight: 5, ignorePreferredTermsOfExistingPods: true}"))
	toPending := []v1.PodAffinityTerm{{TopologyKey: "zone", LabelSelector: matching("pending")}}
	for _, tt := range []struct {
		reason         string
		pending, other func(affinity *v1.Affinity)
		shows          string
	}{
		{
			reason:  "required affinity of pods already there is ignored too",
			pending: func(*v1.Affinity) {},
			other:   func(a *v1.Affinity) { a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution = toPending },
			shows:   "scores-conform: InterPodAffinity scores node n1 0; the model 200",
		},
		{
			reason: "they are ignored though the incoming pod has required anti-affinity",
			pending: func(a *v1.Affinity) {
				a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution =
					toPending
			},
			other: func(a *v1.Affinity) {
				a.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution = []v1.WeightedPodAffinityTerm{{Weight: 1,
					PodAffinityTerm: toPending[0]}}
			},
			shows: "scores-conform: InterPodAffinity scores node n1 0; the model 200",
		},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			pending, other := neighbour("default", "pending", "", map[string]string{"app": "pending"}),
				neighbour("default", "other", "n1", nil)
			tt.pending(pending.Spec.Affinity)
			tt.other(other.Spec.Affinity)
			q := neighbours([]*v1.Node{inZone("n1", "a"), inZone("n2", "b")}, pending, other)
			c.showsDefect(t, q, tt.shows, "existing-terms-ignored")
		})
	}
}
