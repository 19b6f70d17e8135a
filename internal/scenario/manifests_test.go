package scenario_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
)

const node = `{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}, "status": {"allocatable": {"cpu": "4", "pods": "110"}}}`

const pod = `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}`

// liveList is what kubectl get nodes,pods -o yaml prints, shortened where it repeats.
const liveList = `apiVersion: v1
items:
- apiVersion: v1
  kind: Node
  metadata:
    annotations:
      node.alpha.kubernetes.io/ttl: "0"
    creationTimestamp: "2026-01-05T07:00:00Z"
    labels:
      kubernetes.io/hostname: n1
    managedFields:
    - apiVersion: v1
      fieldsType: FieldsV1
      fieldsV1: {"f:metadata": {}}
      manager: kubelet
      operation: Update
      time: "2026-01-05T07:00:00Z"
    name: n1
    resourceVersion: "1200"
    uid: 7c2a8f1e-6f0a-4a3c-8d53-0d2c6c3f2b11
  spec:
    podCIDR: 10.0.0.0/24
    podCIDRs:
    - 10.0.0.0/24
    taints:
    - effect: NoExecute
      key: node.kubernetes.io/unreachable
      timeAdded: "2026-01-05T08:30:00Z"
  status:
    addresses:
    - address: 192.168.0.7
      type: InternalIP
    allocatable: {cpu: "4", memory: 8Gi, pods: "110"}
    capacity: {cpu: "4", memory: 8Gi, pods: "110"}
    conditions:
    - lastHeartbeatTime: "2026-01-05T08:00:00Z"
      lastTransitionTime: "2026-01-05T07:00:00Z"
      message: kubelet is posting ready status
      reason: KubeletReady
      status: "True"
      type: Ready
    daemonEndpoints:
      kubeletEndpoint:
        Port: 10250
- apiVersion: v1
  kind: Pod
  metadata:
    creationTimestamp: "2026-01-05T08:00:00Z"
    deletionGracePeriodSeconds: 30
    deletionTimestamp: "2026-01-05T09:00:30Z"
    name: web
    namespace: shop
    resourceVersion: "1300"
    uid: 0d0b9d0a-65b4-4f0e-9a39-2f1f9a4d3c77
  spec:
    containers:
    - image: registry.example/web:1
      imagePullPolicy: IfNotPresent
      name: web
      resources: {}
      terminationMessagePath: /dev/termination-log
      terminationMessagePolicy: File
    dnsPolicy: ClusterFirst
    enableServiceLinks: true
    nodeName: n1
    preemptionPolicy: PreemptLowerPriority
    priority: 7
    priorityClassName: gone-since
    restartPolicy: Always
    schedulerName: default-scheduler
    securityContext: {}
    serviceAccount: default
    serviceAccountName: default
    terminationGracePeriodSeconds: 30
  status:
    phase: Running
    podIP: 10.0.0.5
    podIPs:
    - ip: 10.0.0.5
    qosClass: BestEffort
    startTime: "2026-01-05T08:00:01Z"
kind: List
metadata:
  resourceVersion: ""
`

func TestReadGood(t *testing.T) {
	tests := []struct {
		reason string
		files  map[string]string
		paths  []string
		stdin  string
		want   []string // nodes, pods
	}{{
		reason: "a List, as kubectl get -o yaml prints it, with all that a live cluster holds",
		files:  map[string]string{"live.yaml": liveList},
		paths:  []string{"live.yaml"},
		want:   []string{"n1", "shop/web"},
	}, {
		reason: "the same on standard input",
		paths:  []string{"-"},
		stdin:  liveList,
		want:   []string{"n1", "shop/web"},
	}, {
		reason: "JSON values one after another, and on one line",
		files:  map[string]string{"cluster.json": node + pod},
		paths:  []string{"cluster.json"},
		want:   []string{"n1", "default/web"},
	}, {
		reason: "JSON values as documents of YAML",
		files:  map[string]string{"cluster.yaml": node + "\n---\n" + pod},
		paths:  []string{"cluster.yaml"},
		want:   []string{"n1", "default/web"},
	}, {
		reason: "YAML that begins with a brace",
		files: map[string]string{
			"cluster.yaml": "{apiVersion: v1, kind: NodeList, items: [{metadata: {name: n1}}, {metadata: {name: n2}}]}",
		},
		paths: []string{"cluster.yaml"},
		want:  []string{"n1", "n2"},
	}, {
		reason: "a directory is read in the order of the names, without its subdirectories and other files",
		files: map[string]string{
			"dir/b.json": node, "dir/c.yml": strings.ReplaceAll(node, "n1", "n3"),
			"dir/a.yaml": strings.ReplaceAll(node, "n1", "n2"),
			"dir/d.txt":  "?", "dir/sub/e.yaml": strings.ReplaceAll(node, "n1", "n4"),
		},
		paths: []string{"dir"},
		want:  []string{"n2", "n1", "n3"},
	}, {
		reason: "a file that is named is read whatever it is called",
		files:  map[string]string{"cluster": node, "pods.txt": pod},
		paths:  []string{"pods.txt", "cluster"},
		want:   []string{"n1", "default/web"},
	}, {
		reason: "a pod that has finished is left out, though its node is gone",
		files: map[string]string{
			"cluster.json": node + strings.Replace(
				pod,
				`"spec": {`,
				`"status": {"phase": "Failed"}, "spec": {"nodeName": "n9", `,
				1,
			),
		},
		paths: []string{"cluster.json"},
		want:  []string{"n1"},
	}}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			t.Chdir(t.TempDir())
			for name, text := range test.files {
				if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			m, err := scenario.Read(test.paths, strings.NewReader(test.stdin), admission.Admit)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, node := range m.Nodes {
				got = append(got, node.Name)
			}
			for _, pod := range m.Pods {
				got = append(got, pod.Namespace+"/"+pod.Name)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("objects (-want +got):\n%s", diff)
			}
		})
	}
}

