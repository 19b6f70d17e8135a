package decisions_test

import (
	"context"
	"fmt"
	"log"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Every cluster of a theme with one node, to which two pods come, against kube-scheduler with its default
// configuration.
func ExampleRun() {
	ctx := context.Background()
	cfg, err := production.DefaultConfig()
	if err != nil {
		log.Fatal(err)
	}
	profile, err := cfg.Spec(v1.DefaultSchedulerName)
	if err != nil {
		log.Fatal(err)
	}
	theme, err := scenario.Theme("taints", 1, model.Actions{Arrivals: 2, Preempt: true, VictimGone: true},
		admission.Admit)
	if err != nil {
		log.Fatal(err)
	}
	result, err := decisions.Run(ctx, []*model.Scenario{theme}, decisions.Options{
		Spec: spec.New(profile),
		NewDecider: func() (decisions.Decider, error) {
			return production.New(ctx, cfg, v1.DefaultSchedulerName, production.Options{})
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range result.Properties {
		if p.Name == "statuses-conform" {
			fmt.Println(p.Name, p.Verdict())
		}
	}
	fmt.Println("complete:", result.Complete, "findings:", len(result.Findings))
	// Output:
	// statuses-conform holds
	// complete: true findings: 0
}
