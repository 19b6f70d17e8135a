package production

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	configv1 "k8s.io/kube-scheduler/config/v1"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"
	"sigs.k8s.io/yaml"
)

// configReference is where a user finds what the fields of a configuration mean.
const configReference = "https://kubernetes.io/docs/reference/config-api/kube-scheduler-config.v1/"

// Config is a KubeSchedulerConfiguration, decoded, defaulted and validated by Kubernetes' own code.
// Of its fields the profiles and percentageOfNodesToScore matter here. Those about the process (leader election, client
// connection, backoff, parallelism) change no decision of this package.
type Config struct {
	kube *config.KubeSchedulerConfiguration
}

// unquoted hints at what YAML makes of words without quotes.
func unquoted(err error) string {
	if text := err.Error(); strings.Contains(text, "cannot unmarshal bool into") &&
		strings.Contains(text, "of type string") {
		return "; without quotes, YAML takes y, n, yes, no, on and off for truth values: put a name in quotes"
	}
	return ""
}

// DefaultConfig is what kube-scheduler runs with when it is given no configuration.
func DefaultConfig() (*Config, error) {
	var versioned configv1.KubeSchedulerConfiguration
	scheme.Scheme.Default(&versioned)
	var kube config.KubeSchedulerConfiguration
	if err := scheme.Scheme.Convert(&versioned, &kube, nil); err != nil {
		return nil, fmt.Errorf("default scheduler configuration: %w", err)
	}
	kube.APIVersion = configv1.SchemeGroupVersion.String()
	return &Config{kube: &kube}, nil
}

// LoadConfig reads a KubeSchedulerConfiguration in YAML or JSON. Name is the name of the file, for
// errors. It is as strict as kube-scheduler: unknown and repeated fields are errors. Extenders are
// refused, as nobody would answer for them.
func LoadConfig(name string, data []byte) (*Config, error) {
	c, err := decodeConfig(name, data)
	if err == nil && len(c.kube.Extenders) > 0 {
		return nil, fmt.Errorf("scheduler configuration %s: extenders[0] (urlPrefix %q): an extender decides in a "+
			"process of its own, "+
			"which does not run here, and the formal model does not know what it should answer; "+
			"remove extenders to check the profiles without them", name, c.kube.Extenders[0].URLPrefix)
	}
	return c, err
}

// LoadConfigOr is LoadConfig, and the other one if there is nothing to read.
func LoadConfigOr(name string, data []byte, other *Config) (*Config, error) {
	if data == nil {
		return other, nil
	}
	return LoadConfig(name, data)
}

// LoadConfigAlone is LoadConfig for those who ask kube-scheduler without its extenders and say so: it leaves them out
// and returns their URLs.
func LoadConfigAlone(name string, data []byte) (c *Config, extenders []string, err error) {
	if c, err = decodeConfig(name, data); err != nil {
		return nil, nil, err
	}
	for _, extender := range c.kube.Extenders {
		extenders = append(extenders, extender.URLPrefix)
	}
	c.kube.Extenders = nil
	return c, extenders, nil
}

func decodeConfig(name string, data []byte) (*Config, error) {
	obj, kind, err := scheme.Codecs.UniversalDecoder().Decode(data, nil, nil)
	var is metav1.TypeMeta
	if runtime.IsNotRegisteredError(err) && yaml.Unmarshal(data, &is) == nil {
		return nil, fmt.Errorf("scheduler configuration %s: it is a %s of apiVersion %q, which kube-scheduler %s "+
			"does not read; want a "+"KubeSchedulerConfiguration of %s", name, is.Kind, is.APIVersion,
			KubernetesVersion, configv1.SchemeGroupVersion)
	}
	if err != nil {
		return nil, fmt.Errorf("scheduler configuration %s: %w%s (correct the file, its fields are described at %s)",
			name, err, unquoted(err), configReference)
	}
	kube, ok := obj.(*config.KubeSchedulerConfiguration)
	if !ok {
		return nil, fmt.Errorf("scheduler configuration %s: kind is %s, want KubeSchedulerConfiguration", name,
			kind.Kind)
	}
	kube.APIVersion = kind.GroupVersion().String()
	if errs := validation.ValidateKubeSchedulerConfiguration(kube); errs != nil {
		return nil, fmt.Errorf("scheduler configuration %s: %w (correct the field, see %s)", name,
			errors.Join(errs.Errors()...), configReference)
	}
	return &Config{kube: kube}, nil
}

