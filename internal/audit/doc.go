// Package audit asks about a whole cluster: what is wrong in it now, and what would happen if it were another one.
//
//   - pending pods: where kube-scheduler would place each, whom it would evict, or why nothing helps (pending.go);
//   - bound pods: which rules their nodes keep no longer, and where they would go today (bound.go);
//   - nodes: how full they are, and whether a pending pod could go there at all (nodes.go);
//   - budgets: which evictions they block (budgets.go);
//   - what-ifs: a change of the cluster (changes.go, drain.go), after which kube-scheduler takes its queue (run.go), and
//     copies of a pod, as many as fit (fill.go).
//
// Each decision of kube-scheduler is compared with the model, as modelcheck explain does.
package audit
