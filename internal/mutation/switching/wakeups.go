package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
)

// wakeUps tries the faults at the runs of events that let pods of the themes of single decisions be placed.
func (t *trial) wakeUps(ctx context.Context, o scope) error {
	for i, name := range scenario.ThemeNames() {
		if i < o.from || len(o.only) > 0 && !slices.Contains(o.only, name) {
			continue
		}
		t.begin(i, name)
		s, err := scenario.WakingTheme(name, admission.Admit)
		if err != nil {
			return err
		}
		subject, err := t.subject(ctx, s, asItIs)
		if err != nil {
			return fmt.Errorf("theme %s: %w", name, err)
		}
		for _, pod := range s.Templates.Pods {
			pod.Spec.SchedulerName = subject.Model.Profile.SchedulerName
		}
		runs := loop.NewRuns(subject)
		for n, one := range loop.Waking(subject.Model, s.Templates, s.Pinned) {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err := t.run(func() ([]loop.Breach, error) { return runs.Waking(one) }); err != nil {
				return fmt.Errorf("theme %s, run %d: %w", name, n, err)
			}
		}
	}
	return nil
}
