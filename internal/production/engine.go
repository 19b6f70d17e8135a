package production

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	configv1 "k8s.io/kube-scheduler/config/v1"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	frameworkplugins "k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"

	fwk "github.com/seed-a3f26817/modelcheck/internal/production/frameworkapi"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// engine is one scheduling framework and what stands around it. It takes one decision at a time.
type engine struct {
	ctx       context.Context
	framework framework.Framework
	// ran is the profile as the framework runs it, with its plugins' arguments.
	ran *config.KubeSchedulerProfile

	// Plugins as the framework runs them, in its order; preFilters by name, the filters' names and the
	// score plugins' as a decision gives them.
	filters     []fwk.FilterPlugin
	preFilters  map[string]fwk.PreFilterPlugin
	scores      []fwk.ScorePlugin
	filterNames []string
	scoreNames  []string

	snapshot  *snapshot
	nominator *nominator
	objects   *objects
	untouched untouched
	// preemption watches DefaultPreemption; nil if the profile does not run it.
	preemption *preemptionWatch
	// matches is what plugins remember of clusters they have seen before, and a question is to be asked without.
	matches []*sync.Map
	// messages: decisions tell why, in production's own words.
	messages bool
	// starts say where searches begin; nil if nobody says so.
	starts *Starts
	// client records what production writes to the API server. It stores nothing.
	client *fake.Clientset
	// bindingTimeout is how long drivers of devices may take.
	bindingTimeout time.Duration
}

// newEngine builds the framework as kube-scheduler does, from the whole in-tree registry with the given
// plugins added or put in place. Cancelling the context ends what runs in the background.
func newEngine(ctx context.Context, profile *config.KubeSchedulerProfile,
	registry frameworkruntime.Registry) (*engine, error) {
	metrics.Register() // the framework counts as it goes, and needs somewhere to do so

	// Production logs to nobody. Where it has no context it logs by klog's defaults, which is errors only.
	ctx = klog.NewContext(ctx, logr.Discard())
	known := newNodeInfos()
	e := &engine{
		ctx:       ctx,
		client:    &fake.Clientset{},
		snapshot:  &snapshot{known: known},
		nominator: &nominator{known: known},
	}
	factory := informers.NewSharedInformerFactory(e.client, 0)
	e.objects = newObjects(factory)
	options, err := e.options(factory)
	if err != nil {
		return nil, err
	}

	all := frameworkplugins.NewInTreeRegistry()
	poolsByName(all)
	for name, factory := range registry {
		all[name] = factory
	}
	for _, name := range profile.Plugins.Names() {
		if all[name] == nil {
			return nil, fmt.Errorf("profile %s: plugin %s is not one of Kubernetes: remove it, or check it from a Go "+
				"test, which can "+"bring its code (README.md, A plugin of yours)", profile.SchedulerName, name)
		}
	}
	plugins := map[string]fwk.Plugin{}
	e.framework, err = newFramework(ctx, captured(all, plugins), profile, options)
	if err != nil {
		return nil, fmt.Errorf("profile %s: %w", profile.SchedulerName, err)
	}
	if e.ran == nil {
		return nil, fmt.Errorf("profile %s: kube-scheduler does not say what it runs", profile.SchedulerName)
	}
	if name, on := asyncAPICalls(); on {
		return nil, fmt.Errorf("feature gate %s is on: its queue of API calls is not part of a decision; turn it off",
			name)
	}
	e.matches, e.bindingTimeout = matchCaches(plugins), BindingTimeout(e.ran)
	return e, e.sort(plugins)
}

// newFramework makes the framework and its plugins. Where kube-scheduler would not start for a panic it returns an
// error.
func newFramework(ctx context.Context, registry frameworkruntime.Registry, profile *config.KubeSchedulerProfile,
	options []frameworkruntime.Option) (made framework.Framework, err error) {
	defer func() {
		if r := recover(); r != nil {
			made, err = nil, fmt.Errorf("kube-scheduler panics at its start: %v, in %s", r, panicFrame())
		}
	}()
	return frameworkruntime.NewFramework(ctx, registry, profile, options...)
}

// options returns the framework the collaborators that kube-scheduler gives it.
func (e *engine) options(factory informers.SharedInformerFactory) ([]frameworkruntime.Option, error) {
	devices, err := e.deviceOptions(factory)
	if err != nil {
		return nil, err
	}
	return slices.Concat(e.releaseOptions(factory), devices, []frameworkruntime.Option{
		frameworkruntime.WithComponentConfigVersion(configv1.SchemeGroupVersion.String()),
		frameworkruntime.WithClientSet(e.client),
		frameworkruntime.WithEventRecorder(&events.FakeRecorder{}), // has no channel, so throws events away
		frameworkruntime.WithInformerFactory(factory),
		frameworkruntime.WithSnapshotSharedLister(e.snapshot),
		frameworkruntime.WithPodNominator(e.nominator),
		frameworkruntime.WithPodActivator(e.nominator),
		frameworkruntime.WithWaitingPods(frameworkruntime.NewWaitingPodsMap()),
		frameworkruntime.WithCaptureProfile(func(p config.KubeSchedulerProfile) { e.ran = &p }),
		// Parallel work only races for the order in which results are appended, and every outcome that
		// an order could give is part of the decision anyway. One worker is also the fastest for few nodes.
		frameworkruntime.WithParallelism(1),
	}), nil
}

// sort arranges the plugins in the order in which the framework runs them.
func (e *engine) sort(plugins map[string]fwk.Plugin) error {
	runs := e.framework.ListPlugins()
	e.preFilters = map[string]fwk.PreFilterPlugin{}
	for _, p := range runs.PreFilter.Enabled {
		plugin, ok := plugins[p.Name].(fwk.PreFilterPlugin)
		if !ok {
			return fmt.Errorf("pre-filter plugin %s was not captured", p.Name)
		}
		e.preFilters[p.Name] = plugin
	}
	for _, p := range runs.Filter.Enabled {
		plugin, ok := plugins[p.Name].(fwk.FilterPlugin)
		if !ok {
			return fmt.Errorf("filter plugin %s was not captured", p.Name)
		}
		e.filters = append(e.filters, plugin)
		e.filterNames = append(e.filterNames, p.Name)
	}
	for _, p := range runs.Score.Enabled {
		plugin, ok := plugins[p.Name].(fwk.ScorePlugin)
		if !ok {
			return fmt.Errorf("score plugin %s was not captured", p.Name)
		}
		e.scores = append(e.scores, plugin)
		e.scoreNames = append(e.scoreNames, p.Name)
	}
	for _, p := range runs.PostFilter.Enabled {
		if plugin, ok := plugins[p.Name].(*defaultpreemption.DefaultPreemption); ok {
			e.preemption = watchPreemption(plugin)
		}
	}
	return nil
}

// load makes the question's snapshot what the framework sees.
func (e *engine) load(q spec.Question) error {
	if err := e.objects.set(q.Snapshot, e.bindingTimeout); err != nil {
		return err
	}
	for _, matches := range e.matches {
		matches.Clear()
	}
	e.snapshot.set(q.Snapshot)
	e.nominator.set(q)
	e.client.ClearActions()
	if e.preemption != nil {
		e.preemption.reset(e.starts)
	}
	return nil
}
