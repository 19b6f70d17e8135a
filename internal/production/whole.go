package production

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/klog/v2"
	configv1 "k8s.io/kube-scheduler/config/v1"
	kubescheduler "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"

	fwk "github.com/seed-a3f26817/modelcheck/internal/production/frameworkapi"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Whole is a complete kube-scheduler that is asked single questions: its event handlers fill its cache and its queue,
// and its own ScheduleOne takes a snapshot of the cache and decides, with sixteen workers. Nothing of the steps in
// cycle.go has a part in it, so it is what holds them to kube-scheduler. It is for clusters of fewer than 100 nodes,
// all of which are looked at, and not for concurrent use. A panic of production's ends the process.
type Whole struct {
	cancel  context.CancelFunc
	ctx     context.Context
	sched   *kubescheduler.Scheduler
	client  *fake.Clientset
	objects *objects
	// profiles are the frameworks by scheduler name.
	profiles map[string]*witness
	// timeouts are how long they let drivers of devices take.
	timeouts map[string]time.Duration

	// What the cycle came to: the pod it failed for, why, and what it wants its nomination to be.
	failed     *fwk.Status
	nominating *fwk.NominatingInfo
}

// NewWhole builds the scheduler that runs all profiles of the configuration. Cancelling the context is as good as
// Close.
func NewWhole(ctx context.Context, cfg *Config) (*Whole, error) {
	w := &Whole{client: &fake.Clientset{}, profiles: map[string]*witness{}, timeouts: map[string]time.Duration{}}
	w.ctx, w.cancel = context.WithCancel(klog.NewContext(ctx, logr.Discard()))
	factory := informers.NewSharedInformerFactory(w.client, 0)
	w.objects = newObjects(factory)
	var err error
	w.sched, err = kubescheduler.New(w.ctx, w.client, factory, nil, recorder,
		kubescheduler.WithComponentConfigVersion(configv1.SchemeGroupVersion.String()),
		kubescheduler.WithPercentageOfNodesToScore(cfg.kube.PercentageOfNodesToScore),
		kubescheduler.WithProfiles(cfg.kube.DeepCopy().Profiles...))
	if err != nil {
		w.cancel()
		return nil, fmt.Errorf("building kube-scheduler: %w", err)
	}
	w.sched.FailureHandler = func(_ context.Context, _ framework.Framework, _ *framework.QueuedPodInfo,
		status *fwk.Status, nominating *fwk.NominatingInfo, _ time.Time) {
		w.failed, w.nominating = status, nominating
	}
	for i := range cfg.kube.Profiles {
		w.timeouts[cfg.kube.Profiles[i].SchedulerName] = BindingTimeout(&cfg.kube.Profiles[i])
	}
	for name, inner := range w.sched.Profiles {
		seen := &witness{Framework: inner}
		for _, plugin := range inner.EnqueueExtensions() {
			if preemption, ok := plugin.(*defaultpreemption.DefaultPreemption); ok {
				seen.preemption = watchPreemption(preemption)
			}
		}
		w.profiles[name], w.sched.Profiles[name] = seen, seen
	}
	return w, nil
}

// Close ends what runs in the background.
func (w *Whole) Close() error {
	w.sched.SchedulingQueue.Close()
	w.cancel()
	return nil
}

// Runs reports whether a profile of the scheduler is for the pod.
func (w *Whole) Runs(pod *v1.Pod) bool { return w.profiles[pod.Spec.SchedulerName] != nil }

// Decide returns what one scheduling cycle decides, as far as it shows: the status of each node that the filters were
// asked about, with the reasons, the scores, the candidates, what was written to the API server, the message and the
// one outcome. Statuses of single filters and raw scores are not in it. The pod must be one that it Runs.
func (w *Whole) Decide(q spec.Question) *spec.Decision {
	d := &spec.Decision{Nodes: make([]spec.NodeDecision, len(q.Snapshot.Nodes))}
	if err := w.load(q); err != nil {
		d.Failure = err.Error()
		return d
	}
	seen := w.profiles[q.Pod.Spec.SchedulerName]
	if err := w.cycle(q.Pod, seen); err != nil {
		d.Failure = err.Error()
		return d
	}
	a := &account{seen, q, d}
	a.note(w.failed)
	if err := a.conclude(w); err != nil {
		d.Failure = err.Error()
	}
	d.Writes = writes(w.client, w.objects)
	return d
}

// cycle runs a scheduling cycle for the pod.
func (w *Whole) cycle(pod *v1.Pod, seen *witness) error {
	info, err := framework.NewPodInfo(pod)
	if err != nil {
		return err
	}
	seen.reset()
	w.failed, w.nominating = nil, nil
	popNext(w.sched, &framework.QueuedPodInfo{PodInfo: info})
	w.sched.ScheduleOne(w.ctx)
	return nil
}

// load empties the cluster and fills it again, so that nothing is left of the question before, not even an order. There
// is a cycle in between, since v1.37 loses uses of claims with nodes that come back between two cycles.
func (w *Whole) load(q spec.Question) error {
	if err := w.objects.set(&spec.Snapshot{}, 0); err != nil {
		return err
	}
	if err := w.cycle(q.Pod, w.profiles[q.Pod.Spec.SchedulerName]); err != nil {
		return err
	}
	w.client.ClearActions()
	return w.objects.set(q.Snapshot, w.timeouts[q.Pod.Spec.SchedulerName])
}

