package conformance

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	configv1 "k8s.io/kube-scheduler/config/v1"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/seed-a3f26817/modelcheck/internal/generate"
	"github.com/seed-a3f26817/modelcheck/internal/production"
)

// configFiles returns the configurations that are kept, by file name.
func configFiles(t *testing.T) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob("../../testdata/configs/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no configurations: %v", err)
	}
	texts := map[string][]byte{}
	for _, file := range files {
		if texts[filepath.Base(file)], err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	return texts
}

// TestConfigurations: under every configuration and profile that is kept, and some with drawn arguments, production
// decides what the model allows, or quirks explain the whole decision.
func TestConfigurations(t *testing.T) {
	questions := generate.DrawQuestion(generate.Scope{Nodes: 4, Pods: 6})
	configurations := configFiles(t)
	for seed := range 8 {
		configurations[fmt.Sprintf("drawn-%d", seed)] = generate.Arguments("default-scheduler").Example(seed)
	}
	for name, text := range configurations {
		cfg, err := production.LoadConfig(name, text)
		if err != nil {
			t.Fatal(err)
		}
		for _, profile := range cfg.Profiles() {
			t.Run(name+"/"+profile, func(t *testing.T) {
				c := newProfileChecker(t, cfg, profile)
				everything := c.with(defects()...)
				rapid.Check(t, func(t *rapid.T) {
					q := drawn(t, questions.Draw(t, "question"))
					if generate.LeftToChance(q) {
						return
					}
					answer := everything.compare(q, c.production.Decide(q))
					if reasons := breaches(answer); len(reasons) > 0 {
						if first := breaches(c.compare(q, answer.Decision)); len(first) > 0 {
							t.Fatalf("without quirks: %s\nwith all quirks: %s\n%s", strings.Join(first, "\n"),
								strings.Join(reasons, "\n"), describe(q))
						}
					}
				})
			})
		}
	}
}

// TestConfigurationsSayEverything: every argument that a plugin has stands in one of the configurations.
func TestConfigurationsSayEverything(t *testing.T) {
	said := map[string]bool{}
	for name, text := range configFiles(t) {
		var config struct {
			Profiles []struct {
				PluginConfig []struct {
					Name string
					Args any
				}
			}
		}
		if err := yaml.Unmarshal(text, &config); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, profile := range config.Profiles {
			for _, plugin := range profile.PluginConfig {
				stated(plugin.Args, plugin.Name, said)
			}
		}
	}
	// These decide nothing that can be asked here.
	said["VolumeBinding.shape"] = true             // needs the feature gate StorageCapacityScoring, which is off
	said["VolumeBinding.shape.utilization"] = true // likewise
	said["VolumeBinding.shape.score"] = true       // likewise
	said["DynamicResources.bindingTimeout"] = true // is about binding
	for _, args := range []any{
		configv1.DefaultPreemptionArgs{}, configv1.DynamicResourcesArgs{}, configv1.InterPodAffinityArgs{},
		configv1.NodeAffinityArgs{},
		configv1.NodeResourcesBalancedAllocationArgs{}, configv1.NodeResourcesFitArgs{},
		configv1.PodTopologySpreadArgs{}, configv1.VolumeBindingArgs{},
	} {
		kind := reflect.TypeOf(args)
		for _, field := range fields(kind, strings.TrimSuffix(kind.Name(), "Args")) {
			if !said[field] {
				t.Errorf("no configuration in testdata/configs states %s", field)
			}
		}
	}
}

// stated notes the paths of all fields of a value.
func stated(value any, path string, said map[string]bool) {
	said[path] = true
	switch value := value.(type) {
	case map[string]any:
		for key, field := range value {
			stated(field, path+"."+key, said)
		}
	case []any:
		for _, element := range value {
			stated(element, path, said)
		}
	}
}

// fields returns the paths of all fields of a type of the configuration; those of other types stand for themselves.
func fields(kind reflect.Type, path string) []string {
	for kind.Kind() == reflect.Pointer || kind.Kind() == reflect.Slice {
		kind = kind.Elem()
	}
	var all []string
	if kind.Kind() != reflect.Struct || kind.PkgPath() != reflect.TypeFor[configv1.ResourceSpec]().PkgPath() {
		return nil
	}
	for i := range kind.NumField() {
		if name, _, _ := strings.Cut(kind.Field(i).Tag.Get("json"), ","); name != "" {
			all = append(append(all, path+"."+name), fields(kind.Field(i).Type, path+"."+name)...)
		}
	}
	return all
}
