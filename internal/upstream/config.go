package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Plugins that are asked before others, and so must be enabled there too.
var (
	preFilters = []string{"InterPodAffinity", "NodeAffinity", "NodeDeclaredFeatures", "NodePorts", "NodeResourcesFit",
		"NodeVolumeLimits", "PodTopologySpread", "VolumeBinding", "VolumeRestrictions", "VolumeZone"}
	preScores = []string{"InterPodAffinity", "NodeAffinity", "NodeResourcesBalancedAllocation", "NodeResourcesFit",
		"PodTopologySpread", "TaintToleration"}
)

// configuration returns one in which the plugin is all there is, or, of a preemption, the filters that there were.
func (q *question) configuration() (string, error) {
	type named struct {
		Name string `json:"name"`
	}
	type set struct {
		Enabled  []named `json:"enabled,omitempty"`
		Disabled []named `json:"disabled,omitempty"`
	}
	points := map[string]set{
		"multiPoint": {Disabled: []named{{"*"}}},
		"queueSort":  {Enabled: []named{{"PrioritySort"}}},
		"bind":       {Enabled: []named{{"DefaultBinder"}}},
	}
	enable := func(point, before string, haveBefore, names []string) {
		var at, earlier []named
		for _, name := range names {
			at = append(at, named{name})
			if slices.Contains(haveBefore, name) {
				earlier = append(earlier, named{name})
			}
		}
		points[point], points[before] = set{Enabled: at}, set{Enabled: earlier}
	}
	switch q.subject {
	case filtering:
		enable("filter", "preFilter", preFilters, []string{q.plugin})
	case scoring:
		enable("score", "preScore", preScores, []string{q.plugin})
	case preemption:
		enable("filter", "preFilter", preFilters, q.filters)
		points["postFilter"] = set{Enabled: []named{{q.plugin}}}
	}
	profile := map[string]any{"schedulerName": "default-scheduler", "plugins": points}
	arguments, err := argumentsOf(q.args)
	if err != nil {
		return "", err
	}
	if len(arguments) > 0 {
		profile["pluginConfig"] = []any{map[string]any{"name": q.plugin, "args": arguments}}
	}
	text, err := json.Marshal(map[string]any{"apiVersion": "kubescheduler.config.k8s.io/v1",
		"kind": "KubeSchedulerConfiguration", "profiles": []any{profile}})
	return string(text), err
}

// argumentsOf translates arguments from the internal type, which has no names of its own for JSON, to those of a
// configuration: the same, with a small first letter. What says nothing is left out.
func argumentsOf(internal json.RawMessage) (map[string]any, error) {
	if len(internal) == 0 {
		return nil, nil
	}
	var fields any
	if err := json.Unmarshal(internal, &fields); err != nil {
		return nil, err
	}
	arguments, _ := small(fields).(map[string]any)
	return arguments, nil
}

func small(value any) any {
	switch value := value.(type) {
	case map[string]any:
		all := map[string]any{}
		for name, field := range value {
			name = strings.ToLower(name[:1]) + name[1:]
			says := name != "kind" && name != "apiVersion" && name != "typeMeta"
			switch field := field.(type) {
			case nil:
				says = false
			case string:
				says = says && field != ""
			case []any:
				says = says && len(field) > 0
			case float64: // which must be set, where the plugin has it
				says = says && (field != 0 || name != "bindTimeoutSeconds")
			}
			if says {
				all[name] = small(field)
			}
		}
		return all
	case []any:
		for i := range value {
			value[i] = small(value[i])
		}
	}
	return value
}

// comparison is kube-scheduler with one configuration, and the model beside it.
type comparison struct {
	scheduler *production.Scheduler
	session   *decisions.Session
}

// comparisons are those of the configurations so far.
type comparisons map[string]*comparison

// of returns the comparison for a question. The error says why there is none.
func (a comparisons) of(ctx context.Context, q *question) (*comparison, error) {
	text, err := q.configuration()
	if err != nil || a[text] != nil {
		return a[text], err
	}
	config, err := production.LoadConfig("of the test", []byte(text))
	if err != nil {
		return nil, err
	}
	name := config.Profiles()[0]
	profile, err := config.Spec(name)
	if err != nil {
		return nil, err
	}
	scheduler, err := production.New(ctx, config, name, production.Options{Starts: &production.Starts{}})
	if err != nil {
		return nil, err
	}
	// What else holds of decisions does not hold of one plugin alone.
	properties := []invariants.Property{invariants.Decided(), invariants.StatusesConform(), invariants.ScoresConform(),
		invariants.OutcomeConforms()}
	a[text] = &comparison{scheduler, decisions.NewSession(spec.New(profile), properties, scheduler)}
	return a[text], nil
}

// close closes all of them.
func (a comparisons) close() error {
	for _, of := range a {
		if err := of.scheduler.Close(); err != nil {
			return fmt.Errorf("closing kube-scheduler: %w", err)
		}
	}
	return nil
}
