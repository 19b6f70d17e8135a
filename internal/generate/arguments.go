package generate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	config "k8s.io/kube-scheduler/config/v1"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"
)

// Arguments draws a KubeSchedulerConfiguration, as YAML, of a profile of each of the names: one or two of its plugins
// have arguments of their own; now and then it lacks one or two, so that others are asked about what those would
// reject, and a score counts for more.
func Arguments(schedulerNames ...string) *rapid.Generator[[]byte] {
	return rapid.Custom(func(t *rapid.T) []byte {
		var profiles []any
		for _, name := range schedulerNames {
			profiles = append(profiles, profile(t, name))
		}
		return configurationOf(profiles)
	})
}

// Profiles draws configurations of Arguments of one profile each, by its name, as many as drawn runs of a seed have.
// all is one of all these profiles, and of that of that name, as it is by default, first.
func Profiles(schedulerName string, seed int64) (all []byte, each map[string][]byte) {
	profiles, each := []any{map[string]any{"schedulerName": schedulerName}}, map[string][]byte{}
	for i := range configurations {
		name := fmt.Sprintf("drawn-%d", i+1)
		one := rapid.Custom(func(t *rapid.T) any { return profile(t, name) }).Example(int(Mixed(seed, -1-int64(i)) >> 1))
		profiles, each[name] = append(profiles, one), configurationOf([]any{one})
	}
	return configurationOf(profiles), each
}

func configurationOf(profiles []any) []byte {
	text, err := yaml.Marshal(map[string]any{
		"apiVersion": config.SchemeGroupVersion.String(), "kind": "KubeSchedulerConfiguration", "profiles": profiles,
	})
	if err != nil {
		panic(fmt.Sprintf("arguments drawn: %v", err))
	}
	return text
}

func profile(t *rapid.T, schedulerName string) map[string]any {
	kinds := []string{"DefaultPreemption", "NodeAffinity", "NodeResourcesFit", "NodeResourcesBalancedAllocation",
		"InterPodAffinity", "PodTopologySpread"}
	var drawn []argumentsOf
	for _, name := range rapid.Permutation(kinds).Draw(t, "plugins")[:rapid.IntRange(1, 2).Draw(t, "how many")] {
		drawn = append(drawn, argumentsOf{name, arguments(t, name)})
	}
	slices.SortFunc(drawn, func(x, y argumentsOf) int { return cmp.Compare(x.Name, y.Name) })
	profile := map[string]any{"schedulerName": schedulerName, "pluginConfig": drawn}
	plugins := map[string]any{}
	lacks := rapid.Permutation(dispensable).Draw(t, "lacks")[:rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(t, "lacking")]
	if len(lacks) > 0 {
		var disabled []any
		for _, plugin := range lacks {
			disabled = append(disabled, map[string]any{"name": plugin})
		}
		plugins["multiPoint"] = map[string]any{"disabled": disabled}
	}
	name := rapid.SampledFrom(scoring).Draw(t, "score")
	// A score needs the rest of its plugin.
	if rapid.IntRange(0, 2).Draw(t, "has a weight") == 2 && !slices.Contains(lacks, name) {
		plugins["score"] = map[string]any{
			"disabled": []any{map[string]any{"name": name}},
			"enabled":  []any{map[string]any{"name": name, "weight": rapid.IntRange(1, 100).Draw(t, "weight")}},
		}
	}
	if len(plugins) > 0 {
		profile["plugins"] = plugins
	}
	return profile
}

// scoring are plugins whose scores may have another weight.
var scoring = []string{"ImageLocality", "InterPodAffinity", "NodeAffinity", "NodeResourcesBalancedAllocation",
	"NodeResourcesFit", "PodTopologySpread", "TaintToleration"}

// dispensable are the plugins that a profile may lack.
var dispensable = []string{"DefaultPreemption", "DynamicResources", "InterPodAffinity", "NodeAffinity",
	"NodeDeclaredFeatures", "NodeName", "NodePorts", "NodeResourcesFit", "NodeUnschedulable", "NodeVolumeLimits",
	"PodTopologySpread", "TaintToleration", "VolumeBinding", "VolumeRestrictions", "VolumeZone"}

// argumentsOf are the arguments of a plugin, in the form of config.PluginConfig.
type argumentsOf struct {
	Name string `json:"name"`
	Args any    `json:"args"`
}

