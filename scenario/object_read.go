package scenario

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/utils/ptr"
	strictjson "sigs.k8s.io/json"

	"github.com/seed-a3f26817/modelcheck/expression"
)

// Checked is a Scenario that was read, with what its fields refer to.
type Checked struct {
	Object
	Source Source
	// Rules are its expressions, compiled.
	Rules []*expression.Compiled

	arrivals []arrival
	ranges   []nodeRange
}

// arrival says that so many pods like this one may arrive.
type arrival struct {
	like   *v1.Pod
	atMost int
	base   string // of the names, if it is known
}

// nodeRange is a set of nodes of which at least so many are there, the first ones.
type nodeRange struct {
	names []string
	least int
}

// Names tells whether a rule tells pods or nodes apart by their names.
func (c *Checked) Names() bool {
	return slices.ContainsFunc(c.Rules, func(r *expression.Compiled) bool { return r.Names })
}

// written is a Scenario as it is read.
type written struct {
	Checked
	at       *positions
	reading  *reading
	document document
}

// fail records what is wrong with a field.
func (w *written) fail(field, format string, args ...any) {
	w.failAt(field, w.at.at(field), 0, fmt.Errorf(format, args...))
}

func (w *written) failAt(field string, line, column int, err error) {
	source := w.Source
	source.FieldLine, source.Column = line, column
	w.reading.fail(source, w.String(), field, err)
}

// String names the scenario in messages.
func (c *Checked) String() string { return describe(scenarioKind, "", c.Metadata.Name) }

// scenarioOf decodes a Scenario.
func (r *reading) scenarioOf(d document, head header) {
	w := &written{reading: r, at: positionsOf(d), document: d}
	w.Source = d.source
	w.Metadata.Name = head.Metadata.Name
	switch {
	case head.APIVersion != scenarioVersion:
		w.fail("apiVersion", "%q of this kind is not read: use %s", head.APIVersion, scenarioVersion)
		return
	case r.scenario != nil:
		w.fail("", "there is one already in %s; give one", r.scenario.Source)
		return
	}
	decode := func(data []byte) ([]error, error) { return strictjson.UnmarshalStrict(data, &Object{}) }
	strict, err := strictjson.UnmarshalStrict(d.json, &w.Object)
	for _, err := range strict {
		wrong := plainStrict(err)
		w.failAt(wrong.path, w.at.at(wrong.path), 0, wrong.err)
	}
	if err != nil {
		var whole map[string]any
		if json.Unmarshal(d.json, &whole) == nil {
			for _, wrong := range blameBy(whole, decode) {
				w.failAt(wrong.path, w.at.at(wrong.path), 0, wrong.err)
			}
		}
		return
	}
	if len(strict) > 0 {
		return
	}
	w.validate()
	r.scenario = w
}

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
		kind  expression.Kind
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
			compiled, err := expression.Compile(expression.Rule{Name: rule.Name, Doc: rule.Description, Kind: group.kind, Expression: rule.Expression})
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

// documents gives the documents of the manifests that the scenario names.
func (w *written) documents(r *reading) []document {
	var documents []document
	for i, path := range w.Spec.Manifests {
		field := fmt.Sprintf("spec.manifests[%d]", i)
		if path == "" || path == "-" {
			w.fail(field, "%q is no file or directory: name one, relative to the file of the scenario", path)
			continue
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(w.Source.File), path)
		}
		if slices.Contains(r.files, path) {
			w.fail(field, "%s is read already: take it out here, or from the command line", path)
			continue
		}
		documents = append(documents, r.open([]string{path}, nil)...)
	}
	if config := w.Spec.SchedulerConfiguration; config != nil {
		if d, ok := w.configuration(config.Raw); ok {
			documents = append(documents, d)
		}
	}
	return documents
}

// configuration gives the scheduler's configuration as a document.
func (w *written) configuration(raw []byte) (d document, ok bool) {
	var head header
	_ = json.Unmarshal(raw, &head)
	if head.Kind != schedulerConfiguration {
		w.fail("spec.schedulerConfiguration.kind", "it is %q: want a %s, with its apiVersion", head.Kind, schedulerConfiguration)
		return d, false
	}
	source := w.Source
	source.FieldLine = w.at.at("spec.schedulerConfiguration")
	return document{source: source, raw: raw, json: raw}, true
}

