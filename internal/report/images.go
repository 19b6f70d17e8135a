package report

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// reported returns the names of the images that nodes report.
func reported(nodes []*v1.Node) map[string]bool {
	names := map[string]bool{}
	for _, node := range nodes {
		for _, image := range node.Status.Images {
			for _, name := range image.Names {
				names[name] = true
			}
		}
	}
	return names
}

// podImages are the images of a pod's containers; all of them count as soon as a node reports one. Those of its
// volumes are among its volumes.
func podImages(pod *v1.Pod, reported map[string]bool) []string {
	images := spec.Images(pod)
	if !slices.ContainsFunc(images, func(image string) bool { return reported[image] }) {
		return nil
	}
	var words []string
	for _, image := range images[:len(pod.Spec.InitContainers)+len(pod.Spec.Containers)] {
		words = append(words, "image "+image)
	}
	return words
}

// nodeImages are those of a node's images that a pod of the snapshot uses, with the sizes that the node reports.
func nodeImages(node *v1.Node, s *spec.Snapshot) []string {
	used := map[string]bool{}
	for _, pod := range s.Pods {
		for _, image := range spec.Images(pod) {
			used[image] = true
		}
	}
	var words []string
	for _, image := range node.Status.Images {
		if slices.ContainsFunc(image.Names, func(name string) bool { return used[name] }) {
			words = append(words, fmt.Sprintf("image %s of %s bytes", strings.Join(image.Names, ", "),
				count(image.SizeBytes)))
		}
	}
	return words
}
