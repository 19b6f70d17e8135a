package report

import (
	"reflect"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/internal/audit"
	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// FuzzAuditOutputs: so are those of audits, with something in every field of what an audit finds.
func FuzzAuditOutputs(f *testing.F) {
	for _, text := range hostile() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		run := explored(t, t.Context(), blindFilter, spoilt(t, crowded(small()), text))
		for i := range run.Result.Findings {
			run.Result.Findings[i].ID += text
		}
		for _, outcome := range []spec.OutcomeType{spec.Bind, spec.Preempt, spec.Wait} {
			result := &audit.Result{}
			written := everything{text: text, outcome: outcome}
			written.into(reflect.ValueOf(result).Elem(), 0)
			if written.strings < 100 {
				t.Fatalf("only %d strings are in the result", written.strings)
			}
			result.Findings = run.Result.Findings
			a := &Audit{KubernetesVersion: "v1" + text, Spec: run.Spec, Notes: []string{"note: " + text},
				NotRead: []string{"not read: " + text}, Given: "-f " + text, Nodes: len(result.Nodes), Pods: 2,
				WhatIf: []string{text}, Drained: []string{text}, Extenders: []string{text}, Result: result}
			auditOutputsOf(t, a)
			result.WhatIf, result.Stopped, a.WhatIf, a.Drained = nil, "", nil, nil
			auditOutputsOf(t, a)
		}
	})
}

// auditOutputsOf writes an audit in every way.
func auditOutputsOf(t *testing.T, a *Audit) {
	t.Helper()
	for _, a.Verbose = range []bool{false, true} {
		harmless(t, "text of the audit", written(t, a, AuditText))
	}
	asJSON := written(t, a, AuditJSON)
	strictJSON(t, "JSON of the audit", asJSON)
	strictYAML(t, "YAML of the audit", written(t, a, AsYAML(AuditJSON)), asJSON)
}

// everything puts something into every field, the text into every string.
type everything struct {
	text    string
	outcome spec.OutcomeType
	strings int
}

func (e *everything) into(v reflect.Value, depth int) {
	const deepest = 12 // types that hold themselves have to end
	if depth > deepest {
		return
	}
	switch v.Interface().(type) {
	case resource.Quantity:
		v.Set(reflect.ValueOf(resource.MustParse("7")))
		return
	case metav1.Time:
		v.Set(reflect.ValueOf(metav1.Unix(1_234_567_890, 0)))
		return
	case decisions.Class:
		v.SetString(string(decisions.New))
		return
	case spec.OutcomeType:
		v.Set(reflect.ValueOf(e.outcome))
		return
	case []decisions.Finding, metav1.FieldsV1:
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("s" + e.text)
		e.strings++
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(1)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		e.into(v.Elem(), depth+1)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				e.into(v.Field(i), depth+1)
			}
		}
	case reflect.Slice:
		n := 1
		if depth < 4 { // several of what the audit lists, one of what API objects do
			n = 2
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			e.into(v.Index(i), depth+1)
		}
	case reflect.Map:
		key, element := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		e.into(key, depth+1)
		e.into(element, depth+1)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, element)
	}
}
