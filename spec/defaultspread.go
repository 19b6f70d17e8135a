package spec

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// BuiltInSpread are the constraints that kube-scheduler acts on if the profile has no others: nodes and zones.
//
// Source:
// https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/#internal-default-constraints.
func BuiltInSpread() []v1.TopologySpreadConstraint {
	return []v1.TopologySpreadConstraint{
		{MaxSkew: 3, TopologyKey: v1.LabelHostname, WhenUnsatisfiable: v1.ScheduleAnyway},
		{MaxSkew: 5, TopologyKey: v1.LabelTopologyZone, WhenUnsatisfiable: v1.ScheduleAnyway},
	}
}

// constraints returns the default constraints of the profile, without selectors.
//
// Source: field docs of PodTopologySpreadArgs ("Defaults to System").
func (a SpreadArgs) constraints() []v1.TopologySpreadConstraint {
	if a.Defaulting == "List" {
		return a.DefaultConstraints
	}
	return BuiltInSpread()
}

// defaultConstraints returns the default constraints with the selectors that they have for the pod, none if the pod
// belongs to nothing:
//
//	SpreadsOver(C, Pod, Other) == \A M \in Memberships(Pod) : Selects(M.Selector, Other.Labels)
//
// Source: field docs of PodTopologySpreadArgs ("deduced from the Pod's membership to Services,
// ReplicationControllers, ReplicaSets or StatefulSets"), and
// https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/#cluster-level-default-constraints
// ("if, and only if [...] it belongs to" one of these). How the selectors of several of them combine is not
// documented; all must match. matchLabelKeys "cannot be set when LabelSelector isn't set", so a default constraint
// that has some is as one without.
func (r SpreadRules) defaultConstraints(p *Profile, pod *v1.Pod, s *Snapshot) []v1.TopologySpreadConstraint {
	selectors := r.memberships(r, pod, s)
	if len(selectors) == 0 {
		return nil
	}
	selector := conjunction(selectors)
	return each(p.Spread.constraints(), func(c v1.TopologySpreadConstraint) v1.TopologySpreadConstraint {
		c.LabelSelector, c.MatchLabelKeys = selector, nil
		return c
	})
}

// memberships returns the selectors of what the pod belongs to: of the services that serve it, and of its controller.
func memberships(r SpreadRules, pod *v1.Pod, s *Snapshot) []*metav1.LabelSelector {
	controller := filter(
		controllerSelectors(pod, s),
		func(selector *metav1.LabelSelector) bool { return Selects(selector, pod.Labels) },
	)
	return append(r.serviceSelectors(pod, s), controller...)
}

func (r SpreadRules) serviceSelectors(pod *v1.Pod, s *Snapshot) []*metav1.LabelSelector {
	serving := filter(s.Services, func(service *v1.Service) bool { return r.serves(service, pod) })
	return each(serving, func(service *v1.Service) *metav1.LabelSelector {
		return &metav1.LabelSelector{MatchLabels: service.Spec.Selector}
	})
}

// serves reports whether the pod belongs to the service.
//
// Source: field doc of ServiceSpec.selector: without one, an external process manages the endpoints; it is ignored
// if the type is ExternalName.
func serves(service *v1.Service, pod *v1.Pod) bool {
	return service.Spec.Type != v1.ServiceTypeExternalName && selectedBy(service, pod)
}

func selectedBy(service *v1.Service, pod *v1.Pod) bool {
	return service.Namespace == pod.Namespace && len(service.Spec.Selector) > 0 &&
		Selects(&metav1.LabelSelector{MatchLabels: service.Spec.Selector}, pod.Labels)
}

// controllerSelectors returns the selector of the pod's controller, if that is one of those that count.
//
// Source: field docs of OwnerReference. The pod belongs to it only as long as the selector matches: field docs of
// the selectors of ReplicationController and ReplicaSet ("label keys and values that must match in order to be
// controlled").
func controllerSelectors(pod *v1.Pod, s *Snapshot) []*metav1.LabelSelector {
	owner := metav1.GetControllerOfNoCopy(pod)
	controls := func(group, kind string, controller metav1.Object) bool {
		return owner != nil &&
			schema.FromAPIVersionAndKind(owner.APIVersion, owner.Kind).GroupKind() == schema.GroupKind{Group: group,
				Kind: kind} &&
			owner.Name == controller.GetName() &&
			controller.GetNamespace() == pod.Namespace
	}
	var selectors []*metav1.LabelSelector
	for _, rc := range s.ReplicationControllers {
		if controls("", "ReplicationController", rc) {
			selectors = append(selectors, &metav1.LabelSelector{MatchLabels: rc.Spec.Selector})
		}
	}
	for _, rs := range s.ReplicaSets {
		if controls("apps", "ReplicaSet", rs) {
			selectors = append(selectors, rs.Spec.Selector)
		}
	}
	for _, ss := range s.StatefulSets {
		if controls("apps", "StatefulSet", ss) {
			selectors = append(selectors, ss.Spec.Selector)
		}
	}
	return selectors
}

// conjunction returns the selector that matches what all of the selectors match.
func conjunction(selectors []*metav1.LabelSelector) *metav1.LabelSelector {
	both := &metav1.LabelSelector{MatchLabels: map[string]string{}}
	for _, selector := range selectors {
		for _, key := range sortedKeys(selector.MatchLabels) {
			value := selector.MatchLabels[key]
			if other, there := both.MatchLabels[key]; there &&
				other != value { // no pod has both; an expression can say so
				both.MatchExpressions = append(both.MatchExpressions, metav1.LabelSelectorRequirement{
					Key: key, Operator: metav1.LabelSelectorOpIn, Values: []string{value},
				})
				continue
			}
			both.MatchLabels[key] = value
		}
		both.MatchExpressions = append(both.MatchExpressions, selector.MatchExpressions...)
	}
	return both
}
