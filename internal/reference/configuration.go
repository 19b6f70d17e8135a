package reference

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"reflect"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	kjson "sigs.k8s.io/json"

	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Configuration is a cluster in few words, of cpu, taints, labels and priorities, for the formal model alone.
// It is read from JSON:
//
//	{"name": "H2",
//	 "nodes": [{"cap": 4, "taints": ["gpu"], "labels": ["ssd"]}, ...],
//	 "pods":  [{"req": 2, "prio": 1, "tol": ["gpu"], "sel": ["ssd"]}, ...],
//	 "complete": "churn"}
//
// cap and req are whole cpus. A pod may use a node if tol has all of the node's taints and the node's labels have
// all of sel. All pods begin unbound. complete is one of Completions.
type Configuration struct {
	Name     string
	Nodes    []ConfiguredNode
	Pods     []ConfiguredPod
	Complete string
}

// ConfiguredNode is a node of a Configuration.
type ConfiguredNode struct {
	Cap            int64
	Taints, Labels []string
}

// ConfiguredPod is a pod of a Configuration.
type ConfiguredPod struct {
	Req      int64
	Prio     int32
	Tol, Sel []string
}

// Completions returns the words for what may become of bound pods, and what each lets happen:
//
//	unbound   a bound pod may become unbound
//	done      a bound pod may leave for good
//	both      either
//	churn     a bound pod may leave, and one that left may come back, unbound
//	none      nothing: there is the scheduler only
func Completions() map[string]Actions {
	return map[string]Actions{
		"unbound": {Unbind: true},
		"done":    {Leave: true},
		"both":    {Unbind: true, Leave: true},
		"churn":   {Leave: true, Return: true},
		"none":    {},
	}
}

// Largest numbers in a configuration. In thousandths of a cpu, times a hundred, they are far from what 64 bits hold.
const maxConfiguredCPU = 1_000_000_000

// ReadConfiguration reads a configuration; errors call it by the name. Decoding is strict: unknown, repeated and
// missing fields are errors. The error joins one for each thing that is wrong.
func ReadConfiguration(r io.Reader, name string) (*Configuration, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	wrong := &configurationErrors{name: name}
	c := wrong.decode(text)
	if len(wrong.errs) == 0 {
		wrong.check(c)
	}
	if len(wrong.errs) > 0 {
		return nil, errors.Join(wrong.errs...)
	}
	return c, nil
}

// configurationErrors collects what is wrong.
type configurationErrors struct {
	name string
	errs []error
}

// add adds what is wrong with a field, or with the whole if it is "".
func (e *configurationErrors) add(field, format string, args ...any) {
	at := e.name + ": "
	if field != "" {
		at += field + ": "
	}
	e.errs = append(e.errs, fmt.Errorf("%s%w", at, fmt.Errorf(format, args...)))
}

// writtenConfiguration is a configuration as it is written: nil is what is not there.
type writtenConfiguration struct {
	Name  *string `json:"name"`
	Nodes *[]struct {
		Cap    *int64    `json:"cap"`
		Taints *[]string `json:"taints"`
		Labels *[]string `json:"labels"`
	} `json:"nodes"`
	Pods *[]struct {
		Req  *int64    `json:"req"`
		Prio *int32    `json:"prio"`
		Tol  *[]string `json:"tol"`
		Sel  *[]string `json:"sel"`
	} `json:"pods"`
	Complete *string `json:"complete"`
}

