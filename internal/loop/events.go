package loop

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// EventKind is a kind of event by which the cluster changes past the scheduler. The events of a kind are made from
// what the scope's objects are like: a node gets a label that another node has, or loses one; it is never told what
// would hurt.
type EventType string

const (
	// a node gets, changes or loses one label that nodes of the scope have
	NodeLabels      EventType = "node-labels"
	NodeTaints      EventType = "node-taints"      // a node gets the taints of another kind
	NodeCordon      EventType = "node-cordon"      // a node is cordoned, or uncordoned
	NodeCapacity    EventType = "node-capacity"    // a node gets the capacity of another kind
	NodeRemoved     EventType = "node-removed"     // a node without pods is removed
	NodeLost        EventType = "node-lost"        // a node is removed, and pods that were on it, or to be, are not yet
	NodeAdded       EventType = "node-added"       // a node like one of the scope is added
	PodDeleted      EventType = "pod-deleted"      // a pod is deleted; a bound one terminates
	PodLabels       EventType = "pod-labels"       // a pod gets the labels of another kind
	PodBound        EventType = "pod-bound"        // somebody else binds a pending pod
	PodNominated    EventType = "pod-nominated"    // somebody else nominates a pending pod
	PodUngated      EventType = "pod-ungated"      // the scheduling gates of a pod are removed
	PodCompleted    EventType = "pod-completed"    // a bound pod completes
	PodReplaced     EventType = "pod-replaced"     // a pod is deleted and made anew while kube-scheduler's watch is broken
	PodResized      EventType = "pod-resized"      // a pod, bound or pending, gets the requests of another kind
	NamespaceLabels EventType = "namespace-labels" // a namespace gets the labels of another one
	NamespaceAdded  EventType = "namespace-added"  // a namespace of the scope that is not there is created
	// a namespace in which there is nothing is removed
	NamespaceRemoved EventType = "namespace-removed"
	// a volume, claim, class, CSINode, driver, capacity, attachment, budget or owner of pods is removed
	ObjectRemoved EventType = "object-removed"
	ObjectAdded   EventType = "object-added" // such an object of the scope that is not there is created
	// a volume or claim is deleted and made anew while kube-scheduler's watch is broken
	ObjectReplaced EventType = "object-replaced"
	// a node gets the images, features and conditions of another kind
	NodeStatus EventType = "node-status"
	// a pending pod gets a toleration that another kind has
	PodTolerations EventType = "pod-tolerations"
	// a budget, Service, CSINode, driver, capacity, device class, topologies of a class or labels of a volume become like
	// those of the scope's object of that name, or less; or the volumes of a class may be expanded
	ObjectChanged EventType = "object-changed"
	// such an object, or a slice of devices, becomes like the next one of its kind in the scope, in fields that may change
	ObjectAlike EventType = "object-alike"
	// not one of its own: each removal may come while kube-scheduler's watch is broken
	Missed       EventType = "missed"
	DeviceFailed EventType = "device-failed" // a driver says that a device which must become ready has failed
	DeviceLate   EventType = "device-late"   // the time is over in which such devices of a claim are to become ready
	Restarted    EventType = "restart"       // the scheduler restarts
)

// EventTypes returns every type.
func EventTypes() []EventType {
	return []EventType{NodeLabels, NodeTaints, NodeCordon, NodeCapacity, NodeRemoved, NodeLost, NodeAdded,
		PodDeleted, PodLabels, PodBound, PodNominated, PodUngated, NamespaceLabels, ObjectRemoved, ObjectAdded,
		ObjectReplaced, NodeStatus, PodTolerations, ObjectChanged, ObjectAlike, PodCompleted, PodReplaced, PodResized,
		NamespaceAdded, NamespaceRemoved, Missed, DeviceFailed, DeviceLate, Restarted}
}

// events returns every event that may happen in the state, in a fixed order.
func (s *Scope) events(state *State) []Action {
	return s.eventsOf(state, state.API.Nodes, state.API.Pods)
}

