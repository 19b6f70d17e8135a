package model

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Catalog numbers the templates of all scenarios of a run, what they share once, and holds the API
// objects that stand for their nodes and pods. An object is made once: the same node or pod is
// the same pointer in every question. It is safe for concurrent use.
type Catalog struct {
	nodeTemplates []NodeTemplate
	podTemplates  []PodTemplate
	around        []*surroundings
	digests       digests
	// asking are the pending pods without a nomination, by template; nil if not made yet.
	asking []atomic.Pointer[v1.Pod]

	mu       sync.RWMutex
	nodes    map[nodeKey]*v1.Node
	pods     map[podKey]*v1.Pod
	contents map[string]*Content
	// podSets numbers the sets of pods as they come up.
	podSets map[string]uint32
	// refreshed are the numbers of surroundings with budgets that allow something else, by refreshedKey.
	refreshed map[refreshedKey]int
}

// surroundings are what is around nodes and pods.
type surroundings struct {
	spec.Snapshot
	number int
	digest []byte
	// devices is the index of its devices.
	devices func() *spec.DeviceIndex
}

type refreshedKey struct {
	base    int
	budgets string
}

type nodeKey struct{ template, ordinal int }

type podKey struct {
	code    uint32 // template, phase and rank, by the catalog's numbers
	node    nodeKey
	index   int
	ordered order
}

// order is where a pod stands: bound to a node, nominated to it, or asking.
type order uint8

const (
	bound order = iota
	nominated
	pendingRole
)

// NewCatalog returns an empty catalog.
func NewCatalog() *Catalog {
	return &Catalog{
		nodes:     map[nodeKey]*v1.Node{},
		pods:      map[podKey]*v1.Pod{},
		contents:  map[string]*Content{},
		podSets:   map[string]uint32{},
		refreshed: map[refreshedKey]int{},
	}
}

// numbering translates a scenario's indexes of templates into the catalog's.
type numbering struct {
	nodes, pods []int
	// changed has those of changed node templates, by change; nil if nodes do not change.
	changed [][]int
	around  *surroundings
}

// node returns the number of a node template with a change.
func (n *numbering) node(template int, change NodeChange) int {
	if change == 0 {
		return n.nodes[template]
	}
	return n.changed[change][template]
}

// enter numbers the templates of a scenario, and puts them in the order of their numbers. Scenarios
// are entered before any is explored.
func (c *Catalog) enter(s *Scenario) (*Scenario, numbering) {
	n := numbering{around: c.surround(s.Around)}
	ordered := *s
	nodes := reorder(&c.nodeTemplates, &ordered.Nodes, &n.nodes)
	pods := reorder(&c.podTemplates, &ordered.Pods, &n.pods)
	if s.Actions.ArrivalsOfTemplate != nil {
		ordered.Actions.ArrivalsOfTemplate = make([]int, len(pods))
		for i, limit := range s.Actions.ArrivalsOfTemplate {
			ordered.Actions.ArrivalsOfTemplate[pods[i]] = limit
		}
	}
	if s.Actions.NodeChanges > 0 {
		n.changed = make([][]int, nodeChanges)
		for change := NodeChange(1); change < nodeChanges; change++ {
			for i := range ordered.Nodes {
				n.changed[change] = append(n.changed[change],
					number(&c.nodeTemplates, ordered.Nodes[i].changed(change)))
			}
		}
	}
	c.digests.fill(c)
	c.asking = make([]atomic.Pointer[v1.Pod], len(c.podTemplates))
	ordered.Initial = nil
	for _, cluster := range s.Initial {
		ordered.Initial = append(ordered.Initial, cluster.renumber(nodes, pods))
	}
	return &ordered, n
}

// surround returns the surroundings that are equal to the snapshot, and adds them if there are none.
func (c *Catalog) surround(s spec.Snapshot) *surroundings {
	for _, known := range c.around {
		if equality.Semantic.DeepEqual(known.Snapshot, s) {
			return known
		}
	}
	added := &surroundings{Snapshot: s, number: len(c.around), digest: digestOf(s)}
	added.devices = sync.OnceValue(func() *spec.DeviceIndex { return spec.NewDeviceIndex(&added.Snapshot) })
	c.around = append(c.around, added)
	return added
}

