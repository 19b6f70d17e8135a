package spec

import v1 "k8s.io/api/core/v1"

// ImageVolumesUnscaled is a defect of kube-scheduler v1.36. An image volume is to be scored as the equivalent
// container image.
func ImageVolumesUnscaled() Quirk {
	return Quirk{
		Name: "image-volumes-unscaled", Upstream: "kubernetes/kubernetes#138951",
		Title:  "images of volumes count as present, not in the maximum",
		Plugin: "ImageLocality",
		Doc:    "The images of a pod's volumes count in what is present, not in how much there could be.",
		Since:  "v1.36", Mended: "v1.37",
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
		Name: "image-size-of-first-node", Upstream: "not reported",
		Title:  "an image has the size that the first node reports everywhere",
		Plugin: "ImageLocality",
		Doc:    "An image counts on every node with the size that the first node with it reports.",
		Change: func(p *Predicates) {
			p.Images.size = func(image string, _ v1.ContainerImage, s *Snapshot) int64 {
				return union(s.Nodes, func(n *v1.Node) []v1.ContainerImage { return stored(image, n) })[0].SizeBytes
			}
		},
	}
}