// TestReadCompletes checks what an object has that its manifest did not state.
func TestReadCompletes(t *testing.T) {
	bound := strings.Replace(pod, `"spec": {`, `"spec": {"nodeName": "n1", `, 1)
	named := strings.ReplaceAll(bound, `"name": "web"`, `"name": "api", "namespace": "shop", "uid": "42"`)
	m := mustRead(
		t,
		node+bound+named+`{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "labels": {"team": "a"}}}`,
	)

	web, api := m.Pods[0], m.Pods[1]
	if web.UID != "default/web" || api.UID != "42" || m.Nodes[0].UID != "n1" {
		t.Errorf("uids are %q, %q, %q; want default/web, 42, n1", web.UID, api.UID, m.Nodes[0].UID)
	}
	if want := scenario.StartTime(); !web.Status.StartTime.Equal(&want) {
		t.Errorf("start time is %v, want %v", web.Status.StartTime, want)
	}
	if web.Spec.Priority == nil || web.Spec.SchedulerName != v1.DefaultSchedulerName {
		t.Errorf("the pod is not admitted: %+v", web.Spec)
	}
	want := []map[string]string{
		{"team": "a", v1.LabelMetadataName: "shop"},
		{v1.LabelMetadataName: "default"},
	}
	var got []map[string]string
	for _, namespace := range m.Namespaces {
		got = append(got, namespace.Labels)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("labels of namespaces (-want +got):\n%s", diff)
	}
}

func TestWhere(t *testing.T) {
	m := mustRead(t, node+"\n"+pod)
	if got, ok := m.Where(m.Pods[0]); !ok || got != (scenario.Source{File: "-", Document: 2, Line: 2}) {
		t.Errorf("pod is at %+v, %v", got, ok)
	}
	if got, ok := m.Where(m.Namespaces[0]); ok {
		t.Errorf("namespace that no file has is at %+v", got)
	}
	if got, ok := m.Where(&metav1.ObjectMeta{Name: "web"}); ok {
		t.Errorf("object of somebody else is at %+v", got)
	}
}

// TestSchedulerConfiguration checks that the configuration is passed on as it was written, comments included.
func TestSchedulerConfiguration(t *testing.T) {
	config := "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n# one\nprofiles: []\n"
	m := mustRead(t, "---\n"+node+"\n---\n"+config)
	if diff := cmp.Diff(config, string(m.SchedulerConfiguration)); diff != "" {
		t.Errorf("configuration (-want +got):\n%s", diff)
	}
	if want := (scenario.Source{File: "-", Document: 2, Line: 4}); m.SchedulerConfigurationSource != want {
		t.Errorf("it is at %+v, want %+v", m.SchedulerConfigurationSource, want)
	}
}

// TestErrorUnwraps checks that programs can tell why a file could not be read.
// PowerShell's > writes UTF-16, of which a reader of YAML says nothing that helps.
func TestReadUTF16(t *testing.T) {
	file := filepath.Join(t.TempDir(), "nodes.yaml")
	if err := os.WriteFile(file, []byte("\xff\xfea\x00p\x00i\x00"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := scenario.Read([]string{file}, nil, admission.Admit)
	if want := file + ": it is in UTF-16, as Windows PowerShell writes: write it anew in UTF-8"; err == nil ||
		!strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestErrorUnwraps(t *testing.T) {
	_, err := scenario.Read([]string{"missing.yaml"}, nil, nil)
	if wrong := (*scenario.Error)(nil); !errors.As(err, &wrong) || wrong.Source.File != "missing.yaml" ||
		!errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error is %v, want a scenario.Error at missing.yaml that is fs.ErrNotExist", err)
	}
}

// TestExampleClusters checks that every cluster that is shipped can be read.
func TestExampleClusters(t *testing.T) {
	files, err := filepath.Glob("../../testdata/clusters/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no clusters: %v", err)
	}
	for _, file := range files {
		if m, err := scenario.Read([]string{file}, nil, admission.Admit); err != nil {
			t.Error(err)
		} else if len(m.Notes) > 0 {
			t.Errorf("%s has notes:\n%s", file, strings.Join(m.Notes, "\n"))
		}
	}
}

func mustRead(t *testing.T, text string) *scenario.Manifests {
	t.Helper()
	m, err := scenario.Read([]string{"-"}, strings.NewReader(text), admission.Admit)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
