package admission

import (
	"crypto/sha256"
	"sync"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"
)

// Most pods of a large cluster differ from others in nothing but what tells them apart and where they are. The metadata
// and the spec of such pods are validated once.

// podKey stands for what pods that are valid together have in common.
type podKey [sha256.Size]byte

// keyOf returns the key of a stored pod. It is false for a pod whose own part has something wrong with it, and for
// other objects, which are all validated.
//
// Of what is left out of the key, validation looks at the form of the names, and at whether there is a node; what it
// says of the status is asked for each pod.
func keyOf(object runtime.Object) (key podKey, ok bool) {
	pod, isPod := object.(*v1.Pod)
	if !isPod || len(corevalidation.ValidatePodName(pod.Name, false))+len(pathSegment(pod.Name, false)) > 0 {
		return key, false
	}
	common := v1.Pod{ObjectMeta: pod.ObjectMeta, Spec: pod.Spec}
	common.Name, common.UID, common.ResourceVersion = "", "", ""
	common.CreationTimestamp = metav1.Time{}
	if pod.Spec.NodeName != "" {
		if len(corevalidation.ValidateNodeName(pod.Spec.NodeName, false)) > 0 {
			return key, false
		}
		common.Spec.NodeName = "node"
	}
	data, err := common.Marshal()
	return sha256.Sum256(data), err == nil
}

// alike are pods with whose metadata and spec nothing is wrong.
type alike struct{ valid sync.Map }

// has reports whether a pod of the key was found to be valid.
func (a *alike) has(key podKey) bool {
	_, valid := a.valid.Load(key)
	return valid
}

// add keeps that a pod of the key is valid.
func (a *alike) add(key podKey) { a.valid.Store(key, true) }
