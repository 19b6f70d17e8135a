package loop

import (
	"strings"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// led repeats the run of the finding, and says of each action what it led to.
func (e *explorer) led(f *Finding) ([]string, error) {
	system, err := e.in(f.Scope).Start(f.Initial)
	if err != nil {
		return nil, err
	}
	defer system.Close()
	var led []string
	before := system.State()
	for _, action := range f.Trace {
		taken, err := e.take(f.Scope, system, before, action)
		if err != nil {
			return nil, err
		}
		led = append(led, taken.ledTo())
		before = taken.After
	}
	return led, nil
}

// ledTo says what became of the pod that the scheduler took; "" if it took none that is still there.
func (t *Transition) ledTo() string {
	key, view := t.Step.Popped, t.Before.View()
	pod := in(view, key)
	if pod == nil || t.After.Panicked != "" || t.After.Pod(key) == nil {
		return ""
	}
	o := t.outcome(pod, view)
	node := func() string {
		if o.Node < 0 {
			return "a node that is not there"
		}
		return view.Nodes[o.Node].Name
	}
	q, _ := t.After.Queued(key)
	switch {
	case o.Type == spec.Bind && q.Waits:
		return key + " is to be bound to " + node() + ", and waits"
	case o.Type == spec.Bind:
		return key + " is bound to " + node()
	case o.Type == spec.Preempt && len(o.Victims) == 0:
		return key + " stays pending, nominated to " + node()
	case o.Type == spec.Preempt:
		var victims []string
		for _, victim := range o.Victims {
			victims = append(victims, Key(victim))
		}
		return key + " is nominated to " + node() + ", evicting " + strings.Join(victims, ", ")
	case o.KeepsNomination:
		return key + " stays pending, nominated to " + t.After.Pod(key).Status.NominatedNodeName
	}
	return key + " stays pending"
}
