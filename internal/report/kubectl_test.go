package report

import (
	"os/exec"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// hasInOrder reports whether the text has the parts, one after the other.
func hasInOrder(text string, parts ...string) bool {
	for _, part := range parts {
		_, rest, found := strings.Cut(text, part)
		if !found {
			return false
		}
		text = rest
	}
	return true
}

// TestKubectl: the script is one that a shell reads, whatever names and statuses are, and does things in their order;
// the manifests have what an API server takes from new objects, and nothing else.
func TestKubectl(t *testing.T) {
	ends := metav1.Now()
	asks := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "default"},
		Status: v1.PodStatus{NominatedNodeName: "it's"}}
	goes := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "goes", Namespace: "default", DeletionTimestamp: &ends,
		OwnerReferences: []metav1.OwnerReference{{Kind: "ReplicaSet", Name: "r", Controller: new(bool)}}},
		Spec: v1.PodSpec{NodeName: "it's"}}
	node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "it's"}}
	c := &invariants.Case{Question: spec.Question{Pod: asks,
		Snapshot: &spec.Snapshot{Pods: []*v1.Pod{asks, goes}, Nodes: []*v1.Node{node}}},
		Decision: &spec.Decision{Outcomes: []spec.Outcome{{Type: spec.Bind}}},
		Expected: &spec.Expected{Outcomes: []spec.Outcome{{Type: spec.Wait, Node: -1}}}}
	r := &Run{KubernetesVersion: "v1", Spec: spec.New(spec.DefaultProfile()), Result: &decisions.Result{}}
	files := map[string]string{}
	for _, file := range r.kubectl(&decisions.Finding{Example: decisions.Example{Case: c}}) {
		files[file.Name] = string(file.Content)
	}
	script := files[KubectlScript]
	if !hasInOrder(script, "kubectl apply -f objects.yaml", `kubectl cordon "$node"`, "kubectl apply -f pods.yaml",
		"kubectl delete pod 'goes' -n 'default' --wait=false", "kubectl apply -f pod.yaml",
		`kubectl patch pod 'p' -n 'default' --subresource=status --type=merge -p '{"status":{"nominatedNodeName":"it'\''s"}}'`,
		"echo 'seen in process: kube-scheduler v1 binds default/p to it'\\''s'",
		"echo 'expected: kube-scheduler leaves default/p pending") {
		t.Errorf("the script is\n%s", script)
	}
	shell := exec.CommandContext(t.Context(), "sh", "-n")
	shell.Stdin = strings.NewReader(script)
	if output, err := shell.CombinedOutput(); err != nil {
		t.Errorf("a shell does not read it: %v\n%s\n%s", err, output, script)
	}
	for name, kind := range map[string]string{kubectlObjects: "Node", kubectlPods: "Pod", kubectlPod: "Pod"} {
		var object struct {
			Kind     string
			Metadata metav1.ObjectMeta
			Status   *v1.PodStatus
		}
		if err := yaml.Unmarshal([]byte(files[name]), &object); err != nil || object.Kind != kind {
			t.Errorf("%s is of %q, %v:\n%s", name, object.Kind, err, files[name])
		}
		if m := object.Metadata; m.DeletionTimestamp != nil || len(m.OwnerReferences) > 0 ||
			kind == "Pod" && object.Status != nil {
			t.Errorf("%s has what no new object has:\n%s", name, files[name])
		}
	}
	if !strings.Contains(files[kubectlPods], holds) || strings.Contains(files[kubectlPod], holds) {
		t.Errorf("the pod that terminates is not held, or another is:\n%s", files[kubectlPods])
	}
	if r.kubectl(&decisions.Finding{}) != nil {
		t.Error("there is a script of what is no decision")
	}
}

// TestSensitive: a report of what concerns the security of clusters begins with where to go first, others say nothing
// of it; and the sentence is quoted where there is one.
func TestSensitive(t *testing.T) {
	c := &invariants.Case{Question: spec.Question{Pod: pod("p", "1", 0), Snapshot: &spec.Snapshot{}},
		Decision: &spec.Decision{}, Expected: &spec.Expected{}}
	for quirk, sensitive := range map[string]bool{"rwop-namespace": true, "nominated-repels": false} {
		for _, q := range spec.Quirks() {
			if q.Name != quirk {
				continue
			}
			r := &Run{Spec: spec.New(spec.DefaultProfile()), Result: &decisions.Result{}}
			f := &decisions.Finding{Quirks: []spec.Quirk{q}, Class: decisions.Unconfirmed, Example: decisions.Example{
				Case: c, Stages: []model.Stage{{}}}}
			text := r.bugReport(f)
			if got := strings.Contains(text, disclosure); got != sensitive {
				t.Errorf("%s: the disclosure process is named: %v", quirk, got)
			}
			if evidence := evidenceOf(f)[0]; !strings.HasPrefix(text, "# "+evidence.Symptom+"\n") ||
				!strings.Contains(strings.Join(strings.Fields(text), " "), "> "+evidence.Norm.Text) {
				t.Errorf("%s: the report is\n%s", quirk, text)
			}
		}
	}
}
