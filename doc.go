// Package modelcheck checks scheduler plugins of your own: kube-scheduler runs with them, in process, and is
// compared, decision by decision, with the formal model of placement, to which you add what your plugin is meant to
// do. The command in cmd/modelcheck does the same for kube-scheduler as it is released.
//
// A [Plugin] is the plugin's code beside one or two predicates, a [Scheduler] is a kube-scheduler with such
// plugins. Its method Test goes through every cluster of a [Scope], and TestRandom through drawn ones; each fails
// with a counterexample. Check gives the whole result. A complete use is in examples/plugin.
//
// # What is compared
//
// On every node the plugin's verdict with the filter predicate, every score with the score plugin predicate, before
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
// # What a module needs
//
// k8s.io/kubernetes, from which kube-scheduler comes, is made to be used from its own repository. The go.mod of a
// module that requires this one must repeat the replace directives of this module's go.mod, as that of any
// out-of-tree scheduler does.
//
// # What is stable
//
// The exported names of this package, of generate, and the types Filter, ScorePlugin, Footprint, Snapshot, Profile
// and Question of package spec are kept compatible within a minor version of Kubernetes. Other packages change with
// the command.
package modelcheck
