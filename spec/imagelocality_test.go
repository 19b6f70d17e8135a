package spec

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
)

func podUsing(images ...string) *v1.Pod {
	p := pod("p")
	p.Spec.Containers = each(images, func(image string) v1.Container { return v1.Container{Image: image} })
	return p
}

func withImage(n *v1.Node, bytes int64, names ...string) *v1.Node {
	n.Status.Images = append(n.Status.Images, v1.ContainerImage{Names: names, SizeBytes: bytes})
	return n
}

func TestImageLocality(t *testing.T) {
	initialised, mounting := podUsing("app:v1"), podUsing("app:v1")
	initialised.Spec.InitContainers = []v1.Container{{Image: "tool:v1"}}
	mounting.Spec.Volumes = []v1.Volume{
		{Name: "empty"},
		{VolumeSource: v1.VolumeSource{Image: &v1.ImageVolumeSource{Reference: "tool:v1"}}},
	}
	for _, row := range []struct {
		reason string
		pod    *v1.Pod
		bytes  int64
		image  string // on the first node
		spread int    // the nodes that have it too
		nodes  int
		want   int64
	}{
		{"not there", podUsing("app:v1"), 500 * mebibyte, "other:v1", 1, 1, 0},
		{"half of what there could be", podUsing("app:v1"), 500 * mebibyte, "app:v1", 1, 1, 48},
		{"small images are not worth it", podUsing("app:v1"), 23 * mebibyte, "app:v1", 1, 1, 0},
		{"just above", podUsing("app:v1"), 33 * mebibyte, "app:v1", 1, 1, 1},
		{"just less than there could be", podUsing("app:v1"), 999 * mebibyte, "app:v1", 1, 1, 99},
		{"all there could be", podUsing("app:v1"), 1000 * mebibyte, "app:v1", 1, 1, 100},
		{"more does not count", podUsing("app:v1"), 2000 * mebibyte, "app:v1", 1, 1, 100},
		{"an image that few nodes have draws less", podUsing("app:v1"), 1000 * mebibyte, "app:v1", 1, 2, 48},
		{"one that all have draws in full", podUsing("app:v1"), 1000 * mebibyte, "app:v1", 2, 2, 100},
		{"one of two images", podUsing("app:v1", "tool:v1"), 1000 * mebibyte, "app:v1", 1, 1, 49},
		{"the same twice", podUsing("app:v1", "app:v1"), 1000 * mebibyte, "app:v1", 1, 1, 100},
		{"init containers have images too", initialised, 1000 * mebibyte, "tool:v1", 1, 1, 49},
		{"so have volumes", mounting, 1000 * mebibyte, "tool:v1", 1, 1, 49},
		{"latest is implied", podUsing("app"), 1000 * mebibyte, "app:latest", 1, 1, 100},
		{"the pod's name is completed, not the node's", podUsing("app:latest"), 1000 * mebibyte, "app", 1, 1, 0},
	} {
		s := &Snapshot{}
		for i := range row.nodes {
			n := node("n")
			if i < row.spread {
				withImage(n, row.bytes, "alias", row.image)
			}
			s.Nodes = append(s.Nodes, n)
		}
		if got := ImageLocality().Raw(&Profile{}, row.pod, s.Nodes[0], s); got != row.want {
			t.Errorf("%s: got %d, want %d", row.reason, got, row.want)
		}
	}
}

func TestImagesAreRatedByTheNodesOwnSize(t *testing.T) {
	small, large := withImage(node("small"), 100*mebibyte, "app:v1"), withImage(node("large"), 900*mebibyte, "app:v1")
	s := &Snapshot{Nodes: []*v1.Node{small, large}}
	got := each(s.Nodes, func(n *v1.Node) int64 { return ImageLocality().Raw(&Profile{}, podUsing("app:v1"), n, s) })
	if diff := cmp.Diff([]int64{7, 89}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestImageListedTwice: an image counts once on a node, whatever its list says twice.
func TestImageListedTwice(t *testing.T) {
	once := withImage(node("n"), 500*mebibyte, "app:v1")
	for reason, n := range map[string]*v1.Node{
		"the same entry":                 withImage(withImage(node("n"), 500*mebibyte, "app:v1"), 500*mebibyte, "app:v1"),
		"a name twice in one":            withImage(node("n"), 500*mebibyte, "app:v1", "app:v1"),
		"another size, another name too": withImage(withImage(node("n"), 500*mebibyte, "app:v1"), 9*mebibyte, "b", "app:v1"),
	} {
		score := func(n *v1.Node) int64 {
			return ImageLocality().Raw(&Profile{}, podUsing("app:v1"), n, &Snapshot{Nodes: []*v1.Node{n}})
		}
		if got, want := score(n), score(once); got != want || want == 0 {
			t.Errorf("%s: got %d, want %d", reason, got, want)
		}
	}
}

func TestImages(t *testing.T) {
	want := []string{"app:latest", "app:v1", "app@sha256:0", "registry:5000/app:latest", "registry:5000/app:v1",
		"docker.io/library/app:latest"}
	got := Images(podUsing("app", "app:v1", "app@sha256:0", "registry:5000/app", "registry:5000/app:v1",
		"docker.io/library/app"))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
