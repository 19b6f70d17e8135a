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

// resultChecker checks chunk results that were read from a file.
type resultChecker struct {
	spec       *spec.Scheduler
	properties []invariants.Property
}

// check returns what is wrong with a chunk result that was read of a chunk of the scenario. All that is an index is
// within what it is an index of, and all that is looked up by its name is there, so that a file nobody wrote does no
// worse than to be refused. That the steps of its traces can be taken is found out where they are given names.
func (r *resultChecker) check(scenario *model.Scenario, chunk *Chunk, c *ChunkResult) error {
	if err := c.Validate(); err != nil {
		return err
	}
	all := pluginsOf(r.spec)
	for i := range c.Stats {
		if err := r.checkStats(all, &c.Stats[i]); err != nil {
			return fmt.Errorf("its stats %d %w", i, err)
		}
	}
	if err := checkExplored(c.Explored); err != nil {
		return err
	}
	machine, err := model.NewMachine(scenario, model.NewCatalog())
	if err != nil {
		return err
	}
	initial := map[string]bool{}
	machine.InitialOf(chunk.Initial, func(state []byte) { initial[string(state)] = true })
	for i := range c.Explored.Findings {
		if err := r.checkFinding(machine.Width(), initial, &c.Explored.Findings[i]); err != nil {
			return fmt.Errorf("its finding %q %w", c.Explored.Findings[i].Key, err)
		}
	}
	return nil
}

func (r *resultChecker) checkStats(all plugins, s *Stats) error {
	for _, list := range []struct {
		what    string
		indices []int
		of      int
	}{
		{"property", s.Exercised, len(r.properties)},
		{"score plugin", s.Told, len(all.scorePlugins)},
		{"outcome", []int{max(s.Outcome, 0)}, len(totals{}.outcomes)},
	} {
		for _, i := range list.indices {
			if i < 0 || i >= list.of {
				return fmt.Errorf("has %s %d, of %d", list.what, i, list.of)
			}
		}
	}
	if s.Outcome < -1 {
		return fmt.Errorf("has outcome %d, and none is -1", s.Outcome)
	}
	if len(s.Statuses) > len(all.filters) {
		return fmt.Errorf("has statuses of %d filters, of %d", len(s.Statuses), len(all.filters))
	}
	for _, joined := range slices.Concat(s.Findings, s.Breaks) {
		if _, err := r.propertyOf(joined); err != nil {
			return fmt.Errorf("names %q, which %w", joined, err)
		}
	}
	return nil
}

func checkExplored(explored *checker.Result) error {
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
func (r *resultChecker) propertyOf(joined string) (*invariants.Property, error) {
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
		return nil, errors.New("is of a property of behaviours, which no chunk has")
	case !slices.Contains([]Class{New, byQuirks, ByDesign, Witness}, key.class):
		return nil, fmt.Errorf("is of no class that there is: %q", key.class)
	case key.class == byQuirks && key.quirks != property.Erratum && !r.explains(key.quirks):
		return nil, fmt.Errorf("is explained by what is no known defect: %q", key.quirks)
	}
	return property, nil
}

// explains reports whether all the names are those of quirks.
func (r *resultChecker) explains(names string) bool {
	explanations := r.spec.Explanations()
	return !slices.ContainsFunc(strings.Split(names, "+"), func(name string) bool {
		return !slices.ContainsFunc(explanations, func(q spec.Quirk) bool { return q.Name == name })
	})
}

func (r *resultChecker) checkFinding(width int, initial map[string]bool, f *checker.Finding) error {
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

// blame names the file of the kept chunk result that a finding is from, if there is one: what is wrong with a trace
// shows when it is given names.
func blame(kept ChunkResults, chunks int, found *checker.Finding, wrong error) error {
	if kept == nil {
		return wrong
	}
	same := func(f checker.Finding) bool { return reflect.DeepEqual(f, *found) }
	for i := range chunks {
		_, err := kept.Get(i, func(c *ChunkResult) error {
			if slices.ContainsFunc(c.Explored.Findings, same) {
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
