package decisions

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// valid tells what is wrong with a piece that was read of a part. All that is an index is within what it is an
// index of, and all that is looked up by its name is there, so that a file nobody wrote does no worse than to be
// refused. That the steps of its traces can be taken is found out where they are given names.
func (r *run) valid(chunk int, p *ChunkResult) error {
	if err := p.Validate(); err != nil {
		return err
	}
	all := pluginsOf(r.options.Spec)
	for i := range p.Stats {
		if err := r.validStats(all, &p.Stats[i]); err != nil {
			return fmt.Errorf("its account %d %w", i, err)
		}
	}
	if err := validExplored(p.Explored); err != nil {
		return err
	}
	machine, err := model.NewMachine(r.scenarios[r.chunks[chunk].Scenario], model.NewCatalog())
	if err != nil {
		return err
	}
	initial := map[string]bool{}
	machine.InitialOf(r.chunks[chunk].Initial, func(state []byte) { initial[string(state)] = true })
	for i := range p.Explored.Findings {
		if err := r.validFinding(machine.Width(), initial, &p.Explored.Findings[i]); err != nil {
			return fmt.Errorf("its finding %q %w", p.Explored.Findings[i].Key, err)
		}
	}
	return nil
}

func (r *run) validStats(all plugins, a *Stats) error {
	for _, list := range []struct {
		what    string
		indices []int
		of      int
	}{
		{"property", a.Exercised, len(r.properties)},
		{"score plugin", a.Told, len(all.scorePlugins)},
		{"outcome", []int{max(a.Outcome, 0)}, len(totals{}.outcomes)},
	} {
		for _, i := range list.indices {
			if i < 0 || i >= list.of {
				return fmt.Errorf("has %s %d, of %d", list.what, i, list.of)
			}
		}
	}
	if a.Outcome < -1 {
		return fmt.Errorf("has outcome %d, and none is -1", a.Outcome)
	}
	if len(a.Statuses) > len(all.filters) {
		return fmt.Errorf("has verdicts of %d filters, of %d", len(a.Statuses), len(all.filters))
	}
	for _, joined := range slices.Concat(a.Findings, a.Breaks) {
		if _, err := r.propertyOf(joined); err != nil {
			return fmt.Errorf("names %q, which %w", joined, err)
		}
	}
	return nil
}

func validExplored(explored *checker.Result) error {
	switch {
	case explored.Stopped > checker.IndexLimit || explored.Complete != (explored.Stopped == checker.NotStopped):
		return fmt.Errorf("it says both that every state was explored, %t, and why not, reason %d", explored.Complete,
			explored.Stopped)
	case explored.Depth != len(explored.Levels):
		return fmt.Errorf("it has the states of %d levels, of %d", len(explored.Levels), explored.Depth)
	}
	return nil
}

// propertyOf finds the property that the key of a sort of findings is of.
func (r *run) propertyOf(joined string) (*invariants.Property, error) {
	if n := strings.Count(joined, "/"); n != 3 {
		return nil, fmt.Errorf("has %d parts, not 4", n+1)
	}
	key := parseKey(joined)
	i := slices.IndexFunc(r.properties, func(p invariants.Property) bool { return p.Name == key.property })
	if i < 0 {
		return nil, errors.New("is of no property that is checked")
	}
	property := &r.properties[i]
	switch {
	case property.Behaviour != nil:
		return nil, errors.New("is of a property of behaviours, which no part has")
	case key.class.rank() < 0:
		return nil, fmt.Errorf("is of no class that there is: %q", key.class)
	case key.class == Known && key.quirks != property.Erratum && !r.explains(key.quirks):
		return nil, fmt.Errorf("is explained by what is no known defect: %q", key.quirks)
	}
	return property, nil
}

// explains reports whether all the names are those of quirks.
func (r *run) explains(names string) bool {
	explanations := r.options.Spec.Explanations()
	return !slices.ContainsFunc(strings.Split(names, "+"), func(name string) bool {
		return !slices.ContainsFunc(explanations, func(q spec.Quirk) bool { return q.Name == name })
	})
}

func (r *run) validFinding(width int, initial map[string]bool, f *checker.Finding) error {
	property, err := r.propertyOf(f.Key)
	if err != nil {
		return err
	}
	steps := f.Trace.Steps
	switch {
	case f.Depth != len(steps):
		return fmt.Errorf("has a trace of %d steps, of %d", len(steps), f.Depth)
	case len(steps) == 0 && (f.OnStep || property.Step != nil):
		return errors.New("is on a step, and its trace has none")
	case !initial[string(f.Trace.Initial)]:
		return fmt.Errorf("begins in %x, which is no initial state", f.Trace.Initial)
	}
	for i, step := range steps {
		if len(step.State) != width {
			return fmt.Errorf("has a state of %d bytes, not %d, after step %d", len(step.State), width, i+1)
		}
	}
	return nil
}

// blame names the file of the kept piece that a finding is from, if there is one: what is wrong with a trace shows
// when it is given names.
func (r *run) blame(found *checker.Finding, wrong error) error {
	if r.options.Kept == nil {
		return wrong
	}
	for i := range r.chunks {
		_, err := r.options.Kept.Get(i, func(p *ChunkResult) error {
			if slices.ContainsFunc(
				p.Explored.Findings,
				func(f checker.Finding) bool { return reflect.DeepEqual(f, *found) },
			) {
				return wrong
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return wrong
}
