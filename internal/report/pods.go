package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// describe puts in words what a scheduler reads of a pod: default/web-1 (priority 10, requests cpu 2). Its images
// are told if one is among the reported.
func describe(pod *v1.Pod, reported map[string]bool) string {
	return fmt.Sprintf("%s (%s)", name(pod), strings.Join(append(traits(pod), podImages(pod, reported)...), ", "))
}

// blockTraits is how many of the traits a pod's block in the drawing of a cluster has: its priority and what it
// requests.
const blockTraits = 2

// traits are the properties of a pod that decide where it may go and whom it may evict, but for its images.
func traits(pod *v1.Pod) []string {
	traits := []string{fmt.Sprintf("priority %d", spec.Priority(pod)), "requests " + resources(spec.Requests(pod))}
	add := func(format string, args ...any) { traits = append(traits, fmt.Sprintf(format, args...)) }
	traits = append(traits, madeUp(pod)...)
	if asked := pod.Spec.SchedulerName; asked != "" && asked != v1.DefaultSchedulerName {
		add("asks %s", asked)
	}
	if !spec.Preempts(pod) {
		add("never preempts")
	}
	for _, key := range slices.Sorted(maps.Keys(pod.Labels)) {
		add("label %s=%s", key, pod.Labels[key])
	}
	for _, key := range slices.Sorted(maps.Keys(pod.Spec.NodeSelector)) {
		add("node selector %s=%s", key, pod.Spec.NodeSelector[key])
	}
	traits = append(traits, affinities(pod)...)
	for _, toleration := range pod.Spec.Tolerations {
		if !fromAdmission(toleration) {
			add("tolerates %s", tolerated(toleration))
		}
	}
	for _, port := range spec.HostPorts(pod) {
		add("host port %s", hostPort(port))
	}
	for _, constraint := range pod.Spec.TopologySpreadConstraints {
		traits = append(traits, spreadWords(constraint))
	}
	if owner := metav1.GetControllerOfNoCopy(pod); owner != nil {
		add("of %s %s", owner.Kind, owner.Name)
	}
	traits = append(traits, podVolumes(pod)...)
	for _, claim := range pod.Spec.ResourceClaims {
		add("%s", resourceClaimOf(pod, claim))
	}
	for _, feature := range spec.RequiredFeatures(pod) {
		add("needs the node feature %s", feature)
	}
	for _, gate := range pod.Spec.SchedulingGates {
		add("scheduling gate %s", gate.Name)
	}
	return traits
}

// resources writes a list of resources, those of every node first: cpu 2, memory 1Gi. What is 0 is left out.
func resources(list v1.ResourceList) string {
	var words []string
	for _, resource := range ordered(list) {
		if quantity := list[resource]; !quantity.IsZero() {
			words = append(words, fmt.Sprintf("%s %s", resource, quantity.String()))
		}
	}
	if len(words) == 0 {
		return "nothing"
	}
	return strings.Join(words, ", ")
}

// ordered returns the resources of a list: cpu, memory, others by name, the number of pods.
func ordered(list v1.ResourceList) []v1.ResourceName {
	rank := func(resource v1.ResourceName) int {
		if i := slices.Index([]v1.ResourceName{v1.ResourceCPU, v1.ResourceMemory, "", v1.ResourcePods},
			resource); i >= 0 {
			return i
		}
		return 2
	}
	return slices.SortedFunc(maps.Keys(list), func(a, b v1.ResourceName) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(string(a), string(b)))
	})
}

// fromAdmission reports whether the toleration is one that the API server gives to every pod.
func fromAdmission(t v1.Toleration) bool {
	return t.Operator == v1.TolerationOpExists && t.Effect == v1.TaintEffectNoExecute &&
		t.TolerationSeconds != nil && *t.TolerationSeconds == 300 &&
		(t.Key == v1.TaintNodeNotReady || t.Key == v1.TaintNodeUnreachable)
}

func tolerated(t v1.Toleration) string {
	words := t.Key
	switch {
	case t.Key == "":
		words = "every key"
	case t.Operator == "Lt" || t.Operator == "Gt": // named so since v1.35
		words += fmt.Sprintf(" %s %s", t.Operator, t.Value)
	case t.Operator != v1.TolerationOpExists:
		words += "=" + t.Value
	}
	if t.Effect != "" {
		words += ":" + string(t.Effect)
	}
	return words
}

func taint(t v1.Taint) string {
	if t.Value == "" {
		return fmt.Sprintf("%s:%s", t.Key, t.Effect)
	}
	return fmt.Sprintf("%s=%s:%s", t.Key, t.Value, t.Effect)
}

