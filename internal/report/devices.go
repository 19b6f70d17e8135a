package report

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// devices shows what there is of devices, as soon as a pod has a claim for some, or wants some as a resource: slices
// with their devices, who has got each, classes, and claims.
func (p *page) devices(indent string, s *spec.Snapshot) {
	if !wantsDevices(s) {
		return
	}
	for _, slice := range s.ResourceSlices {
		p.entry(indent, "devices "+slice.Name, sliceWords(slice))
		for i := range slice.Spec.Devices {
			device := &slice.Spec.Devices[i]
			p.entry(indent+"    ", device.Name, deviceWords(deviceID(slice, device), device, s))
		}
	}
	for _, class := range s.DeviceClasses {
		p.entry(indent, "device class "+class.Name, deviceClassWords(class, s))
	}
	for _, claim := range s.ResourceClaims {
		p.entry(indent, "resource claim "+claim.Namespace+"/"+claim.Name, resourceClaimWords(claim, s))
	}
}

// wantsDevices reports whether a pod has a claim for devices, or requests an extended resource that a class stands for.
func wantsDevices(s *spec.Snapshot) bool {
	return slices.ContainsFunc(s.Pods, func(pod *v1.Pod) bool {
		return len(pod.Spec.ResourceClaims) > 0 || spec.AsksForDevices(pod, s)
	})
}

// deviceLabels adds the keys of the node labels that it depends on where devices are available.
func deviceLabels(s *spec.Snapshot, asked map[string]bool) {
	if !wantsDevices(s) {
		return
	}
	add := func(selector *v1.NodeSelector) {
		if selector != nil {
			termKeys(selector.NodeSelectorTerms, asked)
		}
	}
	for _, slice := range s.ResourceSlices {
		add(slice.Spec.NodeSelector)
		for _, device := range slice.Spec.Devices {
			add(device.NodeSelector)
		}
	}
	for _, claim := range s.ResourceClaims {
		if claim.Status.Allocation != nil {
			add(claim.Status.Allocation.NodeSelector)
		}
	}
}

// sliceWords say of a slice which pool it is of, for whom, and what counters it has.
func sliceWords(slice *resourcev1.ResourceSlice) []string {
	pool := slice.Spec.Pool
	words := []string{"of pool " + slice.Spec.Driver + "/" + pool.Name, fmt.Sprintf("generation %d", pool.Generation),
		fmt.Sprintf("one of %d slices", pool.ResourceSliceCount)}
	if each := slice.Spec.PerDeviceNodeSelection; each != nil && *each {
		words = append(words, "for the nodes of each device")
	} else {
		words = append(words, nodesWords(slice.Spec.NodeName, slice.Spec.NodeSelector, slice.Spec.AllNodes))
	}
	if len(slice.Spec.SharedCounters) > 0 {
		words = append(words, "counters "+inline(slice.Spec.SharedCounters))
	}
	return words
}

func nodesWords(name *string, selector *v1.NodeSelector, all *bool) string {
	switch {
	case all != nil && *all:
		return "for every node"
	case name != nil:
		return "for node " + *name
	case selector != nil:
		return "for nodes with " + inline(selector.NodeSelectorTerms)
	default:
		return "for no node"
	}
}

// deviceWords say who has got a device, whether it is tainted, and what it is like.
func deviceWords(id spec.DeviceID, device *resourcev1.Device, s *spec.Snapshot) []string {
	var words []string
	for _, claim := range s.ResourceClaims {
		if claim.Status.Allocation == nil {
			continue
		}
		for _, r := range claim.Status.Allocation.Devices.Results {
			if r.Driver == id.Driver && r.Pool == id.Pool && r.Device == id.Device {
				words = append(words, "allocated to "+claim.Namespace+"/"+claim.Name)
			}
		}
	}
	if len(words) == 0 {
		words = append(words, "free")
	}
	for _, taint := range device.Taints {
		words = append(words, fmt.Sprintf("tainted %s=%s:%s", taint.Key, taint.Value, taint.Effect))
	}
	if device.NodeName != nil || device.NodeSelector != nil || device.AllNodes != nil {
		words = append(words, nodesWords(device.NodeName, device.NodeSelector, device.AllNodes))
	}
	if many := device.AllowMultipleAllocations; many != nil && *many {
		words = append(words, "may be allocated more than once")
	}
	for _, part := range []struct {
		name string
		any  bool
		is   any
	}{
		{"attributes", len(device.Attributes) > 0, device.Attributes},
		{"capacity", len(device.Capacity) > 0, device.Capacity},
		{"takes of counters", len(device.ConsumesCounters) > 0, device.ConsumesCounters},
		{"binds on", len(device.BindingConditions) > 0, device.BindingConditions},
	} {
		if part.any {
			words = append(words, part.name+" "+inline(part.is))
		}
	}
	return words
}

