package spec

import v1 "k8s.io/api/core/v1"

// ImageVolumesUnscaled is a defect of kube-scheduler v1.36. An image volume is to be scored as the equivalent
// container image.
func ImageVolumesUnscaled() Quirk {
	return Quirk{
		Name: "image-volumes-unscaled", Class: Reported, Upstream: "kubernetes/kubernetes#138952",
		Title:  "images of volumes count as present, not in the maximum",
		Plugin: "ImageLocality",
		Doc:    "The images of a pod's volumes count in what is present, not in how much there could be.",
		Mended: "v1.37",
		Needs: func(p *Profile, pod *v1.Pod, _ *Snapshot) bool {
			return p.has(ImageVolumesScored()) &&
				exists(pod.Spec.Volumes, func(volume v1.Volume) bool { return volume.Image != nil })
		},
		Change: func(p *Predicates) {
			p.Images.expected = containerImages
		},
	}
}

// ImageSizeOfFirstNode is a defect of kube-scheduler v1.36. Which node is the first is a matter of history; here it is
// the snapshot's order.
func ImageSizeOfFirstNode() Quirk {
	return Quirk{
		Name: "image-size-of-first-node", Class: Interpretation, Upstream: "not reported",
		Title:  "an image has the size that the first node reports everywhere",
		Plugin: "ImageLocality",
		Doc:    "An image counts on every node with the size that the first node with it reports.",
		Change: func(p *Predicates) {
			p.Images.size = func(image string, _ v1.ContainerImage, _ *v1.Node, s *Snapshot) int64 {
				return union(s.Nodes, func(n *v1.Node) []v1.ContainerImage { return stored(image, n) })[0].SizeBytes
			}
		},
	}
}

// ImageCount is what kube-scheduler has of an image where a node is scored.
type ImageCount struct {
	Node, Image string
	// Size is in bytes, Nodes how many are taken to have it.
	Size  int64
	Nodes int
}

// ImageCountOutdated is a defect of kube-scheduler that no single decision shows: a node is scored by how many nodes
// had an image when something last changed on that node itself. The counts are those that are kept so, for nodes and
// images of which they are otherwise now.
func ImageCountOutdated(counts []ImageCount) Quirk {
	kept := func(image string, node *v1.Node) []ImageCount {
		return filter(counts, func(c ImageCount) bool { return c.Node == node.Name && c.Image == image })
	}
	return Quirk{
		Name:     "image-count-outdated",
		Class:    Reported,
		Upstream: "kubernetes/kubernetes#116673; #116938 mended the cache, not the copy that a cycle works on",
		Title:    "how many nodes have an image is kept from a node's last change",
		Plugin:   "ImageLocality",
		Doc: "A node is scored by how many nodes had an image when something last changed on that node itself, a pod " +
			"that came or went, or its status.",
		Change: func(p *Predicates) {
			size, holders := p.Images.size, p.Images.holders
			p.Images.size = func(image string, entry v1.ContainerImage, node *v1.Node, s *Snapshot) int64 {
				for _, c := range kept(image, node) {
					return c.Size
				}
				return size(image, entry, node, s)
			}
			p.Images.holders = func(image string, node *v1.Node, now []*v1.Node) int {
				for _, c := range kept(image, node) {
					return c.Nodes
				}
				return holders(image, node, now)
			}
		},
	}
}
