package stepped

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	configv1 "k8s.io/kube-scheduler/config/v1"
	"k8s.io/kubernetes/pkg/features"
	kubescheduler "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Every backoff is as long as kube-scheduler's longest, or the number of all earlier attempts would be part of the
// state: who failed more often would come back later. Time passes by tick with every action and every binding cycle
// that comes to its end, so that no two pods come back to the queue at the same moment; by backoff and more with
// Backoff; by maxUnschedulable, the longest stay in unschedulablePods and more, with Flush.
const (
	backoff          = 10 * time.Second
	tick             = time.Microsecond
	maxUnschedulable = 5*time.Minute + time.Second
)

// Options are what New may be told. The zero value is kube-scheduler as released.
type Options struct {
	// Faults adds the plugin that makes cycles fail or wait, for actions with a Fault.
	Faults bool
	// FaultsFirst: that plugin is the first of its extension points, and not the last.
	FaultsFirst bool
	// Late lets the scheduler hear of changes only when an action says so, of objects of the kinds that loop.MayLag.
	Late bool
	// Evictions lets evictions be under way when the cycle ends that begins them, until actions let them go on.
	Evictions bool
	// Sampled notes which nodes are looked at, for scopes that are.
	Sampled bool
	// Expansion, if not nil, is that of all schedulers with the same profiles, Faults and FaultsFirst.
	Expansion *Expansion
	// Plant is for tests that plant a bug in the scheduler before it begins.
	Plant func(*kubescheduler.Scheduler)
}

// OptionsFor returns what the scope asks for.
func OptionsFor(scope *loop.Scope) Options {
	return Options{
		Faults: scope.Faults > 0, FaultsFirst: scope.Faults > 0 && scope.FaultsFirst, Late: scope.Late > 0,
		Evictions: scope.Evictions, Sampled: scope.Sampled,
	}
}

// Scheduler is a whole kube-scheduler with its API server, stepped. It is not for concurrent use; any number of
// them may live side by side.
type Scheduler struct {
	parent   context.Context
	profiles []config.KubeSchedulerProfile
	// percentageOfNodesToScore is of the profiles that say none.
	percentageOfNodesToScore *int32
	options                  Options

	ctx    context.Context
	cancel context.CancelFunc
	sched  *kubescheduler.Scheduler
	// frameworks are those of the profiles, in their order.
	frameworks []*controlled
	cycles     *cycles
	api        *api
	// texts are those of objects of the API server, which are never changed but replaced.
	texts     loop.Texts
	informers map[string]*informer
	clock     *clocktesting.FakeClock
	faults    *faults
	errors    *errorSink
	hints     *hintedQueue
	sleeper   *sleeper
	// wrongBackoff is what is wrong with the time that a pod backs off for, by how often it failed.
	wrongBackoff string
	// early are the kinds of object that the scheduler did not wait for as it began.
	early []string
	// woke: it did not wait for a pod although there was none, as it ended.
	woke bool
	// timersFail: its timers left pods in backoffQ or unschedulablePods, as it ended.
	timersFail bool
	// asleep: the scheduler waited for a pod since it was last asked.
	asleep bool
	// late is set once the scheduler knows the initial objects. unheard are the changes since then that wait to be told.
	late    bool
	unheard []unheard
	// between and afterwards are those of loop.Step.
	between    *loop.State
	afterwards bool
	// popped is the pod that was taken off the queue last.
	popped *v1.Pod
	// panicked is what production panicked with on the goroutine that steps; then nothing more can be asked of it.
	panicked string
}

var _ loop.System = (*Scheduler)(nil)

// New builds the scheduler that runs the profiles of the configuration, and gives it the objects of the initial
// snapshot, one after the other. Closing it, or cancelling the context, ends what runs in the background.
func New(ctx context.Context, cfg *production.Config, initial *spec.Snapshot, o Options) (*Scheduler, error) {
	if feature.DefaultFeatureGate.Enabled(features.SchedulerAsyncAPICalls) {
		return nil, fmt.Errorf("feature gate %s is on: its queue of API calls is not stepped; turn it off",
			features.SchedulerAsyncAPICalls)
	}
	s := &Scheduler{
		parent: klog.NewContext(ctx, logr.Discard()), options: o,
		api: newAPI(), clock: clocktesting.NewFakeClock(epoch), faults: &faults{first: o.FaultsFirst}, errors: &errorSink{},
	}
	s.profiles, s.percentageOfNodesToScore = cfg.KubeProfiles()
	for i := range s.profiles {
		if o.Faults {
			s.faults.enable(&s.profiles[i])
		}
		o.Expansion.expand(&s.profiles[i])
	}
	if err := s.build(); err != nil {
		return nil, err
	}
	s.api.initial = true
	for _, object := range loop.Objects(initial) {
		object = sinceEpoch(object, initial.Now)
		if _, err := s.Do(loop.Action{Verb: loop.Create, Ref: loop.RefOf(object), Object: object}); err != nil {
			s.Close()
			return nil, err
		}
	}
	s.api.initial, s.late = false, o.Late
	return s, nil
}

