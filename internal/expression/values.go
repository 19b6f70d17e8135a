package expression

import (
	"fmt"
	"slices"
	"sync"

	celtypes "github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// objectValue is an object of Kubernetes as a value: the map that its JSON is.
type objectValue struct {
	traits.Mapper
	object metav1.Object
}

// mostKnown is how many objects are kept as values, some 10 kB each. When there are as many, all are forgotten: states
// that go on share most of their objects, runs at random make new ones with every step.
const mostKnown = 1 << 12

// values makes values of objects. States share their objects, so each is converted once. It is safe for concurrent use.
type values struct {
	adapter celtypes.Adapter
	mu      sync.RWMutex
	known   map[metav1.Object]ref.Val
}

func (v *values) object(object metav1.Object) ref.Val {
	v.mu.RLock()
	known, ok := v.known[object]
	v.mu.RUnlock()
	if ok {
		return known
	}
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		panic(fmt.Sprintf("expression: %T is not an object of the API: %v", object, err))
	}
	if metadata, ok := fields["metadata"].(map[string]any); ok && metadata["creationTimestamp"] == nil {
		delete(metadata, "creationTimestamp") // null stands for none
	}
	value := &objectValue{v.adapter.NativeToValue(fields).(traits.Mapper), object}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.known == nil || len(v.known) >= mostKnown {
		v.known = map[metav1.Object]ref.Val{}
	}
	v.known[object] = value
	return value
}

func objects[T metav1.Object](v *values, all []T) ref.Val {
	list := make([]ref.Val, len(all))
	for i, object := range all {
		list[i] = v.object(object)
	}
	return celtypes.NewRefValList(v.adapter, list)
}

// cluster returns the variables of a state.
func (v *values) cluster(s *spec.Snapshot) map[string]any {
	return map[string]any{
		"pods": objects(v, s.Pods), "nodes": objects(v, s.Nodes), "budgets": objects(v, s.PodDisruptionBudgets),
		"namespaces": objects(v, s.Namespaces),
	}
}

func (v *values) state(s *invariants.State) map[string]any {
	variables := v.cluster(s.Cluster)
	variables["end"] = s.End
	return variables
}

func (v *values) step(s invariants.NamedStep) map[string]any {
	// The pods of a step have only names: as objects they are those of the state before, or after if they arrive.
	pod := func(named *v1.Pod) *v1.Pod {
		for _, p := range slices.Concat(s.Before.Pods, s.After.Pods) {
			if p.Namespace == named.Namespace && p.Name == named.Name {
				return p
			}
		}
		return named
	}
	victims := []*v1.Pod{}
	for _, victim := range s.Step.Victims {
		victims = append(victims, pod(victim))
	}
	step := map[string]any{"action": s.Step.Class.String(), "node": "", "victims": objects(v, victims)}
	if s.Step.Pod != nil {
		step["pod"] = v.object(pod(s.Step.Pod))
	}
	if s.Step.Node != nil {
		step["node"] = s.Step.Node.Name
	}
	return map[string]any{"step": step, "before": v.cluster(s.Before), "after": v.cluster(s.After)}
}

func (v *values) decision(c *invariants.Case) map[string]any {
	nodes := c.Question.Snapshot.Nodes
	outcomes := []any{}
	for _, o := range c.Decision.Outcomes {
		outcome := map[string]any{"type": outcomeType(o.Type), "node": "", "victims": objects(v, o.Victims)}
		if o.Node >= 0 {
			outcome["node"] = nodes[o.Node].Name
		}
		outcomes = append(outcomes, outcome)
	}
	feasible, rejected, scores := []string{}, map[string]any{}, map[string]any{}
	for n, node := range c.Decision.Nodes {
		by := []string{}
		for f, plugin := range c.Decision.Filters {
			if node.Statuses[f] != spec.Fits {
				by = append(by, plugin)
			}
		}
		rejected[nodes[n].Name] = by
		if len(by) == 0 {
			feasible = append(feasible, nodes[n].Name)
		}
		if node.Scores != nil {
			scores[nodes[n].Name] = node.Total
		}
	}
	variables := v.cluster(c.Question.Snapshot)
	variables["pod"] = v.object(c.Question.Pod)
	variables["decision"] = map[string]any{
		"outcomes": outcomes,
		"feasible": feasible,
		"rejected": rejected,
		"scores":   scores,
	}
	return variables
}

// outcomeKind returns the word for an outcome.
func outcomeType(kind spec.OutcomeType) string {
	return map[spec.OutcomeType]string{spec.Bind: "bind", spec.Preempt: "preempt", spec.Wait: "wait"}[kind]
}

// name names a pod or another object in messages.
func name(object metav1.Object) string {
	if object.GetNamespace() == "" {
		return object.GetName()
	}
	return object.GetNamespace() + "/" + object.GetName()
}
