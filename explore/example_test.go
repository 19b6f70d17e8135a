package explore_test

import (
	"context"
	"fmt"
	"log"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/explore"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/production"
	"github.com/seed-a3f26817/modelcheck/production/admission"
	"github.com/seed-a3f26817/modelcheck/scenario"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Every cluster of a theme with one node, to which two pods come, against kube-scheduler with its default configuration.
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
	theme, err := scenario.Theme("taints", 1, model.Actions{Arrivals: 2, Preempt: true, VictimGone: true}, admission.Admit)
	if err != nil {
		log.Fatal(err)
	}
	result, err := explore.Run(ctx, []*model.Scenario{theme}, explore.Options{
		Spec: spec.New(profile),
		NewDecider: func() (explore.Decider, error) {
			return production.New(ctx, cfg, v1.DefaultSchedulerName, production.Options{})
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range result.Properties {
		if p.Name == "verdicts-conform" {
			fmt.Println(p.Name, p.Verdict())
		}
	}
	fmt.Println("complete:", result.Complete, "findings:", len(result.Findings))
	// Output:
	// verdicts-conform holds
	// complete: true findings: 0
}
