package scenario

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/utils/ptr"

	"github.com/seed-a3f26817/modelcheck/internal/expression"
	"github.com/seed-a3f26817/modelcheck/model"
)

// validate finds what is wrong with fields by themselves.
func (w *written) validate() {
	if w.Metadata.Name == "" {
		w.fail("metadata.name", "it is required: give the scenario a name")
	}
	actions, bounds := w.Spec.Actions, w.Spec.Bounds
	for _, number := range []struct {
		field       string
		value, most int64
	}{
		{"actions.arrivals", int64(ptr.Deref(actions.Arrivals, 0)), mostPods},
		{"actions.completions", int64(actions.Completions), mostPods},
		{"actions.deletions", int64(actions.Deletions), mostPods},
		{"actions.placements", int64(actions.Placements), mostPods},
		{"actions.recreations", int64(actions.Recreations), mostPods},
		{"actions.nodeChanges", int64(actions.NodeChanges), mostPods},
		{"bounds.states", bounds.States, 1 << 62},
		{"bounds.depth", int64(bounds.Depth), 1 << 30},
	} {
		w.within("spec."+number.field, number.value, 0, number.most)
	}
	for i := range w.Spec.Nodes {
		w.validateNodes(fmt.Sprintf("spec.nodes[%d]", i), &w.Spec.Nodes[i])
	}
	for i := range w.Spec.Pods {
		w.validatePods(fmt.Sprintf("spec.pods[%d]", i), &w.Spec.Pods[i])
	}
	w.compile()
	if o := w.Spec.Order; o != "" && !slices.Contains(model.Orders(), o) {
		w.fail("spec.order", "it is %q: want %s", o, strings.Join(model.Orders(), " or "))
	}
	if e := w.Spec.Expect; e != nil {
		if e.Verdict != "holds" && e.Verdict != "violated" {
			w.fail("spec.expect.verdict", "it is %q: want holds or violated", e.Verdict)
		}
	}
}

func (w *written) within(field string, value, least, most int64) {
	switch {
	case value < least:
		w.fail(field, "it is %d: it must be at least %d", value, least)
	case value > most:
		w.fail(field, "it is %d: it must be at most %d", value, most)
	}
}

// mostNodes is how many nodes are explored: from 100 on kube-scheduler looks at a sample of them.
const mostNodes = 99

func (w *written) validateNodes(at string, n *NodeSource) {
	if n.Name == "" {
		w.fail(at+".name", "it is required: give the nodes a name")
	}
	count := ptr.Deref(n.Count, 1)
	w.within(at+".count", int64(count), 0, mostNodes)
	if n.AtLeast != nil {
		w.within(at+".atLeast", int64(*n.AtLeast), 0, int64(count))
	}
}

func (w *written) validatePods(at string, p *PodSource) {
	given := 0
	for _, is := range []bool{p.Template != nil, p.Workload != nil, p.Pod != nil} {
		if is {
			given++
		}
	}
	switch {
	case given != 1:
		w.fail(at, "it has %d of template, workload and pod: state one, which says what the pods are like", given)
	case p.Template != nil && p.Name == "":
		w.fail(at+".name", "it is required with a template: the pods are called name-1, name-2")
	case p.Template == nil && (p.Name != "" || p.Namespace != ""):
		w.fail(at, "name and namespace go with a template: take them out; pods that are like others are named after them")
	}
	w.within(at+".waiting", int64(p.Waiting), 0, mostPods)
	w.within(at+".arrivals", int64(p.Arrivals), 0, mostPods)
	if p.Waiting == 0 && p.Arrivals == 0 {
		w.fail(at, "no pod comes of it: state waiting or arrivals, or take it out")
	}
}

// compile compiles the expressions.
func (w *written) compile() {
	named := map[string]bool{}
	for _, group := range []struct {
		field string
		kind  expression.Subject
		rules []RuleSpec
	}{
		{"states", expression.OfStates, w.Spec.Properties.States},
		{"steps", expression.OfSteps, w.Spec.Properties.Steps},
		{"decisions", expression.OfDecisions, w.Spec.Properties.Decisions},
		{"reachable", expression.Reachable, w.Spec.Properties.Reachable},
	} {
		for i, rule := range group.rules {
			at := fmt.Sprintf("spec.properties.%s[%d]", group.field, i)
			switch wrong := validation.IsDNS1123Label(rule.Name); {
			case len(wrong) > 0:
				w.fail(at+".name", "%q is no name of a property: %s", rule.Name, wrong[0])
			case named[rule.Name]:
				w.fail(at+".name", "there is a property %s already: rename one", rule.Name)
			}
			named[rule.Name] = true
			compiled, err := expression.Compile(
				expression.Rule{
					Name:       rule.Name,
					Doc:        rule.Description,
					Subject:    group.kind,
					Expression: rule.Expression,
				},
			)
			if err != nil {
				w.failExpression(at+".expression", err)
				continue
			}
			w.Rules = append(w.Rules, compiled)
		}
	}
}

// failExpression says each thing that is wrong with an expression, in its place.
func (w *written) failExpression(field string, err error) {
	errs := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		errs = joined.Unwrap()
	}
	for _, err := range errs {
		line, column := w.at.at(field), 0
		if wrong, ok := errors.AsType[*expression.Error](err); ok {
			line, column = w.at.within(field, wrong.Line, wrong.Column)
			if line == 0 { // the text of the file is not known, that of the expression is
				err = errors.New(wrong.Error())
			} else {
				err = wrong.Err
			}
		}
		w.failAt(field, line, column, err)
	}
}