// Digest is the SHA-256, in hexadecimal, of the whole configuration with its defaults.
func (c *Config) Digest() (string, error) {
	text, err := json.Marshal(c.kube)
	if err != nil {
		return "", fmt.Errorf("telling scheduler configurations apart: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// PercentageOfNodesToScore returns what is configured for the profile with the scheduler name; 0 if nothing is.
// Whatever it is, clusters of fewer than 100 nodes are looked at as a whole.
//
// Source: https://kubernetes.io/docs/concepts/scheduling-eviction/scheduler-perf-tuning/, field docs of
// percentageOfNodesToScore.
func (c *Config) PercentageOfNodesToScore(schedulerName string) int32 {
	percentage := c.kube.PercentageOfNodesToScore
	for i := range c.kube.Profiles {
		if p := &c.kube.Profiles[i]; p.SchedulerName == schedulerName && p.PercentageOfNodesToScore != nil {
			percentage = p.PercentageOfNodesToScore
		}
	}
	if percentage == nil {
		return 0
	}
	return *percentage
}

// Profiles returns the scheduler names of the profiles, in the order of the configuration.
func (c *Config) Profiles() []string {
	names := make([]string, 0, len(c.kube.Profiles))
	for _, profile := range c.kube.Profiles {
		names = append(names, profile.SchedulerName)
	}
	return names
}

// Only returns the configuration with only those of its profiles whose scheduler names are given. It changes nothing in
// c.
func (c *Config) Only(schedulerNames ...string) *Config {
	kube := c.kube.DeepCopy()
	kube.Profiles = slices.DeleteFunc(kube.Profiles, func(p config.KubeSchedulerProfile) bool {
		return !slices.Contains(schedulerNames, p.SchedulerName)
	})
	return &Config{kube: kube}
}

// TryingAll returns the configuration with profiles that look at every node, and try a preemption on all on which it
// may help: which they are otherwise hangs on where the search before ended, or is left to chance. It changes nothing
// in c.
func (c *Config) TryingAll() *Config {
	kube := c.kube.DeepCopy()
	for i := range kube.Profiles {
		profile := &kube.Profiles[i]
		profile.PercentageOfNodesToScore = new(int32(100))
		for _, plugin := range profile.PluginConfig {
			if args, is := plugin.Args.(*config.DefaultPreemptionArgs); is {
				args.MinCandidateNodesPercentage = 100
			}
		}
	}
	return &Config{kube: kube}
}

// KubeProfiles returns a copy of the profiles, in the order of the configuration and in Kubernetes' own terms, and the
// percentage of nodes to score where they say none; nil if the configuration says none either.
func (c *Config) KubeProfiles() (profiles []config.KubeSchedulerProfile, percentageOfNodesToScore *int32) {
	kube := c.kube.DeepCopy()
	return kube.Profiles, kube.PercentageOfNodesToScore
}

// profile returns a copy of the profile with the scheduler name. What it leaves to the configuration is filled in.
func (c *Config) profile(schedulerName string) (*config.KubeSchedulerProfile, error) {
	profiles, percentageOfNodesToScore := c.KubeProfiles()
	i := slices.IndexFunc(profiles, func(p config.KubeSchedulerProfile) bool { return p.SchedulerName == schedulerName })
	if i < 0 {
		return nil, fmt.Errorf("no profile has schedulerName %q; the configuration has %s", schedulerName,
			strings.Join(c.Profiles(), ", "))
	}
	profiles[i].PercentageOfNodesToScore = cmp.Or(profiles[i].PercentageOfNodesToScore, percentageOfNodesToScore)
	return &profiles[i], nil
}
