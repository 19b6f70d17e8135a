package page

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/internal/audit"
	"github.com/seed-a3f26817/modelcheck/internal/report"
	"github.com/seed-a3f26817/modelcheck/spec"
)

const reasonsOfFleet = 3

// fleet is an audit of many nodes, in which there is something of everything: node i gives reason i mod 3 to the pods
// that wait, and has 10 pods.
func fleet(t *testing.T, nodes int) *report.Audit {
	t.Helper()
	r := &audit.Result{PendingPods: 4, Decisions: 12}
	for i := range nodes {
		amount := func(cpu string) v1.ResourceList {
			return v1.ResourceList{v1.ResourceCPU: resource.MustParse(cpu), v1.ResourceMemory: resource.MustParse("16Gi"),
				v1.ResourcePods: resource.MustParse("110")}
		}
		n := audit.Node{Node: &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: nodeOfCrowd(i),
			Labels: map[string]string{v1.LabelTopologyZone: fmt.Sprintf("europe-west4-%c", 'a'+i%3)}}}}
		n.Node.Status.Allocatable, n.Requested = amount("8"), amount(fmt.Sprintf("%dm", i*100%8800))
		n.Requested[v1.ResourcePods] = resource.MustParse("10")
		n.Node.Spec.Unschedulable, n.Unreachable = i%10 == 1, i%7 == 2
		if cpu := n.Requested[v1.ResourceCPU]; cpu.MilliValue() > 8000 {
			n.Overcommitted = []v1.ResourceName{v1.ResourceCPU}
		}
		for p := range 10 {
			n.Pods = append(n.Pods, waiting(fmt.Sprintf("search-indexer-6d9f7c8b54-%04dx%d", i, p), n.Node.Name))
		}
		if i == 3 {
			n.Broken = map[string]int{"NodeAffinity": 2}
			r.Bound.Broken = []audit.Broken{{Plugin: "NodeAffinity", Pods: n.Pods[:2]}}
		}
		r.Nodes = append(r.Nodes, n)
	}
	r.Bound.Pods, r.Bound.Checked, r.Bound.Asked, r.Bound.Stay = 10*nodes, 10*nodes, 20, 19
	r.Bound.Moves = []audit.Move{{Pod: r.Nodes[0].Pods[0],
		Answer: audit.Answer{Type: spec.Bind, Node: nodeOfCrowd(1), Equals: 1}}}
	waits := audit.Answer{Type: spec.Wait, Reasons: make([]audit.Reason, reasonsOfFleet)}
	reasonOf := make([]int32, nodes)
	for i := range reasonOf {
		reasonOf[i] = int32(i % reasonsOfFleet)
		waits.Reasons[reasonOf[i]].Nodes++
	}
	for k, text := range []string{"Insufficient cpu", "node(s) had untolerated taint(s)",
		"node(s) didn't match Pod's node affinity/selector"} {
		waits.Reasons[k].Text, waits.Reasons[k].Plugins = text, []string{"NodeResourcesFit"}
	}
	r.Pending = []audit.Pending{
		{Pods: []*v1.Pod{waiting("huge-1", ""), waiting("huge-2", "")}, Answer: waits, ReasonOf: reasonOf},
		{Pods: []*v1.Pod{waiting("small", "")}, Answer: audit.Answer{Type: spec.Bind, Node: nodeOfCrowd(4), Equals: 3}},
		{Pods: []*v1.Pod{waiting("urgent", "")}, Answer: audit.Answer{Type: spec.Preempt, Node: nodeOfCrowd(5), Equals: 1,
			Victims: r.Nodes[5].Pods[:1], Reasons: waits.Reasons}, ReasonOf: reasonOf},
	}
	r.Budgets = []audit.Budget{{Budget: &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Namespace: "shop",
		Name: "indexer"}}, Pods: r.Nodes[0].Pods, Nodes: 1, Ever: true}}
	run := budgetsRun(t)
	return &report.Audit{KubernetesVersion: run.KubernetesVersion, Spec: run.Spec, Given: "-f dump/", Nodes: nodes,
		Pods: 10*nodes + 4, Notes: []string{"1 pod is left out, as its node is not there"}, Result: r}
}

func waiting(name, node string) *v1.Pod {
	return &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name}, Spec: v1.PodSpec{NodeName: node}}
}

