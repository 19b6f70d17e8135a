package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// mostAsked is how many pods of a repository are asked about.
const mostAsked = 25

// ask asks about the first pending pods of a cluster, each by itself, by the default configuration as modelcheck
// explain does, and sums up what is said.
func ask(m *scenario.Manifests) string {
	snapshot := m.Snapshot()
	pending := spec.Unbound(snapshot)
	if len(pending) == 0 {
		return "no pod to ask about"
	}
	config, err := production.DefaultConfig()
	if err != nil {
		return "kube-scheduler: " + err.Error()
	}
	name := config.Profiles()[0]
	profile, err := config.Spec(name)
	if err != nil {
		return "kube-scheduler: " + err.Error()
	}
	options := production.Options{Starts: &production.Starts{}}
	decider, err := production.NewProfiles(context.Background(), config, name, options)
	if err != nil {
		return "kube-scheduler: " + err.Error()
	}
	defer decider.Close()
	model := spec.New(profile)
	outcomes, classes := map[spec.OutcomeType]int{}, map[decisions.Class]int{}
	asked := pending[:min(len(pending), mostAsked)]
	session := decisions.NewSession(model, nil, decider)
	for _, pod := range asked {
		answer, findings := session.Ask(spec.Question{Pod: pod, Snapshot: snapshot})
		if len(answer.Decision.Outcomes) > 0 {
			outcomes[answer.Decision.Outcomes[0].Type]++
		}
		for _, finding := range findings {
			classes[finding.Class]++
		}
	}
	var parts []string
	for _, o := range []spec.OutcomeType{spec.Bind, spec.Preempt, spec.Wait} {
		if outcomes[o] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", outcomes[o], o))
		}
	}
	text := fmt.Sprintf("of %d pods asked %s", len(asked), strings.Join(parts, ", "))
	if classes[decisions.New] > 0 {
		return fmt.Sprintf("%s; %d findings are new", text, classes[decisions.New])
	}
	if n := len(classes); n > 0 {
		return text + "; differences are known ones"
	}
	return text + "; as documented"
}
