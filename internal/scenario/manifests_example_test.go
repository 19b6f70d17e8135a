package scenario_test

import (
	"fmt"
	"strings"

	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
)

func ExampleRead() {
	m, err := scenario.Read([]string{"../../testdata/clusters/small.yaml"}, nil, admission.Admit)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, pod := range m.Snapshot().Pods {
		where, _ := m.Where(pod)
		fmt.Printf("%s: priority %d, node %q, line %d\n", pod.Name, *pod.Spec.Priority, pod.Spec.NodeName, where.Line)
	}
	// Output:
	// front-1: priority 100000, node "node-a", line 78
	// front-2: priority 100000, node "node-b", line 95
	// report-1: priority -10, node "node-b", line 112
	// report-2: priority -10, node "node-c", line 128
	// report-3: priority -10, node "", line 148
	// front-3: priority 100000, node "", line 160
}

func ExampleRead_errors() {
	stdin := strings.NewReader(`
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: four}}
`)
	_, err := scenario.Read([]string{"-"}, stdin, admission.Admit)
	fmt.Println(err)
	// Output:
	// standard input: document 1 (line 2): Node n1: status.allocatable.cpu: "four" is not a quantity; write one such as 2, 500m or 1Gi
}
