// Package loop is the model of the scheduler as a whole: the actions that make up a run, the states between them, the
// properties that every step must have, and the search for a shortest run that breaks one.
//
// The formal model (spec) says what may become of one pod in one cluster. Here it is asked around every step: was
// that binding allowed in the state it happened in? Is a pod that could be placed now left in the unschedulable
// pool? What a scheduler may do between decisions is stated in the properties; they know the queue by what
// Kubernetes documents of it, not by its code.
//
// A System is stepped: production/stepped has kube-scheduler. It cannot be set to a state, so a state is reached
// again by repeating a shortest sequence of actions that leads there, and two states are the same if all that can
// be seen of them is (State.Canonical). A run that does not lead to the same state when it is repeated is a
// finding.
//
// What goes on for ever is asked of settling: what happens by itself once others have done all that they will. Its
// graph is searched by package checker, and what is found is run before it is reported (Liveness).
//
// Sources: https://kubernetes.io/docs/concepts/scheduling-eviction/scheduling-framework/ (queue, scheduling cycle,
// binding cycle), https://kubernetes.io/docs/concepts/scheduling-eviction/kube-scheduler/, KEP-4247 (queueing
// hints: a pod in unschedulablePods is retried when an event may make it schedulable), KEP-5278 (nominations
// by others).
package loop
