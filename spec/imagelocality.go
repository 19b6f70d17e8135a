package spec

import (
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
)

const (
	mebibyte = 1024 * 1024
	// smallImages: less than this is not worth a preference.
	smallImages = 23 * mebibyte
	// largeImage: what a pod's images have more than this, on average, does not count.
	largeImage = 1000 * mebibyte
)

// ImageLocality is the score
//
//	Raw == (Min(Max(Present, 23Mi), Most) - 23Mi) * 100 / (Most - 23Mi)
//	Present == sum over {Image \in Images(Pod) : Image is on Node} of Size(Image, Node) * Share(Image)
//	Share(Image) == Cardinality({N \in Nodes : Image is on N}) / Cardinality(Nodes)
//	Most == 1000Mi * Cardinality(Images(Pod))
//
// in bytes, fractions dropped per image and at the end. Images are those of init containers, containers and image
// volumes; two that are the same count twice. It answers for the plugin ImageLocality, reads all nodes and no pods,
// and needs no normalisation.
//
// Source: https://kubernetes.io/docs/reference/scheduling/config/#scheduling-plugins ("favors nodes that already
// have the container images that the Pod runs") and the release notes of pull requests 91138 (the threshold is
// scaled by the number of images in the pod) and 138951 (an image volume is scored as the equivalent container
// image). No document gives the formula, so the rest of the numbers is chosen to be those of v1.36. An image has
// the size that the node itself reports. A node has an image or has it not, so one that its list, which an API server
// does not look into, names twice counts once, with the size that is first.
func ImageLocality() ScorePlugin { return imageLocality(DocumentedImages()) }

func imageLocality(r ImageRules) ScorePlugin {
	return ScorePlugin{
		Plugin:    "ImageLocality",
		Footprint: ReadsNodes,
		indexed:   r.indexedScores,
		Raw: func(p *Profile, pod *v1.Pod, node *v1.Node, s *Snapshot) int64 {
			images := images(p, pod)
			present := sum(images, func(image string) int64 {
				holders := filter(s.Nodes, func(n *v1.Node) bool { return len(stored(image, n)) > 0 })
				share := float64(r.holders(image, node, holders)) / float64(len(s.Nodes))
				return sum(
					stored(image, node),
					func(i v1.ContainerImage) int64 { return int64(float64(r.size(image, i, node, s)) * share) },
				)
			})
			most := int64(largeImage * len(r.expected(p, pod)))
			return (min(max(present, smallImages), most) - smallImages) * 100 / (most - smallImages)
		},
	}
}

// Images returns the names of the images that the pod uses, each with its tag or digest.
//
// Source: field docs of Container.image and ImageVolumeSource.reference, and
// https://kubernetes.io/docs/concepts/containers/images/#image-names ("if you don't specify a tag, Kubernetes
// assumes you mean the tag latest"). A registry that is not named is left unnamed.
func Images(pod *v1.Pod) []string {
	volumes := filter(pod.Spec.Volumes, func(v v1.Volume) bool { return v.Image != nil })
	return append(containerImages(nil, pod),
		each(volumes, func(v v1.Volume) string { return tagged(v.Image.Reference) })...)
}

// images returns those of the pod's images that count: those of volumes do since ImageVolumesScored.
func images(p *Profile, pod *v1.Pod) []string {
	if !p.has(ImageVolumesScored()) {
		return containerImages(p, pod)
	}
	return Images(pod)
}

func containerImages(_ *Profile, pod *v1.Pod) []string {
	containers := slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers)
	return each(containers, func(c v1.Container) string { return tagged(c.Image) })
}

// tagged returns the name with the tag latest if it has neither tag nor digest. A colon before the last slash
// belongs to the address of the registry.
func tagged(image string) string {
	if strings.Contains(image[strings.LastIndex(image, "/")+1:], ":") {
		return image
	}
	return image + ":latest"
}

// stored returns the entry of the node's status for the image: none or one, the first.
func stored(image string, node *v1.Node) []v1.ContainerImage {
	entries := filter(node.Status.Images, func(i v1.ContainerImage) bool { return contains(i.Names, image) })
	return entries[:min(1, len(entries))]
}
