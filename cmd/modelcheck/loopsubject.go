package main

import (
	"context"
	"errors"
	"sync"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// loopSubjects are the kube-schedulers that are stepped, by their configuration: that of the scope, if it has one, or
// else that of the files. Several may ask for them at the same time.
type loopSubjects struct {
	in      *input
	workers int

	mu   sync.Mutex
	made map[subjectKey]*loopSubject
}

// subjectKey is what tells one from the others: its configuration, and whether it looks at a sample of the nodes.
type subjectKey struct {
	configuration string
	sampled       bool
}

// loopSubject is one of them, with what answers single questions of it.
type loopSubject struct {
	starts func(context.Context, *spec.Snapshot, *loop.Scope) (loop.System, error)
	model  *spec.Scheduler
	alone  *production.Alone
}

// of returns what is run in the scope.
func (l *loopSubjects) of(ctx context.Context, scope *loop.Scope) (loop.Subject, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := subjectKey{string(scope.Configuration), scope.Sampled}
	s := l.made[key]
	if s == nil {
		var err error
		if s, err = l.with(ctx, scope.ConfigurationAt, scope.Configuration, scope.Sampled); err != nil {
			return loop.Subject{}, err
		}
		l.made[key] = s
	}
	start := func(initial *spec.Snapshot) (loop.System, error) {
		return s.starts(ctx, initial, scope)
	}
	return loop.Subject{Model: s.model, Start: start, Ask: s.alone.Decide, Ahead: goAhead}, nil
}

// with returns the subject with the configuration, if there is one.
func (l *loopSubjects) with(ctx context.Context, at string, text []byte, sampled bool) (*loopSubject, error) {
	cfg, err := production.LoadConfigOr(at, text, l.in.config)
	if err != nil {
		return nil, err
	}
	if text == nil {
		cfg = cfg.Only(l.in.profiles...)
	}
	all := cfg.TryingAll() // answers to single questions are about all nodes
	if !sampled {
		cfg = all
	}
	profile, err := cfg.Spec(cfg.Profiles()[0])
	if err != nil {
		return nil, usage("scheduler configuration %s: %w", l.in.source, err)
	}
	alone, err := production.NewAlone(ctx, all, l.workers)
	if err != nil {
		return nil, err
	}
	return &loopSubject{starter(cfg), spec.New(profile), alone}, nil
}

// close ends what answers questions.
func (l *loopSubjects) close() error {
	var err error
	for _, s := range l.made {
		err = errors.Join(err, s.alone.Close())
	}
	return err
}
