package spec

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
)

// Index is a snapshot with what is looked up in it again and again, found once: who is on a node, who uses a claim,
// who has affinity. All questions about the snapshot can share it, under whatever quirks. It is for one goroutine.
//
// The fast forms that go by it are the predicates' own rules, summed up by domain instead of node by node;
// TestIndexed* hold them to the predicates.
type Index struct {
	Snapshot *Snapshot

	number map[string]int // of a node, by name
	on     [][]*v1.Pod    // bound pods, by node
	// nominated are the unbound pods that hold a nomination, by the node's name.
	nominated map[string][]*v1.Pod
	// bound are the pods that are bound to a node of the snapshot, repelling and affine those of them that have
	// required anti-affinity, and any affinity to pods.
	bound, repelling, affine []*v1.Pod
	// users are the pods with a volume for a claim of the name, whatever the namespace.
	users map[string][]*v1.Pod

	claims      map[string]*v1.PersistentVolumeClaim // by namespace/name
	volumes     map[string]*v1.PersistentVolume
	csiNodes    map[string][]*storagev1.CSINode
	attachments [][]int // indexes of Snapshot.VolumeAttachments, by node
	namespaces  map[string]*Snapshot
	holders     map[string][]*v1.Node // by image
	amounts     map[podAmounts]heldOn
	held        map[amountsKey][]heldOn     // by node
	parts       []*Snapshot                 // what around starts from, by node
	covers      map[string]*disruptionCover // by the names of the quirks that change the rules for budgets
	looks       map[bool]*podLooks          // by onlyRequests
	devices     *DeviceIndex                // made when it is needed
	// plain is the last question as the model without quirks was asked it: what a quirk does not change is known.
	plain *indexed
}

// NewIndex returns the index of a snapshot, of which nothing may change any more.
func NewIndex(s *Snapshot) *Index {
	x := &Index{
		Snapshot: s, number: make(map[string]int, len(s.Nodes)), on: make([][]*v1.Pod, len(s.Nodes)),
		nominated: map[string][]*v1.Pod{}, users: map[string][]*v1.Pod{},
		claims:      make(map[string]*v1.PersistentVolumeClaim, len(s.PersistentVolumeClaims)),
		volumes:     make(map[string]*v1.PersistentVolume, len(s.PersistentVolumes)),
		attachments: make([][]int, len(s.Nodes)), namespaces: make(map[string]*Snapshot, len(s.Namespaces)),
		csiNodes: make(map[string][]*storagev1.CSINode, len(s.CSINodes)), holders: map[string][]*v1.Node{},
		held:    map[amountsKey][]heldOn{},
		amounts: make(map[podAmounts]heldOn, len(s.Pods)), parts: make([]*Snapshot, len(s.Nodes)),
		covers: map[string]*disruptionCover{}, looks: map[bool]*podLooks{},
	}
	for n, node := range s.Nodes {
		x.number[node.Name] = n
	}
	for _, pod := range s.Pods {
		x.add(pod)
	}
	x.indexVolumes()
	for i := len(s.Namespaces) - 1; i >= 0; i-- { // the first of a name counts
		x.namespaces[s.Namespaces[i].Name] = &Snapshot{Namespaces: s.Namespaces[i : i+1]}
	}
	return x
}

// After returns the index of a snapshot that comes after the one of x, and takes over what pods request together on
// nodes where the same ones are. x is not to be asked any more.
func (x *Index) After(s *Snapshot) *Index {
	next := NewIndex(s)
	if len(x.amounts) <= 4*len(s.Pods) { // else it has mostly pods that are gone
		next.amounts = x.amounts
	}
	for wraps, sums := range x.held {
		taken := make([]heldOn, len(next.on))
		for n := range min(len(sums), len(taken)) {
			if slices.Equal(x.on[n], next.on[n]) {
				taken[n] = sums[n]
			}
		}
		next.held[wraps] = taken
	}
	return next
}

func (x *Index) add(pod *v1.Pod) {
	n, isNode := x.number[pod.Spec.NodeName]
	switch {
	case isNode:
		x.on[n] = append(x.on[n], pod)
		x.bound = append(x.bound, pod)
		if len(requiredAntiAffinity(pod)) > 0 {
			x.repelling = append(x.repelling, pod)
		}
		if len(requiredAffinity(pod))+len(preferredAffinity(pod))+len(preferredAntiAffinity(pod)) > 0 {
			x.affine = append(x.affine, pod)
		}
	case pod.Spec.NodeName == "" && pod.Status.NominatedNodeName != "":
		x.nominated[pod.Status.NominatedNodeName] = append(x.nominated[pod.Status.NominatedNodeName], pod)
	}
	for _, volume := range pod.Spec.Volumes {
		if name := ClaimName(pod, volume); name != "" && !contains(x.users[name], pod) {
			x.users[name] = append(x.users[name], pod)
		}
	}
}

func (x *Index) indexVolumes() {
	s := x.Snapshot
	for i := len(s.PersistentVolumeClaims) - 1; i >= 0; i-- {
		claim := s.PersistentVolumeClaims[i]
		x.claims[claim.Namespace+"/"+claim.Name] = claim
	}
	for i := len(s.PersistentVolumes) - 1; i >= 0; i-- {
		x.volumes[s.PersistentVolumes[i].Name] = s.PersistentVolumes[i]
	}
	for _, c := range s.CSINodes {
		x.csiNodes[c.Name] = append(x.csiNodes[c.Name], c)
	}
	for i, a := range s.VolumeAttachments {
		if n, ok := x.number[a.Spec.NodeName]; ok {
			x.attachments[n] = append(x.attachments[n], i)
		}
	}
}

// nodeOf returns the number of the node that a pod is bound to; false if it is none of the snapshot.
func (x *Index) nodeOf(pod *v1.Pod) (int, bool) {
	n, ok := x.number[pod.Spec.NodeName]
	return n, ok
}

// labelOf returns the label of the node that a pod is bound to.
func (x *Index) labelOf(pod *v1.Pod, key string) (value string, labelled bool) {
	n, ok := x.nodeOf(pod)
	if !ok {
		return "", false
	}
	value, labelled = x.Snapshot.Nodes[n].Labels[key]
	return value, labelled
}

// namespaceOf returns a snapshot that has the pod's namespace and nothing else: what MatchesPod reads.
func (x *Index) namespaceOf(pod *v1.Pod) *Snapshot {
	if s := x.namespaces[pod.Namespace]; s != nil {
		return s
	}
	return &Snapshot{}
}

// holding returns the nodes that have the image.
func (x *Index) holding(image string) []*v1.Node {
	holders, known := x.holders[image]
	if !known {
		holders = filter(x.Snapshot.Nodes, func(n *v1.Node) bool { return len(stored(image, n)) > 0 })
		x.holders[image] = holders
	}
	return holders
}
