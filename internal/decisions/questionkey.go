package decisions

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// questionKey identifies a question. Two questions that differ in nothing but the names and the order of pods have
// the same key, unless the names matter.
type questionKey [sha256.Size]byte

func keyOfQuestion(q spec.Question) questionKey {
	var pods [][]byte
	for _, pod := range q.Snapshot.Pods {
		if pod != q.Pod {
			pods = append(pods, written(nameless(pod)))
		}
	}
	slices.SortFunc(pods, bytes.Compare)
	hash := sha256.New()
	add := func(object []byte) { fmt.Fprintf(hash, "%d:%s", len(object), object) }
	add(written(nameless(q.Pod)))
	for _, pod := range pods {
		add(pod)
	}
	for _, object := range objects(q.Snapshot) {
		if _, isPod := object.(*v1.Pod); !isPod {
			add(written(object))
		}
	}
	return questionKey(hash.Sum(nil))
}

// nameless returns the pod without its name, unless volume claims are made for it, which are named after it.
func nameless(pod *v1.Pod) *v1.Pod {
	if slices.ContainsFunc(pod.Spec.Volumes, func(v v1.Volume) bool { return v.Ephemeral != nil }) {
		return pod
	}
	less := *pod
	less.Name, less.UID = "", ""
	return &less
}

// written returns an object as JSON, after its type.
func written(object runtime.Object) []byte {
	text, err := json.Marshal(object)
	if err != nil {
		panic(fmt.Sprintf("decisions: a %T cannot be written: %v", object, err)) // API objects always can
	}
	return append(fmt.Appendf(nil, "%T", object), text...)
}

// objects lists all objects of a snapshot.
func objects(s *spec.Snapshot) []runtime.Object {
	var all []runtime.Object
	all = appendObjects(all, s.Nodes)
	all = appendObjects(all, s.Pods)
	all = appendObjects(all, s.Namespaces)
	all = appendObjects(all, s.PodDisruptionBudgets)
	all = appendObjects(all, s.PersistentVolumes)
	all = appendObjects(all, s.PersistentVolumeClaims)
	all = appendObjects(all, s.StorageClasses)
	all = appendObjects(all, s.CSINodes)
	all = appendObjects(all, s.VolumeAttachments)
	all = appendObjects(all, s.CSIDrivers)
	all = appendObjects(all, s.CSIStorageCapacities)
	all = appendObjects(all, s.ResourceClaims)
	all = appendObjects(all, s.ResourceClaimTemplates)
	all = appendObjects(all, s.ResourceSlices)
	all = appendObjects(all, s.DeviceClasses)
	all = appendObjects(all, s.Services)
	all = appendObjects(all, s.ReplicationControllers)
	all = appendObjects(all, s.ReplicaSets)
	return appendObjects(all, s.StatefulSets)
}

func appendObjects[T runtime.Object](all []runtime.Object, more []T) []runtime.Object {
	for _, object := range more {
		all = append(all, object)
	}
	return all
}

// sizeOf measures a question: by its nodes and pods, then by all it says.
func sizeOf(q spec.Question) int {
	size := (len(q.Snapshot.Nodes) + len(q.Snapshot.Pods)) * 1_000_000
	for _, object := range objects(q.Snapshot) {
		size += len(written(object))
	}
	return size
}
