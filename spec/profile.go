package spec

import (
	"time"

	v1 "k8s.io/api/core/v1"
)

// Profile is the part of a scheduler profile that the predicates read, in plain terms:
// which plugins take part, with what weight and arguments. Its zero value has no plugins;
// DefaultProfile is what Kubernetes documents as the default.
//
// Source: https://kubernetes.io/docs/reference/scheduling/config/ and the field docs of
// kubescheduler.config.k8s.io/v1.
type Profile struct {
	// SchedulerName is matched with a pod's spec.schedulerName.
	SchedulerName string
	// Others are the other profiles that the same kube-scheduler runs. They share one queue, and its nominations.
	Others []*Profile
	// PreEnqueuePlugins are the enabled plugins that may keep a pod out of the queue, in order; see KeptOut.
	PreEnqueuePlugins []string
	// Filters are the enabled filter plugins, in order.
	Filters []string
	// ScorePlugins are the enabled score plugins, in order, each with its weight.
	ScorePlugins []Weighted
	// Preempts reports whether the DefaultPreemption plugin is enabled.
	Preempts bool
	// Limits end searches for nodes in large clusters.
	Limits Limits

	Fit      FitArgs
	Balanced []ResourceWeight
	// AddedAffinity is node affinity that every pod of the profile has besides its own.
	AddedAffinity *v1.NodeAffinity
	PodAffinity   PodAffinityArgs
	Spread        SpreadArgs
	// VolumeShape is the scoring function of VolumeBinding, by increasing utilization.
	VolumeShape []ShapePoint
	// BindingTimeout is how long drivers may take until devices that they were told of are ready.
	BindingTimeout time.Duration

	// Selects evaluates the CEL expression of a selector of devices; an error if that is not possible. Without it no
	// selector holds of any device. What it says depends on nothing but its arguments.
	Selects func(expression string, device PublishedDevice) (bool, error) `json:"-"`

	// Release is the version of kube-scheduler, such as "v1.36.3", which tells which defects are mended; none are if it
	// is empty.
	Release string
	// Lacks names the Changes that the documents of the profile's release do not have yet: see ChangesSince. They have
	// all of them if it is empty.
	Lacks []string
}

// Runs reports whether the kube-scheduler that runs the profile is asked about pods with the scheduler name.
//
// Source: https://kubernetes.io/docs/reference/scheduling/config/#multiple-profiles.
func (p *Profile) Runs(schedulerName string) bool {
	return p.SchedulerName == schedulerName ||
		exists(p.Others, func(other *Profile) bool { return other.SchedulerName == schedulerName })
}

// Weighted is a score plugin with its weight.
type Weighted struct {
	Plugin string
	Weight int64
}

// FitArgs are the arguments of NodeResourcesFit.
type FitArgs struct {
	// IgnoredResources and IgnoredResourceGroups are extended resources the filter leaves out.
	IgnoredResources      []string
	IgnoredResourceGroups []string
	// Strategy is LeastAllocated (also if empty), MostAllocated or RequestedToCapacityRatio.
	Strategy  string
	Resources []ResourceWeight
	// Shape is the scoring function of RequestedToCapacityRatio, by increasing utilization.
	Shape []ShapePoint
}

// PodAffinityArgs are the arguments of InterPodAffinity.
type PodAffinityArgs struct {
	// HardPodAffinityWeight is what required affinity of pods already there weighs in the score, 0 to 100.
	HardPodAffinityWeight int32
	// IgnorePreferredTermsOfExistingPods leaves preferred terms of pods already there out of the score of pods that
	// have no inter-pod affinity themselves.
	IgnorePreferredTermsOfExistingPods bool
}

// SpreadArgs are the arguments of PodTopologySpread.
type SpreadArgs struct {
	// Defaulting is System (also if empty), for the constraints that are built into Kubernetes, or List, for
	// DefaultConstraints.
	Defaulting         string
	DefaultConstraints []v1.TopologySpreadConstraint
}

// ShapePoint is a corner of a broken line: at this utilization (0 to 100) the score is this (0 to 10).
type ShapePoint struct {
	Utilization, Score int64
}

// ResourceWeight is a resource and how much it counts.
type ResourceWeight struct {
	Resource v1.ResourceName
	Weight   int64
}

// DefaultProfile is the profile of a scheduler without configuration, with the plugins of
// Kubernetes v1.37 that filter or rate.
//
// Source: https://kubernetes.io/docs/reference/scheduling/config/#scheduling-plugins
func DefaultProfile() *Profile {
	cpuAndMemory := []ResourceWeight{{v1.ResourceCPU, 1}, {v1.ResourceMemory, 1}}
	return &Profile{
		SchedulerName:     v1.DefaultSchedulerName,
		PreEnqueuePlugins: []string{"SchedulingGates", "DynamicResources", "DefaultPreemption"},
		Filters: []string{"NodeName", "NodeUnschedulable", "TaintToleration", "NodeAffinity", "NodePorts",
			"NodeResourcesFit", "VolumeRestrictions", "NodeVolumeLimits", "VolumeBinding", "VolumeZone",
			"PodTopologySpread", "InterPodAffinity", "DynamicResources", "NodeDeclaredFeatures"},
		ScorePlugins: []Weighted{
			{"TaintToleration", 3}, {"NodeAffinity", 2}, {"NodeResourcesFit", 1}, {"VolumeBinding", 1},
			{"PodTopologySpread", 2}, {"InterPodAffinity", 2}, {"DynamicResources", 2},
			{"NodeResourcesBalancedAllocation", 1}, {"ImageLocality", 1},
		},
		Preempts:    true,
		Limits:      Limits{MinCandidateNodesPercentage: 10, MinCandidateNodesAbsolute: 100},
		Fit:         FitArgs{Strategy: "LeastAllocated", Resources: cpuAndMemory},
		Balanced:    cpuAndMemory,
		PodAffinity: PodAffinityArgs{HardPodAffinityWeight: 1},
		Spread:      SpreadArgs{Defaulting: "System"},
		VolumeShape: []ShapePoint{{Utilization: 0, Score: 10}, {Utilization: 100, Score: 0}},
		// Field doc of DynamicResourcesArgs.bindingTimeout.
		BindingTimeout: 10 * time.Minute,
	}
}
