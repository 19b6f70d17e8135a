// Package stepped is kube-scheduler as a whole, one action at a time: the unmodified Scheduler of k8s.io/kubernetes
// with its queue, cache, event handlers, hints, scheduling and binding cycles, against an API server in memory. A
// run is a function of its actions, byte for byte.
//
// # What stands around it
//
//   - an API server (api.go): objects with versions, behind a fake client; a write it does not know is an error of
//     the run;
//   - informers (informers.go) that are told of changes, and call the scheduler's handlers on the goroutine that
//     tells them;
//   - a clock that only actions move: backoff and the periodic flush are actions;
//   - a plugin (faults.go) that fails, rejects or waits when the action says so.
//
// # How it is known to be idle
//
// Nothing sleeps and nothing is polled. Two things run on goroutines of their own. A binding cycle (framework.go)
// is over when the context is cancelled that production gives it and cancels as its very last deed; or it waits on
// permit, which it says just before. The goroutine that evicts (evicting.go) is held back before it begins, and before
// and after each eviction; it is over when its context is cancelled, or, where the preemptor is to be tried again, when
// it has seen to that. Between two actions every other goroutine has ended, waits on permit or is held back.
//
// # What is taken away
//
// What only chance or the wall clock decides, or a run would not repeat: among nodes of one score, and candidates
// for preemption that are equal, the first by name is taken; plugins work on one node after the other; the age of
// what one cycle leaves for an equal pod in the next (release_from1.35_batch.go) is that of the run; the timers of the
// queue run only as the scheduler ends (timers.go), those of permit never: what they would do is done by actions.
package stepped