// eventsOf returns the events, of those of nodes and pods only those of the given ones.
func (s *Scope) eventsOf(state *State, nodes []*v1.Node, pods []*v1.Pod) []Action {
	if s.Event != nil {
		return s.Event.possible(state)
	}
	var actions []Action
	for _, kind := range EventTypes() {
		if !slices.Contains(s.Happens, kind) {
			continue
		}
		switch {
		case kind == Restarted:
			actions = append(actions, Action{Verb: Restart})
		case kind == DeviceFailed:
			actions = append(actions, drivers(state, true)...)
		case kind == DeviceLate:
			actions = append(actions, overdue(state)...)
		case kind == NodeAdded:
			actions = append(actions, s.addedNodes(state)...)
		case kind == ObjectAdded || kind == ObjectRemoved || kind == ObjectReplaced:
			actions = append(actions, s.otherObjects(state, kind)...)
		case kind == ObjectChanged:
			actions = append(actions, s.changedObjects(state)...)
		case kind == ObjectAlike:
			actions = append(actions, s.alike(state)...)
		case kind == NamespaceAdded || kind == NamespaceRemoved:
			actions = append(actions, s.namespaces(state, kind)...)
		case kind == NamespaceLabels:
			sets := distinctLabels(s.Templates.Namespaces)
			for _, namespace := range state.API.Namespaces {
				for _, labels := range sets {
					changed := namespace.DeepCopy()
					changed.Labels = maps.Clone(labels)
					changed.Labels[v1.LabelMetadataName] = namespace.Name
					actions = append(
						actions,
						update(namespace, changed, "labels: it has "+describeLabels(changed.Labels))...)
				}
			}
		case strings.HasPrefix(string(kind), "node-"):
			actions = append(actions, s.nodeEvents(state, nodes, kind)...)
		default:
			actions = append(actions, s.podEvents(state, nodes, pods, kind)...)
		}
	}
	return actions
}

// possible returns the event, if it can happen in the state. A pod that is bound by now stays where it is.
func (a *Action) possible(state *State) []Action {
	there := slices.ContainsFunc(Objects(state.API), func(o runtime.Object) bool { return RefOf(o) == a.Ref })
	if there == (a.Verb == Create) {
		return nil
	}
	if pod, ok := a.Object.(*v1.Pod); ok && a.Verb == Update &&
		!slices.Contains([]string{"", pod.Spec.NodeName}, state.Pod(a.Ref.Key()).Spec.NodeName) {
		return nil
	}
	return []Action{*a}
}

// replaced is how the change of a label ends in words that the node has already, with another value.
const replaced = " instead"

// nodeEvents returns the events of the kind that may happen to the nodes.
func (s *Scope) nodeEvents(state *State, nodes []*v1.Node, kind EventType) []Action {
	switch kind {
	case NodeLabels:
		return labelled(nodes, labelValues(s.Templates.Nodes))
	case NodeTaints:
		return likeOthers(nodes, s.Templates.Nodes, "taints: it has those of ",
			func(x, y *v1.Node) bool { return equality.Semantic.DeepEqual(x.Spec.Taints, y.Spec.Taints) },
			func(n, like *v1.Node) { n.Spec.Taints = slices.Clone(like.Spec.Taints) })
	case NodeCapacity:
		return likeOthers(nodes, s.Templates.Nodes, "capacity: it has that of ",
			func(x, y *v1.Node) bool {
				return equality.Semantic.DeepEqual(x.Status.Allocatable, y.Status.Allocatable)
			},
			func(n, like *v1.Node) { n.Status.Allocatable = like.Status.Allocatable.DeepCopy() })
	case NodeStatus:
		return likeOthers(nodes, s.Templates.Nodes, "status: it has images, features and conditions of ", sameStatus,
			func(n, like *v1.Node) {
				n.Status.Images = like.Status.Images
				n.Status.Conditions = like.Status.Conditions
				spec.SetDeclaredFeatures(n, spec.DeclaredFeatures(like))
			})
	case NodeCordon:
		var actions []Action
		for _, node := range nodes {
			actions = append(actions, changedNode(node, map[bool]string{false: "cordon: it is cordoned",
				true: "cordon: it is uncordoned"}[node.Spec.Unschedulable],
				func(n *v1.Node) { n.Spec.Unschedulable = !n.Spec.Unschedulable }))
		}
		return actions
	case NodeRemoved, NodeLost:
		var actions []Action
		view := state.View()
		for _, node := range nodes {
			on := func(pod *v1.Pod) bool { return pod.Spec.NodeName == node.Name }
			held := slices.ContainsFunc(view.Pods, on) || slices.ContainsFunc(state.API.Pods, on)
			if held == (kind == NodeLost) {
				actions = append(actions, Action{Verb: Delete, Ref: RefOf(node)})
			}
		}
		return actions
	}
	return nil
}

// changedNode returns the update of the node.
func changedNode(node *v1.Node, doc string, change func(*v1.Node)) Action {
	after := new(v1.Node)
	*after = *node // nobody changes what both have
	change(after)
	return Action{Verb: Update, Ref: RefOf(node), Object: after, Doc: doc}
}

