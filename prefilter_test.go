package modelcheck_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/seed-a3f26817/modelcheck"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// quota is a plugin that lets no pod pass which is labelled "over", and says so at PreFilter by its code.
type quota struct{ code fwk.Code }

func (quota) Name() string { return "Quota" }

func (q quota) PreFilter(_ context.Context, _ fwk.CycleState, pod *v1.Pod,
	_ []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	if pod.Labels["over"] != "" {
		return nil, fwk.NewStatus(q.code, "over quota")
	}
	return nil, nil
}

func (quota) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

func (quota) Filter(context.Context, fwk.CycleState, *v1.Pod, fwk.NodeInfo) *fwk.Status { return nil }

const quotaTemplates = `
apiVersion: v1
kind: Node
metadata: {name: node}
status: {allocatable: {cpu: "2", memory: 4Gi, pods: "10"}}
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 100
---
apiVersion: v1
kind: Pod
metadata: {name: low}
spec:
  containers: [{name: c, image: c, resources: {requests: {cpu: "1"}}}]
---
apiVersion: v1
kind: Pod
metadata: {name: high, labels: {over: quota}}
spec:
  priorityClassName: high
  containers: [{name: c, image: c, resources: {requests: {cpu: "1"}}}]
`

// TestRejectedAtPreFilter: a plugin that rejects a pod at PreFilter, whatever is evicted, has to say that nothing helps
// (doc comments of Unschedulable and UnschedulableAndUnresolvable): else pods are evicted in vain.
func TestRejectedAtPreFilter(t *testing.T) {
	for code, want := range map[fwk.Code]string{
		fwk.UnschedulableAndUnresolvable: "",
		fwk.Unschedulable:                "node-1 is not feasible for the pod even without default/low-2",
		fwk.Pending:                      `running PreFilter plugin "Quota": over quota`,
	} {
		scheduler := modelcheck.Scheduler{Plugins: []modelcheck.Plugin{{
			Name: "Quota",
			New:  func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) { return quota{code}, nil },
			Filter: &spec.Filter{Holds: func(_ *spec.Profile, pod *v1.Pod, _ *v1.Node, _ *spec.Snapshot) bool {
				return pod.Labels["over"] == ""
			}},
		}}}
		result, err := scheduler.Check(t.Context(), modelcheck.Scope{Nodes: 1, Pods: 3, Templates: quotaTemplates})
		if err != nil {
			t.Fatal(err)
		}
		said := slices.ContainsFunc(result.Findings, func(f modelcheck.Finding) bool {
			return strings.Contains(f.Sentence, want)
		})
		if (result.Verdict == modelcheck.Holds) != (want == "") || said != (want != "") {
			t.Errorf("%v: %s, and no finding %q", code, result, want)
		}
	}
}