// objects gives the nodes and the pods that the scenario's templates make, not yet admitted.
func (w *written) objects() []object {
	var made []object
	root := object{Object: &metav1.ObjectMeta{Name: w.Metadata.Name}, kind: scenarioKind, source: w.Source}
	add := func(o metav1.Object, kind, field string) *object {
		source := w.Source
		source.FieldLine = w.at.at(field)
		made = append(made, object{Object: o, kind: kind, source: source, madeOf: &root, field: field})
		return &made[len(made)-1]
	}
	for i, n := range w.Spec.Nodes {
		field := fmt.Sprintf("spec.nodes[%d].template", i)
		names := numbered(n.Name, ptr.Deref(n.Count, 1))
		for i, name := range names {
			add(nodeOf(&n.Template, name), "Node", field).quiet = i > 0
		}
		if n.AtLeast != nil {
			w.ranges = append(w.ranges, nodeRange{names, *n.AtLeast})
		}
	}
	for i, p := range w.Spec.Pods {
		if p.Template == nil {
			continue
		}
		field := fmt.Sprintf("spec.pods[%d].template", i)
		for number := 1; number <= p.Waiting+1; number++ {
			template := p.Template.DeepCopy()
			pod := &v1.Pod{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
			pod.Name, pod.Namespace = fmt.Sprintf("%s-%d", p.Name, number), cmp.Or(p.Namespace, metav1.NamespaceDefault)
			o := add(pod, "Pod", field)
			o.like, o.quiet = number > p.Waiting, number > 1
			o.number = i
		}
	}
	return made
}

// numbered gives the names of several: the name itself if there is one.
func numbered(name string, count int) []string {
	if count == 1 {
		return []string{name}
	}
	var names []string
	for i := range count {
		names = append(names, fmt.Sprintf("%s-%d", name, i+1))
	}
	return names
}

func nodeOf(template *NodeTemplate, name string) *v1.Node {
	node := &v1.Node{Spec: *template.Spec.DeepCopy(), Status: *template.Status.DeepCopy()}
	node.Name, node.Annotations, node.Labels = name, template.Metadata.Annotations, template.Metadata.Labels
	if _, stated := node.Labels[v1.LabelHostname]; !stated {
		node.Labels = with(node.Labels, v1.LabelHostname, name)
	}
	return node
}

// refer finds what the scenario's pods refer to, among all that was read and admitted. It returns the pods that wait besides.
func (w *written) refer(objects []object) []object {
	var more []object
	for i := range w.Spec.Pods {
		p := &w.Spec.Pods[i]
		field := fmt.Sprintf("spec.pods[%d]", i)
		like := w.likeOf(i, p, field, objects)
		if like == nil {
			continue
		}
		if p.Arrivals > 0 {
			w.arrivals = append(w.arrivals, arrival{like, p.Arrivals, p.Name})
		}
		for number := range p.Waiting {
			if p.Template != nil {
				break // they are there
			}
			pod := like.DeepCopy()
			pod.Name = free(fmt.Sprintf("%s-more", like.Name), number+1, like.Namespace, append(objects, more...))
			pod.UID = ""
			more = append(more, object{Object: pod, kind: "Pod", source: w.Source, quiet: true})
		}
	}
	return more
}

// free numbers a name so that no pod of the namespace has it.
func free(base string, from int, namespace string, objects []object) string {
	for i := from; ; i++ {
		name := fmt.Sprintf("%s-%d", base, i)
		if !slices.ContainsFunc(objects, func(o object) bool { return o.kind == "Pod" && o.GetNamespace() == namespace && o.GetName() == name }) {
			return name
		}
	}
}

// likeOf finds the pod that the others are like; nil if there is none, which is said.
func (w *written) likeOf(number int, p *PodSource, field string, objects []object) *v1.Pod {
	var offered []string
	for _, o := range objects {
		pod, isPod := o.Object.(*v1.Pod)
		if !isPod {
			continue
		}
		root := o.root()
		switch {
		case p.Template != nil:
			if o.like && root.kind == scenarioKind && o.number == number {
				return pod
			}
		case p.Workload != nil:
			if !o.like || root.kind == scenarioKind {
				continue
			}
			if root.kind == p.Workload.Kind && root.GetName() == p.Workload.Name && root.GetNamespace() == cmp.Or(p.Workload.Namespace, metav1.NamespaceDefault) {
				return pod
			}
			offered = append(offered, root.String())
		default:
			if !o.like && pod.Name == p.Pod.Name && pod.Namespace == cmp.Or(p.Pod.Namespace, metav1.NamespaceDefault) {
				like := pod.DeepCopy()
				like.Spec.NodeName, like.DeletionTimestamp, like.DeletionGracePeriodSeconds, like.Status = "", nil, nil, v1.PodStatus{Phase: v1.PodPending}
				return like
			}
		}
	}
	switch {
	case p.Workload != nil:
		reference := describe(p.Workload.Kind, cmp.Or(p.Workload.Namespace, metav1.NamespaceDefault), p.Workload.Name)
		w.fail(field+".workload", "there is no %s of which further pods could be made; there are: %s", reference, cmp.Or(strings.Join(offered, ", "), "none"))
	case p.Pod != nil:
		w.fail(field+".pod", "there is no Pod %s/%s among the manifests: correct the name, or give the pod", cmp.Or(p.Pod.Namespace, metav1.NamespaceDefault), p.Pod.Name)
	}
	return nil
}
