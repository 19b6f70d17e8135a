package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
)

// The budgets that are taken if nobody says how much: for the cluster of -f, and for themes that would take more memory
// than there is.
const (
	defaultBudget = time.Minute
	themesBudget  = 10 * time.Minute
)

// parseBudget reads what --budget says: a time, a number of states, or none.
func parseBudget(text string) (decisions.Budget, error) {
	if text == "none" {
		return decisions.Budget{}, nil
	}
	if states, err := strconv.ParseInt(text, 10, 64); err == nil && states > 0 {
		return decisions.Budget{States: states}, nil
	}
	if lasts, err := time.ParseDuration(text); err == nil && lasts > 0 {
		return decisions.Budget{For: lasts}, nil
	}
	return decisions.Budget{}, usage("--budget is %q: it must be a time such as 5m, a number of states such as 200000, "+
		"or none", text)
}

// explore explores what was prepared, as far as its budget goes.
func (p *prepared) explore(ctx context.Context, o *options) (*decisions.Conclusion, error) {
	budget, err := parseBudget(o.budget)
	if err != nil {
		return nil, err
	}
	whole := p.dir != nil || p.in.scenario != nil
	switch {
	case p.in.given != nil && !whole:
		if !o.given("budget") {
			budget = decisions.Budget{For: defaultBudget}
		}
		p.progress.begin(exploring())
		conclusion, err := p.RunWithin(ctx, budget, o.seed)
		if err == nil && p.Unencodable != nil {
			p.in.notes = append(p.in.notes, fmt.Sprintf("its states are not explored, only decisions: %v", p.Unencodable))
		}
		return conclusion, err
	case whole && !o.given("budget"):
		return p.Run(ctx)
	case !o.given("budget"):
		large := p.Fits(p.All())
		if large == nil {
			return p.Run(ctx)
		}
		p.in.notes = append(p.in.notes, fmt.Sprintf("%v: it is explored as far as %v and the memory go (--budget, "+
			"--memory)", large, themesBudget))
		budget.For = themesBudget
	}
	if p.Options.MaxStates == 0 || budget.States > 0 && budget.States < p.Options.MaxStates {
		p.Options.MaxStates = budget.States
	}
	if budget.For > 0 {
		var end context.CancelFunc
		ctx, end = context.WithTimeout(ctx, budget.For)
		defer end()
	}
	return p.Run(ctx)
}
