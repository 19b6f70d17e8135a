package provider_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/provider"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
)

func written(t *testing.T, o provider.Options, asJSON, managedFields bool) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := provider.New(o).Write(&out, asJSON, managedFields); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestWrite: what is written is read and admitted without a word, in both formats the same, and as it was made.
func TestWrite(t *testing.T) {
	for _, row := range []struct {
		reason  string
		options provider.Options
		pods    int
	}{
		{"ordinary", provider.Options{Seed: 1, Nodes: 30, Pods: 400}, 403},
		{"another", provider.Options{Seed: 2, Nodes: 40, Pods: 500}, 503},
		{"DaemonSets have more pods than are asked for", provider.Options{Nodes: 2, Pods: 1}, 13},
		{"dense", provider.Options{Dense: true, Nodes: 4}, 442},
		{"GPUs", provider.Options{Nodes: 10, GPUs: 8, Claims: 20}, 20},
	} {
		t.Run(row.reason, func(t *testing.T) {
			cluster := provider.New(row.options)
			for _, asJSON := range []bool{false, true} {
				m, err := scenario.Decode("cluster", written(t, row.options, asJSON, asJSON), admission.Admit)
				if err != nil {
					t.Fatal(err)
				}
				if len(m.Notes) > 0 {
					t.Errorf("notes: %v", m.Notes)
				}
				if len(m.Pods) != row.pods || len(m.Nodes) != row.options.Nodes {
					t.Errorf("%d pods on %d nodes; want %d on %d", len(m.Pods), len(m.Nodes), row.pods, row.options.Nodes)
				}
				if diff := cmp.Diff(cluster.Snapshot.Pods, m.Pods, cmp.Comparer(sameTime)); diff != "" {
					t.Errorf("admission changed pods (-made +read):\n%.2000s", diff)
				}
				if diff := cmp.Diff(cluster.Snapshot.Nodes, m.Nodes, cmp.Comparer(sameTime)); diff != "" {
					t.Errorf("admission changed nodes (-made +read):\n%.2000s", diff)
				}
			}
		})
	}
}

// TestSameSeed: the same options give the same bytes, another seed gives others.
func TestSameSeed(t *testing.T) {
	o := provider.Options{Seed: 7, Nodes: 20, Pods: 200}
	first := written(t, o, true, false)
	if !bytes.Equal(first, written(t, o, true, false)) {
		t.Error("the same options gave two clusters")
	}
	if o.Seed = 8; bytes.Equal(first, written(t, o, true, false)) {
		t.Error("two seeds gave the same cluster")
	}
}

// TestFull: no node holds more than it can.
func TestFull(t *testing.T) {
	for _, o := range []provider.Options{{Nodes: 30, Pods: 100000}, {Nodes: 3, Dense: true}} {
		c := provider.New(o)
		for _, node := range c.Nodes {
			var cpu, memory, pods int64
			for _, pod := range c.Pods {
				if pod.Spec.NodeName == node.Name {
					requests := pod.Spec.Containers[0].Resources.Requests
					cpu, memory, pods = cpu+requests.Cpu().MilliValue(), memory+requests.Memory().Value(), pods+1
				}
			}
			has := node.Status.Allocatable
			if cpu > has.Cpu().MilliValue() || memory > has.Memory().Value() || pods > has.Pods().Value() {
				t.Errorf("%s holds %dm, %d bytes, %d pods of %v", node.Name, cpu, memory, pods, has)
			}
		}
	}
}

func sameTime(a, b v1.PodStatus) bool { return a.Phase == b.Phase && a.StartTime.Equal(b.StartTime) }
