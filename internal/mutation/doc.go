// Package mutation shows that the check notices when kube-scheduler is wrong. Its tests plant small faults, one at
// a time, in the unmodified scheduler: a plugin that overlooks a field, counts one too many, forgets what a dry run
// took away, or does not normalise; a preemption that evicts the wrong pods. Each faulty scheduler is explored on
// the built-in themes until there is a finding of class new that the scheduler as released does not have.
//
//	go test ./mutation                                            a small scope, the theme that is about the fault first
//	go test ./mutation -run TestMutants -scope default -timeout 60m   what is not noticed there, with up to 3 nodes and 5 pods
//
// With -update the second writes the table of results, docs/reference/mutation.md.
package mutation
