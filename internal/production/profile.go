package production

import (
	"context"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"

	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	fwk "github.com/seed-a3f26817/modelcheck/internal/production/frameworkapi"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Spec translates the profile with the scheduler name into the terms of the formal model. It is taken from the
// framework that runs the profile: the plugins after multi-point expansion and disabling, in their order, their
// weights, and the arguments the model reads. The other profiles of the configuration come with it. An unknown
// scheduler name, or a profile that kube-scheduler would not start with, is an error, and so is one with half a
// filter plugin.
func (c *Config) Spec(schedulerName string) (*spec.Profile, error) {
	return c.SpecWith(schedulerName, Options{})
}

// SpecWith is Spec with the plugins of Options.Registry.
func (c *Config) SpecWith(schedulerName string, opts Options) (*spec.Profile, error) {
	profile, err := c.specAlone(schedulerName, opts)
	if err != nil {
		return nil, err
	}
	for _, name := range c.Profiles() {
		if name == schedulerName {
			continue
		}
		other, err := c.specAlone(name, opts)
		if err != nil {
			return nil, err
		}
		profile.Others = append(profile.Others, other)
	}
	return profile, nil
}

// specAlone is SpecWith without the other profiles.
func (c *Config) specAlone(schedulerName string, opts Options) (*spec.Profile, error) {
	profile, err := c.profile(schedulerName)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	e, err := newEngine(ctx, profile, opts.Registry)
	if err != nil {
		return nil, err
	}
	if err := e.whole(); err != nil {
		return nil, fmt.Errorf("profile %s: %w", schedulerName, err)
	}
	return e.spec(), e.framework.Close()
}

// whole tells of a filter plugin that can turn a pod away before any node is looked at, and is not asked about
// nodes. The formal model has such a plugin as a whole only.
func (e *engine) whole() error {
	for _, p := range e.framework.ListPlugins().PreFilter.Enabled {
		_, filters := e.preFilters[p.Name].(fwk.FilterPlugin)
		if filters && !slices.Contains(e.filterNames, p.Name) {
			return fmt.Errorf("plugin %s is enabled at preFilter and not at filter, which the formal model cannot "+
				"tell apart; "+"enable or disable it at both, as plugins.multiPoint does", p.Name)
		}
	}
	return nil
}

// spec returns the profile the engine runs, in the terms of the formal model.
func (e *engine) spec() *spec.Profile {
	runs := e.framework.ListPlugins()
	p := &spec.Profile{
		SchedulerName: e.framework.ProfileName(),
		Release:       KubernetesVersion,
		Selects:       SelectsDevices(),
		Lacks:         lacks(),

		BindingTimeout: BindingTimeout(e.ran),
		Filters:        slices.Clone(e.filterNames),
		Preempts: slices.ContainsFunc(
			runs.PostFilter.Enabled,
			func(p config.Plugin) bool { return p.Name == names.DefaultPreemption },
		),
	}
	if percentage := e.framework.PercentageOfNodesToScore(); percentage != nil {
		p.Limits.PercentageOfNodesToScore = *percentage
	}
	for _, plugin := range runs.PreEnqueue.Enabled {
		p.PreEnqueuePlugins = append(p.PreEnqueuePlugins, plugin.Name)
	}
	for _, s := range runs.Score.Enabled {
		p.ScorePlugins = append(p.ScorePlugins, spec.Weighted{Plugin: s.Name, Weight: int64(s.Weight)})
	}
	for _, plugin := range e.ran.PluginConfig {
		switch args := plugin.Args.(type) {
		case *config.DefaultPreemptionArgs:
			p.Limits.MinCandidateNodesPercentage = args.MinCandidateNodesPercentage
			p.Limits.MinCandidateNodesAbsolute = args.MinCandidateNodesAbsolute
		case *config.NodeResourcesFitArgs:
			p.Fit = fitArgs(args)
		case *config.NodeResourcesBalancedAllocationArgs:
			p.Balanced = resourceWeights(args.Resources)
		case *config.NodeAffinityArgs:
			p.AddedAffinity = args.AddedAffinity
		case *config.InterPodAffinityArgs:
			p.PodAffinity = spec.PodAffinityArgs{
				HardPodAffinityWeight:              args.HardPodAffinityWeight,
				IgnorePreferredTermsOfExistingPods: args.IgnorePreferredTermsOfExistingPods,
			}
		case *config.PodTopologySpreadArgs:
			p.Spread = spec.SpreadArgs{Defaulting: string(args.DefaultingType),
				DefaultConstraints: args.DefaultConstraints}
		case *config.VolumeBindingArgs:
			p.VolumeShape = shapePoints(args.Shape)
		}
	}
	return p
}

func fitArgs(args *config.NodeResourcesFitArgs) spec.FitArgs {
	fit := spec.FitArgs{
		IgnoredResources:      args.IgnoredResources,
		IgnoredResourceGroups: args.IgnoredResourceGroups,
	}
	if s := args.ScoringStrategy; s != nil {
		fit.Strategy = string(s.Type)
		fit.Resources = resourceWeights(s.Resources)
		if s.RequestedToCapacityRatio != nil {
			fit.Shape = shapePoints(s.RequestedToCapacityRatio.Shape)
		}
	}
	return fit
}

func shapePoints(shape []config.UtilizationShapePoint) []spec.ShapePoint {
	var points []spec.ShapePoint
	for _, point := range shape {
		points = append(points, spec.ShapePoint{Utilization: int64(point.Utilization), Score: int64(point.Score)})
	}
	return points
}

func resourceWeights(resources []config.ResourceSpec) []spec.ResourceWeight {
	var weights []spec.ResourceWeight
	for _, r := range resources {
		weights = append(weights, spec.ResourceWeight{Resource: v1.ResourceName(r.Name), Weight: r.Weight})
	}
	return weights
}
