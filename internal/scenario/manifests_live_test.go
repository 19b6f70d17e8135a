package scenario_test

import (
	"strings"
	"testing"

	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
)

// live is the metadata that only an API server gives.
const live = `"uid": "5f3c", "resourceVersion": "7", "creationTimestamp": "2026-01-05T07:00:00Z"`

// TestReadLive: what an API server has admitted, or kubectl apply takes, is not refused. What this release would not
// take, or what does not count, is noted.
func TestReadLive(t *testing.T) {
	tests := []struct {
		reason, object string
		note           string // part of what is noted; empty if nothing is
	}{
		{"a static pod of a control plane", `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "etcd-n1", "namespace": "kube-system",
			"annotations": {"kubernetes.io/config.mirror": "x", "kubernetes.io/config.source": "file"}, ` + live + `,
			"ownerReferences": [{"apiVersion": "v1", "kind": "Node", "name": "n1", "uid": "n", "controller": true}]},
			"spec": {"hostNetwork": true, "nodeName": "n1", "priority": 2000001000, "priorityClassName": "system-node-critical",
			"containers": [{"name": "c", "image": "i", "securityContext": {"privileged": true}}],
			"tolerations": [{"effect": "NoExecute", "operator": "Exists"}]}, "status": {"phase": "Running"}}`, ""},
		{"a pod that somebody debugs", `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", ` + live + `},
			"spec": {"nodeName": "n1", "priority": 0, "containers": [{"name": "c", "image": "i"}],
			"ephemeralContainers": [{"name": "d", "image": "i"}]}}`, ""},
		{"a field of a newer release", `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", ` + live + `},
			"spec": {"priority": 0, "containers": [{"name": "c", "image": "i", "newer": true}]}}`,
			"spec.containers[*].newer: unknown field"},
		{"a value that this release refuses", `{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n2", "labels": {"a": "b c"}, ` + live + `},
			"status": {"allocatable": {"cpu": "1", "pods": "1"}}}`, "metadata.labels: Invalid value"},
		{"a privileged container", `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
			"spec": {"containers": [{"name": "c", "image": "i", "securityContext": {"privileged": true}}]}}`, ""},
		{"a token of a service account", `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
			"spec": {"containers": [{"name": "c", "image": "i"}], "volumes": [{"name": "t", "projected": {"sources": [
			{"serviceAccountToken": {"path": "t"}}]}}]}}`, ""},
		{"a headless service", `{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"},
			"spec": {"clusterIP": "None", "ports": [{"port": 80}]}}`, ""},
		{"a service with an address", `{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"},
			"spec": {"clusterIP": "10.0.0.10", "ports": [{"port": 53, "protocol": "UDP"}]}}`, ""},
		{"a load balancer with a local policy", `{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"},
			"spec": {"type": "LoadBalancer", "externalTrafficPolicy": "Local", "ports": [{"port": 80}]}}`, ""},
		{"a status that creation wipes", `{"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "r"}, "spec": {"replicas": 0,
			"selector": {"matchLabels": {"a": "b"}}, "template": {"metadata": {"labels": {"a": "b"}},
			"spec": {"containers": [{"name": "c", "image": "i"}]}}}, "status": {"replicas": 1, "readyReplicas": 2}}`, ""},
		{"a version of old", `{"apiVersion": "policy/v1beta1", "kind": "PodDisruptionBudget", "metadata": {"name": "b"},
			"spec": {"minAvailable": 1, "selector": {"matchLabels": {"a": "b"}}}}`, "read as policy/v1"},
		{"a list of a kind that is not read", `{"apiVersion": "v1", "kind": "ConfigMapList", "items": [{"metadata": {"name": "c"}}]}`,
			"ConfigMap (1)"},
		{"a list of definitions", `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinitionList", "items": [
			{"metadata": {"name": "c"}}]}`, "CustomResourceDefinition (1)"},
		{"a kind of others that is called like one of Kubernetes", `{"apiVersion": "serving.knative.dev/v1", "kind": "Service",
			"metadata": {"name": "s"}}`, "Service.serving.knative.dev: objects of this kind (1) are not read"},
		{"a pod of a group", `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"schedulingGroup":
			{"podGroupName": "g"}, "containers": [{"name": "c", "image": "i"}]}}`, "spec.schedulingGroup: groups of pods are not read"},
		{"a namespace where none belongs", `{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n2", "namespace": "x"},
			"status": {"allocatable": {"cpu": "1", "pods": "1"}}}`, ""},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			m, err := scenario.Decode("input.json", []byte(node+"\n"+test.object), admission.Admit)
			if err != nil {
				t.Fatal(err)
			}
			notes := strings.Join(m.Notes, "\n")
			if len(m.NotRead) > 0 || (test.note == "") != (notes == "") || !strings.Contains(notes, test.note) {
				t.Errorf("notes %q, not read %v; want a note with %q", notes, m.NotRead, test.note)
			}
		})
	}
}

// TestReadLiveUndecodable: an object that an API server has admitted and that cannot be decoded stops nothing.
func TestReadLiveUndecodable(t *testing.T) {
	m, err := scenario.Decode("input.json", []byte(node+`{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", `+
		live+`}, "spec": {"containers": {}}}`), admission.Admit)
	if err != nil || len(m.Pods) != 0 || len(m.NotRead) != 1 {
		t.Fatalf("error %v, manifests %+v", err, m)
	}
	if got := m.NotRead[0].Error(); !strings.Contains(got, "Pod p: spec.containers: it is of type object") &&
		!strings.Contains(got, "Pod default/p: spec.containers: it is of type object") {
		t.Errorf("not read: %s", got)
	}
}

// TestMessagesAreShort: values of the input are cut, and control characters of them are escaped.
func TestMessagesAreShort(t *testing.T) {
	long := strings.Repeat("x ", 1<<19)
	for _, field := range []string{`"labels": {"a": "` + long + `"}`, `"annotations": {"` + long + `": ""}`,
		`"namespace": "\u001b[31m` + strings.TrimSpace(long) + `"`} {
		_, err := scenario.Decode("input.json", []byte(node+`{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", `+
			field+`}, "spec": {"containers": [{"name": "c", "image": "i"}]}}`), admission.Admit)
		if err == nil || len(err.Error()) > 4000 || strings.ContainsRune(err.Error(), 0x1b) {
			t.Errorf("%.30s: error of %d bytes: %.300v", field, len(err.Error()), err)
		}
	}
}
