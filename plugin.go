package modelcheck

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// PluginFactory makes a scheduler plugin: what kube-scheduler's app.WithPlugin takes.
type PluginFactory = func(ctx context.Context, args runtime.Object, h fwk.Handle) (fwk.Plugin, error)

// Plugin is a scheduler plugin and what it is meant to do.
type Plugin struct {
	// Name is what the plugin is registered as, what configurations enable, and what its method Name gives.
	Name string
	// New makes the plugin.
	New PluginFactory
	// Filter says which nodes the plugin lets pass; nil if it is enabled at no Filter. The field Plugin may be left
	// empty.
	Filter *spec.Filter
	// Score says how the plugin scores nodes; nil if it is enabled at no Score. The field Plugin may be left empty.
	Score *spec.ScorePlugin
}

// Scheduler is kube-scheduler with plugins.
type Scheduler struct {
	// Plugins are those to check. One with the name of a plugin of Kubernetes stands in its place.
	Plugins []Plugin
	// Configuration is a KubeSchedulerConfiguration, in YAML or JSON. Empty stands for the default one with every
	// plugin of Plugins enabled wherever it has something to do (multiPoint), with weight 1.
	Configuration string
	// HangAfter is how long a decision may take before it counts as hanging, which is a finding; 0 means 30 seconds.
	// From 1,000 nodes and pods on it is 2 ms more for each.
	HangAfter time.Duration
}

// opened is a scheduler ready to be asked.
type opened struct {
	config   *production.Config
	profiles []string
	model    *spec.Scheduler
	options  production.Options
	notes    []string
	atWork   *atWork
}

// open reads the configuration and puts the model together. An error says what to correct. at says what of the plugins
// is at work.
func (s Scheduler) open(ctx context.Context, at *atWork) (*opened, error) {
	if s.HangAfter < 0 {
		return nil, fmt.Errorf("Scheduler.HangAfter is %v: it must be at least 0, which means 30s", s.HangAfter)
	}
	o := &opened{atWork: at, options: production.Options{
		Registry: map[string]production.PluginFactory{}, HangAfter: s.HangAfter, Starts: &production.Starts{},
	}}
	var own []spec.Plugin
	for _, p := range s.Plugins {
		predicates, err := p.predicates(at)
		if err != nil {
			return nil, err
		}
		own = append(own, predicates)
		o.options.Registry[p.Name] = o.noting(p)
	}
	var err error
	if o.config, err = production.LoadConfig("Scheduler.Configuration", []byte(s.configuration())); err != nil {
		return nil, err
	}
	o.profiles = o.config.Profiles()
	profile, err := o.config.SpecWith(o.profiles[0], o.options)
	if err != nil {
		return nil, fmt.Errorf("kube-scheduler does not start: %w", err)
	}
	o.model = spec.New(profile, own...)
	return o, s.enabled(slices.Concat([]*spec.Profile{profile}, profile.Others))
}

// configuration returns Configuration, or the default one with the plugins.
func (s Scheduler) configuration() string {
	if s.Configuration != "" {
		return s.Configuration
	}
	var names []string
	for _, p := range s.Plugins {
		names = append(names, fmt.Sprintf("{name: %q}", p.Name))
	}
	return "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n" +
		"- schedulerName: " + v1.DefaultSchedulerName + "\n  plugins: {multiPoint: {enabled: [" + strings.Join(names,
		", ") + "]}}\n"
}

// enabled finds plugins that have a predicate and do not run, or run without one.
func (s Scheduler) enabled(profiles []*spec.Profile) error {
	var errs []error
	for _, p := range s.Plugins {
		filters := slices.ContainsFunc(
			profiles,
			func(profile *spec.Profile) bool { return slices.Contains(profile.Filters, p.Name) },
		)
		scoring := slices.ContainsFunc(profiles, func(profile *spec.Profile) bool {
			return slices.ContainsFunc(profile.ScorePlugins, func(w spec.Weighted) bool { return w.Plugin == p.Name })
		})
		for _, point := range []struct {
			name, field string
			runs, said  bool
		}{{"filter", "Filter", filters, p.Filter != nil}, {"score", "Score", scoring, p.Score != nil}} {
			switch {
			case point.runs && !point.said:
				errs = append(errs, fmt.Errorf("plugin %s runs at %s, and Plugin.%s is nil: say there what it is "+
					"meant to do", p.Name, point.name, point.field))
			case !point.runs && point.said:
				errs = append(errs, fmt.Errorf("plugin %s has a Plugin.%s and does not run at %s in any profile: "+
					"implement and enable it "+"there, or leave the predicate out", p.Name, point.field, point.name))
			}
		}
	}
	return errors.Join(errs...)
}

