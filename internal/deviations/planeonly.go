package deviations

import (
	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// PlaneOnly returns the deviations that only a control plane has shown: what is wrong is what the API server says to
// the scheduler.
func PlaneOnly() []LoopEntry {
	return []LoopEntry{{
		Property: "a pod that is given a node is bound to it",
		Defect: loop.Known{
			Name: "allocation-time-added", Class: spec.Unconfirmed, Upstream: "not reported",
			Doc: "To reserve a claim that is allocated already, kube-scheduler sets the time of its allocation if there is " +
				"none, which an API server refuses: no further pod can use a claim that v1.35 or earlier allocated.",
		},
	}}
}

// planeOnly reports whether only a control plane has shown it.
func (e LoopEntry) planeOnly() bool { return e.Theme == "" }
