package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-a3f26817/modelcheck/controlplane/plane"
	"github.com/seed-a3f26817/modelcheck/internal/deviations"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
)

// replayed is a deviation between decisions on a control plane, beside its control.
type replayed struct {
	entry  deviations.LoopEntry
	script *script
	// shown and control are nil if no run can be forced.
	shown, control *played
}

// loopEntriesNamed returns the deviations between decisions that the release has; all if none is named. Those whose
// names are not among them are left out.
func loopEntriesNamed(sources string, names []string) ([]*replayed, error) {
	var all []*replayed
	for _, entry := range deviations.LoopEntries() {
		if len(names) > 0 && !slices.Contains(names, entry.Defect.Name) ||
			!entry.Defect.In(production.KubernetesVersion) {
			continue
		}
		s, err := readScript(sources, entry.Defect.Name)
		if err != nil {
			return nil, err
		}
		if !entry.Defect.In(production.KubernetesVersion) {
			continue
		}
		all = append(all, &replayed{entry: entry, script: s})
	}
	return all, nil
}

func (r *replayed) try(ctx context.Context, p *plane.Plane) (err error) {
	if r.script.Unreachable+r.script.Untried != "" {
		return nil
	}
	theme, err := scenario.LoopTheme(r.entry.Theme, admission.Admit)
	if err != nil {
		return err
	}
	if r.shown, err = play(ctx, p, r.script, theme.Configuration); err != nil {
		return err
	}
	if r.script.Control != nil {
		r.control, err = play(ctx, p, r.script.Control, theme.Configuration)
	}
	return err
}

func (r *replayed) title() string { return r.entry.Defect.Name }

func (r *replayed) judged() (deviations.PlaneVerdict, string) {
	s := r.script
	switch {
	case s.Unreachable != "":
		return deviations.NotReproducible, s.Unreachable
	case s.Untried != "":
		return deviations.NotTried, s.Untried
	case !r.shown.asSaid() || !r.shown.shows():
		return deviations.NotConfirmed, "something else happened"
	case r.control == nil:
		return deviations.NotConclusive, "there is no control"
	case !r.control.asSaid() || s.signs != (signs{}) && r.control.shows():
		return deviations.NotConfirmed, "in the control something else happened"
	case r.control.then == r.shown.then && s.signs == (signs{}):
		return deviations.NotConclusive, "in the control the same happened"
	}
	return deviations.Confirmed, ""
}

func (r *replayed) seen() string {
	if r.shown == nil {
		return ""
	}
	text := r.shown.happened()
	if r.script.Again != "" {
		text += fmt.Sprintf(", for %s; created anew, %s", patienceFor, r.shown.anew())
	}
	if r.shown.logged != "" {
		text += fmt.Sprintf("; it logs %q", r.script.Logs)
	}
	if r.shown.dangles {
		text += fmt.Sprintf(", and names what is not there: %s", r.script.Dangles)
	}
	if r.shown.conditioned {
		text += fmt.Sprintf(", and has the condition %s", r.script.Condition)
	}
	if r.control != nil {
		text += fmt.Sprintf("; if %s, %s", r.control.script.Says, r.control.happened())
	}
	return text
}

func (r *replayed) transcript() string {
	var b strings.Builder
	v, why := r.judged()
	if why != "" {
		why = ": " + why
	}
	fmt.Fprintf(&b, "%s, kube-scheduler %s: %s%s\n  %s\n", r.title(), production.KubernetesVersion, v, why,
		r.entry.Defect.Doc)
	for _, line := range r.script.doc {
		fmt.Fprintf(&b, "  %s\n", line)
	}
	if r.shown != nil {
		fmt.Fprintf(&b, "  run: %s\n", scriptFile(r.title()))
		if r.script.Faults {
			b.WriteString("    with:        the plugin Faults beside kube-scheduler's own, as the pods' annotations say\n")
		}
		r.shown.write(&b)
	}
	if r.control != nil {
		fmt.Fprintf(&b, "  control: %s\n", r.control.script.Says)
		r.control.write(&b)
	}
	return b.String()
}

// happened is what came of the pod, and how far; anew is that of the pod that was created anew.
func (p *played) happened() string {
	return (&observation{ending: p.then, volumes: p.volumes}).happened()
}
func (p *played) anew() string {
	return (&observation{ending: p.again, volumes: p.anewVolumes}).happened()
}

// write adds the lines of a run.
func (p *played) write(b *strings.Builder) {
	line := func(what, text string) { fmt.Fprintf(b, "    %-12s %s\n", what+":", text) }
	if p.script.Slow != nil {
		line("with", p.script.Slow.String())
	}
	for i, step := range p.script.Run {
		line(fmt.Sprintf("step %d", i+1), step.String())
	}
	if p.lost != "" {
		line("lost", p.lost)
		return
	}
	line("then", p.happened())
	if p.then != p.script.Then {
		line("not", p.script.Then)
	}
	if p.message != "" {
		line("it says", p.message)
	}
	if p.logged != "" {
		line("it logs", p.script.Logs)
	}
	if p.dangles {
		line("not there", p.script.Dangles)
	}
	if p.conditioned {
		line("condition", p.script.Condition)
	}
	if p.asked != "" {
		line("in process", p.asked+", asked about what is there now")
	}
	if p.again != "" {
		line("anew", p.anew())
	}
}