// surroundWith returns the surroundings with budgets that allow so much.
func (c *Catalog) surroundWith(base *surroundings, budgets []uint8) *surroundings {
	key := refreshedKey{base.number, string(budgets)}
	c.mu.Lock()
	defer c.mu.Unlock()
	i, known := c.refreshed[key]
	if !known {
		i = c.surround(around(&base.Snapshot, budgets)).number
		c.refreshed[key] = i
	}
	return c.around[i]
}

// reorder numbers the templates, sorts them by number, and tells where each went.
func reorder[T any](catalog, templates *[]T, numbers *[]int) (to []int) {
	type entry struct {
		template     T
		number, from int
	}
	var entries []entry
	for i, template := range *templates {
		entries = append(entries, entry{template, number(catalog, template), i})
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return a.number - b.number })
	*templates, to = nil, make([]int, len(entries))
	for i, e := range entries {
		*templates, *numbers = append(*templates, e.template), append(*numbers, e.number)
		to[e.from] = i
	}
	return to
}

func (c Cluster) renumber(nodes, pods []int) Cluster {
	templates := func(from []ClusterPod) (to []ClusterPod) {
		for _, pod := range from {
			to = append(to, ClusterPod{pods[pod.Template], pod.Phase, pod.ID, pod.Turn})
		}
		return to
	}
	renumbered := Cluster{Pending: templates(c.Pending), Fewer: c.Fewer}
	for _, nodeState := range c.Nodes {
		renumbered.Nodes = append(renumbered.Nodes, ClusterNode{
			Template: nodes[nodeState.Template], ID: nodeState.ID, Bound: templates(nodeState.Bound),
			Nominated: templates(nodeState.Nominated),
		})
	}
	return renumbered
}

// number finds an equal entry, or adds one.
func number[T any](entries *[]T, entry T) int {
	for i := range *entries {
		if equality.Semantic.DeepEqual((*entries)[i], entry) {
			return i
		}
	}
	*entries = append(*entries, entry)
	return len(*entries) - 1
}

// node returns the object of a node: the ordinal-th of its template.
func (c *Catalog) node(key nodeKey) *v1.Node {
	return intern(c, c.nodes, key, func() *v1.Node { return c.nodeTemplates[key.template].Object(key.ordinal) })
}

// Object makes the ordinal-th node of the template.
func (k *NodeTemplate) Object(ordinal int) *v1.Node {
	node := k.Node.DeepCopy()
	if node.Name = fmt.Sprintf("%s-%d", k.Name, ordinal+1); ordinal < len(k.Fixed) {
		node.Name = k.Fixed[ordinal]
	}
	node.UID = types.UID("node/" + node.Name)
	if value, has := node.Labels[v1.LabelHostname]; has && value == "" {
		node.Labels[v1.LabelHostname] = node.Name
	}
	return node
}

// pod returns the object of a pod that stands on or beside a node.
func (c *Catalog) pod(key podKey) *v1.Pod {
	var node *v1.Node
	if key.node.template >= 0 {
		node = c.node(key.node)
	}
	return intern(c, c.pods, key, func() *v1.Pod {
		code := podOfCode(key.code)
		template := &c.podTemplates[code.Template()]
		pod := template.Pod.DeepCopy()
		switch key.ordered {
		case bound:
			pod.Name = fmt.Sprintf("%s-on-%s-%d", template.Name, node.Name, key.index+1)
			SetBound(pod, node, code.Phase(), code.Rank())
		case nominated:
			pod.Name = fmt.Sprintf("%s-to-%s-%d", template.Name, node.Name, key.index+1)
			setUnbound(pod, node)
		case pendingRole:
			pod.Name = template.Name + "-asking"
			setUnbound(pod, node)
		}
		if template.Only {
			pod.Name = template.Fixed[0]
		}
		pod.UID = PodUID(pod.Namespace, pod.Name)
		return pod
	})
}

