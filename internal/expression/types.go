package expression

import (
	"reflect"
	"strings"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

// types makes CEL types of Go types, by their JSON names. Each struct is made once.
type types map[reflect.Type]*apiservercel.DeclType

// of returns the CEL type of what a Go type is as JSON.
func (t types) of(goType reflect.Type) *apiservercel.DeclType {
	switch goType {
	case reflect.TypeFor[resource.Quantity](),
		reflect.TypeFor[metav1.Time](),
		reflect.TypeFor[metav1.MicroTime](),
		reflect.TypeFor[metav1.Duration]():
		return apiservercel.StringType
	case reflect.TypeFor[intstr.IntOrString](),
		reflect.TypeFor[runtime.RawExtension](),
		reflect.TypeFor[metav1.FieldsV1]():
		return apiservercel.DynType
	}
	switch goType.Kind() {
	case reflect.Pointer:
		return t.of(goType.Elem())
	case reflect.String:
		return apiservercel.StringType
	case reflect.Bool:
		return apiservercel.BoolType
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return apiservercel.IntType
	case reflect.Float32, reflect.Float64:
		return apiservercel.DoubleType
	case reflect.Map:
		return apiservercel.NewMapType(apiservercel.StringType, t.of(goType.Elem()), -1)
	case reflect.Slice:
		if goType.Elem().Kind() == reflect.Uint8 {
			return apiservercel.StringType
		}
		return apiservercel.NewListType(t.of(goType.Elem()), -1)
	case reflect.Struct:
		return t.object(goType)
	default:
		return apiservercel.DynType
	}
}

func (t types) object(goType reflect.Type) *apiservercel.DeclType {
	if known := t[goType]; known != nil {
		return known
	}
	fields := map[string]*apiservercel.DeclField{}
	object := apiservercel.NewObjectType(goType.String(), fields)
	t[goType] = object
	for i := range goType.NumField() {
		field := goType.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-":
		case name == "" && field.Anonymous: // inline
			for _, inner := range t.of(field.Type).Fields {
				fields[inner.Name] = inner
			}
		case name != "":
			fields[name] = apiservercel.NewDeclField(name, t.of(field.Type), false, nil, nil)
		}
	}
	return object
}

// The objects that expressions are about, beside those of Kubernetes. Their doc comments are those of
// docs/scenarios.md.
type (
	// clusterValue is a state.
	clusterValue struct {
		Pods       []v1.Pod                       `json:"pods"`
		Nodes      []v1.Node                      `json:"nodes"`
		Budgets    []policyv1.PodDisruptionBudget `json:"budgets"`
		Namespaces []v1.Namespace                 `json:"namespaces"`
	}
	// stepValue is what happens. There is no pod if it happens to a node or a budget.
	stepValue struct {
		Action  string   `json:"action"`
		Pod     v1.Pod   `json:"pod"`
		Node    string   `json:"node"`
		Victims []v1.Pod `json:"victims"`
	}
	// decisionValue is what kube-scheduler answers.
	decisionValue struct {
		Outcomes []outcomeValue      `json:"outcomes"`
		Feasible []string            `json:"feasible"`
		Rejected map[string][]string `json:"rejected"`
		Scores   map[string]int64    `json:"scores"`
	}
	// outcomeValue is what may become of the pod.
	outcomeValue struct {
		Type    string   `json:"type"`
		Node    string   `json:"node"`
		Victims []v1.Pod `json:"victims"`
	}
)
