package generate

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"
)

// Pods that look at each other: affinity, anti-affinity, topology spread and images.

var topologies = []string{zone, "rack", v1.LabelHostname}

var (
	imageNames = []string{"app:latest", "app:v2", "registry:5000/db:latest", "db@sha256:0123"}
	imageUses  = []string{"app", "app:latest", "app:v2", "registry:5000/db", "db@sha256:0123", "db", "other/app"}
)

const mebibyte = 1024 * 1024

// home returns a node the labels of topologies, some of which it may lack, a taint and images.
func home(t *rapid.T, node *v1.Node) {
	for _, key := range []string{zone, v1.LabelTopologyZone, "rack", "disk"} {
		if value := rapid.SampledFrom([]string{"a", "a", "b", "c", "", "missing"}).Draw(t, key); value != "missing" {
			node.Labels[key] = value
		}
	}
	switch rapid.IntRange(0, 9).Draw(t, "hostname") {
	case 9:
		delete(node.Labels, v1.LabelHostname)
	case 8:
		node.Labels[v1.LabelHostname] = "node-0" // which a kubelet may be told to say
	}
	if effect := rapid.SampledFrom([]v1.TaintEffect{"", "", "", "", "", v1.TaintEffectNoSchedule,
		v1.TaintEffectPreferNoSchedule, v1.TaintEffectNoExecute}).Draw(t, "taint"); effect != "" {
		node.Spec.Taints = append(node.Spec.Taints, v1.Taint{Key: "k", Effect: effect})
	}
	for _, image := range rapid.SliceOfNDistinct(rapid.SampledFrom(imageNames), 0, 3,
		func(name string) string { return name }).Draw(t, "images") {
		size := rapid.SampledFrom([]int64{500, 500, 500, 10, 22, 23, 24, 230, 1000, 1001, 5000, 0}).Draw(t,
			"megabytes") * mebibyte
		node.Status.Images = append(node.Status.Images, v1.ContainerImage{Names: []string{image, "other/" + image},
			SizeBytes: size})
	}
}

// neighbour returns a pod labels, a namespace, images, and terms about other pods; one that asks gets more of that.
func neighbour(t *rapid.T, pod *v1.Pod, asks bool) {
	pod.Namespace = rapid.SampledFrom([]string{"default", "default", "prod", "dev"}).Draw(t, "namespace")
	for _, key := range []string{"app", "tier"} {
		if value := rapid.SampledFrom([]string{"x", "x", "y", ""}).Draw(t, key); value != "" {
			pod.Labels[key] = value
		}
	}
	if pod.Spec.Affinity == nil {
		pod.Spec.Affinity = &v1.Affinity{}
	}
	pod.Spec.Affinity.PodAffinity, pod.Spec.Affinity.PodAntiAffinity = podAffinity(t), podAntiAffinity(t)
	for _, c := range containersOf(pod) {
		c.Image = rapid.SampledFrom(imageUses).Draw(t, "image")
	}
	if !asks {
		return
	}
	if rapid.IntRange(0, 3).Draw(t, "more containers") == 3 {
		for _, containers := range []*[]v1.Container{&pod.Spec.Containers, &pod.Spec.InitContainers} {
			image := rapid.SampledFrom(imageUses).Draw(t, "image")
			*containers = append(*containers, v1.Container{Name: fmt.Sprintf("more-%d", len(containersOf(pod))),
				Image: image})
		}
	}
	if rapid.IntRange(0, 3).Draw(t, "image volume") == 3 {
		image := v1.ImageVolumeSource{
			Reference:  rapid.SampledFrom(imageUses).Draw(t, "image"),
			PullPolicy: v1.PullIfNotPresent,
		}
		pod.Spec.Volumes = append(pod.Spec.Volumes,
			v1.Volume{Name: "image", VolumeSource: v1.VolumeSource{Image: &image}})
	}
	pod.Spec.TopologySpreadConstraints = constraints(t)
	if rapid.IntRange(0, 2).Draw(t, "tolerant") == 2 {
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, v1.Toleration{Key: "k", Operator: v1.TolerationOpExists})
	}
	if rapid.IntRange(0, 3).Draw(t, "choosy") == 3 {
		pod.Spec.NodeSelector["disk"] = "a"
	}
}

// seldom draws a list that is mostly empty.
func seldom[T any](t *rapid.T, what string, draw func(*rapid.T) T) []T {
	n := rapid.SampledFrom([]int{0, 0, 1, 0, 2}).Draw(t, what)
	return rapid.SliceOfN(rapid.Custom(draw), n, n).Draw(t, what)
}

func podAffinity(t *rapid.T) *v1.PodAffinity {
	return &v1.PodAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution:  seldom(t, "affinity", podTerm),
		PreferredDuringSchedulingIgnoredDuringExecution: seldom(t, "preferred affinity", weightedTerm),
	}
}

