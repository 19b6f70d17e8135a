//go:build !before1.35

package loop

// slowBind has the binding be under way.
var slowBind = []Fault{SlowBind}

// preFlight has a plugin fail before the wait on permit.
var preFlight = []Fault{FailPreFlight}