// witness stands between the scheduler and a framework, passes everything on, and notes what is said of each node. It
// ends the cycle when a node is chosen, before the pod is bound.
type witness struct {
	framework.Framework
	preemption *preemptionWatch

	mu sync.Mutex // the filters are asked by several workers
	// filtered are the statuses by node.
	filtered map[string]*fwk.Status
	scores   []fwk.NodePluginScores
	chosen   string
}

func (w *witness) reset() {
	w.filtered, w.scores, w.chosen = map[string]*fwk.Status{}, nil, ""
	if w.preemption != nil {
		w.preemption.reset(nil)
	}
}

// RunFilterPluginsWithNominatedPods implements framework.Framework.
func (w *witness) RunFilterPluginsWithNominatedPods(ctx context.Context, state fwk.CycleState, pod *v1.Pod,
	node fwk.NodeInfo) *fwk.Status {
	status := w.Framework.RunFilterPluginsWithNominatedPods(ctx, state, pod, node)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.filtered[node.Node().Name] = status
	return status
}

// RunScorePlugins implements framework.Framework.
func (w *witness) RunScorePlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod,
	nodes []fwk.NodeInfo) ([]fwk.NodePluginScores, *fwk.Status) {
	scores, status := w.Framework.RunScorePlugins(ctx, state, pod, nodes)
	w.scores = scores
	return scores, status
}

// RunReservePluginsReserve implements framework.Framework: the node is chosen, and that is enough.
func (w *witness) RunReservePluginsReserve(_ context.Context, _ fwk.CycleState, _ *v1.Pod, node string) *fwk.Status {
	w.chosen = node
	return fwk.NewStatus(fwk.Unschedulable, "the pod is not to be bound")
}

// RunReservePluginsUnreserve implements framework.Framework. Nothing was reserved.
func (w *witness) RunReservePluginsUnreserve(context.Context, fwk.CycleState, *v1.Pod, string) {}

// account puts what was seen of a cycle into a decision.
type account struct {
	*witness
	question spec.Question
	decision *spec.Decision
}

// note notes what was said of the nodes.
func (a *account) note(failed *fwk.Status) {
	var unfit *framework.FitError
	if a.chosen == "" && failed != nil && errors.As(failed.AsError(), &unfit) {
		a.decision.Message = unfit.Error()
	}
	for i, node := range a.question.Snapshot.Nodes {
		decided := &a.decision.Nodes[i]
		status, filtered := a.filtered[node.Name]
		switch {
		case filtered:
			decided.Filtered, decided.Overall = true, statusOf(status)
			if !status.IsSuccess() {
				decided.Reasons = reasons(status)
			}
		case unfit != nil:
			decided.Reasons = reasons(unfit.Diagnosis.NodeToStatus.Get(node.Name))
		}
		of := slices.IndexFunc(a.scores, func(s fwk.NodePluginScores) bool { return s.Name == node.Name })
		if of < 0 {
			continue
		}
		decided.Total = a.scores[of].TotalScore
		for _, plugin := range a.ListPlugins().Score.Enabled {
			score := spec.Score{Skipped: true}
			for _, given := range a.scores[of].Scores {
				if given.Name == plugin.Name {
					score = spec.Score{Value: given.Score}
				}
			}
			decided.Scores = append(decided.Scores, score)
		}
	}
}

// conclude notes the outcome.
func (a *account) conclude(w *Whole) error {
	index := func(name string) int {
		return slices.IndexFunc(a.question.Snapshot.Nodes, func(n *v1.Node) bool { return n.Name == name })
	}
	outcome := spec.Outcome{Type: spec.Wait, Node: -1}
	switch {
	case a.chosen != "":
		outcome = spec.Outcome{Type: spec.Bind, Node: index(a.chosen)}
	case w.failed == nil:
		return errors.New("the cycle ended without an answer")
	case errors.Is(w.failed.AsError(), kubescheduler.ErrNoNodesAvailable):
		a.decision.Message = w.failed.AsError().Error()
	case a.decision.Message == "":
		return w.failed.AsError()
	case w.nominating.Mode() != fwk.ModeOverride:
		outcome.KeepsNomination = a.question.Pod.Status.NominatedNodeName != ""
	case w.nominating.NominatedNodeName != "":
		outcome = spec.Outcome{Type: spec.Preempt, Node: index(w.nominating.NominatedNodeName)}
	}
	if a.preemption != nil {
		for _, found := range a.preemption.found {
			victims := a.victims(found.victims.Pods)
			a.decision.Candidates = append(a.decision.Candidates, spec.Candidate{Node: index(found.node), Victims: victims})
			if outcome.Type == spec.Preempt && found.node == w.nominating.NominatedNodeName {
				outcome.Victims = victims
			}
		}
		slices.SortFunc(a.decision.Candidates, func(x, y spec.Candidate) int { return cmp.Compare(x.Node, y.Node) })
	}
	if len(deletedAsVictims(outcome.Victims)) > 0 {
		a.preemption.await()
	}
	a.decision.Outcomes = []spec.Outcome{outcome}
	return nil
}

// victims returns the victims in the question's order.
func (a *account) victims(pods []*v1.Pod) []*v1.Pod {
	victims := []*v1.Pod{}
	for _, pod := range a.question.Snapshot.Pods {
		if slices.Contains(pods, pod) {
			victims = append(victims, pod)
		}
	}
	return victims
}