func hostPort(p spec.HostPort) string {
	words := fmt.Sprintf("%d/%s", p.Port, p.Protocol)
	if p.IP != "" && p.IP != "0.0.0.0" {
		words = p.IP + ":" + words
	}
	return words
}

// affinities puts a pod's affinities in words.
func affinities(pod *v1.Pod) []string {
	var words []string
	add := func(format string, args ...any) { words = append(words, fmt.Sprintf(format, args...)) }
	affinity := pod.Spec.Affinity
	if affinity == nil {
		return nil
	}
	if node := affinity.NodeAffinity; node != nil {
		if required := node.RequiredDuringSchedulingIgnoredDuringExecution; required != nil {
			add("requires node %s", selector(required.NodeSelectorTerms))
		}
		for _, preferred := range node.PreferredDuringSchedulingIgnoredDuringExecution {
			add("prefers node %s by %d", selector([]v1.NodeSelectorTerm{preferred.Preference}), preferred.Weight)
		}
	}
	if near := affinity.PodAffinity; near != nil {
		for _, term := range near.RequiredDuringSchedulingIgnoredDuringExecution {
			add("requires pods %s", podTerm(term))
		}
		for _, preferred := range near.PreferredDuringSchedulingIgnoredDuringExecution {
			add("prefers pods %s by %d", podTerm(preferred.PodAffinityTerm), preferred.Weight)
		}
	}
	if apart := affinity.PodAntiAffinity; apart != nil {
		for _, term := range apart.RequiredDuringSchedulingIgnoredDuringExecution {
			add("refuses pods %s", podTerm(term))
		}
		for _, preferred := range apart.PreferredDuringSchedulingIgnoredDuringExecution {
			add("avoids pods %s by %d", podTerm(preferred.PodAffinityTerm), preferred.Weight)
		}
	}
	return words
}

func podTerm(term v1.PodAffinityTerm) string {
	words := fmt.Sprintf("%s in the same %s", labelSelector(term.LabelSelector), term.TopologyKey)
	var namespaces []string
	if len(term.Namespaces) > 0 {
		namespaces = append(namespaces, strings.Join(term.Namespaces, ", "))
	}
	if term.NamespaceSelector != nil {
		namespaces = append(namespaces, "labelled "+labelSelector(term.NamespaceSelector))
	}
	if len(namespaces) > 0 {
		words += " of namespaces " + strings.Join(namespaces, " or ")
	}
	keys := append(
		labelKeys("matchLabelKeys", term.MatchLabelKeys),
		labelKeys("mismatchLabelKeys", term.MismatchLabelKeys)...)
	if len(keys) > 0 {
		words += " (" + strings.Join(keys, ", ") + ")"
	}
	return words
}

// labelSelector writes a label selector: app=web. One that is not set selects nothing, an empty one everything.
func labelSelector(s *metav1.LabelSelector) string {
	switch {
	case s == nil:
		return "<none>"
	case len(s.MatchLabels)+len(s.MatchExpressions) == 0:
		return "<all>"
	default:
		return metav1.FormatLabelSelector(s)
	}
}

// selector puts node selector terms in words: [cores > 8] or [cores exists and disk does not exist].
func selector(terms []v1.NodeSelectorTerm) string {
	var words []string
	for _, term := range terms {
		var all []string
		for _, requirement := range slices.Concat(term.MatchExpressions, term.MatchFields) {
			all = append(all, nodeRequirement(requirement))
		}
		words = append(words, "["+strings.Join(all, " and ")+"]")
	}
	return strings.Join(words, " or ")
}

func nodeRequirement(r v1.NodeSelectorRequirement) string {
	switch r.Operator {
	case v1.NodeSelectorOpExists:
		return r.Key + " exists"
	case v1.NodeSelectorOpDoesNotExist:
		return r.Key + " does not exist"
	case v1.NodeSelectorOpGt:
		return r.Key + " > " + quoted(r.Values)
	case v1.NodeSelectorOpLt:
		return r.Key + " < " + quoted(r.Values)
	case v1.NodeSelectorOpNotIn:
		return fmt.Sprintf("%s not in (%s)", r.Key, quoted(r.Values))
	default:
		return fmt.Sprintf("%s in (%s)", r.Key, quoted(r.Values))
	}
}

// quoted joins values; an empty one is written "".
func quoted(values []string) string {
	var words []string
	for _, value := range values {
		words = append(words, cmp.Or(value, `""`))
	}
	return strings.Join(words, ", ")
}
