// Package modelcheck checks scheduler plugins of your own: kube-scheduler runs with them, in process, and is
// compared, decision by decision, with the formal model of placement, to which you add what your plugin is meant to
// do. The command in cmd/modelcheck does the same for kube-scheduler as it is released.
//
// A [Plugin] is the plugin's code beside one or two predicates, a [Scheduler] is a kube-scheduler with such
// plugins. Its method Test goes through every cluster of a [Scope], and TestRandom through clusters that
// [DrawQuestion] draws; each fails with a counterexample. Check returns the whole [Result]. A complete use is in
// examples/plugin.
//
// # What is compared
//
// On every node the plugin's status with the filter predicate, every score with the score plugin predicate, before
// normalisation and after, and what becomes of the pod with what all filters, scores and the rules of preemption
// together allow. So a plugin that mishandles the dry runs of preemption, or that keeps something from one pod to
// the next, is found as well. One decision is compared at a time: what a plugin does at Reserve, Permit, PreBind
// and later, and in the queue, is not, which notes of the result say. A PostFilter of yours is held to what
// Kubernetes documents of preemption.
//
// # How to write the predicates
//
// From what the plugin is documented to do, not from its code, and as plainly as possible: they are asked rarely. A
// predicate declares by its footprint how much it reads; of the nodes and pods it sees no others than it declares.
// That a plugin rejects a node "for good", so that no eviction is tried, needs no predicate: it may say so if the
// filter predicate fails on the node without its pods too.
//
// # How large a scope may be
//
// What the command refuses for its size is refused here too, before anything is explored, with an error that names
// the field to change: more nodes than kube-scheduler looks at, more states than fit into memory.
//
// # What a module needs
//
// k8s.io/kubernetes, from which kube-scheduler comes, is made to be used from its own repository: it requires the
// modules that are published from it as v0.0.0. The go.mod of a module that requires this one must say which
// releases these are, for every one of them, as that of any out-of-tree scheduler does:
//
//	replace (
//		k8s.io/api => k8s.io/api v0.36.3
//		k8s.io/apiextensions-apiserver => k8s.io/apiextensions-apiserver v0.36.3
//		... and so on: the replace directives of this module's go.mod
//	)
//
// With VERSION for the release of this module that is used, this appends them:
//
//	m=github.com/seed-a3f26817/modelcheck
//	go mod download $m@VERSION
//	sed -n '/^replace (/,/^)/p' "$(go env GOMODCACHE)/cache/download/$m/@v/VERSION.mod" >> go.mod
//
// # What is stable
//
// The exported names of this package, and the types Filter, ScorePlugin, Footprint, Snapshot, Profile and Question
// of package spec, are kept compatible within a minor version of Kubernetes. Nothing that is exported here takes or
// returns a type of a package under internal; a test keeps it so. Other packages change with the command.
package modelcheck