func arguments(t *rapid.T, plugin string) any {
	switch plugin {
	case "DefaultPreemption":
		return &config.DefaultPreemptionArgs{
			MinCandidateNodesPercentage: new(rapid.SampledFrom([]int32{0, 10, 50, 100}).Draw(t, "percentage")),
			MinCandidateNodesAbsolute:   new(rapid.SampledFrom([]int32{1, 2, 100}).Draw(t, "absolute")),
		}
	case "NodeAffinity":
		return &config.NodeAffinityArgs{AddedAffinity: addedAffinity(t)}
	case "NodeResourcesFit":
		return &config.NodeResourcesFitArgs{
			IgnoredResources: rapid.SampledFrom([][]string{nil, {string(gpu)}, {string(gpu), "example.com/foo"}}).Draw(t,
				"ignored"),
			IgnoredResourceGroups: rapid.SampledFrom([][]string{nil, nil, {"example.com"}, {"example.org"}}).Draw(t,
				"groups"),
			ScoringStrategy: scoringStrategy(t),
		}
	case "NodeResourcesBalancedAllocation":
		return &config.NodeResourcesBalancedAllocationArgs{Resources: weights(t, 1)}
	case "InterPodAffinity":
		return &config.InterPodAffinityArgs{
			HardPodAffinityWeight:              new(rapid.SampledFrom([]int32{0, 5, 100}).Draw(t, "hard weight")),
			IgnorePreferredTermsOfExistingPods: rapid.Bool().Draw(t, "ignores preferred terms"),
		}
	}
	return &config.PodTopologySpreadArgs{DefaultingType: config.ListDefaulting, DefaultConstraints: defaultConstraints(t)}
}

// addedAffinity draws what a profile adds to the node affinity of its pods; at least one term of each that it has.
func addedAffinity(t *rapid.T) *v1.NodeAffinity {
	added := &v1.NodeAffinity{}
	drawn := rapid.IntRange(0, 2).Draw(t, "added affinity")
	if drawn != 1 {
		added.RequiredDuringSchedulingIgnoredDuringExecution = &v1.NodeSelector{
			NodeSelectorTerms: rapid.SliceOfN(rapid.Custom(preferredTerm), 1, 2).Draw(t, "terms"),
		}
	}
	if drawn != 0 {
		added.PreferredDuringSchedulingIgnoredDuringExecution = preferences(t)
	}
	return added
}

// scoringStrategy draws one; nil for the default.
func scoringStrategy(t *rapid.T) *config.ScoringStrategy {
	strategies := []config.ScoringStrategyType{"", config.LeastAllocated, config.MostAllocated,
		config.RequestedToCapacityRatio}
	strategy := &config.ScoringStrategy{Type: rapid.SampledFrom(strategies).Draw(t, "strategy")}
	if strategy.Type == "" {
		return nil
	}
	strategy.Resources = weights(t, 9)
	if strategy.Type == config.RequestedToCapacityRatio {
		full := rapid.SliceOfNDistinct(rapid.Int32Range(0, 100), 1, 4, rapid.ID).Draw(t, "utilizations")
		slices.Sort(full)
		shape := &config.RequestedToCapacityRatioParam{}
		for _, utilization := range full {
			shape.Shape = append(shape.Shape, config.UtilizationShapePoint{
				Utilization: utilization, Score: rapid.Int32Range(0, 10).Draw(t, "score"),
			})
		}
		strategy.RequestedToCapacityRatio = shape
	}
	return strategy
}

// weights draws resources, each with a weight of at most that much.
func weights(t *rapid.T, most int64) []config.ResourceSpec {
	names := []v1.ResourceName{v1.ResourceCPU, v1.ResourceMemory, gpu, v1.ResourceEphemeralStorage, hugePages}
	var drawn []config.ResourceSpec
	for _, name := range rapid.Permutation(names).Draw(t, "resources")[:rapid.IntRange(1, 3).Draw(t, "how many")] {
		drawn = append(drawn, config.ResourceSpec{Name: string(name), Weight: rapid.Int64Range(1, most).Draw(t, "weight")})
	}
	return drawn
}

// defaultConstraints draws the constraints of topology spread that a profile has for pods of services and workloads.
func defaultConstraints(t *rapid.T) []v1.TopologySpreadConstraint {
	drawn := constraints(t)
	for i := range drawn {
		drawn[i].LabelSelector = nil
	}
	return drawn
}

// LessArguments returns the configuration that Arguments drew with something less in its profiles, in each way: a
// profile, a field, or an entry of a list. Not all are valid.
func LessArguments(configuration []byte) [][]byte {
	var texts [][]byte
	for n := 0; ; n++ {
		var all map[string]any
		if err := yaml.Unmarshal(configuration, &all); err != nil {
			panic(fmt.Sprintf("arguments drawn before: %v", err))
		}
		left := n
		if all["profiles"] = lessOne(all["profiles"], &left); left >= 0 {
			return texts
		}
		text, err := yaml.Marshal(all)
		if err != nil {
			panic(fmt.Sprintf("arguments drawn before: %v", err))
		}
		texts = append(texts, text)
	}
}

// lessOne returns the value without the n-th of the parts that it has, the outer ones first; n is less than 0 then. If
// it has fewer, n is less by so many.
func lessOne(value any, n *int) any {
	switch value := value.(type) {
	case []any:
		if *n -= len(value); *n < 0 {
			return slices.Delete(value, *n+len(value), *n+len(value)+1)
		}
		for i := range value {
			if value[i] = lessOne(value[i], n); *n < 0 {
				break
			}
		}
	case map[string]any:
		keys := slices.Sorted(maps.Keys(value))
		if *n -= len(keys); *n < 0 {
			delete(value, keys[*n+len(keys)])
			return value
		}
		for _, key := range keys {
			if value[key] = lessOne(value[key], n); *n < 0 {
				break
			}
		}
	}
	return value
}