// decode reads the JSON. Numbers and lists must be there: a default would be a guess.
func (e *configurationErrors) decode(text []byte) *Configuration {
	var written writtenConfiguration
	slips, err := kjson.UnmarshalStrict(text, &written)
	if err != nil {
		e.notJSON(text, err)
		return nil
	}
	for _, slip := range slips {
		e.add("", "%w", slip)
	}
	c := &Configuration{
		Name: needed(e, "name", written.Name), Complete: needed(e, "complete", written.Complete),
	}
	for i, node := range needed(e, "nodes", written.Nodes) {
		at := fmt.Sprintf("nodes[%d].", i)
		c.Nodes = append(c.Nodes, ConfiguredNode{
			Cap:    needed(e, at+"cap", node.Cap),
			Taints: needed(e, at+"taints", node.Taints), Labels: needed(e, at+"labels", node.Labels),
		})
	}
	for i, pod := range needed(e, "pods", written.Pods) {
		at := fmt.Sprintf("pods[%d].", i)
		c.Pods = append(c.Pods, ConfiguredPod{
			Req: needed(e, at+"req", pod.Req), Prio: needed(e, at+"prio", pod.Prio),
			Tol: needed(e, at+"tol", pod.Tol), Sel: needed(e, at+"sel", pod.Sel),
		})
	}
	return c
}

// notJSON says where the text cannot be read.
func (e *configurationErrors) notJSON(text []byte, err error) {
	line := func(offset int64) int { return 1 + bytes.Count(text[:min(int(offset), len(text))], []byte("\n")) }
	if is, offset := kjson.SyntaxErrorOffset(err); is {
		e.add("", "line %d: it is not the JSON of one configuration: %w", line(offset), err)
		return
	}
	if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		want := kind.Type.String()
		switch kind.Type.Kind() { // a type of Go without a name means nothing to a reader of JSON
		case reflect.Slice:
			want = "list"
		case reflect.Struct:
			want = "object"
		}
		e.add(kind.Field, "line %d: it is a %s: want a value of type %s", line(kind.Offset), kind.Value, want)
		return
	}
	e.add("", "%w", err)
}

// needed returns a field, which must be there.
func needed[T any](e *configurationErrors, field string, value *T) T {
	if value == nil {
		e.add(field, "it is missing; every field must be stated, lists may be empty")
		var none T
		return none
	}
	return *value
}

// check finds values that make no sense.
func (e *configurationErrors) check(c *Configuration) {
	if len(c.Nodes) == 0 {
		e.add("nodes", "there is none: want at least one")
	}
	if len(c.Pods) == 0 {
		e.add("pods", "there is none: want at least one")
	}
	if _, known := Completions()[c.Complete]; !known {
		e.add("complete", "it is %q: want one of %q", c.Complete, slices.Sorted(maps.Keys(Completions())))
	}
	for i, node := range c.Nodes {
		at := fmt.Sprintf("nodes[%d].", i)
		if node.Cap < 1 || node.Cap > maxConfiguredCPU {
			e.add(at+"cap", "it is %d: want 1 to %d cpus", node.Cap, maxConfiguredCPU)
		}
		e.checkNames(at+"taints", node.Taints)
		e.checkNames(at+"labels", node.Labels)
	}
	for i, pod := range c.Pods {
		at := fmt.Sprintf("pods[%d].", i)
		if pod.Req < 0 || pod.Req > maxConfiguredCPU {
			e.add(at+"req", "it is %d: want 0 to %d cpus", pod.Req, maxConfiguredCPU)
		}
		e.checkNames(at+"tol", pod.Tol)
		e.checkNames(at+"sel", pod.Sel)
	}
}

// checkNames sees to it that the names can be keys of taints and labels.
func (e *configurationErrors) checkNames(field string, names []string) {
	for i, name := range names {
		for _, reason := range validation.IsQualifiedName(name) {
			e.add(fmt.Sprintf("%s[%d]", field, i), "%q cannot be the key of a label or taint: %s", name, reason)
		}
	}
}

