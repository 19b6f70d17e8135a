package page

import (
	"bytes"
	"context"
	"sync"
	"testing"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/report"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

func newDecider() (decisions.Decider, error) {
	config, err := production.DefaultConfig()
	if err != nil {
		return nil, err
	}
	return production.New(context.Background(), config, "default-scheduler", production.Options{})
}

// budgets is a run with findings: a preemption that does not conform, of several candidates.
var budgets = sync.OnceValues(func() (*report.Run, error) {
	return explored("budgets", model.Actions{Arrivals: 3, Preempt: true, VictimGone: true})
})

func explored(theme string, actions model.Actions) (*report.Run, error) {
	config, err := production.DefaultConfig()
	if err != nil {
		return nil, err
	}
	profile, err := config.Spec("default-scheduler")
	if err != nil {
		return nil, err
	}
	s, err := scenario.Theme(theme, 1, actions, admission.Admit)
	if err != nil {
		return nil, err
	}
	run := &report.Run{
		KubernetesVersion: production.KubernetesVersion, Spec: spec.NewReading(spec.Kubernetes, profile),
		Scope: report.Scope{Nodes: 1, Pods: actions.Arrivals}, Workers: 1,
	}
	run.Result, err = decisions.Run(context.Background(), []*model.Scenario{s},
		decisions.Options{Spec: run.Spec, NewDecider: newDecider, Workers: 1})
	return run, err
}

func budgetsRun(t testing.TB) *report.Run {
	t.Helper()
	run, err := budgets()
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// budgetsPage is the file of that run.
var budgetsPage = sync.OnceValues(func() ([]byte, error) {
	run, err := budgets()
	if err != nil {
		return nil, err
	}
	var page bytes.Buffer
	err = Write(&page, run, newDecider)
	return page.Bytes(), err
})

// budgetsData is what that file holds.
func budgetsData(t testing.TB) *Data {
	t.Helper()
	page, err := budgetsPage()
	if err != nil {
		t.Fatal(err)
	}
	data := &Data{}
	if err := Unpack(page, data); err != nil {
		t.Fatal(err)
	}
	return data
}
