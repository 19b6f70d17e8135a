package scenario

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/seed-a3f26817/modelcheck/internal/printable"
)

// Manifests that people keep hold more than placement depends on. Objects of kinds that are not read are no error:
// they are said, once for each kind.

// unreadKind is a kind that is not read, and how many objects of it there were.
type unreadKind struct {
	group, kind string
	// builtIn: Kubernetes itself has the kind.
	builtIn bool
	number  int
	first   Source
}

// matters says how objects of a kind that is not read can bear on placement all the same; "" if they cannot.
func (k unreadKind) matters() string {
	for _, known := range []struct{ group, kind, how string }{
		{"", "LimitRange", "it may give containers requests that they do not state"},
		{"", "ResourceQuota", "it may keep pods from being created"},
		{"", "PodTemplate", "no pods are made of it"},
		{"admissionregistration.k8s.io", "MutatingWebhookConfiguration", "it may change pods"},
		{"admissionregistration.k8s.io", "MutatingAdmissionPolicy", "it may change pods"},
		{"admissionregistration.k8s.io", "MutatingAdmissionPolicyBinding", "it may change pods"},
		{"admissionregistration.k8s.io", "ValidatingWebhookConfiguration", "it may keep pods from being created"},
		{"admissionregistration.k8s.io", "ValidatingAdmissionPolicy", "it may keep pods from being created"},
		{"admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding", "it may keep pods from being created"},
		{"autoscaling", "HorizontalPodAutoscaler", "it changes spec.replicas, which is taken as stated"},
		{"node.k8s.io", "RuntimeClass", "what it adds to pods counts only if they state it"},
		{"resource.k8s.io", "DeviceTaintRule", "devices have the taints that their slices state, and no others"},
		{"scheduling.k8s.io", "Workload", "groups of pods are not read"},
		{"scheduling.k8s.io", "PodGroup", "groups of pods are not read"},
		{"kustomize.config.k8s.io", "Kustomization", "it is not applied to the files beside it; -k builds it"},
		{"kustomize.config.k8s.io", "Component", "it is not applied to the files beside it; -k builds it"},
	} {
		if known.group == k.group && known.kind == k.kind {
			return known.how
		}
	}
	if !k.builtIn {
		return "pods that a controller makes of it are not there, nor what it changes of others"
	}
	return ""
}

// unread reports whether the object is of a kind that is not read, and keeps that it was there. A kind that no
// group of Kubernetes' own has is not one: it is misspelt. One that an API server has admitted is there in any case.
func (r *reading) unread(d document, head header) bool {
	version, err := schema.ParseGroupVersion(head.APIVersion)
	if err != nil || head.Kind == "" || head.APIVersion == "" || isRead(version.Group, head.Kind) {
		return false
	}
	if head.APIVersion == "builtin" { // as the plugins of kustomize are called
		version.Group = "kustomize.config.k8s.io"
	}
	builtIn := scheme.Scheme.Recognizes(version.WithKind(head.Kind)) || removed(version.Group, head.Kind)
	if !builtIn && ofKubernetes(version.Group) && !head.live() {
		return false
	}
	kind := schema.GroupKind{Group: version.Group, Kind: head.Kind}
	i, known := r.unreadAt[kind]
	if !known {
		i = len(r.unreadKinds)
		r.unreadAt[kind] = i
		r.unreadKinds = append(r.unreadKinds, unreadKind{group: kind.Group, kind: kind.Kind,
			builtIn: builtIn || aggregated(version.Group), first: d.source})
	}
	r.unreadKinds[i].number++
	return true
}

// isRead reports whether the kind is read, in some version.
func isRead(group, kind string) bool {
	for _, k := range manifestKinds() {
		if version, err := schema.ParseGroupVersion(k.apiVersion); err == nil && k.kind == kind &&
			(version.Group == group || group == "extensions") {
			return true
		}
	}
	return kind == schedulerConfiguration && group == "kubescheduler.config.k8s.io" ||
		kind == scenarioKind && group == scenarioGroup
}

