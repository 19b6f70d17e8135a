// Package model turns a scenario into a finite state machine.
//
// A state is an arrangement: nodes, on each a multiset of pods in phases and a multiset of pods nominated to it,
// beside them the pods that are pending without a nomination. Nothing but its name tells two pods of a template
// apart, nor two nodes of a template, so an arrangement keeps no names and is canonical by construction: the pods
// of a node are sorted, then the nodes of a template. That nested sort is exact, because an arrangement is a tree:
// every pod hangs on one node (bound or nominated) or on none.
//
// The package knows the actions of the environment (a pod arrives, a victim is gone, a pod completes) and how a
// decision changes an arrangement; which decisions are taken is the caller's business. It also leads back from states
// to API objects: to questions that a scheduler can be asked, and to traces with stable names.
package model
