package production

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// PluginFactory makes a scheduler plugin: what kube-scheduler's app.WithPlugin takes.
type PluginFactory = frameworkruntime.PluginFactory

// Options are what New may be told besides the configuration. The zero value is kube-scheduler as
// released.
type Options struct {
	// Registry has plugin factories by plugin name, to be added to the in-tree ones or put in their place:
	// for authors of plugins, and for tests with a planted bug. It is used again whenever the
	// framework is built anew, after a panic or a hang.
	Registry frameworkruntime.Registry
	// HangAfter is how long a decision may take before it counts as hanging; 0 means 30 seconds. From 1,000 nodes and
	// pods on it is 2 ms more for each.
	HangAfter time.Duration
	// Messages has decisions tell also why, in kube-scheduler's own words: spec.Decision.Message and the Reasons of
	// nodes. They are left out otherwise, as nothing compares them and they cost time.
	Messages bool
	// Starts say where searches begin that end before all nodes are looked at. If nobody says so (nil), a decision that
	// depends on it is a Failure.
	Starts *Starts
}

// Scheduler is kube-scheduler with one profile. It is not for concurrent use; each worker has its own, and
// any number of them work side by side in one process.
type Scheduler struct {
	ctx      context.Context
	cancel   context.CancelFunc
	profile  *config.KubeSchedulerProfile
	profiles []string // scheduler names of the whole configuration
	registry frameworkruntime.Registry
	messages bool
	starts   *Starts
	host     *host
	spent    time.Duration

	// worker takes the decisions; nil after a panic or a hang, until the next question.
	worker *worker
}

// New builds the scheduler that runs the profile with the given name. An unknown name, or a profile that
// kube-scheduler would not start with, is an error. Cancelling the context is as good as Close.
//
// It counts in Kubernetes' process-wide scheduler metrics, as kube-scheduler does, and logs nothing, except
// that klog reports internal errors of evictions by its own defaults.
func New(ctx context.Context, cfg *Config, schedulerName string, opts Options) (*Scheduler, error) {
	profile, err := cfg.profile(schedulerName)
	if err != nil {
		return nil, err
	}
	s := &Scheduler{
		profile:  profile,
		profiles: cfg.Profiles(),
		registry: opts.Registry,
		messages: opts.Messages,
		starts:   opts.Starts,
		host:     &host{ctx: ctx, patience: opts.HangAfter},
	}
	if s.host.patience == 0 {
		s.host.patience = 30 * time.Second
	}
	s.ctx, s.cancel = context.WithCancel(ctx)
	if s.worker, err = s.newWorker(); err != nil {
		s.cancel()
		return nil, err
	}
	return s, nil
}

// Spec returns the profile the scheduler runs, plugins of Options.Registry included, in the terms of
// the formal model.
func (s *Scheduler) Spec() (*spec.Profile, error) {
	if err := s.ready(); err != nil {
		return nil, err
	}
	return s.worker.engine.spec(), nil
}

// Decide asks where the pod should go. The answer depends on nothing but the question; see the package
// comment for what callers guarantee about its objects. A panic, a hang or the end of the goroutine inside production
// gives a decision with a Failure, after which the next question meets a framework built anew.
func (s *Scheduler) Decide(q spec.Question) *spec.Decision {
	if err := s.ready(); err != nil {
		return &spec.Decision{Failure: err.Error()}
	}
	var a reply
	asked := s.worker
	patience := s.patience(q)
	finished := s.host.do(patience, func() { a = asked.reply(q) })
	switch {
	case finished:
		s.spent += a.spent
		if a.panicked {
			s.retire()
		}
		return a.decision
	case asked.ended.Load() != nil:
		s.retire()
		return &spec.Decision{Failure: "goexit: runtime.Goexit, in " + *asked.ended.Load()}
	case s.ctx.Err() != nil || s.host.ctx.Err() != nil: // that of the host ends first
		s.retire()
		return &spec.Decision{Failure: errClosed.Error()}
	default:
		s.retire()
		s.spent += patience
		return &spec.Decision{Failure: fmt.Sprintf("hang: no answer within %v", patience)}
	}
}

