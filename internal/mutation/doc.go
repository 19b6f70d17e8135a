// Command mutation asks which defects of kube-scheduler the check would notice. It lists every small change of the
// code that decides where pods go that a machine can think of, plants a sample of them in a copy of Kubernetes behind a
// switch, and tries each: with modelcheck in a small scope, in its default scope, at random and in the loop, and with
// Kubernetes' own unit tests of the package.
//
//	go run ./internal/mutation --seed 1 -n 200
//
// prints a table of what was noticed by what, and what nobody noticed. Stages that ask single questions take minutes,
// with all faults in one process (switching); those that take a process for each fault, hours. What was tried is kept,
// and not tried again unless modelcheck has changed. Faults that change nothing that can come to pass are in
// judged.yaml, each with the reason, and do not count.
package main
