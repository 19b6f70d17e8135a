package scenario

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	strictjson "sigs.k8s.io/json"

	"github.com/seed-a3f26817/modelcheck/internal/expression"
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

// Names reports whether a rule tells pods or nodes apart by their names.
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
	w.reading.refuse(source, w.String(), field, err) // wherever it was found: it says what is explored
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

// documents returns the documents of the manifests that the scenario names.
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
		if _, read := r.rank[path]; read {
			w.fail(field, "%s is read already: take it out here, or from the command line", path)
			continue
		}
		documents = append(documents, r.openPaths([]string{path})...)
	}
	if config := w.Spec.SchedulerConfiguration; config != nil {
		if d, ok := w.configuration(config.Raw); ok {
			documents = append(documents, d)
		}
	}
	return documents
}

// configuration returns the scheduler's configuration as a document.
func (w *written) configuration(raw []byte) (d document, ok bool) {
	var head header
	_ = json.Unmarshal(raw, &head)
	if head.Kind != schedulerConfiguration {
		w.fail("spec.schedulerConfiguration.kind", "it is %q: want a %s, with its apiVersion", head.Kind,
			schedulerConfiguration)
		return d, false
	}
	source := w.Source
	source.FieldLine = w.at.at("spec.schedulerConfiguration")
	return document{source: source, raw: raw, json: raw}, true
}

// objects returns the nodes and the pods that the scenario's templates make, not yet admitted.
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

// numbered returns the names of several: the name itself if there is one.
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

// refer finds what the scenario's pods refer to, among all that was read and admitted. It returns the pods that
// wait besides.
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
		if !slices.ContainsFunc(
			objects,
			func(o object) bool { return o.kind == "Pod" && o.GetNamespace() == namespace && o.GetName() == name },
		) {
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
			if root.kind == p.Workload.Kind && root.GetName() == p.Workload.Name &&
				root.GetNamespace() == cmp.Or(p.Workload.Namespace, metav1.NamespaceDefault) {
				return pod
			}
			offered = append(offered, root.String())
		default:
			if !o.like && pod.Name == p.Pod.Name && pod.Namespace == cmp.Or(p.Pod.Namespace, metav1.NamespaceDefault) {
				like := pod.DeepCopy()
				like.Spec.NodeName, like.DeletionTimestamp, like.DeletionGracePeriodSeconds, like.Status = "", nil, nil,
					v1.PodStatus{
						Phase: v1.PodPending,
					}
				return like
			}
		}
	}
	switch {
	case p.Workload != nil:
		reference := describe(p.Workload.Kind, cmp.Or(p.Workload.Namespace, metav1.NamespaceDefault), p.Workload.Name)
		w.fail(field+".workload", "there is no %s of which further pods could be made; there are: %s", reference,
			cmp.Or(strings.Join(offered, ", "), "none"))
	case p.Pod != nil:
		w.fail(field+".pod", "there is no Pod %s/%s among the manifests: correct the name, or give the pod",
			cmp.Or(p.Pod.Namespace, metav1.NamespaceDefault), p.Pod.Name)
	}
	return nil
}
