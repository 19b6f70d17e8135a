package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-a3f26817/modelcheck/controlplane/plane"
	"github.com/seed-a3f26817/modelcheck/internal/deviations"
	"github.com/seed-a3f26817/modelcheck/internal/production"
)

// shown is a deviation that was tried on a control plane.
type shown interface {
	title() string
	// judged returns the verdict, and why it is that one; nothing if it is that the deviation is confirmed.
	judged() (deviations.PlaneVerdict, string)
	// seen says in a line what was to be seen.
	seen() string
	// transcript is what a reader needs to believe it. It is the same every time that the same happens.
	transcript() string
}

// confirmation is a deviation of a decision on a control plane, beside its control.
type confirmation struct {
	// name is that of the deviation, or of the file of a cluster of the user's, which stands alone, without a control.
	name  string
	alone bool
	// trial is the cluster that is to show it; control is nil if there is none.
	trial, control *trial
}

func (c *confirmation) try(ctx context.Context, p *plane.Plane, main, control *cluster) (err error) {
	if c.trial, err = try(ctx, p, main); err != nil || control == nil {
		return err
	}
	c.control, err = try(ctx, p, control)
	return err
}

func (c *confirmation) title() string { return c.name }

func (c *confirmation) judged() (deviations.PlaneVerdict, string) {
	t := c.trial
	switch {
	case t.refused != "":
		return deviations.NotReproducible, t.refused
	case !c.alone && !slices.Contains(t.expected.quirks, c.name):
		why := "it does not show in process in the cluster as the API server has it"
		if len(t.changed) > 0 {
			why += ", which makes otherwise: " + strings.Join(t.changed, ", ")
		}
		return deviations.NotReproducible, why
	case !t.expected.conclusive():
		return deviations.NotConclusive, "what kube-scheduler does here may be what the model says"
	case !slices.Contains(t.expected.production, t.seen.ending):
		return deviations.NotConfirmed, "something else happened than in process"
	case c.control == nil && c.alone:
		return deviations.Confirmed, ""
	case c.control == nil:
		return deviations.NotConclusive, "there is no control: add one to " + variantsFile(c.name)
	case c.control.refused != "":
		return deviations.NotConclusive, "the control cannot be had: " + c.control.refused
	case !c.control.expected.conforms():
		return deviations.NotConclusive, "in the control something is wrong, or chance decides"
	case !slices.Contains(c.control.expected.production, c.control.seen.ending):
		return deviations.NotConfirmed, "in the control something else happened than in process"
	}
	return deviations.Confirmed, ""
}

func (c *confirmation) seen() string {
	if c.trial.seen == nil {
		return ""
	}
	text := c.trial.seen.happened() + "; by the model " + strings.Join(c.trial.expected.documented, ", or ")
	switch {
	case len(c.trial.seen.victims) > 0 && c.trial.afterwards != "":
		text += "; once victims have ended, " + c.trial.afterwards
	case c.trial.afterwards != "":
		text += "; tried again at once, " + c.trial.afterwards
	}
	return text
}

func (c *confirmation) transcript() string {
	var b strings.Builder
	v, why := c.judged()
	if why != "" {
		why = ": " + why
	}
	fmt.Fprintf(&b, "%s, kube-scheduler %s: %s%s\n", c.name, production.KubernetesVersion, v, why)
	for _, line := range c.trial.cluster.doc {
		fmt.Fprintf(&b, "  %s\n", line)
	}
	c.trial.write(&b, "cluster")
	if c.control != nil {
		c.control.write(&b, "control")
	}
	return b.String()
}

// write adds the lines of a trial.
func (t *trial) write(b *strings.Builder, what string) {
	line := func(what, text string) { fmt.Fprintf(b, "  %-11s %s\n", what+":", text) }
	from := t.cluster.file
	if t.cluster.says != "" {
		from += ", but that " + t.cluster.says
	}
	if what == "control" {
		from = "the same, but that " + t.cluster.says
	}
	line(what, from)
	if t.expected != nil {
		line("in process", strings.Join(t.expected.production, ", or "))
		line("the model", strings.Join(t.expected.documented, ", or "))
	}
	if t.seen == nil {
		return
	}
	line("happened", t.seen.happened())
	if t.seen.message != "" {
		line("it says", t.seen.message)
	}
	switch {
	case len(t.seen.victims) > 0 && t.afterwards != "":
		line("then", "once "+strings.Join(t.seen.victims, ", ")+" has ended, "+t.afterwards)
	case t.afterwards != "":
		line("then", "tried again at once, "+t.afterwards)
	}
	if t.expected.message != "" && t.seen.message != "" && t.seen.message != t.expected.message {
		line("in process", t.expected.message)
	}
}