// PodUID is the UID of the pod of that name, as names are all that tells the pods of a state apart. A pod that is
// read from a manifest without UID has it too, so claims keep their owners when a cluster is written and read
// again.
func PodUID(namespace, name string) types.UID { return types.UID(namespace + "/" + name) }

// setUnbound makes the pod one that waits, nominated to the node unless that is nil. No kubelet has reported anything
// of it: what its template says of resizing in place is of those that are bound.
func setUnbound(pod *v1.Pod, node *v1.Node) {
	spec.ReportWhole(pod, nil, nil)
	pod.Status.Conditions = nil
	pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses = nil, nil
	if node != nil {
		pod.Status.NominatedNodeName = node.Name
	}
}

// SetBound makes the pod one that runs on the node, in the phase and with the rank.
func SetBound(pod *v1.Pod, node *v1.Node, phase Phase, rank int) {
	pod.Spec.NodeName = node.Name
	pod.Status.NominatedNodeName = ""
	pod.Status.StartTime = startOf(pod, rank)
	if phase == Running {
		return
	}
	grace := int64(30)
	deleted := StartTime()
	pod.DeletionTimestamp, pod.DeletionGracePeriodSeconds = &deleted, &grace
	if phase == Preempted {
		pod.Status.Conditions = append(pod.Status.Conditions, v1.PodCondition{
			Type: v1.DisruptionTarget, Status: v1.ConditionTrue, Reason: v1.PodReasonPreemptionByScheduler,
		})
	}
}

// Seen returns every object that questions were about so far, in no order.
func (c *Catalog) Seen() *spec.Snapshot {
	c.mu.RLock()
	defer c.mu.RUnlock()
	seen := &spec.Snapshot{Nodes: slices.Collect(maps.Values(c.nodes)), Pods: slices.Collect(maps.Values(c.pods))}
	for _, around := range c.around {
		seen.Services = append(seen.Services, around.Services...)
		seen.ReplicationControllers = append(seen.ReplicationControllers, around.ReplicationControllers...)
		seen.ReplicaSets = append(seen.ReplicaSets, around.ReplicaSets...)
		seen.StatefulSets = append(seen.StatefulSets, around.StatefulSets...)
		seen.Namespaces = append(seen.Namespaces, around.Namespaces...)
		seen.PodDisruptionBudgets = append(seen.PodDisruptionBudgets, around.PodDisruptionBudgets...)
		seen.PersistentVolumes = append(seen.PersistentVolumes, around.PersistentVolumes...)
		seen.PersistentVolumeClaims = append(seen.PersistentVolumeClaims, around.PersistentVolumeClaims...)
		seen.StorageClasses = append(seen.StorageClasses, around.StorageClasses...)
		seen.CSINodes = append(seen.CSINodes, around.CSINodes...)
		seen.VolumeAttachments = append(seen.VolumeAttachments, around.VolumeAttachments...)
		seen.CSIDrivers = append(seen.CSIDrivers, around.CSIDrivers...)
		seen.CSIStorageCapacities = append(seen.CSIStorageCapacities, around.CSIStorageCapacities...)
		seen.ResourceClaims = append(seen.ResourceClaims, around.ResourceClaims...)
		seen.ResourceClaimTemplates = append(seen.ResourceClaimTemplates, around.ResourceClaimTemplates...)
		seen.ResourceSlices = append(seen.ResourceSlices, around.ResourceSlices...)
		seen.DeviceClasses = append(seen.DeviceClasses, around.DeviceClasses...)
	}
	return seen
}

// intern returns the one object of a key, and makes it if it is new.
func intern[K comparable, T any](c *Catalog, objects map[K]T, key K, build func() T) T {
	c.mu.RLock()
	object, known := objects[key]
	c.mu.RUnlock()
	if known {
		return object
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if object, known = objects[key]; known {
		return object
	}
	object = build()
	objects[key] = object
	return object
}