// patience is how long the decision may take: HangAfter, and longer where the snapshot is large.
func (s *Scheduler) patience(q spec.Question) time.Duration {
	const small, each = 1000, 2 * time.Millisecond
	objects := len(q.Snapshot.Nodes) + len(q.Snapshot.Pods)
	return s.host.patience + time.Duration(max(0, objects-small))*each
}

// Run does the work, in which decisions cost less: handing a question over takes no time to speak of. The work is
// done on another goroutine. It must neither panic nor call Run.
func (s *Scheduler) Run(work func()) { s.host.run(work) }

// Spent is how long kube-scheduler was at work on all questions so far. To hand a question over to it, to take the
// answer, and to look whether it has changed all objects of a question does not count.
func (s *Scheduler) Spent() time.Duration { return s.spent }

// Forget lets go of what is kept of the snapshots so far, to decide sooner about the same objects, and empties what the
// plugins keep of them. It is for questions that have none in common: up to 16,384 nodes with all their pods would be
// kept for nothing.
func (s *Scheduler) Forget() {
	if s.worker == nil {
		return
	}
	e := s.worker.engine
	e.snapshot.known.forget()
	e.untouched = untouched{}
	let := false
	defer func() {
		if recover() != nil || !let { // a handler of a plugin that cannot let go of an object
			s.retire()
		}
	}()
	let = e.objects.set(&spec.Snapshot{}, 0) == nil
}

// Close ends what runs in the background, and closes plugins that can be closed; the error is theirs. Decide
// gives a Failure from then on.
func (s *Scheduler) Close() error {
	var err error
	if s.worker != nil {
		err = s.worker.engine.framework.Close()
	}
	s.retire()
	s.cancel()
	return err
}

var errClosed = errors.New("the scheduler is closed; ask before Close and before the context given to New is cancelled")

// ready sees to it that there is a worker.
func (s *Scheduler) ready() error {
	if s.ctx.Err() != nil {
		return errClosed
	}
	if s.worker != nil {
		return nil
	}
	var err error
	if s.worker, err = s.newWorker(); err != nil {
		return fmt.Errorf("building the framework anew: %w", err)
	}
	return nil
}

// retire lets go of the worker and cancels its context. One that hangs all the same is left behind with its
// framework.
func (s *Scheduler) retire() {
	if s.worker != nil {
		s.worker.cancel()
		s.worker = nil
	}
}

// worker takes decisions.
type worker struct {
	engine *engine
	cancel context.CancelFunc
	// ended names the function that ended the goroutine of a decision.
	ended atomic.Pointer[string]
}

type reply struct {
	decision *spec.Decision
	panicked bool
	spent    time.Duration
}

func (s *Scheduler) newWorker() (*worker, error) {
	ctx, cancel := context.WithCancel(s.ctx)
	e, err := newEngine(ctx, s.profile.DeepCopy(), s.registry)
	if err != nil {
		cancel()
		return nil, err
	}
	e.nominator.profiles, e.messages, e.starts = s.profiles, s.messages, s.starts
	return &worker{engine: e, cancel: cancel}, nil
}

// reply takes one decision and turns a panic into a Failure.
func (w *worker) reply(q spec.Question) (a reply) {
	began, looked := time.Now(), w.engine.untouched.took
	defer func() {
		r := recover()
		if r == nil && a.decision == nil {
			ended := panicFrame()
			w.ended.Store(&ended)
		}
		if r != nil {
			a = reply{
				decision: &spec.Decision{Failure: fmt.Sprintf("panic: %v, in %s", r, panicFrame())},
				panicked: true,
			}
		}
		a.spent = time.Since(began) - (w.engine.untouched.took - looked)
	}()
	return reply{decision: w.engine.decide(q)}
}

// panicFrame names the function that panicked, or ended its goroutine, perhaps by t.FailNow or t.Fatal. It is for a
// deferred function that recovered.
func panicFrame() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs)])
	panicked := false
	for {
		frame, more := frames.Next()
		inRuntime := strings.HasPrefix(frame.Function, "runtime.") || strings.HasPrefix(frame.Function, "testing.")
		if panicked && !inRuntime {
			return fmt.Sprintf("%s (%s:%d)", frame.Function, filepath.Base(frame.File), frame.Line)
		}
		panicked = panicked || frame.Function == "runtime.gopanic" || frame.Function == "runtime.Goexit"
		if !more {
			return "an unknown function"
		}
	}
}
