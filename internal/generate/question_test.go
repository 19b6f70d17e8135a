package generate_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/seed-a3f26817/modelcheck/internal/generate"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestQuestionsAreSnapshots: what is drawn is what the spec wants of its questions, and stays in its scope.
func TestQuestionsAreSnapshots(t *testing.T) {
	scope := generate.Scope{Nodes: 3, Pods: 5}
	rapid.Check(t, func(t *rapid.T) {
		q := generate.DrawQuestion(scope).Draw(t, "question")
		if n := len(q.Snapshot.Nodes); n < 1 || n > scope.Nodes {
			t.Fatalf("%d nodes", n)
		}
		if n := len(q.Snapshot.Pods); n > scope.Pods+1 || q.Snapshot.Pods[0] != q.Pod {
			t.Fatalf("%d pods, of which the one that asks is not the first", n)
		}
		if spec.Bound(q.Pod, q.Snapshot) || q.Pod.DeletionTimestamp != nil {
			t.Fatal("the pending pod is not pending")
		}
		uids := map[string]bool{}
		for _, node := range q.Snapshot.Nodes {
			uids[string(node.UID)] = true
			if hostname, has := node.Labels[v1.LabelHostname]; has && hostname != node.Name &&
				hostname != "node-0" {
				t.Fatalf("node %s is labelled %q", node.Name, node.Labels[v1.LabelHostname])
			}
		}
		for _, pod := range q.Snapshot.Pods {
			uids[string(pod.UID)] = true
			bound := pod.Spec.NodeName != ""
			if bound != spec.Bound(pod, q.Snapshot) || bound != (pod.Status.StartTime != nil) ||
				bound && pod.Status.NominatedNodeName != "" {
				t.Fatalf("pod %s is bound to %q, nominated to %q, and started at %v", pod.Name, pod.Spec.NodeName,
					pod.Status.NominatedNodeName, pod.Status.StartTime)
			}
		}
		if len(uids) != len(q.Snapshot.Nodes)+len(q.Snapshot.Pods) {
			t.Fatal("two objects share a UID")
		}
	})
}

// TestQuestionsVary: everything that the predicates turn on is drawn now and then.
func TestQuestionsVary(t *testing.T) {
	seen := map[string]bool{}
	see := func(what string, is bool) { seen[what] = seen[what] || is }
	scheduler := spec.New(spec.DefaultProfile())
	for seed := range 400 {
		q := generate.DrawQuestion(generate.Scope{Nodes: 3, Pods: 6}).Example(seed)
		for _, o := range scheduler.Outcomes(q.Pod, q.Snapshot) {
			see(o.Type.String(), true)
		}
		see("nominated pending pod", q.Pod.Status.NominatedNodeName != "")
		for _, f := range scheduler.Filters() {
			for _, node := range q.Snapshot.Nodes {
				holds := f.Holds(scheduler.Profile, q.Pod, node, q.Snapshot)
				see(fmt.Sprint(f.Plugin, holds), true)
			}
		}
		for _, pod := range q.Snapshot.Pods {
			see("pod-level resources", pod.Spec.Resources != nil)
			see("overhead", len(pod.Spec.Overhead) > 0)
			see("sidecar", len(spec.Sidecars(pod)) > 0)
			see("host port", len(spec.HostPorts(pod)) > 0)
			see("preempted", spec.TerminatingByPreemption(pod))
			see("terminating otherwise", pod.DeletionTimestamp != nil && !spec.TerminatingByPreemption(pod))
			see("never preempts", !spec.Preempts(pod))
			see("no priority", pod.Spec.Priority == nil)
			see("negative priority", spec.Priority(pod) < 0)
		}
	}
	var missing []string
	for _, what := range []string{"wait", "bind", "preempt", "nominated pending pod", "pod-level resources", "overhead",
		"sidecar", "host port", "preempted", "terminating otherwise", "never preempts", "no priority",
		"negative priority", "NodeUnschedulabletrue", "NodeUnschedulablefalse", "TaintTolerationtrue",
		"TaintTolerationfalse", "NodeAffinitytrue", "NodeAffinityfalse", "NodePortstrue", "NodePortsfalse",
		"NodeResourcesFittrue", "NodeResourcesFitfalse"} {
		if !seen[what] {
			missing = append(missing, what)
		}
	}
	if diff := cmp.Diff([]string(nil), missing); diff != "" {
		t.Errorf("never drawn:\n%s", diff)
	}
}

// A property-based test draws a question and asks whatever it is about; this one draws by hand.
func ExampleQuestion() {
	q := generate.DrawQuestion(generate.Scope{Nodes: 2, Pods: 3}).Example(1)
	outcomes := spec.New(spec.DefaultProfile()).Outcomes(q.Pod, q.Snapshot)
	fmt.Println(q.Pod.Name, "asks, and something may become of it:", len(outcomes) > 0)
	// Output: pending asks, and something may become of it: true
}
