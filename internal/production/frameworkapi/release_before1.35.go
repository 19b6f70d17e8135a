//go:build before1.35

package frameworkapi

import "k8s.io/kubernetes/pkg/scheduler/framework"

type (
	FilterPlugin         = framework.FilterPlugin
	PreEnqueuePlugin     = framework.PreEnqueuePlugin
	PreFilterPlugin      = framework.PreFilterPlugin
	PreScorePlugin       = framework.PreScorePlugin
	ScorePlugin          = framework.ScorePlugin
	Plugin               = framework.Plugin
	PreFilterResult      = framework.PreFilterResult
	PostFilterPlugin     = framework.PostFilterPlugin
	PostFilterResult     = framework.PostFilterResult
	Handle               = framework.Handle
	PreFilterExtensions  = framework.PreFilterExtensions
	NominatingInfo       = framework.NominatingInfo
	NodePluginScores     = framework.NodePluginScores
	PluginScore          = framework.PluginScore
	NodeScoreList        = framework.NodeScoreList
	NodeScore            = framework.NodeScore
	PodNominator         = framework.PodNominator
	SharedLister         = framework.SharedLister
	NodeInfoLister       = framework.NodeInfoLister
	NodeToStatusReader   = framework.NodeToStatusReader
	StorageInfoLister    = framework.StorageInfoLister
	PodActivator         = framework.PodActivator
	ScoreExtensions      = framework.ScoreExtensions
	ReservePlugin        = framework.ReservePlugin
	PermitPlugin         = framework.PermitPlugin
	PreBindPlugin        = framework.PreBindPlugin
	PostBindPlugin       = framework.PostBindPlugin
	EnqueueExtensions    = framework.EnqueueExtensions
	SharedDRAManager     = framework.SharedDRAManager
	ResourceSliceLister  = framework.ResourceSliceLister
	ResourceClaimTracker = framework.ResourceClaimTracker
)

// ModeOverride says that a nomination is to be as stated.
const ModeOverride = framework.ModeOverride
