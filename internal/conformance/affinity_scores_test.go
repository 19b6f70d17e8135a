package conformance

import (
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/seed-a3f26817/modelcheck/spec"
)

var podRatingDefects = []affinityDefect{
	{
		// Field doc: the weight is added "if the node has pods which matches the corresponding podAffinityTerm".
		id: "weight-per-pod",
		smallest: func() spec.Question {
			pending, app := neighbour("default", "pending", "", nil), map[string]string{"app": "x"}
			pending.Spec.Affinity.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution =
				[]v1.WeightedPodAffinityTerm{
					{Weight: 1, PodAffinityTerm: v1.PodAffinityTerm{TopologyKey: "zone", LabelSelector: matching("x")}},
				}
			return neighbours([]*v1.Node{inZone("n1", "a"), inZone("n2", "b")}, pending,
				neighbour("default", "p1", "n1", app), neighbour("default", "p2", "n2", app),
				neighbour("default", "p3", "n2", app))
		},
		shows: "scores-conform: InterPodAffinity scores node n2 200; the model 0",
	},
	{
		id: "image-volumes-unscaled",
		smallest: func() spec.Question {
			pending := neighbour("default", "pending", "", nil)
			pending.Spec.Volumes = []v1.Volume{
				{Name: "v", VolumeSource: v1.VolumeSource{Image: &v1.ImageVolumeSource{Reference: "data:v1"}}},
			}
			return neighbours([]*v1.Node{holding(inZone("n1", "a"), 900, "data:v1"), inZone("n2", "a")}, pending)
		},
		shows: "scores-conform: ImageLocality scores node n1 43; the model 21",
	},
	{
		// Which node is the first is a matter of history; here it is the snapshot's order.
		id: "image-size-of-first-node",
		smallest: func() spec.Question {
			return neighbours([]*v1.Node{holding(inZone("n1", "a"), 100, "app:v1"),
				holding(inZone("n2", "a"), 900, "app:v1")}, neighbour("default", "pending", "", nil))
		},
		shows: "scores-conform: ImageLocality scores node n2 7; the model 89",
	},
}

var spreadDefects = []affinityDefect{
	{
		id: "spread-empty-selector",
		smallest: func() spec.Question {
			pending := neighbour("default", "pending", "", nil)
			pending.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{
				spreading("zone", &metav1.LabelSelector{}),
			}
			return neighbours([]*v1.Node{inZone("n1", "a"), inZone("n2", "b")}, pending,
				neighbour("default", "p", "n1", nil))
		},
		shows: "statuses-conform: PodTopologySpread says that node n1 fits; the model says that it does not fit, but " +
			"would if pods were evicted",
	},
	{
		// A terminating pod is not counted, and subtracted in the dry run all the same.
		id: "spread-terminating",
		smallest: func() spec.Question {
			app := map[string]string{"app": "x"}
			pending, terminating := neighbour("default", "pending", "", app), neighbour("default", "terminating", "n1",
				app)
			pending.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{spreading("zone", matching("x"))}
			two, higher, deletion := int32(2), int32(1), metav1.NewTime(time.Unix(1_700_003_600, 0))
			pending.Spec.TopologySpreadConstraints[0].MinDomains = &two
			pending.Spec.Priority, terminating.DeletionTimestamp = &higher, &deletion
			running := neighbour("default", "running", "n1", app)
			running.Spec.Priority = &higher
			return neighbours([]*v1.Node{inZone("n1", "a")}, pending, terminating, running)
		},
		shows: "outcome-conforms: kube-scheduler may evict default/terminating from n1 and nominate the pod to it; " +
			"allowed is: leave the pod pending",
	},
}

const mebibyte = 1024 * 1024

// inZone returns a roomy node; one without a zone if that is empty.
func inZone(name, zone string) *v1.Node {
	n := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), Labels: map[string]string{}}}
	if zone != "" {
		n.Labels["zone"] = zone
	}
	n.Status.Allocatable = v1.ResourceList{
		v1.ResourcePods:   resource.MustParse("110"),
		v1.ResourceCPU:    resource.MustParse("64"),
		v1.ResourceMemory: resource.MustParse("64Gi"),
	}
	return n
}

// holding returns the node, with an image of so many MiB.
func holding(node *v1.Node, mebibytes int64, image string) *v1.Node {
	node.Status.Images = append(node.Status.Images, v1.ContainerImage{Names: []string{image},
		SizeBytes: mebibytes * mebibyte})
	return node
}

// neighbour returns a pod that requests nothing, bound if a node is named.
func neighbour(namespace, name, node string, labels map[string]string) *v1.Pod {
	zero, start := int32(0), metav1.NewTime(time.Unix(1_700_000_000, 0))
	pod := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID(name), Labels: labels},
	}
	pod.Spec = v1.PodSpec{
		NodeName: node, Priority: &zero, Containers: []v1.Container{{Name: "c", Image: "app:v1"}},
		Affinity: &v1.Affinity{PodAffinity: &v1.PodAffinity{}, PodAntiAffinity: &v1.PodAntiAffinity{}},
	}
	if node != "" {
		pod.Status.StartTime = &start
	}
	return pod
}

// matching selects the pods of an app.
func matching(app string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}
}

// spreading spreads hard, one more in one domain than in another at most.
func spreading(topologyKey string, selector *metav1.LabelSelector) v1.TopologySpreadConstraint {
	return v1.TopologySpreadConstraint{
		TopologyKey:       topologyKey,
		MaxSkew:           1,
		WhenUnsatisfiable: v1.DoNotSchedule,
		LabelSelector:     selector,
	}
}

func neighbourNamespaces() []*v1.Namespace {
	var namespaces []*v1.Namespace
	for _, ns := range []struct {
		name   string
		labels map[string]string
	}{{"default", nil}, {"prod", map[string]string{"env": "prod", "team": "a"}},
		{"dev", map[string]string{"env": "dev"}}} {
		namespaces = append(
			namespaces,
			&v1.Namespace{
				ObjectMeta: metav1.ObjectMeta{Name: ns.name, UID: types.UID("namespace/" + ns.name), Labels: ns.labels},
			},
		)
	}
	return namespaces
}
