// Package production runs the unmodified kube-scheduler in process: a question goes in, the
// decision kube-scheduler takes comes out. It is the only package that imports k8s.io/kubernetes.
//
// The scheduling framework and its plugins are Kubernetes' own, configured by Kubernetes' own
// defaulting and taken from the whole in-tree registry. What stands around them here replaces the
// API server, the informers, the cache and the queue, so that a question's snapshot is exactly what
// the plugins see:
//
//   - informers that are filled synchronously with the snapshot's objects (objects.go);
//   - a lister of node information that is kept between questions (snapshot.go, nodeinfo.go);
//   - the nominations that the snapshot's pods hold (nominator.go);
//   - a client that records what would be written to the API server (engine.go).
//
// The steps of one decision (cycle.go, score.go, postfilter.go) are those of a scheduling cycle:
// PreFilter, the nominated node first, Filter with nominated pods, PreScore and Score, and PostFilter
// when no node is feasible. On top of that each filter is asked by itself (statuses.go).
//
// # What a question does not show
//
// Production has inputs that are not part of a question. Where it draws lots among equals, the
// decision lists every outcome it might draw. These inputs are left out by design:
//
//   - Sampling. From 100 nodes up, or when minCandidateNodesAbsolute is less than the nodes a preemption
//     could help on, production looks at some nodes only. Options.Starts says where it begins, and the
//     decision what it found (search.go); without Starts such a question is a Failure that says so.
//   - Opportunistic batching: what one cycle leaves for an equal pod in the next; package stepped has it.
//   - The order in which pods came to a node, which decides among victims of equal priority and
//     start time. Here it is the snapshot's order.
//   - The wall clock. Production takes the present for the start time of a bound pod that has none.
//
// # What callers guarantee
//
// Objects are as the API server would hand them out, defaulted and admitted. Each has a UID, and every
// bound pod a status.startTime. An object behind a pointer does not change: the same
// pointer is the same object, in all questions asked of a Scheduler. The pod asked about is one that
// the scheduling queue would hand out: not terminating, no scheduling gates.
package production
