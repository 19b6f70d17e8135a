// Package page shows a run to a person who looks at it in a browser: the clusters drawn, counterexamples to step
// through, every decision beside the model's, and states to explore by choosing among the actions that are enabled.
//
// There are two ways. Write gives one file that needs no network; it holds a part of the states, as many as fit,
// and says where it ends. Handler serves the same page, which asks the model and kube-scheduler about whatever
// state is reached.
package page
