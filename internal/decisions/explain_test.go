package decisions_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/model"
)

// repelledFan is a cluster where fan is wrongly taken to fit on the node without a zone, where loner is nominated.
// Among the other two nodes one preferred term more or less makes no difference: the better gets 100, the worse 0.
const repelledFan = `
{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {zone: b, kubernetes.io/hostname: n1}}, status: {allocatable: {pods: "9"}}}
---
{apiVersion: v1, kind: Node, metadata: {name: n2, labels: {zone: b, kubernetes.io/hostname: n2}}, status: {allocatable: {pods: "9"}}}
---
{apiVersion: v1, kind: Node, metadata: {name: n3, labels: {kubernetes.io/hostname: n3}}, status: {allocatable: {pods: "9"}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: db1, labels: {app: db}}, spec: {nodeName: n1, containers: [{name: c, image: c}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: db2, labels: {app: db}}, spec: {nodeName: n2, containers: [{name: c, image: c}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: other, labels: {app: other}}, spec: {nodeName: n2, containers: [{name: c, image: c}]}}
---
apiVersion: v1
kind: Pod
metadata: {name: loner}
spec:
  affinity:
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: fan}}}
  containers: [{name: c, image: c}]
status: {nominatedNodeName: n3}
---
apiVersion: v1
kind: Pod
metadata: {name: fan, labels: {app: fan}}
spec:
  affinity:
    podAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
      - {weight: 7, podAffinityTerm: {topologyKey: zone, labelSelector: {matchLabels: {app: db}}}}
    podAntiAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
      - {weight: 100, podAffinityTerm: {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: other}}}}
  containers: [{name: c, image: c}]
`

// TestDefectThatDependsOnAnother: a decision is explained by two defects, of which one makes no difference without
// the other.
func TestDefectThatDependsOnAnother(t *testing.T) {
	manifests, err := scenario.Read([]string{"-"}, strings.NewReader(repelledFan), admission.Admit)
	if err != nil {
		t.Fatal(err)
	}
	result := run(t, kubeScheduler(t, production.Options{}), scenario.OfCluster("fan", manifests.Snapshot(),
		model.Actions{}))
	both := false
	for _, f := range result.Findings {
		if f.Class == decisions.New {
			t.Errorf("nothing explains:\n%s", describe(f))
		}
		var names []string
		for _, quirk := range f.Quirks {
			names = append(names, quirk.Name)
		}
		both = both || cmp.Equal(names, []string{"nominated-repels", "weight-per-pod"})
	}
	if !both {
		t.Errorf("no finding needs both defects: %d findings", len(result.Findings))
	}
}