// removed reports whether earlier releases of Kubernetes had the kind, or had it in a version that is gone, so that
// files may still have it.
func removed(group, kind string) bool {
	for _, gone := range []schema.GroupKind{
		{Group: "policy", Kind: "PodSecurityPolicy"}, {Group: "extensions", Kind: "PodSecurityPolicy"},
		{Group: "settings.k8s.io", Kind: "PodPreset"}, {Kind: "Config"}, // of kubectl
		{Group: "admissionregistration.k8s.io", Kind: "InitializerConfiguration"},
	} {
		if gone.Group == group && gone.Kind == kind {
			return true
		}
	}
	return len(scheme.Scheme.VersionsForGroupKind(schema.GroupKind{Group: group, Kind: kind})) > 0
}

// ofKubernetes reports whether Kubernetes itself has the group, so that its kinds are all known.
func ofKubernetes(group string) bool {
	return scheme.Scheme.IsGroupRegistered(group) || group == "kubescheduler.config.k8s.io" || group == scenarioGroup
}

// aggregated reports whether the group is one of Kubernetes' own whose kinds are not known here, and none of which
// bears on placement.
func aggregated(group string) bool {
	return slices.Contains([]string{"apiextensions.k8s.io", "apiregistration.k8s.io"}, group)
}

// unreadNotes says which kinds were not read.
func (r *reading) unreadNotes() []string {
	var harmless, notes []string
	for _, k := range r.unreadKinds {
		name := k.kind
		if !k.builtIn {
			name += "." + k.group
		}
		if how := k.matters(); how != "" {
			notes = append(notes, fmt.Sprintf("%s: %s: objects of this kind (%d) are not read, though they may bear "+
				"on placement: %s", k.first, name, k.number, how))
			continue
		}
		harmless = append(harmless, fmt.Sprintf("%s (%d)", name, k.number))
	}
	if len(harmless) > 0 {
		notes = append(
			[]string{"not read, as it does not bear on placement: " + strings.Join(harmless, ", ")},
			notes...)
	}
	if len(r.aside) > 0 {
		notes = append(notes, "not read, as they are kustomizations and their patches, which -k builds: "+
			files(r.aside))
	}
	if len(r.objectless) > 0 {
		notes = append(notes, "not read, as they hold no Kubernetes object: "+files(r.objectless))
	}
	for i := range notes {
		notes[i] = printable.Text(notes[i])
	}
	return notes
}

// withoutObject keeps that a file holds something else than objects.
func (r *reading) withoutObject(file string) {
	if n := len(r.objectless); n == 0 || r.objectless[n-1] != file {
		r.objectless = append(r.objectless, file)
	}
}

// mostFiles is how many files are named of those that hold no object.
const mostFiles = 10

// files says how many files there are, and names them.
func files(names []string) string {
	text := fmt.Sprintf("%d files: ", len(names))
	if len(names) == 1 {
		text = "1 file: "
	}
	if more := len(names) - mostFiles; more > 1 {
		return text + strings.Join(names[:mostFiles], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return text + strings.Join(names, ", ")
}

// misspelt is the error for a kind that a group of Kubernetes' own does not have.
func misspelt(head header) error {
	var near []string
	for kind := range scheme.Scheme.AllKnownTypes() {
		if kind.Kind == head.Kind {
			near = append(near, kind.GroupVersion().String())
		}
	}
	if slices.Sort(near); len(near) > 0 {
		return fmt.Errorf("apiVersion %q has no such kind: correct it; the kind is one of %s", head.APIVersion,
			strings.Join(near, ", "))
	}
	return errors.New("Kubernetes has no such kind in " + head.APIVersion +
		": correct kind or apiVersion; the kinds that are read are " + strings.Join(Kinds(), ", "))
}

// scenarioGroup is the group of the kinds that modelcheck itself has.
const scenarioGroup = "modelcheck.dev"
