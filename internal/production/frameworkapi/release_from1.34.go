//go:build !before1.34

package frameworkapi

import fwk "k8s.io/kube-scheduler/framework"

type (
	CycleState        = fwk.CycleState
	ImageStateSummary = fwk.ImageStateSummary
	NodeInfo          = fwk.NodeInfo
	Code              = fwk.Code
	PodInfo           = fwk.PodInfo
	Status            = fwk.Status
)

// The codes of a status that are told apart.
const (
	Success                      = fwk.Success
	Error                        = fwk.Error
	Unschedulable                = fwk.Unschedulable
	UnschedulableAndUnresolvable = fwk.UnschedulableAndUnresolvable
)

// NewStatus makes a status of a code and reasons.
var NewStatus = fwk.NewStatus
