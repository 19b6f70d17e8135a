package scenario_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/model"
)

// modelOf reads a Scenario and gives what is explored.
func modelOf(t *testing.T, spec string) (*model.Scenario, error) {
	t.Helper()
	m, err := scenario.Read([]string{"-"}, strings.NewReader(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: c}]}}
---
apiVersion: v1
kind: Pod
metadata: {name: lone}
spec: {containers: [{name: c, image: c}]}
---
apiVersion: modelcheck.dev/v1alpha1
kind: Scenario
metadata: {name: it}
spec:
`+spec), admission.Admit)
	if err != nil {
		t.Fatal(err)
	}
	return m.Scenario.Model(m.Snapshot())
}

// describeModel writes the kinds, and the initial clusters by number of nodes and of pods that wait.
func describeModel(s *model.Scenario) string {
	var words []string
	for _, kind := range s.Nodes {
		words = append(words, fmt.Sprintf("node %v", kind.Fixed))
	}
	for i, kind := range s.Pods {
		only := ""
		if kind.Only {
			only = " only"
		}
		words = append(words, fmt.Sprintf("pod %s %d may arrive%s", kind.Name, s.Actions.ArrivalsOfTemplate[i], only))
	}
	for _, cluster := range s.Initial {
		words = append(words, fmt.Sprintf("begins with %d nodes, %d pods", len(cluster.Nodes), len(cluster.Pending)))
	}
	return strings.Join(words, "\n")
}

// TestModel checks what is explored for a Scenario. The replica set's name holds a hash, which is left out.
func TestModel(t *testing.T) {
	const nodes = `
  nodes:
  - {name: node, count: 3, atLeast: 2, template: {status: {allocatable: {pods: "10"}}}}
  pods:
  - workload: {kind: Deployment, name: web}
    arrivals: 2
  - pod: {name: lone}
    waiting: 1
  - name: batch
    arrivals: 2
    template: {metadata: {labels: {app: batch}}, spec: {containers: [{name: c, image: c}]}}
`
	for _, row := range []struct{ reason, spec, want string }{
		{"every number of nodes, and what waits and arrives", nodes, `
node [node-1 node-2 node-3]
pod lone 0 may arrive
pod web-HASH-1 2 may arrive
pod batch 2 may arrive
begins with 2 nodes, 4 pods
begins with 3 nodes, 4 pods`},
		{"names are kept apart if an expression asks for one", nodes + `
  properties: {states: [{name: named, expression: "pods.exists(p, p.metadata.name == 'lone')"}]}`, `
node [node-1]
node [node-2]
node [node-3]
pod lone 0 may arrive only
pod web-HASH-1 0 may arrive only
pod web-HASH-2 0 may arrive only
pod lone-more-1 0 may arrive only
pod web-HASH-3 1 may arrive only
pod web-HASH-3-2 1 may arrive only
pod batch-1 1 may arrive only
pod batch-1-2 1 may arrive only
begins with 2 nodes, 4 pods
begins with 3 nodes, 4 pods`},
		{"a daemon's pod is not there without its node", `
  nodes:
  - {name: node, count: 2, atLeast: 1, template: {status: {allocatable: {pods: "10"}}}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: log}
spec:
  selector: {matchLabels: {app: log}}
  template: {metadata: {labels: {app: log}}, spec: {containers: [{name: c, image: c}]}}`, `
node [node-1]
node [node-2]
pod lone 0 may arrive
pod log-node-1 0 may arrive
pod log-node-2 0 may arrive
pod web-HASH-1 0 may arrive
begins with 1 nodes, 4 pods
begins with 2 nodes, 5 pods`},
	} {
		t.Run(row.reason, func(t *testing.T) {
			s, err := modelOf(t, row.spec)
			if err != nil {
				t.Fatal(err)
			}
			got := "\n" + describeModel(s)
			for _, kind := range s.Pods {
				if hash := kind.Pod.Labels["pod-template-hash"]; hash != "" {
					got = strings.ReplaceAll(got, hash, "HASH")
				}
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("explored (-want +got):\n%s", diff)
			}
		})
	}
}

// TestModelRefused checks what cannot be explored, though it can be read.
func TestModelRefused(t *testing.T) {
	for _, row := range []struct{ reason, spec, want string }{
		{"a cluster of no nodes", `
  nodes:
  - {name: node, atLeast: 0, template: {status: {allocatable: {pods: "10"}}}}`,
			"standard input: document 3 (line 15): Scenario it: spec.nodes: there may be no node at all: raise atLeast"},
		{"a node that may be missing and has a pod", `
  nodes:
  - {name: node, count: 2, atLeast: 1, template: {status: {allocatable: {pods: "10"}}}}
---
apiVersion: v1
kind: Pod
metadata: {name: bound}
spec: {nodeName: node-2, containers: [{name: c, image: c}]}`,
			"standard input: document 3 (line 15): Scenario it: spec.nodes: node node-2 has pods in the initial " +
				"state, so it cannot be missing: raise atLeast"},
		{"more pods than can be explored", `
  nodes:
  - {name: node, template: {status: {allocatable: {pods: "10"}}}}
  pods:
  - {pod: {name: lone}, arrivals: 200}
  - {workload: {kind: Deployment, name: web}, arrivals: 200}`,
			"standard input: document 3 (line 15): Scenario it: spec.actions.arrivals: 400 pods may arrive: at most " +
				"250 can be explored"},
	} {
		t.Run(row.reason, func(t *testing.T) {
			_, err := modelOf(t, row.spec)
			if diff := cmp.Diff(row.want, fmt.Sprint(err)); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}