// deviceClassWords say what a class selects, and which extended resource it stands for; where another does too, how old
// it is.
func deviceClassWords(class *resourcev1.DeviceClass, s *spec.Snapshot) []string {
	var words []string
	for _, selector := range class.Spec.Selectors {
		words = append(words, "selects "+selectorText(selector))
	}
	if len(words) == 0 {
		words = []string{"selects every device"}
	}
	name := class.Spec.ExtendedResourceName
	if name == nil {
		return words
	}
	words = append(words, "stands for "+*name)
	if slices.ContainsFunc(s.DeviceClasses, func(other *resourcev1.DeviceClass) bool {
		return other != class && other.Spec.ExtendedResourceName != nil && *other.Spec.ExtendedResourceName == *name
	}) {
		words = append(words, "created "+class.CreationTimestamp.UTC().Format(time.RFC3339))
	}
	return words
}

func selectorText(selector resourcev1.DeviceSelector) string {
	if selector.CEL == nil {
		return "nothing that is known"
	}
	return selector.CEL.Expression
}

// resourceClaimWords say what a claim asks for, and what it has got.
func resourceClaimWords(claim *resourcev1.ResourceClaim, s *spec.Snapshot) []string {
	var words []string
	if claim.DeletionTimestamp != nil {
		words = append(words, "is being deleted")
	}
	if owner := metav1.GetControllerOfNoCopy(claim); owner != nil {
		what := ""
		if claim.Annotations[resourcev1.ExtendedResourceClaimAnnotation] == "true" {
			what = "extended resources of "
		}
		words = append(words, "made for "+what+consumerName(owner.Name, string(owner.UID), s))
	}
	for _, request := range claim.Spec.Devices.Requests {
		for i, a := range spec.Alternatives(request) {
			or := ""
			if i > 0 {
				or = "or "
			}
			words = append(words, or+alternativeWords(a))
		}
	}
	for _, constraint := range claim.Spec.Devices.Constraints {
		words = append(words, "constraint "+inline(constraint))
	}
	if allocation := claim.Status.Allocation; allocation != nil {
		for _, r := range allocation.Devices.Results {
			words = append(words, "has "+inline(r))
		}
		if allocation.NodeSelector != nil {
			words = append(words, nodesWords(nil, allocation.NodeSelector, nil))
		}
	}
	switch reserved := claim.Status.ReservedFor; {
	case len(reserved) > 4:
		words = append(words, fmt.Sprintf("reserved for %d", len(reserved)))
	default:
		for _, consumer := range reserved {
			words = append(words, "reserved for "+consumerName(consumer.Name, string(consumer.UID), s))
		}
	}
	for _, device := range claim.Status.Devices {
		words = append(words, "its driver says "+inline(device))
	}
	return words
}

// consumerName names a pod; one that is not in the cluster by its UID.
func consumerName(name, uid string, s *spec.Snapshot) string {
	for _, pod := range s.Pods {
		if string(pod.UID) == uid {
			return "pod " + pod.Name
		}
	}
	return name + " of UID " + uid
}

// alternativeWords say what is asked for by a request, or by one of its alternatives.
func alternativeWords(a spec.DeviceAlternative) string {
	many := fmt.Sprintf("%d", a.Count)
	if a.All {
		many = "all"
	}
	words := []string{fmt.Sprintf("%s: %s of class %s", a.Name, many, a.Class)}
	for _, selector := range a.Selectors {
		words = append(words, "with "+selectorText(selector))
	}
	if len(a.Capacity) > 0 {
		words = append(words, "with capacity "+inline(a.Capacity))
	}
	if len(a.Tolerations) > 0 {
		words = append(words, "tolerating "+inline(a.Tolerations))
	}
	if a.Admin {
		words = append(words, "for administration")
	}
	return strings.Join(words, " ")
}

// resourceClaimOf says which claim an entry of the pod is about.
func resourceClaimOf(pod *v1.Pod, entry v1.PodResourceClaim) string {
	if entry.ResourceClaimName != nil {
		return "resource claim " + *entry.ResourceClaimName
	}
	for _, status := range pod.Status.ResourceClaimStatuses {
		switch {
		case status.Name != entry.Name:
		case status.ResourceClaimName == nil:
			return fmt.Sprintf("resource claim %s, of which there is no need", entry.Name)
		default:
			return fmt.Sprintf("resource claim %s, made for it", *status.ResourceClaimName)
		}
	}
	return fmt.Sprintf("resource claim %s, not made yet", entry.Name)
}

// inline writes what an object of the API says on one line, without quotes.
func inline(object any) string {
	text, err := json.Marshal(object)
	if err != nil {
		panic(fmt.Sprintf("report: a %T cannot be written: %v", object, err)) // API objects always can
	}
	return strings.NewReplacer(`\"`, `"`, `"`, "", ",", ", ", ":", ": ").Replace(string(text))
}
