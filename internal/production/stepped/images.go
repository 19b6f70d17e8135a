package stepped

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// images returns what the next cycle has of images that it takes over from the cycle before, as it does where nothing
// has changed on the node since, or that the node reports otherwise.
func (s *Scheduler) images(cache map[string]*framework.NodeInfo, nodes []*v1.Node) (counts []loop.ImageCount) {
	having := map[string]int{}
	for _, node := range nodes {
		for image := range reported(node) {
			having[image]++
		}
	}
	for _, node := range nodes {
		info := cache[node.Name]
		if info == nil {
			continue
		}
		states := info.GetImageStates()
		last, err := s.shared().SnapshotSharedLister().NodeInfos().Get(node.Name)
		kept := err == nil && last.GetGeneration() == info.GetGeneration()
		if kept {
			states = last.GetImageStates()
		}
		for image, size := range reported(node) {
			state := states[image]
			if state == nil {
				state = &fwk.ImageStateSummary{}
			}
			if kept || state.NumNodes != having[image] || state.Size != size {
				counts = append(counts, loop.ImageCount{Kept: kept, ImageCount: spec.ImageCount{
					Node: node.Name, Image: image, Size: state.Size, Nodes: state.NumNodes}})
			}
		}
	}
	slices.SortFunc(counts, func(x, y loop.ImageCount) int {
		return cmp.Or(cmp.Compare(x.Node, y.Node), cmp.Compare(x.Image, y.Image))
	})
	return counts
}

// onNodes returns lines that say which nodes the cache has each image on, and such that say which report it; none if a
// test has put something around the cache.
func (s *Scheduler) onNodes(nodes []*v1.Node) (has, expected []string) {
	states := imageStates(s.sched.Cache)
	if states == nil {
		return nil, nil
	}
	for image, state := range states {
		has = append(has, fmt.Sprintf("image %s: on %v", image, sets.List(state.Nodes)))
	}
	reporting := map[string]sets.Set[string]{}
	for _, node := range nodes {
		for image := range reported(node) {
			if reporting[image] == nil {
				reporting[image] = sets.Set[string]{}
			}
			reporting[image].Insert(node.Name)
		}
	}
	for image, by := range reporting {
		expected = append(expected, fmt.Sprintf("image %s: on %v", image, sets.List(by)))
	}
	slices.Sort(has)
	slices.Sort(expected)
	return has, expected
}

// imageStates returns what the cache has of images, by name; nil if it is not production's own.
func imageStates(cache internalcache.Cache) map[string]*fwk.ImageStateSummary {
	v := reflect.ValueOf(cache)
	if v.Kind() != reflect.Pointer {
		return nil
	}
	field := v.Elem().FieldByName("imageStates")
	return reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem().
		Interface().(map[string]*fwk.ImageStateSummary)
}

// reported returns the sizes of the images that a node reports, by name.
func reported(node *v1.Node) map[string]int64 {
	sizes := map[string]int64{}
	for _, image := range node.Status.Images {
		for _, name := range image.Names {
			if _, twice := sizes[name]; !twice {
				sizes[name] = image.SizeBytes
			}
		}
	}
	return sizes
}
