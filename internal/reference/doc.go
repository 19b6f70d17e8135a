// Package reference explores the formal model alone: check 3 of three, which stand side by side.
//
//   - internal/decisions: single decisions of kube-scheduler over all reachable states, compared with the model;
//   - internal/loop: the scheduler as a whole, its queue and its wake-ups;
//   - internal/reference: the model alone, as it was first written (spec.NewReference). kube-scheduler is not asked.
//
// Cut down to cpu, taints, labels and priorities, the model can be run by other model checkers too: that they find
// the same states is what shows that the explorer (checker) misses none, and how fast it is.
//
// Begin with model.go: what a state is, and how the model is made of a scenario. From there, expand.go has the
// steps from a state, tables.go what the spec says of a node, cells.go and pack.go how a state is stored, goal.go
// and view.go states by name. configuration.go is what goes in, check.go what runs.
package reference