func podAntiAffinity(t *rapid.T) *v1.PodAntiAffinity {
	return &v1.PodAntiAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution:  seldom(t, "anti-affinity", podTerm),
		PreferredDuringSchedulingIgnoredDuringExecution: seldom(t, "preferred anti-affinity", weightedTerm),
	}
}

func weightedTerm(t *rapid.T) v1.WeightedPodAffinityTerm {
	return v1.WeightedPodAffinityTerm{
		Weight:          rapid.SampledFrom([]int32{1, 2, 3, 7, 50, 99, 100}).Draw(t, "weight"),
		PodAffinityTerm: podTerm(t),
	}
}

func podTerm(t *rapid.T) v1.PodAffinityTerm {
	term := v1.PodAffinityTerm{
		TopologyKey:   rapid.SampledFrom(append(topologies, "nowhere")).Draw(t, "topology"),
		LabelSelector: labelSelector(t, "app", "x", "y"),
		Namespaces: rapid.SampledFrom([][]string{nil, nil, nil, {"prod"}, {"default", "dev"}, {"gone"}}).Draw(t,
			"namespaces"),
	}
	if rapid.IntRange(0, 2).Draw(t, "selects namespaces") == 2 {
		term.NamespaceSelector = labelSelector(t, "env", "prod", "dev")
	}
	if term.LabelSelector != nil {
		switch rapid.IntRange(0, 7).Draw(t, "label keys") {
		case 6:
			term.MatchLabelKeys = []string{"tier", "missing"}
		case 7:
			term.MismatchLabelKeys = []string{"tier", "missing"}
		}
	}
	return term
}

// labelSelector draws a label selector that reads one label, which may have these values, or a nil or empty one.
func labelSelector(t *rapid.T, key, value, other string) *metav1.LabelSelector {
	require := func(operator metav1.LabelSelectorOperator, values ...string) *metav1.LabelSelector {
		return &metav1.LabelSelector{
			MatchExpressions: []metav1.LabelSelectorRequirement{{Key: key, Operator: operator, Values: values}},
		}
	}
	return rapid.SampledFrom([]*metav1.LabelSelector{
		{
			MatchLabels: map[string]string{key: value},
		}, {MatchLabels: map[string]string{key: value}}, {MatchLabels: map[string]string{key: other}},
		require(metav1.LabelSelectorOpIn, value, other), require(metav1.LabelSelectorOpNotIn, value),
		require(metav1.LabelSelectorOpExists), require(metav1.LabelSelectorOpDoesNotExist),
		{}, nil,
	}).Draw(t, "selector").DeepCopy()
}

// constraints draws topology spread constraints; of a topology and an action there can be one.
func constraints(t *rapid.T) []v1.TopologySpreadConstraint {
	policy := func(what string) *v1.NodeInclusionPolicy {
		honor, ignore := v1.NodeInclusionPolicyHonor, v1.NodeInclusionPolicyIgnore
		return rapid.SampledFrom([]*v1.NodeInclusionPolicy{nil, &honor, &ignore}).Draw(t, what)
	}
	var all []v1.TopologySpreadConstraint
	for range rapid.SampledFrom([]int{0, 1, 1, 2, 3}).Draw(t, "constraints") {
		c := v1.TopologySpreadConstraint{
			TopologyKey: rapid.SampledFrom(topologies).Draw(t, "topology"),
			WhenUnsatisfiable: rapid.SampledFrom([]v1.UnsatisfiableConstraintAction{v1.ScheduleAnyway,
				v1.DoNotSchedule}).Draw(t, "action"),
			MaxSkew:            rapid.SampledFrom([]int32{1, 1, 2, 3}).Draw(t, "skew"),
			LabelSelector:      labelSelector(t, "app", "x", "y"),
			NodeAffinityPolicy: policy("affinity policy"),
			NodeTaintsPolicy:   policy("taints policy"),
		}
		if least := rapid.SampledFrom([]int32{0, 0, 1, 2, 3, 5}).Draw(t, "min domains"); least > 0 &&
			c.WhenUnsatisfiable == v1.DoNotSchedule {
			c.MinDomains = &least
		}
		if c.LabelSelector != nil && rapid.IntRange(0, 3).Draw(t, "label keys") == 3 {
			c.MatchLabelKeys = []string{"tier", "missing"}
		}
		if !slices.ContainsFunc(all, func(other v1.TopologySpreadConstraint) bool {
			return other.TopologyKey == c.TopologyKey && other.WhenUnsatisfiable == c.WhenUnsatisfiable
		}) {
			all = append(all, c)
		}
	}
	return all
}