// Scenario returns the configuration in Kubernetes objects: nodes n1, n2, ... and pods p1, p2, ..., all of them
// unbound. Nodes that are equal are of one template, and pods likewise.
func (c *Configuration) Scenario() (*model.Scenario, Actions) {
	s := &model.Scenario{
		Name: c.Name, Doc: fmt.Sprintf("%d nodes, %d pods, complete: %s", len(c.Nodes), len(c.Pods), c.Complete),
	}
	var cluster model.Cluster
	objects := c.Snapshot()
	for _, node := range objects.Nodes {
		template, id := templateOfNode(s, node)
		cluster.Nodes = append(cluster.Nodes, model.ClusterNode{Template: template, ID: id})
	}
	for _, pod := range objects.Pods {
		template, id := templateOfPod(s, pod)
		cluster.Pending = append(cluster.Pending, model.ClusterPod{Template: template, ID: id})
	}
	s.Initial = []model.Cluster{cluster}
	return s, Completions()[c.Complete]
}

// templateOfNode adds the node to its template, a new one if it is like none before, and returns the template and
// its number among the nodes of it, from 1.
func templateOfNode(s *model.Scenario, node *v1.Node) (template, id int) {
	nameless := node.DeepCopy()
	nameless.Name = ""
	template = slices.IndexFunc(s.Nodes, func(known model.NodeTemplate) bool {
		return equality.Semantic.DeepEqual(known.Node, nameless)
	})
	if template < 0 {
		template, s.Nodes = len(s.Nodes), append(s.Nodes, model.NodeTemplate{Name: node.Name, Node: nameless})
	}
	fixed := &s.Nodes[template].Fixed
	*fixed = append(*fixed, node.Name)
	return template, len(*fixed)
}

// templateOfPod is templateOfNode for a pod.
func templateOfPod(s *model.Scenario, pod *v1.Pod) (template, id int) {
	nameless := pod.DeepCopy()
	nameless.Name = ""
	template = slices.IndexFunc(s.Pods, func(known model.PodTemplate) bool {
		return equality.Semantic.DeepEqual(known.Pod, nameless)
	})
	if template < 0 {
		template, s.Pods = len(s.Pods), append(s.Pods, model.PodTemplate{Name: pod.Name, Pod: nameless})
	}
	fixed := &s.Pods[template].Fixed
	*fixed = append(*fixed, pod.Name)
	return template, len(*fixed)
}

// Snapshot returns the objects.
func (c *Configuration) Snapshot() *spec.Snapshot {
	s := &spec.Snapshot{}
	for i, node := range c.Nodes {
		object := &v1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("n%d", i+1), Labels: present(node.Labels)},
			Status: v1.NodeStatus{Allocatable: v1.ResourceList{
				v1.ResourceCPU: cpu(node.Cap), v1.ResourcePods: *resource.NewQuantity(math.MaxInt16,
					resource.DecimalSI),
			}},
		}
		for _, taint := range set(node.Taints) {
			object.Spec.Taints = append(object.Spec.Taints, v1.Taint{Key: taint, Effect: v1.TaintEffectNoSchedule})
		}
		s.Nodes = append(s.Nodes, object)
	}
	for i, pod := range c.Pods {
		object := &v1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceDefault, Name: fmt.Sprintf("p%d", i+1)},
			Spec: v1.PodSpec{
				SchedulerName: v1.DefaultSchedulerName, Priority: &pod.Prio, NodeSelector: present(pod.Sel),
				Containers: []v1.Container{{
					Name: "main", Resources: v1.ResourceRequirements{Requests: v1.ResourceList{v1.ResourceCPU: cpu(
						pod.Req)}},
				}},
			},
		}
		for _, taint := range set(pod.Tol) {
			object.Spec.Tolerations = append(object.Spec.Tolerations, v1.Toleration{
				Key: taint, Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoSchedule,
			})
		}
		s.Pods = append(s.Pods, object)
	}
	return s
}

func cpu(cores int64) resource.Quantity { return *resource.NewQuantity(cores, resource.DecimalSI) }

// set returns the names in order, each once.
func set(names []string) []string { return slices.Compact(slices.Sorted(slices.Values(names))) }

// present returns the labels that say that something is there.
func present(names []string) map[string]string {
	labels := map[string]string{}
	for _, name := range names {
		labels[name] = "true"
	}
	return labels
}
