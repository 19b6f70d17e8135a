package production

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

func TestDefaultProfileIsWhatTheFrameworkRuns(t *testing.T) {
	cfg, err := DefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{v1.DefaultSchedulerName}, cfg.Profiles()); diff != "" {
		t.Errorf("profiles (-want +got):\n%s", diff)
	}
	got, err := cfg.Spec(v1.DefaultSchedulerName)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(defaultProfile(), got, selecting); diff != "" {
		t.Errorf("spec.DefaultProfile (-) is not what the framework runs (+):\n%s", diff)
	}
	if got.Selects == nil {
		t.Error("nobody evaluates selectors of devices")
	}
}

// selecting leaves out the function that evaluates selectors of devices, which the framework's profile has.
var selecting = cmp.FilterPath(func(path cmp.Path) bool { return path.Last().String() == ".Selects" }, cmp.Ignore())

const header = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"

func TestProfileOfConfiguration(t *testing.T) {
	tests := []struct {
		reason string
		yaml   string
		want   func(*spec.Profile)
	}{{
		reason: "an empty configuration is the default",
		want:   func(*spec.Profile) {},
	}, {
		reason: "a plugin disabled at all points neither filters nor scores",
		yaml: `
profiles:
- plugins:
    multiPoint:
      disabled: [{name: TaintToleration}, {name: DefaultPreemption}]
`,
		want: func(p *spec.Profile) {
			p.Filters = without(p.Filters, "TaintToleration")
			p.ScorePlugins = p.ScorePlugins[1:]
			p.Preempts = false
			p.PreEnqueuePlugins = without(p.PreEnqueuePlugins, "DefaultPreemption")
		},
	}, {
		reason: "a point of its own is left out of, and comes before, multi-point expansion",
		yaml: `
profiles:
- schedulerName: mine
  plugins:
    score:
      disabled: [{name: ImageLocality}]
      enabled: [{name: NodeResourcesFit, weight: 7}]
    preFilter:
      disabled: [{name: "*"}]
    filter:
      disabled: [{name: "*"}]
      enabled: [{name: NodeName}]
`,
		want: func(p *spec.Profile) {
			p.SchedulerName = "mine"
			p.Filters = []string{"NodeName"}
			p.ScorePlugins = []spec.Weighted{
				{
					Plugin: "NodeResourcesFit",
					Weight: 7,
				}, {Plugin: "TaintToleration", Weight: 3}, {Plugin: "NodeAffinity", Weight: 2},
				{
					Plugin: "VolumeBinding",
					Weight: 1,
				}, {Plugin: "PodTopologySpread", Weight: 2}, {Plugin: "InterPodAffinity", Weight: 2},
				{Plugin: "DynamicResources", Weight: 2}, {Plugin: "NodeResourcesBalancedAllocation", Weight: 1},
			}
		},
	}, {
		reason: "arguments are taken over",
		yaml: `
profiles:
- pluginConfig:
  - name: NodeResourcesFit
    args:
      ignoredResources: [example.com/foo]
      ignoredResourceGroups: [example.org]
      scoringStrategy:
        type: RequestedToCapacityRatio
        resources: [{name: cpu, weight: 3}]
        requestedToCapacityRatio:
          shape: [{utilization: 0, score: 0}, {utilization: 100, score: 10}]
  - name: NodeResourcesBalancedAllocation
    args: {resources: [{name: memory, weight: 1}]}
  - name: NodeAffinity
    args:
      addedAffinity:
        requiredDuringSchedulingIgnoredDuringExecution:
          nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: Exists}]}]
  - name: InterPodAffinity
    args: {hardPodAffinityWeight: 0, ignorePreferredTermsOfExistingPods: true}
  - name: PodTopologySpread
    args: {defaultingType: List, defaultConstraints: [{maxSkew: 2, topologyKey: rack, whenUnsatisfiable: DoNotSchedule}]}
`,
		want: func(p *spec.Profile) {
			p.Fit = spec.FitArgs{
				IgnoredResources: []string{"example.com/foo"}, IgnoredResourceGroups: []string{"example.org"},
				Strategy: "RequestedToCapacityRatio", Resources: []spec.ResourceWeight{{Resource: "cpu", Weight: 3}},
				Shape: []spec.ShapePoint{{Utilization: 0, Score: 0}, {Utilization: 100, Score: 10}},
			}
			p.Balanced = []spec.ResourceWeight{{Resource: "memory", Weight: 1}}
			p.AddedAffinity = &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{
				NodeSelectorTerms: []v1.NodeSelectorTerm{
					{MatchExpressions: []v1.NodeSelectorRequirement{{Key: "zone", Operator: v1.NodeSelectorOpExists}}},
				},
			}}
			p.PodAffinity = spec.PodAffinityArgs{HardPodAffinityWeight: 0, IgnorePreferredTermsOfExistingPods: true}
			p.Spread = spec.SpreadArgs{Defaulting: "List", DefaultConstraints: []v1.TopologySpreadConstraint{
				{MaxSkew: 2, TopologyKey: "rack", WhenUnsatisfiable: v1.DoNotSchedule},
			}}
		},
	}}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			cfg, err := LoadConfig("scheduler.yaml", []byte(header+tt.yaml))
			if err != nil {
				t.Fatal(err)
			}
			got, err := cfg.Spec(cfg.Profiles()[0])
			if err != nil {
				t.Fatal(err)
			}
			want := defaultProfile()
			tt.want(want)
			if !want.Preempts {
				want.Limits.MinCandidateNodesPercentage, want.Limits.MinCandidateNodesAbsolute = 0, 0
			}
			if diff := cmp.Diff(want, got, selecting); diff != "" {
				t.Errorf("profile (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLoadConfigErrors(t *testing.T) {
	tests := []struct {
		reason string
		yaml   string
		want   []string
	}{
		{
			"an unknown field is named",
			header + "profile: []\n",
			[]string{"scheduler.yaml", `"profile"`, configReference},
		},
		{
			"a repeated field is named",
			header + "parallelism: 1\nparallelism: 2\n",
			[]string{"scheduler.yaml", `"parallelism"`},
		},
		{
			"a bad value is named with its path",
			header + "percentageOfNodesToScore: 101\n",
			[]string{"scheduler.yaml", "percentageOfNodesToScore", "101"},
		},
		{
			"a bad argument is named with its path",
			header + "profiles: [{pluginConfig: [{name: InterPodAffinity, args: {hardPodAffinityWeight: 101}}]}]\n",
			[]string{"scheduler.yaml", "profiles[0].pluginConfig[0].args.hardPodAffinityWeight", "101"},
		},
		{
			"extenders are refused",
			header + "extenders: [{urlPrefix: http://localhost}]\n",
			[]string{"scheduler.yaml", "extenders[0]", "http://localhost", "remove"},
		},
		{"another kind is refused", "apiVersion: v1\nkind: Pod\n", []string{"scheduler.yaml", "Pod"}},
		{
			"a version of the past is refused",
			"apiVersion: kubescheduler.config.k8s.io/v1beta3\nkind: KubeSchedulerConfiguration\n",
			[]string{
				"scheduler.yaml",
				`apiVersion "kubescheduler.config.k8s.io/v1beta3"`,
				"want a KubeSchedulerConfiguration of kubescheduler.config.k8s.io/v1",
			},
		},
		{"an empty file is refused", "", []string{"scheduler.yaml", "'Kind' is missing"}},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			_, err := LoadConfig("scheduler.yaml", []byte(tt.yaml))
			if err == nil {
				t.Fatal("no error")
			}
			for _, part := range tt.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q does not contain %q", err, part)
				}
			}
		})
	}
}

