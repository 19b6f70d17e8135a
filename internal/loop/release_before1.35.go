//go:build before1.35

package loop

// slowBind is no fault before v1.35: a pod that is deleted while its binding is under way stays assumed there until
// that fails, which the properties do not allow.
var slowBind, slowPreBind []Fault

// preFlight is no fault before v1.35: nobody is asked there unless a feature gate says so.
var preFlight []Fault
