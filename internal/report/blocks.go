package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// blocks draws pods.
func (p *page) blocks(lead string, pods []*v1.Pod, s *spec.Snapshot) {
	if len(pods) == 0 {
		return
	}
	var blocks []string
	for _, pod := range pods {
		words := []string{name(pod), fmt.Sprintf("priority %d", spec.Priority(pod)), resources(spec.Requests(pod))}
		if phase := phase(pod); phase != "" {
			words = append(words, phase)
		}
		words = append(words, started(pod, s)...)
		words = append(words, astray(pod, s)...)
		blocks = append(blocks, "["+strings.Join(words, " | ")+"]")
	}
	p.items(lead, " ", blocks)
}

// started tells when a bound pod started, if that may decide who is spared: a pod without a node has a higher
// priority, and another of the same priority on the same node started at another time. What it decides between
// nodes stands beside the candidates.
func started(pod *v1.Pod, s *spec.Snapshot) []string {
	inJeopardy := slices.ContainsFunc(
		spec.Unbound(s),
		func(other *v1.Pod) bool { return spec.Priority(other) > spec.Priority(pod) },
	)
	contested := slices.ContainsFunc(s.Pods, func(other *v1.Pod) bool {
		return other.Spec.NodeName == pod.Spec.NodeName && spec.Priority(other) == spec.Priority(pod) &&
			!other.Status.StartTime.Equal(pod.Status.StartTime)
	})
	switch {
	case !inJeopardy || !contested || !spec.Bound(pod, s):
		return nil
	case pod.Status.StartTime == nil:
		return []string{"not started"}
	default:
		return []string{"started " + pod.Status.StartTime.UTC().Format(time.RFC3339)}
	}
}

// astray tells that an unbound pod names a node that is not there.
func astray(pod *v1.Pod, s *spec.Snapshot) []string {
	there := func(name string) bool {
		return name == "" || slices.ContainsFunc(s.Nodes, func(node *v1.Node) bool { return node.Name == name })
	}
	var words []string
	if node := pod.Spec.NodeName; !there(node) {
		words = append(words, "bound to "+missing(node, true))
	}
	if node := pod.Status.NominatedNodeName; !there(node) {
		words = append(words, "nominated to "+missing(node, true))
	}
	return words
}

// described says of the pods that nobody has introduced what their blocks leave out.
func (p *page) described(indent string, s *spec.Snapshot, introduced []*v1.Pod) {
	images := reported(s.Nodes)
	var before []*v1.Pod
	for _, pod := range s.Pods {
		if slices.ContainsFunc(introduced, func(other *v1.Pod) bool { return name(other) == name(pod) }) {
			continue
		}
		words := append(traits(pod), podImages(pod, images)...)[blockTraits:]
		if other := findLike(pod, before, images); other != nil && len(words) > 0 {
			words = []string{"like " + name(other)}
		}
		if len(words) > 0 {
			p.entry(indent, "pod "+name(pod), words)
		}
		before = append(before, pod)
	}
}
