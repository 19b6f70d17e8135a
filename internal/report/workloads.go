package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// workloads names what pods may belong to, with the selectors.
func (p *page) workloads(indent string, s *spec.Snapshot) {
	if words := workloads(s); len(words) > 0 {
		p.items(indent+"workloads: ", ", ", words)
	}
}

func workloads(s *spec.Snapshot) []string {
	var words []string
	add := func(kind string, object metav1.Object, selector string) {
		words = append(words, fmt.Sprintf("%s %s/%s of pods %s", kind, object.GetNamespace(), object.GetName(),
			selector))
	}
	for _, service := range s.Services {
		kind := "Service"
		if service.Spec.Type != "" {
			kind = string(service.Spec.Type) + " " + kind
		}
		add(kind, service, plainSelector(service.Spec.Selector))
	}
	for _, controller := range s.ReplicationControllers {
		add("ReplicationController", controller, plainSelector(controller.Spec.Selector))
	}
	for _, set := range s.ReplicaSets {
		add("ReplicaSet", set, labelSelector(set.Spec.Selector))
	}
	for _, set := range s.StatefulSets {
		add("StatefulSet", set, labelSelector(set.Spec.Selector))
	}
	return words
}

// plainSelector writes a selector that is a map of labels; without labels it selects nothing.
func plainSelector(selector map[string]string) string {
	var words []string
	for _, key := range slices.Sorted(maps.Keys(selector)) {
		words = append(words, key+"="+selector[key])
	}
	if len(words) == 0 {
		return "<none>"
	}
	return strings.Join(words, ",")
}
