//go:build !before1.35

package frameworkapi

import fwk "k8s.io/kube-scheduler/framework"

type (
	FilterPlugin         = fwk.FilterPlugin
	PreEnqueuePlugin     = fwk.PreEnqueuePlugin
	PreFilterPlugin      = fwk.PreFilterPlugin
	PreScorePlugin       = fwk.PreScorePlugin
	ScorePlugin          = fwk.ScorePlugin
	Plugin               = fwk.Plugin
	PreFilterResult      = fwk.PreFilterResult
	PostFilterPlugin     = fwk.PostFilterPlugin
	PostFilterResult     = fwk.PostFilterResult
	Handle               = fwk.Handle
	PreFilterExtensions  = fwk.PreFilterExtensions
	NominatingInfo       = fwk.NominatingInfo
	NodePluginScores     = fwk.NodePluginScores
	PluginScore          = fwk.PluginScore
	NodeScoreList        = fwk.NodeScoreList
	NodeScore            = fwk.NodeScore
	PodNominator         = fwk.PodNominator
	SharedLister         = fwk.SharedLister
	NodeInfoLister       = fwk.NodeInfoLister
	NodeToStatusReader   = fwk.NodeToStatusReader
	StorageInfoLister    = fwk.StorageInfoLister
	PodActivator         = fwk.PodActivator
	ScoreExtensions      = fwk.ScoreExtensions
	ReservePlugin        = fwk.ReservePlugin
	PermitPlugin         = fwk.PermitPlugin
	PreBindPlugin        = fwk.PreBindPlugin
	PostBindPlugin       = fwk.PostBindPlugin
	EnqueueExtensions    = fwk.EnqueueExtensions
	SharedDRAManager     = fwk.SharedDRAManager
	ResourceSliceLister  = fwk.ResourceSliceLister
	ResourceClaimTracker = fwk.ResourceClaimTracker
)

// ModeOverride says that a nomination is to be as stated.
const ModeOverride = fwk.ModeOverride
