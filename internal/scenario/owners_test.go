package scenario_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// ownedClaims has two pods that are alike but for their names, each with an ephemeral volume, and the claim of the
// first.
const ownedClaims = `
apiVersion: v1
kind: Node
metadata: {name: node}
status: {allocatable: {pods: "10"}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: first-a
  ownerReferences: [{apiVersion: v1, kind: Pod, name: first, uid: "17", controller: true}]
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: Pod
metadata: {name: first, uid: "17"}
spec:
  containers: [{name: c, image: c}]
  volumes: [{name: a, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}}}]
---
apiVersion: v1
kind: Pod
metadata: {name: second, uid: "18"}
spec:
  containers: [{name: c, image: c}]
  volumes: [{name: a, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}}}]
`

// TestOwnersKeepTheirClaims: a claim made for a pod belongs to that pod in the scenario, and to no other that is
// like it.
func TestOwnersKeepTheirClaims(t *testing.T) {
	manifests, err := scenario.Read([]string{"-"}, strings.NewReader(ownedClaims), admission.Admit)
	if err != nil {
		t.Fatal(err)
	}
	cluster := begin(t, scenario.OfCluster("test", manifests.Snapshot(), model.Actions{}))
	claims := map[string]int{}
	for _, pod := range cluster.Pods {
		claims[pod.Name] = len(spec.Claims(pod, cluster))
	}
	if diff := cmp.Diff(map[string]int{"first": 1, "second": 0}, claims); diff != "" {
		t.Errorf("claims of pods (-want +got):\n%s", diff)
	}

	every := scenario.EveryCluster("test", "", manifests.Snapshot(), 1, model.Actions{Arrivals: 3})
	arrivals := map[string]int{}
	for i, kind := range every.Pods {
		arrivals[kind.Name] = every.Actions.ArrivalsOfTemplate[i]
	}
	if diff := cmp.Diff(map[string]int{"first": 1, "second": 3}, arrivals); diff != "" {
		t.Errorf("how many may arrive (-want +got):\n%s", diff)
	}
}
