package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// mostSlices is how many slices of devices are written; how many more there are is said.
const mostSlices = 20

// devices tells of the claims, templates, classes and slices of devices, in the words of the API, if a pod has claims.
func (p *page) devices(indent string, s *spec.Snapshot) {
	if !slices.ContainsFunc(s.Pods, func(pod *v1.Pod) bool { return len(pod.Spec.ResourceClaims) > 0 }) {
		return
	}
	for _, pod := range s.Pods {
		for _, claim := range pod.Spec.ResourceClaims {
			p.entry(indent, "resource claim "+claim.Name+" of pod "+name(pod), []string{inFull(claim)})
		}
		for _, status := range pod.Status.ResourceClaimStatuses {
			p.entry(indent, "made for pod "+name(pod), []string{inFull(status)})
		}
	}
	for _, claim := range s.ResourceClaims {
		words := []string{inFull(claim.Spec), "status " + inFull(claim.Status)}
		if claim.DeletionTimestamp != nil {
			words = append(words, "terminating")
		}
		for _, owner := range claim.OwnerReferences {
			words = append(words, fmt.Sprintf("of %s %s, uid %q", owner.Kind, owner.Name, owner.UID))
		}
		p.entry(indent, fmt.Sprintf("resource claim %s/%s, uid %q", claim.Namespace, claim.Name, claim.UID), words)
	}
	for _, template := range s.ResourceClaimTemplates {
		p.entry(indent, "resource claim template "+template.Namespace+"/"+template.Name,
			[]string{inFull(template.Spec)})
	}
	for _, class := range s.DeviceClasses {
		p.entry(indent, "device class "+class.Name, []string{inFull(class.Spec)})
	}
	for _, slice := range s.ResourceSlices[:min(mostSlices, len(s.ResourceSlices))] {
		p.entry(indent, "resource slice "+slice.Name, []string{inFull(slice.Spec)})
	}
	if more := len(s.ResourceSlices) - mostSlices; more > 0 {
		p.wrapped(indent, fmt.Sprintf("and %s more", plural(int64(more), "resource slice")))
	}
}

// inFull writes what an API object has on one line, as YAML does.
func inFull(object any) string {
	raw, err := json.Marshal(object)
	if err != nil {
		panic(fmt.Sprintf("report: %T cannot be written: %v", object, err)) // API objects always can
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		panic(fmt.Sprintf("report: %T cannot be read back: %v", object, err))
	}
	return flow(value)
}

// deviceLabels adds the keys of the node labels by which slices and allocated claims choose nodes.
func deviceLabels(s *spec.Snapshot, asked map[string]bool) {
	for _, slice := range s.ResourceSlices {
		if selector := slice.Spec.NodeSelector; selector != nil {
			termKeys(selector.NodeSelectorTerms, asked)
		}
		for _, device := range slice.Spec.Devices {
			if device.NodeSelector != nil {
				termKeys(device.NodeSelector.NodeSelectorTerms, asked)
			}
		}
	}
	for _, claim := range s.ResourceClaims {
		if allocation := claim.Status.Allocation; allocation != nil && allocation.NodeSelector != nil {
			termKeys(allocation.NodeSelector.NodeSelectorTerms, asked)
		}
	}
}
