package production

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	fwk "github.com/seed-a3f26817/modelcheck/internal/production/frameworkapi"
)

// maxNodeInfos bounds what is kept between questions, about 2 kB each, unless one snapshot is as large. When it is
// reached, everything is forgotten and built anew as it is asked for: simpler than finding out what will not be needed
// again.
const maxNodeInfos = 1 << 14

// nodeInfos keeps the scheduler's view of a node with its pods between questions. An entry is found
// by pointers alone: the node, then its pods one by one. Production only reads the entries; a preemption
// dry run works on copies.
type nodeInfos struct {
	clusters *branch[*v1.Node, *cluster]
	nodes    map[*v1.Node]*contents
	pods     map[*v1.Pod]*framework.PodInfo
	size     int
}

// contents is what a node contains: a tree whose path is the list of its pods.
type contents = branch[*v1.Pod, *framework.NodeInfo]

// branch is a tree over lists of keys: the value of the list that leads here, and one branch for
// each key that may follow.
type branch[K comparable, V any] struct {
	value V
	next  map[K]*branch[K, V]
}

func (b *branch[K, V]) follow(keys []K) *branch[K, V] {
	for _, key := range keys {
		next, ok := b.next[key]
		if !ok {
			if b.next == nil {
				b.next = map[K]*branch[K, V]{}
			}
			next = &branch[K, V]{}
			b.next[key] = next
		}
		b = next
	}
	return b
}

// cluster is what follows from a list of nodes without their pods.
type cluster struct {
	// index returns the position of a node by its name, and order lists the positions as production's cache does.
	index map[string]int
	order []int
	// images are the image states of each node, and nodes the contents of each under these states. Both
	// are nil if no node has images; the contents of a node then do not depend on the other nodes.
	images []map[string]*fwk.ImageStateSummary
	nodes  []*contents
}

func newNodeInfos() *nodeInfos {
	c := &nodeInfos{}
	c.forget()
	return c
}

func (c *nodeInfos) forget() {
	c.clusters = &branch[*v1.Node, *cluster]{}
	c.nodes = map[*v1.Node]*contents{}
	c.pods = map[*v1.Pod]*framework.PodInfo{}
	c.size = 0
}

// trim keeps the cache in its bounds, which leave room for a snapshot of so many nodes and pods. It must not be called
// between cluster and get.
func (c *nodeInfos) trim(nodes, pods int) {
	if c.size >= max(maxNodeInfos, 2*nodes) || len(c.pods) >= max(maxNodeInfos, 2*pods) {
		c.forget()
	}
}

// cluster returns what follows from the list of nodes.
func (c *nodeInfos) cluster(nodes []*v1.Node) *cluster {
	found := c.clusters.follow(nodes)
	if found.value == nil {
		found.value = newCluster(nodes)
		c.size++
	}
	return found.value
}

// get returns the information about the i-th node of the cluster with the pods on it.
func (c *nodeInfos) get(in *cluster, i int, node *v1.Node, pods []*v1.Pod) *framework.NodeInfo {
	entry := c.root(in, i, node).follow(pods)
	if entry.value == nil {
		info := framework.NewNodeInfo()
		for _, pod := range pods {
			info.AddPodInfo(c.pod(pod))
		}
		info.SetNode(node)
		if in.images != nil {
			info.ImageStates = in.images[i]
		}
		entry.value = info
		c.size++
	}
	return entry.value
}

func (c *nodeInfos) root(in *cluster, i int, node *v1.Node) *contents {
	if in.nodes != nil {
		return in.nodes[i]
	}
	root, ok := c.nodes[node]
	if !ok {
		root = &contents{}
		c.nodes[node] = root
	}
	return root
}

// pod returns the scheduler's view of the pod. An affinity term that does not parse is left out of it,
// as production's cache does; the API server admits no such pod.
func (c *nodeInfos) pod(pod *v1.Pod) *framework.PodInfo {
	info, ok := c.pods[pod]
	if !ok {
		info, _ = framework.NewPodInfo(pod)
		c.pods[pod] = info
	}
	return info
}

func newCluster(nodes []*v1.Node) *cluster {
	c := &cluster{index: make(map[string]int, len(nodes)), order: treeOrder(nodes)}
	// An image has one state for all nodes, with the size that the first node reports.
	states := map[string]*fwk.ImageStateSummary{}
	for i, node := range nodes {
		c.index[node.Name] = i
		for _, image := range node.Status.Images {
			for _, name := range image.Names {
				if states[name] == nil {
					states[name] = &fwk.ImageStateSummary{Size: image.SizeBytes, Nodes: sets.New[string]()}
				}
				states[name].Nodes.Insert(node.Name)
				states[name].NumNodes = states[name].Nodes.Len()
			}
		}
	}
	if len(states) == 0 {
		return c
	}
	for _, node := range nodes {
		here := map[string]*fwk.ImageStateSummary{}
		for _, image := range node.Status.Images {
			for _, name := range image.Names {
				here[name] = states[name]
			}
		}
		c.images = append(c.images, here)
		c.nodes = append(c.nodes, &contents{})
	}
	return c
}
