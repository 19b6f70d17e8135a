//go:build before1.34

package frameworkapi

import "k8s.io/kubernetes/pkg/scheduler/framework"

type (
	CycleState        = *framework.CycleState
	ImageStateSummary = framework.ImageStateSummary
	NodeInfo          = *framework.NodeInfo
	Code              = framework.Code
	PodInfo           = *framework.PodInfo
	Status            = framework.Status
)

// The codes of a status that are told apart.
const (
	Success                      = framework.Success
	Error                        = framework.Error
	Unschedulable                = framework.Unschedulable
	UnschedulableAndUnresolvable = framework.UnschedulableAndUnresolvable
)

// NewStatus makes a status of a code and reasons.
var NewStatus = framework.NewStatus
