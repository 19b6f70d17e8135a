package scenario_test

import (
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
)

// TestQuantities: quantities have the form that an API server gives them; what kube-scheduler would change in the pod
// is a number, and a note says what is left out.
func TestQuantities(t *testing.T) {
	for _, row := range []struct {
		reason, memory, overhead, want string
		note                           bool
	}{
		{"a number", "1Gi", "64Mi", "1Gi", false},
		{"a fraction has another form in a cluster", "1.5Gi", "64Mi", "1536Mi", false},
		{"a number that is not short", "100Ti", "64Mi", "100Ti", true},
		{"nothing is added", "100Ti", "0", "100Ti", false},
	} {
		overhead := "{cpu: 1m}"
		if row.overhead != "0" {
			overhead = "{memory: " + row.overhead + "}"
		}
		got, err := scenario.Decode("a.yaml", []byte("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n"+
			"  overhead: "+overhead+"\n  resources: {requests: {memory: "+row.memory+"}}\n"+
			"  containers: [{name: c, image: c}]\n"), admission.Admit)
		if err != nil {
			t.Fatal(err)
		}
		memory := got.Pods[0].Spec.Resources.Requests[v1.ResourceMemory]
		_, short := memory.AsInt64()
		if memory.String() != row.want || row.overhead != "0" && !short {
			t.Errorf("%s: it is %s, a number: %t; want %s", row.reason, memory.String(), short, row.want)
		}
		if said := strings.Contains(strings.Join(got.Notes, "\n"), "adds the overhead again"); said != row.note {
			t.Errorf("%s: said: %t, want %t", row.reason, said, row.note)
		}
	}
}
