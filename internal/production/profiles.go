package production

import (
	"context"
	"errors"
	"time"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Profiles is one kube-scheduler with all profiles of its configuration: each pod is asked about under the profile
// that its spec.schedulerName names. It is not for concurrent use; each worker has its own.
type Profiles struct {
	// main is asked about pods that no profile is for.
	main   *Scheduler
	others map[string]*Scheduler
}

// NewProfiles builds the scheduler. Pods of no profile are asked about as if one more kube-scheduler ran the
// profile with the given name. An unknown name, or a profile that kube-scheduler would not start with, is an error.
// See New for the rest.
func NewProfiles(ctx context.Context, cfg *Config, schedulerName string, opts Options) (*Profiles, error) {
	main, err := New(ctx, cfg, schedulerName, opts)
	if err != nil {
		return nil, err
	}
	p := &Profiles{main: main, others: map[string]*Scheduler{}}
	for _, name := range cfg.Profiles() {
		if name == schedulerName {
			continue
		}
		if p.others[name], err = New(ctx, cfg, name, opts); err != nil {
			delete(p.others, name)
			return nil, errors.Join(err, p.Close())
		}
		p.others[name].host = main.host
	}
	return p, nil
}

// under returns the scheduler that runs the pod's profile.
func (p *Profiles) under(pod *v1.Pod) *Scheduler {
	if other := p.others[pod.Spec.SchedulerName]; other != nil {
		return other
	}
	return p.main
}

// Decide asks where the pod should go, as Scheduler.Decide does.
func (p *Profiles) Decide(q spec.Question) *spec.Decision { return p.under(q.Pod).Decide(q) }

// Run does the work, in which decisions cost less, as Scheduler.Run does.
func (p *Profiles) Run(work func()) { p.main.Run(work) }

// Spent is how long kube-scheduler was at work, under all profiles, as Scheduler.Spent is.
func (p *Profiles) Spent() time.Duration {
	spent := p.main.Spent()
	for _, other := range p.others {
		spent += other.Spent()
	}
	return spent
}

// Increment asks the filters about a pod that comes or goes, as Scheduler.Increment does.
func (p *Profiles) Increment(q spec.Question, pod *v1.Pod) (*spec.Increment, error) {
	return p.under(q.Pod).Increment(q, pod)
}

// Forget lets go of what is kept of the snapshots so far, as Scheduler.Forget does.
func (p *Profiles) Forget() {
	p.main.Forget()
	for _, other := range p.others {
		other.Forget()
	}
}

// Close ends what runs in the background, as Scheduler.Close does.
func (p *Profiles) Close() error {
	errs := []error{p.main.Close()}
	for _, other := range p.others {
		errs = append(errs, other.Close())
	}
	return errors.Join(errs...)
}
