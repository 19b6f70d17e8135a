package main

import (
	"errors"
	"expvar"
)

// planted is the switch between the faults in kube-scheduler's code, which internal/mutation writes into its copy of
// it. It is published by name, as nothing here can import what only the copy has.
type planted interface {
	// Turn switches one fault on, and off whichever was; none is on at -1.
	Turn(fault int)
	// Watch begins to note at which faults the code comes by. Of a condition or a value only those count that would
	// have been another. Noted returns their numbers, and ends it.
	Watch()
	Noted() []int
}

func findPlanted() (planted, error) {
	found, ok := expvar.Get("modelcheck/planted").(planted)
	if !ok {
		return nil, errors.New("no faults are planted in this program: run internal/mutation, which builds it")
	}
	return found, nil
}
