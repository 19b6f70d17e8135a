package stepped_test

import (
	"slices"
	"testing"

	kubescheduler "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"

	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
)

// TestFaultsFirst: the plugin that fails is the last or the first of each of its extension points, whatever the
// configuration says of the others there.
func TestFaultsFirst(t *testing.T) {
	ownOrder, err := production.LoadConfig("own-order.yaml", []byte(`apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins:
    multiPoint:
      enabled:
      - name: ImageLocality
        weight: 3
      disabled:
      - name: NodePorts
    preFilter:
      enabled:
      - name: NodePorts
      - name: NodeAffinity
    filter:
      enabled:
      - name: NodeName
      disabled:
      - name: '*'
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, cfg := range []*production.Config{byDefault(t), ownOrder} {
		for _, first := range []bool{false, true} {
			points := 0
			o := stepped.Options{Faults: true, FaultsFirst: first, Plant: func(s *kubescheduler.Scheduler) {
				for _, f := range s.Profiles {
					p := f.ListPlugins()
					for _, set := range []config.PluginSet{p.PreEnqueue, p.PreFilter, p.Filter, p.PostFilter, p.PreScore,
						p.Score, p.Reserve, p.Permit, p.PreBind, p.Bind, p.PostBind} {
						at := slices.IndexFunc(set.Enabled,
							func(p config.Plugin) bool { return p.Name == stepped.FaultPlugin })
						if at < 0 {
							continue
						}
						points++
						if want := len(set.Enabled) - 1; !first && at != want || first && at != 0 {
							t.Errorf("first: %v: it is number %d of %v", first, at+1, set.Enabled)
						}
					}
				}
			}}
			schedulerUnder(t, cfg, cluster(node("n1")), o)
			if points != 8 {
				t.Errorf("first: %v: it is at %d extension points, not 8", first, points)
			}
		}
	}
}