// changed is what would happen in that cluster: a node is drained, another one added.
func changed(t *testing.T, nodes int) *report.Audit {
	t.Helper()
	a := fleet(t, nodes)
	w := &audit.WhatIf{
		Assumed: []string{"containers start, and evicted pods leave, at once"}, Added: []string{nodeOfCrowd(nodes - 1)},
		Before: a.Result.Nodes, After: a.Result.Nodes, Pending: a.Result.Pending[:1],
		Fill: &audit.Fill{Pod: waiting("copy", ""), Copies: 5, On: map[string]int{nodeOfCrowd(8): 2, nodeOfCrowd(9): 3}},
	}
	for k, pod := range a.Result.Nodes[6].Pods {
		again := fmt.Sprintf("again-%d", k)
		w.Evicted = append(w.Evicted, audit.Eviction{Pod: pod, Recreated: again})
		w.Placed = append(w.Placed, audit.Placement{Pod: waiting(again, ""), Node: nodeOfCrowd(7)})
		w.Steps = append(w.Steps, audit.Step{Pod: pod})
	}
	a.WhatIf, a.Result.WhatIf = []string{nodeOfCrowd(6) + " and " + nodeOfCrowd(10) + " drained"}, w
	a.Drained = []string{nodeOfCrowd(6), nodeOfCrowd(10 % nodes)}
	return a
}

func auditFile(t *testing.T, a *report.Audit) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "audit.html")
	if err := os.WriteFile(path, auditPage(t, a), 0o666); err != nil {
		t.Fatal(err)
	}
	return "file://" + path
}

func auditPage(t *testing.T, a *report.Audit) []byte {
	t.Helper()
	var page bytes.Buffer
	if err := WriteAudit(&page, a); err != nil {
		t.Fatal(err)
	}
	return page.Bytes()
}

// TestAuditData: what the page holds is the document, the pods of each node, and the reason of each node.
func TestAuditData(t *testing.T) {
	for name, a := range map[string]*report.Audit{"as it is": fleet(t, 12), "what if": changed(t, 12)} {
		page, data := auditPage(t, a), &AuditData{}
		if err := Unpack(page, data); err != nil {
			t.Fatal(err)
		}
		want := report.NewAuditDocument(a)
		if want.WhatIf != nil {
			want.WhatIf.Steps = nil
		}
		if diff := cmp.Diff(want, data.Audit); diff != "" {
			t.Errorf("%s: the document (-want +got):\n%s", name, diff)
		}
		groups := data.Audit.Pending
		if data.Audit.WhatIf != nil {
			groups = data.Audit.WhatIf.Pending
		}
		if len(data.Reasons) != len(groups) {
			t.Fatalf("%s: reasons of %d groups of %d", name, len(data.Reasons), len(groups))
		}
		for g, group := range groups {
			counted := make([]int, len(group.Decision.Reasons))
			for _, reason := range data.Reasons[g] {
				counted[reason]++
			}
			for k, reason := range group.Decision.Reasons {
				if counted[k] != reason.Nodes {
					t.Errorf("%s: %d nodes give %q, the decision says %d", name, counted[k], reason.Text, reason.Nodes)
				}
			}
		}
		for i, node := range data.Audit.Nodes {
			if len(data.Pods[i]) != node.Pods {
				t.Errorf("%s: %s has %d pods, their names are %q", name, node.Name, node.Pods, data.Pods[i])
			}
		}
		if !bytes.Equal(page, auditPage(t, a)) {
			t.Errorf("%s: two pages of one audit differ", name)
		}
	}
}

// TestAuditSelfContained: the page of an audit names nothing to be loaded, and whatever a cluster says stays data.
func TestAuditSelfContained(t *testing.T) {
	a := fleet(t, 6)
	plain := string(auditPage(t, a))
	for _, loads := range []string{" src=", "@import", "url(http", "url(//", "innerHTML", "insertAdjacentHTML",
		"document.write", "eval("} {
		if strings.Contains(plain, loads) {
			t.Errorf("the page has %q", loads)
		}
	}
	if !strings.Contains(plain, "connect-src &#39;none&#39;") {
		t.Error("the page may connect")
	}
	a.Notes = []string{"</script><script>alert(1)</script>"}
	if got, want := strings.Count(string(auditPage(t, a)), "<script"), strings.Count(plain, "<script"); got != want {
		t.Errorf("the page has %d scripts, want %d", got, want)
	}
}
