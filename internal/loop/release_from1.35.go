//go:build !before1.35

package loop

// slowBind has the binding be under way, slowPreBind what comes before it.
var slowBind, slowPreBind = []Fault{SlowBind}, []Fault{SlowPreBind}

// preFlight has a plugin fail before the wait on permit.
var preFlight = []Fault{FailPreFlight}
