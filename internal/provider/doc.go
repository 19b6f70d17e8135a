// Package provider makes clusters of any size as those of big cloud providers look: nodes of several pools and zones
// with the labels, taints and images of GKE, EKS or AKS, the DaemonSets and system pods that come with them, and
// workloads with volumes, budgets, priorities and constraints. Measurements and tests at size ask about them.
//
// The same Options give the same objects. Cluster (cluster.go) is where to start.
package provider

import (
	appsv1 "k8s.io/api/apps/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Options say which cluster is made.
type Options struct {
	// Seed of everything that is drawn.
	Seed uint64
	// Nodes is the number of nodes, and Pods that of pods bound to them. DaemonSets' pods count; if Pods is less
	// than these, there are more. Where the nodes are full there are fewer.
	Nodes, Pods int
	// Dense makes nodes all alike instead, each full with 110 pods of one priority and start time, under 20 disruption
	// budgets whose selectors overlap; Pods does not count.
	Dense bool
	// GPUs on each node make nodes alike but for these instead, and Claims for them, most of which have got some; Pods
	// and Pending do not count.
	GPUs, Claims int
	// Pending is how many pods of a few workloads wait besides: a third of them fits, a third must evict others, and a
	// third can go nowhere.
	Pending int
}

// Names of the pending pods. They are in the namespace Namespace.
const (
	// Fits fits on some node.
	Fits = "fits"
	// Preempts fits on no node, and on many once pods of lower priority are evicted.
	Preempts = "preempts"
	// Never fits on no node, whoever is evicted; on most only a try shows it.
	Never = "never"

	Namespace = "shop"
)

// Cluster is what an API server would hold. Its objects are complete, as spec.Snapshot wants them.
type Cluster struct {
	spec.Snapshot
	PriorityClasses []*schedulingv1.PriorityClass
	Deployments     []*appsv1.Deployment
	DaemonSets      []*appsv1.DaemonSet
}
