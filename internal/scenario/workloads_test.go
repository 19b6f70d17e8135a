package scenario_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
)

const workloadNodes = `
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {disk: ssd}}
status: {allocatable: {cpu: "4", pods: "110"}}
---
apiVersion: v1
kind: Node
metadata: {name: n2}
spec: {unschedulable: true, taints: [{key: node.kubernetes.io/unschedulable, effect: NoSchedule}]}
status: {allocatable: {cpu: "4", pods: "110"}}
---
apiVersion: v1
kind: Node
metadata: {name: n3}
spec: {taints: [{key: dedicated, effect: NoSchedule}]}
status: {allocatable: {cpu: "4", pods: "110"}}
---
`

// TestPodsOfWorkloads checks which pods are made, as the documentation of each controller has it: names, owner, and
// the labels beyond the template's.
func TestPodsOfWorkloads(t *testing.T) {
	for _, row := range []struct {
		reason, yaml string
		want         []string
	}{
		{"one replica is the default; a pod of a Deployment belongs to its ReplicaSet", `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: c}]}}`,
			[]string{"web-HASH-1 of ReplicaSet web-HASH: app=web pod-template-hash=HASH"}},
		{"none is one too", `
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web}
spec:
  replicas: 0
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: c}]}}`, nil},
		{"a pod without a controller is adopted, one of somebody else and one that is going are not", `
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: c}]}}
---
apiVersion: v1
kind: Pod
metadata: {name: web-1, labels: {app: web}}
spec: {containers: [{name: c, image: c}]}
---
apiVersion: v1
kind: Pod
metadata: {name: other, labels: {app: web}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: b, uid: b, controller: true}]}
spec: {containers: [{name: c, image: c}]}
---
apiVersion: v1
kind: Pod
metadata: {name: going, labels: {app: web}, deletionTimestamp: "2024-01-01T00:00:00Z", deletionGracePeriodSeconds: 30}
spec: {containers: [{name: c, image: c}]}`,
			[]string{"web-1: app=web", "other of ReplicaSet b: app=web", "going: app=web",
				"web-2 of ReplicaSet web: app=web"}},
		{"pods of a StatefulSet are numbered from its start, and those that are there are left out", `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  replicas: 2
  serviceName: db
  ordinals: {start: 3}
  selector: {matchLabels: {app: db}}
  template: {metadata: {labels: {app: db}}, spec: {containers: [{name: c, image: c}]}}
---
apiVersion: v1
kind: Pod
metadata: {name: db-3, labels: {app: db}}
spec: {containers: [{name: c, image: c}]}`,
			[]string{"db-3: app=db", "db-4 of StatefulSet db: app=db apps.kubernetes.io/pod-index=4 " +
				"controller-revision-hash=db-HASH statefulset.kubernetes.io/pod-name=db-4"}},
		{"pods of an indexed Job have their index, no more of them than complete", `
apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec:
  completionMode: Indexed
  completions: 2
  parallelism: 5
  template: {spec: {restartPolicy: Never, containers: [{name: c, image: c}]}}`,
			[]string{
				"train-1 of Job train: batch.kubernetes.io/controller-uid=HASH " +
					"batch.kubernetes.io/job-completion-index=0 batch.kubernetes.io/job-name=train " +
					"controller-uid=HASH job-name=train",
				"train-2 of Job train: batch.kubernetes.io/controller-uid=HASH " +
					"batch.kubernetes.io/job-completion-index=1 batch.kubernetes.io/job-name=train " +
					"controller-uid=HASH job-name=train",
			}},
		{"a suspended Job has none", `
apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec:
  suspend: true
  template: {spec: {restartPolicy: Never, containers: [{name: c, image: c}]}}`, nil},
		{"a DaemonSet runs on nodes that are cordoned, and on none whose taints its pods do not tolerate", `
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: log}
spec:
  selector: {matchLabels: {app: log}}
  template: {metadata: {labels: {app: log}}, spec: {containers: [{name: c, image: c}]}}`,
			[]string{"log-n1 of DaemonSet log: app=log controller-revision-hash=HASH for n1",
				"log-n2 of DaemonSet log: app=log controller-revision-hash=HASH for n2"}},
		{"nor where its node selector does not match", `
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: log}
spec:
  selector: {matchLabels: {app: log}}
  template: {metadata: {labels: {app: log}}, spec: {nodeSelector: {disk: ssd}, containers: [{name: c, image: c}]}}`,
			[]string{"log-n1 of DaemonSet log: app=log controller-revision-hash=HASH for n1"}},
	} {
		t.Run(row.reason, func(t *testing.T) {
			m, err := scenario.Read([]string{"-"}, strings.NewReader(workloadNodes+row.yaml), admission.Admit)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, pod := range m.Pods {
				got = append(got, inWords(pod))
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("pods (-want +got):\n%s", diff)
			}
		})
	}
}

func inWords(pod *v1.Pod) string {
	text := pod.Name
	hashes := strings.NewReplacer()
	for _, key := range []string{"pod-template-hash", "controller-revision-hash", "controller-uid"} {
		if hash := pod.Labels[key]; hash != "" {
			hashes = strings.NewReplacer(hash[strings.LastIndex(hash, "-")+1:], "HASH")
		}
	}
	if owner := metav1.GetControllerOf(pod); owner != nil {
		text += fmt.Sprintf(" of %s %s", owner.Kind, owner.Name)
	}
	text += ":"
	for _, key := range slices.Sorted(maps.Keys(pod.Labels)) {
		text += " " + key + "=" + pod.Labels[key]
	}
	if affinity := pod.Spec.Affinity; affinity != nil {
		text += " for " + affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms[0].
			MatchFields[0].Values[0]
	}
	return hashes.Replace(text)
}

// TestClaimsOfStatefulSets checks that each pod has the claims of the templates, and that a claim that is there is
// used.
func TestClaimsOfStatefulSets(t *testing.T) {
	m, err := scenario.Read([]string{"-"}, strings.NewReader(workloadNodes+`
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  replicas: 2
  selector: {matchLabels: {app: db}}
  template: {metadata: {labels: {app: db}}, spec: {containers: [{name: c, image: c}]}}
  volumeClaimTemplates:
  - {metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data-db-0, labels: {mine: "yes"}}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 2Gi}}}
`), admission.Admit)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, claim := range m.PersistentVolumeClaims {
		got = append(got, fmt.Sprintf("%s %v", claim.Name, claim.Labels))
	}
	for _, pod := range m.Pods {
		got = append(got, pod.Name+" uses "+pod.Spec.Volumes[0].PersistentVolumeClaim.ClaimName)
	}
	want := []string{"data-db-0 map[mine:yes]", "data-db-1 map[app:db]", "db-0 uses data-db-0", "db-1 uses data-db-1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("claims (-want +got):\n%s", diff)
	}
	if _, further := m.Workload("StatefulSet", "default", "db"); further {
		t.Error("a further pod of the set is offered, though its claim is not there")
	}
}