// predicates returns what the plugin adds to the model.
func (p Plugin) predicates(at *atWork) (spec.Plugin, error) {
	fail := func(format string, args ...any) (spec.Plugin, error) {
		return spec.Plugin{}, fmt.Errorf("plugin %q: %w", p.Name, fmt.Errorf(format, args...))
	}
	if p.Name == "" || p.New == nil {
		return fail("Name and New are needed")
	}
	var own spec.Plugin
	if p.Filter != nil {
		if p.Filter.Holds == nil || p.Filter.Plugin != "" && p.Filter.Plugin != p.Name {
			return fail("Filter needs Holds, and no other name than the plugin's")
		}
		own.Filter = at.filter(narrowFilter(*p.Filter, p.Name))
	}
	if p.Score != nil {
		if (p.Score.Raw == nil) == (p.Score.ScoreAll == nil) || p.Score.Plugin != "" && p.Score.Plugin != p.Name {
			return fail("Score needs either Raw or ScoreAll, and no other name than the plugin's")
		}
		own.Score = at.score(narrowScore(*p.Score, p.Name))
	}
	return own, nil
}

// narrowFilter returns the filter with its name, and no more to read than its footprint declares.
func narrowFilter(f spec.Filter, name string) *spec.Filter {
	holds := f.Holds
	f.Plugin = name
	f.Holds = func(p *spec.Profile, pod *v1.Pod, node *v1.Node, s *spec.Snapshot) bool {
		return holds(p, pod, node, narrow(f.Footprint, pod, node, s))
	}
	return &f
}

// narrowScore does the same for a score plugin.
func narrowScore(r spec.ScorePlugin, name string) *spec.ScorePlugin {
	r.Plugin = name
	if raw := r.Raw; raw != nil {
		r.Raw = func(p *spec.Profile, pod *v1.Pod, node *v1.Node, s *spec.Snapshot) int64 {
			return raw(p, pod, node, narrow(r.Footprint, pod, node, s))
		}
	}
	if abstains := r.Abstains; abstains != nil && r.Footprint != spec.ReadsCluster {
		r.Abstains = func(p *spec.Profile, pod *v1.Pod, _ []*v1.Node, s *spec.Snapshot) bool {
			part := *s
			part.Nodes, part.Pods = nil, []*v1.Pod{pod}
			return abstains(p, pod, nil, &part) // it is decided by the pod alone
		}
	}
	if normalize := r.Normalize; normalize != nil {
		r.Normalize = func(raw []int64) []int64 {
			normalized := normalize(raw)
			if len(normalized) != len(raw) {
				panic(fmt.Sprintf("ScorePlugin.Normalize of plugin %s gives %d scores for %d nodes", name,
					len(normalized), len(raw)))
			}
			return normalized
		}
	}
	return &r
}

// narrow returns the part of the snapshot that a predicate with the footprint may read: a predicate that read more
// would be answered from a table in one place and not in another.
func narrow(f spec.Footprint, pod *v1.Pod, node *v1.Node, s *spec.Snapshot) *spec.Snapshot {
	if f == spec.ReadsCluster {
		return s
	}
	part := *s
	part.Nodes, part.Pods = []*v1.Node{node}, []*v1.Pod{pod}
	switch f {
	case spec.ReadsNodes:
		part.Nodes = s.Nodes
	case spec.ReadsNodeAndPods:
		part.Pods = append(part.Pods, spec.PodsOn(node, s)...)
	}
	return &part
}

// noting returns the plugin's factory, which notes what of the plugin is not compared.
func (o *opened) noting(p Plugin) PluginFactory {
	return func(ctx context.Context, args runtime.Object, h fwk.Handle) (fwk.Plugin, error) {
		plugin, err := o.atWork.made(p.Name, func() (fwk.Plugin, error) {
			plugin, err := p.New(ctx, args, h)
			if err == nil && (plugin == nil || plugin.Name() != p.Name) {
				err = fmt.Errorf("plugin %s: New gives no plugin whose method Name gives that name", p.Name)
			}
			return plugin, err
		})
		if err != nil {
			return nil, err
		}
		o.atWork.learn(p.Name, plugin)
		if points := beyond(plugin); o.model == nil && len(points) > 0 { // later ones are the workers'
			note := fmt.Sprintf("Plugin %s also has a part in %s, which is not compared.", p.Name,
				strings.Join(points, ", "))
			if !slices.Contains(o.notes, note) {
				o.notes = append(o.notes, note)
			}
		}
		return plugin, nil
	}
}

// beyond names the extension points of the plugin that the model knows nothing of.
func beyond(plugin fwk.Plugin) []string {
	var points []string
	note := func(name string, has bool) {
		if has {
			points = append(points, name)
		}
	}
	_, has := plugin.(fwk.PreEnqueuePlugin)
	note("PreEnqueue", has)
	_, has = plugin.(fwk.QueueSortPlugin)
	note("QueueSort", has)
	_, has = plugin.(fwk.ReservePlugin)
	note("Reserve", has)
	_, has = plugin.(fwk.PermitPlugin)
	note("Permit", has)
	_, has = plugin.(fwk.PreBindPlugin)
	note("PreBind", has)
	_, has = plugin.(fwk.BindPlugin)
	note("Bind", has)
	_, has = plugin.(fwk.PostBindPlugin)
	note("PostBind", has)
	return points
}

// decider returns kube-scheduler itself.
func (o *opened) decider(ctx context.Context) func() (decisions.Decider, error) {
	return func() (decisions.Decider, error) {
		return production.NewGuarded(context.WithoutCancel(ctx), o.config, o.profiles[0], o.options,
			slices.Sorted(maps.Keys(o.options.Registry)))
	}
}
