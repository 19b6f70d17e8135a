// Package cluster has a cluster that changes: a snapshot, and what schedulers, the API server and controllers do to
// it. Snapshots that were taken before a change stay as they were.
package cluster

import (
	"cmp"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Cluster is a snapshot that changes.
type Cluster struct {
	// Now is the cluster as it is. Nothing of it may be changed but by the methods.
	Now *spec.Snapshot
	// Replaced, if not nil, is told of each pod of which a changed copy took the place.
	Replaced func(before, after *v1.Pod)
	created  int
	// latest is when the latest pod was created that there was in the beginning: those that come are as young.
	latest metav1.Time
}

// New returns the cluster that begins as the snapshot is.
func New(s *spec.Snapshot) *Cluster {
	c := &Cluster{Now: s}
	for _, pod := range s.Pods {
		if c.latest.Before(&pod.CreationTimestamp) {
			c.latest = pod.CreationTimestamp
		}
	}
	return c
}

// Waiting returns the pods that ask for a node, in the snapshot's order.
func Waiting(s *spec.Snapshot) []*v1.Pod {
	return slices.DeleteFunc(slices.Clone(s.Pods), func(pod *v1.Pod) bool {
		return pod.Spec.NodeName != "" || pod.DeletionTimestamp != nil || spec.Gated(pod)
	})
}

// InQueueOrder sorts pods as kube-scheduler's queue does: the highest priority first, then the oldest, then as they
// were given.
//
// Source: https://kubernetes.io/docs/concepts/scheduling-eviction/scheduling-framework/#queue-sort
func InQueueOrder(pods []*v1.Pod) []*v1.Pod {
	slices.SortStableFunc(pods, func(a, b *v1.Pod) int {
		return cmp.Or(cmp.Compare(spec.Priority(b), spec.Priority(a)),
			a.CreationTimestamp.Compare(b.CreationTimestamp.Time))
	})
	return pods
}

// Bind binds the pod to the node, and returns it as it is then.
func (c *Cluster) Bind(pod *v1.Pod, node *v1.Node) *v1.Pod {
	return c.Replace(pod, func(p *v1.Pod) { model.SetBound(p, node, model.Running, 0) })
}

// Nominate nominates the pod to the node and takes nominations of lower priority to it away. The victims are evicted:
// they terminate, and leave by Leave. It returns the pod as it is then.
func (c *Cluster) Nominate(pod *v1.Pod, node *v1.Node, victims []*v1.Pod) *v1.Pod {
	for _, victim := range victims {
		if victim.DeletionTimestamp == nil {
			c.Replace(victim, func(p *v1.Pod) { model.SetBound(p, node, model.Preempted, 0) })
		}
	}
	for _, other := range spec.NominatedTo(node, c.Now) {
		if other != pod && spec.Priority(other) < spec.Priority(pod) {
			c.Forsake(other)
		}
	}
	return c.Replace(pod, func(p *v1.Pod) { p.Status.NominatedNodeName = node.Name })
}

// Forsake takes the pod's nomination away, and returns it as it is then.
func (c *Cluster) Forsake(pod *v1.Pod) *v1.Pod {
	return c.Replace(pod, func(p *v1.Pod) { p.Status.NominatedNodeName = "" })
}

// Leave lets terminating pods go, and reports whether there were some.
func (c *Cluster) Leave() bool {
	return c.Remove(func(pod *v1.Pod) bool { return pod.DeletionTimestamp != nil && pod.Spec.NodeName != "" })
}

// Remove takes pods away, and reports whether there were some.
func (c *Cluster) Remove(gone func(*v1.Pod) bool) bool {
	left := slices.DeleteFunc(slices.Clone(c.Now.Pods), gone)
	if len(left) == len(c.Now.Pods) {
		return false
	}
	c.with(left)
	return true
}

// Recreate adds the pod that the controller of one that goes creates in its place, and returns it; nil if it has no
// controller. That of a StatefulSet has the name of the other, once it is gone.
func (c *Cluster) Recreate(gone *v1.Pod) *v1.Pod {
	owner := metav1.GetControllerOf(gone)
	if owner == nil {
		return nil
	}
	if owner.Kind == "StatefulSet" && !slices.ContainsFunc(c.Now.Pods, func(pod *v1.Pod) bool {
		return pod.Namespace == gone.Namespace && pod.Name == gone.Name
	}) {
		return c.Copy(gone, gone.Name)
	}
	c.created++
	return c.Copy(gone, fmt.Sprintf("%s-again-%d", gone.Name, c.created))
}

// Copy adds a pod like another one, with a name of its own, that waits for a node, and returns it.
func (c *Cluster) Copy(like *v1.Pod, name string) *v1.Pod {
	pod := Pending(like, name)
	c.Add(pod)
	return pod
}

// Add adds a pod, as one that is created now.
func (c *Cluster) Add(pod *v1.Pod) {
	pod.CreationTimestamp = c.latest
	c.with(append(slices.Clone(c.Now.Pods), pod))
}

// Pending returns a pod like another one that waits for a node.
func Pending(like *v1.Pod, name string) *v1.Pod {
	pod := like.DeepCopy()
	pod.Name, pod.GenerateName = name, ""
	pod.UID = types.UID(pod.Namespace + "/" + pod.Name)
	pod.DeletionTimestamp, pod.DeletionGracePeriodSeconds = nil, nil
	pod.Spec.NodeName, pod.Status = "", v1.PodStatus{Phase: v1.PodPending}
	return pod
}

// Replace puts a copy of the pod in its place, with a change, and returns it. A pod that is not there stays as it is.
func (c *Cluster) Replace(pod *v1.Pod, change func(*v1.Pod)) *v1.Pod {
	i := slices.Index(c.Now.Pods, pod)
	if i < 0 {
		return pod
	}
	changed := pod.DeepCopy()
	change(changed)
	pods := slices.Clone(c.Now.Pods)
	pods[i] = changed
	c.with(pods)
	if c.Replaced != nil {
		c.Replaced(pod, changed)
	}
	return changed
}

// with makes these the pods.
func (c *Cluster) with(pods []*v1.Pod) {
	now := *c.Now
	now.Pods = pods
	c.Now = &now
}
