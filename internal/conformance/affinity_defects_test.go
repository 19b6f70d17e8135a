package conformance

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// affinityDefect is a way in which production does not do what is documented about pods that look at each other.
type affinityDefect struct {
	// id is the name of the quirk that reproduces it.
	id string
	// smallest is the smallest cluster that shows it, and shows what a property of decisions says there. Its
	// objects are new each time.
	smallest func() spec.Question
	shows    string
}

var affinityDefects = slices.Concat(podAffinityDefects, podRatingDefects, spreadDefects)

// TestAffinityDefects keeps the smallest cluster of each defect, and shows which is gone once production is mended.
// Its quirk alone explains it. What the release has no more is decided as documented.
func TestAffinityDefects(t *testing.T) {
	c := newChecker(t, defaultConfig(t))
	for _, defect := range affinityDefects {
		t.Run(defect.id, func(t *testing.T) {
			if !slices.ContainsFunc(defects(), func(q spec.Quirk) bool { return q.Name == defect.id }) {
				if reasons := breaches(c.ask(defect.smallest())); len(reasons) > 0 {
					t.Errorf("the defect is mended, and still %q", reasons)
				}
				return
			}
			c.showsDefect(t, defect.smallest(), defect.shows, defect.id)
		})
	}
}

// showsDefect fails unless a property of decisions says this about the question, and the quirk alone explains it.
func (c *checker) showsDefect(t *testing.T, q spec.Question, shows, quirk string) {
	t.Helper()
	answer := c.ask(q)
	if reasons := breaches(answer); !slices.Contains(reasons, shows) {
		t.Errorf("the defect shows otherwise than known; is it mended?\nwant %q\ngot  %q", shows, reasons)
	}
	if diff := cmp.Diff([]string{quirk}, quirkNames(c.explain(q, answer.Decision))); diff != "" {
		t.Errorf("quirks that explain it (-want +got):\n%s", diff)
	}
}

func quirkNames(quirks []spec.Quirk) []string {
	var names []string
	for _, quirk := range quirks {
		names = append(names, quirk.Name)
	}
	return names
}

var podAffinityDefects = []affinityDefect{
	{
		// The selector is resolved to a list of namespaces, and kept: asked again of no labels at all, it matches.
		id: "namespace-selector-absence",
		smallest: func() spec.Question {
			pending := neighbour("dev", "pending", "", nil)
			pending.Spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution = []v1.PodAffinityTerm{{
				TopologyKey: "zone", LabelSelector: matching("db"),
				NamespaceSelector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
					{Key: "env", Operator: metav1.LabelSelectorOpNotIn, Values: []string{"prod"}},
				}},
			}}
			return neighbours([]*v1.Node{inZone("n1", "a")}, pending,
				neighbour("prod", "db", "n1", map[string]string{"app": "db"}))
		},
		shows: "statuses-conform: InterPodAffinity says that node n1 fits; the model says that it does not fit, " +
			"whoever is evicted",
	},
	{
		// The field docs intersect lists of nodes, production wants one pod that matches all terms.
		id: "terms-by-same-pod",
		smallest: func() spec.Question {
			pending := neighbour("default", "pending", "", nil)
			pending.Spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution = []v1.PodAffinityTerm{
				{
					TopologyKey:   "zone",
					LabelSelector: matching("web"),
				}, {TopologyKey: "zone", LabelSelector: matching("db")},
			}
			return neighbours([]*v1.Node{inZone("n1", "a")}, pending,
				neighbour("default", "web", "n1", map[string]string{"app": "web"}),
				neighbour("default", "db", "n1", map[string]string{"app": "db"}))
		},
		shows: "statuses-conform: InterPodAffinity says that node n1 does not fit whoever is evicted; the model says " +
			"that it fits",
	},
	{
		// What is counted is domains with a pod of the group, and a node without the key is in none.
		id: "group-outside-topology",
		smallest: func() spec.Question {
			pending := neighbour("default", "pending", "", map[string]string{"app": "x"})
			pending.Spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution = []v1.PodAffinityTerm{
				{TopologyKey: "zone", LabelSelector: matching("x")},
			}
			return neighbours([]*v1.Node{inZone("n0", ""), inZone("n1", "a")}, pending,
				neighbour("default", "e", "n0", map[string]string{"app": "x"}))
		},
		shows: "statuses-conform: InterPodAffinity says that node n1 fits; the model says that it does not fit, " +
			"whoever is evicted",
	},
	{
		// The filter abstains from the pod if nobody bound has a say, and is not told of nominated pods then.
		id: "nominated-repels",
		smallest: func() spec.Question {
			nominated := neighbour("default", "nominated", "", nil)
			nominated.Status.NominatedNodeName = "n1"
			nominated.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution =
				[]v1.PodAffinityTerm{
					{TopologyKey: "zone", LabelSelector: matching("x")},
				}
			return neighbours([]*v1.Node{inZone("n1", "a")},
				neighbour("default", "pending", "", map[string]string{"app": "x"}), nominated)
		},
		shows: "statuses-conform: all filters together, nominated pods included, say that node n1 fits; the model " +
			"says the opposite",
	},
}

// neighbours returns the question where the first of the pods should go.
func neighbours(nodes []*v1.Node, pods ...*v1.Pod) spec.Question {
	return spec.Question{
		Pod:      pods[0],
		Snapshot: &spec.Snapshot{Nodes: nodes, Pods: pods, Namespaces: neighbourNamespaces()},
	}
}