func TestProfileErrors(t *testing.T) {
	cfg, err := LoadConfig("scheduler.yaml",
		[]byte(header+"profiles: [{schedulerName: a, plugins: {filter: {enabled: [{name: Missing}]}}}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cfg.Spec("b"); err == nil || !strings.Contains(err.Error(), `"b"`) ||
		!strings.Contains(err.Error(), "has a") {
		t.Errorf("unknown scheduler name: got error %v, want one that names it and those there are", err)
	}
	if _, err := cfg.Spec("a"); err == nil || !strings.Contains(err.Error(), "Missing") {
		t.Errorf("unknown plugin: got error %v, want one that names it", err)
	}
	cfg, err = LoadConfig("scheduler.yaml",
		[]byte(header+"profiles: [{schedulerName: a, plugins: {filter: {disabled: [{name: NodeAffinity}]}}}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cfg.Spec("a"); err == nil ||
		!strings.Contains(err.Error(), "plugin NodeAffinity is enabled at preFilter") {
		t.Errorf("half a filter: got error %v, want one that names it", err)
	}
}

func without(names []string, name string) []string {
	var rest []string
	for _, n := range names {
		if n != name {
			rest = append(rest, n)
		}
	}
	return rest
}

// TestTryingAll: every profile looks at all nodes, and tries a preemption on all, and the configuration that this is
// made from does not change.
func TestTryingAll(t *testing.T) {
	cfg, err := LoadConfig("few", []byte(`
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
percentageOfNodesToScore: 20
profiles:
- {schedulerName: plain}
- schedulerName: few
  percentageOfNodesToScore: 10
  pluginConfig:
  - name: DefaultPreemption
    args: {minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 1}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range cfg.Profiles() {
		was, err := cfg.Spec(name)
		if err != nil {
			t.Fatal(err)
		}
		is, err := cfg.TryingAll().Spec(name)
		if err != nil {
			t.Fatal(err)
		}
		if was.Limits.MinCandidateNodesPercentage == 100 || is.Limits.MinCandidateNodesPercentage != 100 {
			t.Errorf("%s: %d%% of the nodes before, and %d%%", name, was.Limits.MinCandidateNodesPercentage,
				is.Limits.MinCandidateNodesPercentage)
		}
		if was.Limits.PercentageOfNodesToScore == 100 || is.Limits.PercentageOfNodesToScore != 100 {
			t.Errorf("%s: enough are %d%% of the nodes before, and %d%%", name, was.Limits.PercentageOfNodesToScore,
				is.Limits.PercentageOfNodesToScore)
		}
	}
}
