package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
	"sync"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// crosscheck puts questions that go to the driven cycle also to kube-scheduler as a whole.
type crosscheck struct {
	// oneIn draws one question of so many, by what it says.
	oneIn uint64
	// compared is told of each question that both were asked, of one at a time.
	compared func(q spec.Question, driven, whole *spec.Decision)

	mu sync.Mutex
	// seen counts the questions that the driven cycle was asked, and foreign those drawn and left out, as no profile
	// is for the pod; chance counts those of which kube-scheduler as a whole leaves to chance where it begins to look.
	seen, foreign, chance int
	// asked has the questions that both were asked.
	asked map[[sha256.Size]byte]bool
}

// explore goes through the scenarios, and cross-checks on the way.
func (c *crosscheck) explore(ctx context.Context, scenarios []*model.Scenario, workers int) (*decisions.Result, error) {
	// That of the themes has the default profile and those that some themes' pods ask for.
	configuration, at, err := scenario.ThemeConfiguration(scenario.ThemeNames(), admission.Admit)
	if err != nil {
		return nil, err
	}
	config, err := production.LoadConfig(at.String(), configuration)
	if err != nil {
		return nil, err
	}
	profile, err := config.Spec(config.Profiles()[0])
	if err != nil {
		return nil, err
	}
	return decisions.Run(ctx, scenarios, decisions.Options{
		Spec:       spec.New(profile),
		NewDecider: func() (decisions.Decider, error) { return c.decider(ctx, config) },
		Workers:    workers,
	})
}

// decider returns the driven cycle, with kube-scheduler as a whole beside it.
func (c *crosscheck) decider(ctx context.Context, config *production.Config) (decisions.Decider, error) {
	whole, err := production.NewWhole(ctx, config)
	if err != nil {
		return nil, err
	}
	options := production.Options{Messages: true, Starts: &production.Starts{}}
	driven, err := production.NewProfiles(ctx, config, config.Profiles()[0], options)
	if err != nil {
		return nil, errors.Join(err, whole.Close())
	}
	return &both{driven, whole, c}, nil
}

// both is a decider: what the driven cycle says counts.
type both struct {
	*production.Profiles
	whole *production.Whole
	check *crosscheck
}

// Decide implements decisions.Decider.
func (b *both) Decide(q spec.Question) *spec.Decision {
	driven := b.Profiles.Decide(q)
	if strings.HasPrefix(driven.Failure, "panic: ") {
		return driven // kube-scheduler as a whole would panic on a goroutine of its own, which ends the process
	}
	if driven.Shortlist != nil {
		b.check.mu.Lock()
		defer b.check.mu.Unlock()
		b.check.chance++
		return driven
	}
	if b.check.draws(q, b.whole.Runs(q.Pod)) {
		whole := b.whole.Decide(q)
		b.check.mu.Lock()
		defer b.check.mu.Unlock()
		b.check.compared(q, driven, whole)
	}
	return driven
}

// Close implements decisions.Decider.
func (b *both) Close() error { return errors.Join(b.Profiles.Close(), b.whole.Close()) }

// draws reports whether the question is to be put to both: it is drawn, by who is where, and was not asked before.
func (c *crosscheck) draws(q spec.Question, runs bool) bool {
	hash := fnv.New64a()
	fmt.Fprint(hash, words(q))
	drawn := hash.Sum64()%c.oneIn == 0
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen++
	switch {
	case !drawn:
		return false
	case !runs:
		c.foreign++
		return false
	}
	text, err := json.Marshal([]any{q.Pod, q.Snapshot})
	if err != nil {
		panic(fmt.Sprintf("wholecycle: a question cannot be written: %v", err)) // API objects always can
	}
	key := sha256.Sum256(text)
	before := c.asked[key]
	if c.asked == nil {
		c.asked = map[[sha256.Size]byte]bool{}
	}
	c.asked[key] = true
	return !before
}

// words says in a line who asks and who is where.
func words(q spec.Question) string {
	var b strings.Builder
	fmt.Fprintf(&b, "pod %s; nodes", q.Pod.Name)
	for _, node := range q.Snapshot.Nodes {
		fmt.Fprintf(&b, " %s", node.Name)
	}
	b.WriteString("; pods")
	for _, pod := range q.Snapshot.Pods {
		fmt.Fprintf(&b, " %s/%s", pod.Namespace, pod.Name)
		if pod.Spec.NodeName != "" {
			fmt.Fprintf(&b, " on %s", pod.Spec.NodeName)
		}
		if pod.Status.NominatedNodeName != "" {
			fmt.Fprintf(&b, " nominated to %s", pod.Status.NominatedNodeName)
		}
		if pod.DeletionTimestamp != nil {
			b.WriteString(" terminating")
		}
		b.WriteByte(',')
	}
	return strings.TrimSuffix(b.String(), ",")
}
