package audit_test

import (
	"testing"

	"github.com/seed-a3f26817/modelcheck/internal/provider"
)

// TestAuditGPUs: of a cluster of 100 nodes with 8 GPUs each and 200 claims every decision is as documented. Twenty pods
// wait for GPUs: those find some that can, and those for eight at once, of one NUMA node or all of a node, do not.
func TestAuditGPUs(t *testing.T) {
	s := &provider.New(provider.Options{Seed: 1, Nodes: 100, GPUs: 8, Claims: 200}).Snapshot
	r := audited(t, optionsOf(t, s))
	if len(r.Findings) > 0 {
		t.Errorf("%d findings, want none", len(r.Findings))
	}
	placed, waiting := 0, 0
	for _, p := range r.Pending {
		if p.Hopeless() {
			waiting += len(p.Pods)
		} else {
			placed += len(p.Pods)
		}
	}
	if placed != 15 || waiting != 5 {
		t.Errorf("%d pods are placed, %d wait; want 15 and 5", placed, waiting)
	}
}