// labelled returns that a node gets or loses one label.
func labelled(nodes []*v1.Node, values map[string][]string) []Action {
	var all []Action
	for _, node := range nodes {
		var actions []Action
		relabel := func(doc string, change func(labels map[string]string)) {
			actions = append(actions, changedNode(node, "labels: "+doc, func(n *v1.Node) {
				n.Labels = map[string]string{}
				maps.Copy(n.Labels, node.Labels)
				change(n.Labels)
			}))
		}
		for key, values := range values {
			is, has := node.Labels[key]
			for _, value := range values {
				switch doc := fmt.Sprintf("it has %s=%s", key, value); {
				case !has:
					relabel(doc, func(labels map[string]string) { labels[key] = value })
				case is != value:
					relabel(doc+replaced, func(labels map[string]string) { labels[key] = value })
				}
			}
			if has {
				relabel("it loses "+key, func(labels map[string]string) { delete(labels, key) })
			}
		}
		slices.SortFunc(actions, func(x, y Action) int { return strings.Compare(x.Doc, y.Doc) })
		all = append(all, actions...)
	}
	return all
}

// likeOthers returns that a node becomes like another one in something, of which those that are the same count once.
func likeOthers(nodes, others []*v1.Node, doc string, same func(x, y *v1.Node) bool,
	become func(n, like *v1.Node)) []Action {
	others = distinct(others, same)
	var actions []Action
	for _, node := range nodes {
		for _, like := range others {
			if !same(node, like) {
				actions = append(actions, changedNode(node, doc+like.Name, func(n *v1.Node) { become(n, like) }))
			}
		}
	}
	return actions
}

// sameStatus reports whether the nodes have the same images, conditions and features.
func sameStatus(x, y *v1.Node) bool {
	return equality.Semantic.DeepEqual(x.Status.Images, y.Status.Images) &&
		equality.Semantic.DeepEqual(x.Status.Conditions, y.Status.Conditions) &&
		equality.Semantic.DeepEqual(spec.DeclaredFeatures(x), spec.DeclaredFeatures(y))
}

// addedNodes returns a new node like each kind, with the lowest number that is free; none if there are as many as
// there may be.
func (s *Scope) addedNodes(state *State) []Action {
	if s.Nodes > 0 && len(state.API.Nodes) >= s.Nodes {
		return nil
	}
	var actions []Action
	for _, kind := range s.Templates.Nodes {
		for n := 1; ; n++ {
			name := fmt.Sprintf("%s-%d", kind.Name, n)
			if !slices.ContainsFunc(state.API.Nodes, func(n *v1.Node) bool { return n.Name == name }) {
				node := named(kind, name)
				node.UID, node.ResourceVersion = "", ""
				actions = append(actions, Action{Verb: Create, Ref: RefOf(node), Object: node})
				break
			}
		}
	}
	return actions
}

// update returns the action, unless it changes nothing.
func update(before, after runtime.Object, doc string) []Action {
	if equality.Semantic.DeepEqual(before, after) {
		return nil
	}
	return []Action{{Verb: Update, Ref: RefOf(after), Object: after, Doc: doc}}
}

// distinct returns the first of those that are the same.
func distinct[T any](all []T, same func(x, y T) bool) []T {
	var kept []T
	for _, one := range all {
		if !slices.ContainsFunc(kept, func(other T) bool { return same(one, other) }) {
			kept = append(kept, one)
		}
	}
	return kept
}

// labelValues returns the values that each label has, but for the nodes' own names.
func labelValues(nodes []*v1.Node) map[string][]string {
	values := map[string][]string{}
	for _, node := range nodes {
		for key, value := range node.Labels {
			if key != v1.LabelHostname && !slices.Contains(values[key], value) {
				values[key] = append(values[key], value)
			}
		}
	}
	return values
}

// distinctLabels returns the label sets that the objects have, each once.
func distinctLabels[T interface{ GetLabels() map[string]string }](objects []T) []map[string]string {
	var sets []map[string]string
	for _, object := range objects {
		labels := maps.Clone(object.GetLabels())
		if labels == nil {
			labels = map[string]string{}
		}
		delete(labels, v1.LabelMetadataName)
		sets = append(sets, labels)
	}
	return distinct(sets, maps.Equal[map[string]string, map[string]string])
}

func describeLabels(labels map[string]string) string {
	var pairs []string
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		if key != v1.LabelMetadataName {
			pairs = append(pairs, key+"="+labels[key])
		}
	}
	if len(pairs) == 0 {
		return "none"
	}
	return strings.Join(pairs, ", ")
}