// build makes a scheduler that knows nothing yet, and tells it of the objects that the API server has.
func (s *Scheduler) build() error {
	var ctx context.Context
	ctx, s.cancel = context.WithCancel(s.parent)
	s.ctx = klog.NewContext(ctx, logr.New(s.errors))
	reportToSinks()
	factory := informers.NewSharedInformerFactory(s.api.client, 0)
	s.informers = newInformers(factory)
	s.api.comesBack = s.comesBack
	s.api.tell = s.tell
	var profiles []config.KubeSchedulerProfile
	for i := range s.profiles {
		profiles = append(profiles, *s.profiles[i].DeepCopy())
	}
	options := []kubescheduler.Option{
		kubescheduler.WithProfiles(profiles...),
		kubescheduler.WithPercentageOfNodesToScore(s.percentageOfNodesToScore),
		kubescheduler.WithComponentConfigVersion(configv1.SchemeGroupVersion.String()),
		kubescheduler.WithClock(s.clock),
		kubescheduler.WithPodInitialBackoffSeconds(int64(backoff / time.Second)),
		kubescheduler.WithPodMaxBackoffSeconds(int64(backoff / time.Second)),
	}
	if s.options.Faults {
		options = append(options, kubescheduler.WithFrameworkOutOfTreeRegistry(s.faults.registry()))
	}
	// has no channel, so throws events away
	recorder := func(string) eventRecorder { return &events.FakeRecorder{} }
	var err error
	if s.sched, err = kubescheduler.New(nothingInBackground(s.ctx), s.api.client, factory, nil, recorder,
		options...); err != nil {
		s.cancel()
		return fmt.Errorf("building kube-scheduler: %w", err)
	}
	if err := s.control(); err != nil {
		s.cancel()
		return err
	}
	if s.options.Plant != nil {
		s.options.Plant(s.sched)
	}
	s.early = s.unawaited()
	for _, object := range loop.Objects(s.snapshot()) {
		s.clock.Step(tick)
		ref := loop.RefOf(object)
		if err := s.informers[ref.Kind].deliver(change{ref: ref, new: object}); err != nil {
			return err
		}
	}
	return nil
}

// control puts the control points between the scheduler and its frameworks, queue and preemption.
func (s *Scheduler) control() error {
	s.frameworks, s.cycles = nil, &cycles{bindings: map[types.UID]*binding{},
		armed: func() loop.Fault { return s.faults.armed }, taken: s.takenForReserved}
	if s.options.Sampled {
		s.cycles.looks = &looks{}
	}
	for i := range s.profiles {
		s.controlProfile(&s.profiles[i])
	}
	hints, distinct, err := s.registrations()
	if err != nil {
		return err
	}
	s.hints = &hintedQueue{SchedulingQueue: s.sched.SchedulingQueue, hints: hints, distinct: distinct,
		uses: map[int]*loop.HintUse{}, priority: s.sched.SchedulingQueue, now: s.clock.Now,
		attempts: map[types.UID]*attempt{}}
	enqueueInOrder(s.sched.SchedulingQueue)
	s.sched.SchedulingQueue = s.hints
	s.sleeper = newSleeper(s.hints)
	s.wrongBackoff = wrongBackoff(s.clock)
	s.watchPops()
	return nil
}

// controlProfile puts the control points between the scheduler and the framework of the profile.
func (s *Scheduler) controlProfile(profile *config.KubeSchedulerProfile) {
	inner := s.sched.Profiles[profile.SchedulerName]
	s.options.Expansion.keep(inner)
	workInLine(inner)
	giveBackInTurn(inner)
	muteMetrics(inner)
	f := &controlled{Framework: inner, cycles: s.cycles, perRelease: newPerRelease(inner, s.clock.Now)}
	s.frameworks = append(s.frameworks, f)
	s.sched.Profiles[profile.SchedulerName] = f
	for _, plugin := range inner.EnqueueExtensions() {
		if preemption, ok := plugin.(*defaultpreemption.DefaultPreemption); ok {
			f.evictions = control(preemption, s.api, s.cycles.preempted, s.cycles.note)
		}
		if binding, ok := plugin.(*volumebinding.VolumeBinding); ok {
			f.volumes = &volumes{binding.Binder, s.cycles, s.api}
			binding.Binder = f.volumes
		}
		if devices, ok := plugin.(*dynamicresources.DynamicResources); ok {
			s.controlDevices(devices, production.BindingTimeout(profile))
		}
	}
}

// shared is a framework to be asked for what those of all profiles have in common.
func (s *Scheduler) shared() framework.Framework { return s.frameworks[0] }

// under returns the framework of the profile that the pod asks for.
func (s *Scheduler) under(pod *v1.Pod) *controlled {
	return s.frameworks[slices.IndexFunc(s.frameworks,
		func(f *controlled) bool { return f.ProfileName() == pod.Spec.SchedulerName })]
}

// longestTimeout is the longest time that a profile lets drivers have for devices to become ready.
func (s *Scheduler) longestTimeout() time.Duration {
	longest := time.Duration(0)
	for i := range s.profiles {
		longest = max(longest, production.BindingTimeout(&s.profiles[i]))
	}
	return longest
}

var errOver = errors.New("the run is over")

// Close ends what runs in the background. As that of a process which dies it writes nothing any more.
func (s *Scheduler) Close() {
	s.api.die()
	for _, f := range s.frameworks {
		if f.evictions != nil {
			f.evictions.end()
		}
	}
	for _, b := range s.cycles.all() { // a pod that waits is let go, so that its goroutine ends
		if pod := s.shared().GetWaitingPod(b.pod.UID); pod != nil {
			pod.Reject(FaultPlugin, "the run is over")
		}
		b.err = errOver
		s.cycles.decide(b.pod.UID)
	}
	if s.panicked == "" { // else whoever panicked may hold locks
		for s.cycles.finish(func(*binding) {}) {
		}
		s.sched.SchedulingQueue.Close()
	}
	s.cancel()
}
