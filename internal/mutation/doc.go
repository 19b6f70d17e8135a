// Package mutation shows that the check notices when kube-scheduler is wrong. Its tests plant small faults, one at
// a time, in kube-scheduler: a plugin that overlooks a field, counts one too many, forgets what a dry run
// took away, or does not normalise; a preemption that evicts the wrong pods. Each faulty scheduler is explored on
// the built-in themes until there is a finding of class new that the scheduler as released does not have.
//
//	go test ./internal/mutation
//	go test ./internal/mutation -run TestMutants -scope default -timeout 60m
//
// The first tries a small scope of the theme that is about the fault, the second also what is not noticed there, on
// all themes with up to 3 nodes and 5 pods.
//
// With -update the second writes the table of results, docs/reference/mutation.md.
package mutation
