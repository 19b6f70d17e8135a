package expression

import (
	"reflect"

	"github.com/google/cel-go/cel"
	celtypes "github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/version"
	apiservercel "k8s.io/apiserver/pkg/cel"
	celenvironment "k8s.io/apiserver/pkg/cel/environment"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Kind says what an expression is asked of, and so which variables it has.
type Subject string

const (
	// OfStates: asked of every state, with pods, nodes, budgets, namespaces and end.
	OfStates Subject = "state"
	// OfSteps: asked of every step, with step, before and after.
	OfSteps Subject = "step"
	// OfDecisions: asked of every distinct decision of kube-scheduler, with pod, decision, pods, nodes, budgets and
	// namespaces.
	OfDecisions Subject = "decision"
	// Reachable: asked of states as OfStates, until one is found of which it is true.
	Reachable Subject = "reachable"
)

// variables returns the Go types of what an expression of the kind can name.
func (k Subject) variables() map[string]reflect.Type {
	variables := map[string]reflect.Type{}
	cluster := reflect.TypeFor[clusterValue]()
	if k != OfSteps {
		for i := range cluster.NumField() {
			field := cluster.Field(i)
			variables[field.Tag.Get("json")] = field.Type
		}
	}
	switch k {
	case OfStates, Reachable:
		variables["end"] = reflect.TypeFor[bool]()
	case OfSteps:
		variables["before"], variables["after"] = cluster, cluster
		variables["step"] = reflect.TypeFor[stepValue]()
	case OfDecisions:
		variables["pod"] = reflect.TypeFor[v1.Pod]()
		variables["decision"] = reflect.TypeFor[decisionValue]()
	}
	return variables
}

// celVersion is the Kubernetes release whose CEL it is.
func celVersion() *version.Version { return version.MajorMinor(1, 36) }

// environment returns the environment for expressions of the kind.
func environment(kind Subject) (*cel.Env, error) {
	made := types{}
	options := celenvironment.VersionedOptions{IntroducedVersion: celVersion(), EnvOptions: functions()}
	for name, goType := range kind.variables() { // the order does not matter: names are distinct
		declared := made.of(goType)
		options.EnvOptions = append(options.EnvOptions, cel.Variable(name, declared.CelType()))
	}
	for _, object := range made {
		options.DeclTypes = append(options.DeclTypes, object)
	}
	set, err := baseEnvironment().Extend(options)
	if err != nil {
		return nil, err
	}
	return set.Env(celenvironment.NewExpressions)
}

// functions are those that expressions have beside those of Kubernetes:
//
//	requests(pod, "cpu")    what a pod requests of a resource in all, as a quantity, or what the pods of a list do together
//	pods.on(node)           those of the pods that are bound to the node
func functions() []cel.EnvOption {
	return []cel.EnvOption{
		cel.Function("requests", cel.Overload("requests_dyn_string", []*cel.Type{cel.DynType, cel.StringType},
			apiservercel.QuantityType, cel.BinaryBinding(requests))),
		cel.Function("on", cel.MemberOverload("list_on_dyn", []*cel.Type{cel.ListType(cel.DynType), cel.DynType},
			cel.ListType(cel.DynType), cel.BinaryBinding(podsOn))),
	}
}

// requests adds what pods request of a resource.
func requests(of, name ref.Val) ref.Val {
	sum := resource.Quantity{}
	add := func(v ref.Val) ref.Val {
		object, ok := v.(*objectValue)
		if ok {
			if pod, isPod := object.object.(*v1.Pod); isPod {
				sum.Add(spec.Requests(pod)[v1.ResourceName(name.Value().(string))])
				return nil
			}
		}
		return celtypes.NewErr("requests: want a pod or a list of pods, and the name of a resource")
	}
	if list, ok := of.(traits.Lister); ok {
		for i := list.Iterator(); i.HasNext() == celtypes.True; {
			if wrong := add(i.Next()); wrong != nil {
				return wrong
			}
		}
	} else if wrong := add(of); wrong != nil {
		return wrong
	}
	return apiservercel.Quantity{Quantity: &sum}
}

// podsOn returns the pods of a list that are bound to a node.
func podsOn(list, node ref.Val) ref.Val {
	object, ok := node.(*objectValue)
	if !ok {
		return celtypes.NewErr("on: want a node, one of nodes")
	}
	var pods []ref.Val
	for i := list.(traits.Lister).Iterator(); i.HasNext() == celtypes.True; {
		next := i.Next()
		pod, ok := next.(*objectValue)
		if !ok {
			return celtypes.NewErr("on: want a list of pods")
		}
		if p, isPod := pod.object.(*v1.Pod); isPod && p.Spec.NodeName == object.object.GetName() {
			pods = append(pods, pod)
		}
	}
	return celtypes.NewRefValList(celtypes.DefaultTypeAdapter, pods)
}
