package conformance

import (
	"context"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/imagelocality"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/interpodaffinity"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/noderesources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/podtopologyspread"
	"pgregory.net/rapid"

	"github.com/seed-a3f26817/modelcheck/internal/generate"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// scoredClusters draws clusters in which the plugins of promises prefer some node.
func scoredClusters() *rapid.Generator[spec.Question] {
	return generate.DrawQuestion(generate.Scope{Nodes: 4, Pods: 6,
		Only: []generate.Group{generate.Neighbours, generate.Resources}})
}

// kept compares what production decided with the promise: how many pairs of nodes it scores differently, and whether it
// breaks the promise for some.
func kept(promise spec.Promise, m *spec.Scheduler, c *invariants.Case) (differ int, broken bool) {
	column := slices.Index(c.Decision.ScorePlugins, promise.Plugin)
	weight := m.Weight(spec.ScorePlugin{Plugin: promise.Plugin})
	var nodes []*v1.Node
	var scores []int64
	for n, node := range c.Decision.Nodes {
		if node.Scores == nil {
			continue
		}
		score := node.Scores[column].Value / weight
		if slices.ContainsFunc(scores, func(other int64) bool { return other != score }) {
			differ++
		}
		nodes, scores = append(nodes, c.Question.Snapshot.Nodes[n]), append(scores, score)
	}
	_, _, broken = promise.Broken(m.Profile, c.Question.Pod, nodes, c.Question.Snapshot, scores)
	return differ, broken
}

// TestPromises: where kube-scheduler decides as the model does, its scores keep what documents promise of them, though
// both have their numbers from code.
func TestPromises(t *testing.T) {
	c, questions, differ := newChecker(t, defaultConfig(t)), scoredClusters(), map[string]int{}
	const clusters = 1000
	for seed := range clusters {
		q := drawn(t, questions.Example(seed))
		answer := c.ask(q)
		if len(breaches(answer)) > 0 {
			continue // a known defect
		}
		for _, promise := range spec.Promises() {
			n, broken := kept(promise, c.model, answer)
			if differ[promise.Plugin] += n; broken {
				t.Fatalf("%s scores a node lower than another, though %s:\n%s", promise.Plugin, promise.Doc, describe(q))
			}
		}
	}
	for _, promise := range spec.Promises() {
		if differ[promise.Plugin] == 0 {
			t.Errorf("%s gave no two nodes scores that differ", promise.Plugin)
		}
	}
}

// Plugins that prefer what they should not.
type (
	crowdedFirst struct {
		*podtopologyspread.PodTopologySpread
	}
	unbalancedFirst struct {
		*noderesources.BalancedAllocation
	}
	missingFirst struct{ *imagelocality.ImageLocality }
	dislikedBest struct {
		*interpodaffinity.InterPodAffinity
	}
	upsideDown struct{ fwk.ScoreExtensions }
)

func (p crowdedFirst) ScoreExtensions() fwk.ScoreExtensions {
	return upsideDown{p.PodTopologySpread.ScoreExtensions()}
}

func (p dislikedBest) ScoreExtensions() fwk.ScoreExtensions {
	return upsideDown{p.InterPodAffinity.ScoreExtensions()}
}

func (e upsideDown) NormalizeScore(ctx context.Context, state fwk.CycleState, pod *v1.Pod,
	scores fwk.NodeScoreList) *fwk.Status {
	status := e.ScoreExtensions.NormalizeScore(ctx, state, pod, scores)
	for i := range scores {
		scores[i].Score = fwk.MaxScore - scores[i].Score
	}
	return status
}

func (p unbalancedFirst) Score(ctx context.Context, state fwk.CycleState, pod *v1.Pod,
	node fwk.NodeInfo) (int64, *fwk.Status) {
	score, status := p.BalancedAllocation.Score(ctx, state, pod, node)
	return fwk.MaxScore - score, status
}

func (p missingFirst) Score(ctx context.Context, state fwk.CycleState, pod *v1.Pod,
	node fwk.NodeInfo) (int64, *fwk.Status) {
	score, status := p.ImageLocality.Score(ctx, state, pod, node)
	return fwk.MaxScore - score, status
}

// TestBrokenPromises: a plugin that prefers the wrong nodes breaks its promise, and what is reported names the
// document, not only that numbers differ from those of the code.
func TestBrokenPromises(t *testing.T) {
	for plugin, options := range map[string]production.Options{
		"PodTopologySpread": plant("PodTopologySpread",
			func(p *podtopologyspread.PodTopologySpread) fwk.Plugin { return crowdedFirst{p} }),
		"NodeResourcesBalancedAllocation": plant("NodeResourcesBalancedAllocation",
			func(p *noderesources.BalancedAllocation) fwk.Plugin { return unbalancedFirst{p} }),
		"ImageLocality": plant("ImageLocality",
			func(p *imagelocality.ImageLocality) fwk.Plugin { return missingFirst{p} }),
		"InterPodAffinity": plant("InterPodAffinity",
			func(p *interpodaffinity.InterPodAffinity) fwk.Plugin { return dislikedBest{p} }),
	} {
		t.Run(plugin, func(t *testing.T) {
			c := newChecker(t, defaultConfig(t))
			spoiled, err := production.New(t.Context(), defaultConfig(t), c.model.Profile.SchedulerName, options)
			if err != nil {
				t.Fatal(err)
			}
			defer spoiled.Close()
			said := map[bool]int{} // by whether a document was named
			for seed := range 300 {
				q := drawn(t, scoredClusters().Example(seed))
				_, breaches := invariants.ScoresConform().Decision(c.compare(q, spoiled.Decide(q)))
				for _, breach := range breaches {
					if breach.Plugin == plugin {
						said[strings.Contains(breach.Sentence(), "as is documented: ")]++
					}
				}
			}
			if said[true] == 0 {
				t.Errorf("no document was named, in %d scores that differ", said[false])
			}
			t.Logf("scores that differ: %d break the promise, %d do not", said[true], said[false])
		})
	}
}
