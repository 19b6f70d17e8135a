package model

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// TestCodecRoundTrip: unpack(pack(a)) = a for every canonical a, for codecs of any size; hence pack is injective.
func TestCodecRoundTrip(t *testing.T) { rapid.Check(t, codecRoundTrip) }

// FuzzCodec lets the fuzzer choose what is drawn.
func FuzzCodec(f *testing.F) { f.Fuzz(rapid.MakeFuzz(codecRoundTrip)) }

func codecRoundTrip(t *rapid.T) {
	c := codec{
		nodes:     rapid.SampledFrom([]int{1, 2, 5, maxNodes}).Draw(t, "nodes"),
		pods:      rapid.SampledFrom([]int{0, 1, 7, maxPods}).Draw(t, "pods"),
		templates: rapid.SampledFrom([]int{0, 0, 1, 3}).Draw(t, "bounded templates"),
		owed:      rapid.SampledFrom([]int{0, 0, 1, 3}).Draw(t, "templates recreated"),
		wide:      rapid.Bool().Draw(t, "wide"),

		budgets: rapid.SampledFrom([]int{0, 0, 1, 3}).Draw(t, "budgets"),
		ranked:  rapid.Bool().Draw(t, "ranked"),
	}
	if rapid.Bool().Draw(t, "nodes change") {
		c.changes = 1 + c.nodes
	}
	a := drawFor(t, c)
	state := make([]byte, c.width())
	c.pack(a, state)
	back := &Arrangement{
		Pending:            []Pod{1},
		ArrivalsOfTemplate: []int{9},
		Owed:               []int{9},
		Budgets:            []uint8{9},
	} // scratch that was used before
	c.unpack(state, back)
	if diff := cmp.Diff(a, back, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("unpacked (-packed +unpacked):\n%s", diff)
	}
	b := drawFor(t, c)
	other := make([]byte, c.width())
	c.pack(b, other)
	if (string(state) == string(other)) != cmp.Equal(a, b, cmpopts.EquateEmpty()) {
		t.Fatalf("two arrangements, equal or not, and their states:\n%v\n%v\n%x\n%x", a, b, state, other)
	}
}

// drawFor draws a canonical arrangement that fits the codec, at its limits as well.
func drawFor(t *rapid.T, c codec) *Arrangement {
	templates := 256 / phases
	if c.wide {
		templates = maxPodTemplates
	}
	a := &Arrangement{
		Left: Left{Arrivals: rapid.Uint8().Draw(t, "arrivals"), Placements: rapid.Uint8().Draw(t, "placements")},
	}
	if c.changes > 0 {
		a.Left.NodeChanges = rapid.Uint8().Draw(t, "changes of nodes")
	}
	for range c.budgets {
		a.Budgets = append(a.Budgets, rapid.Uint8().Draw(t, "budget"))
	}
	for range c.templates {
		a.ArrivalsOfTemplate = append(a.ArrivalsOfTemplate, rapid.IntRange(0, maxPods).Draw(t, "arrivals of template"))
	}
	for range c.owed {
		a.Owed = append(a.Owed, rapid.IntRange(0, maxPods).Draw(t, "owed"))
	}
	for range rapid.SampledFrom([]int{0, 1, c.nodes}).Draw(t, "nodes") {
		nodeState := NodeState{Template: rapid.IntRange(0, maxNodeTemplates-1).Draw(t, "kind")}
		if c.changes > 0 {
			nodeState.Changed = NodeChange(rapid.IntRange(0, nodeChanges-1).Draw(t, "change"))
		}
		a.Nodes = append(a.Nodes, nodeState)
	}
	for range rapid.SampledFrom([]int{0, min(3, c.pods), c.pods}).Draw(t, "pods") {
		p := newPod(rapid.IntRange(0, templates-1).Draw(t, "kind"), Running, 0)
		to := &a.Pending
		if nodeState := rapid.IntRange(-1, len(a.Nodes)-1).Draw(t, "place"); nodeState >= 0 {
			to = &a.Nodes[nodeState].Nominated
			if rapid.Bool().Draw(t, "bound") {
				p = p.withPhase(rapid.SampledFrom([]Phase{Running, Preempted, Terminating}).Draw(t, "phase"))
				if c.ranked {
					p = p.withRank(rapid.IntRange(0, maxRank).Draw(t, "rank"))
				}
				to = &a.Nodes[nodeState].Bound
			}
		}
		*to = append(*to, p)
	}
	a.Canonical()
	return a
}

func TestActionsPackInto32Bits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := Action{
			Class: Class(rapid.IntRange(0, len(Classes())-1).Draw(t, "class")),
			Pod:   rapid.Uint32Max(1<<21-1).Draw(t, "pod"),
			Node:  rapid.IntRange(-1, maxNodes-1).Draw(t, "place"),
		}
		if diff := cmp.Diff(a, UnpackAction(a.Pack())); diff != "" {
			t.Fatalf("unpacked (-packed +unpacked):\n%s", diff)
		}
	})
}

// TestLimits: what the encoding cannot hold is refused, with the name of the limit.
func TestLimits(t *testing.T) {
	good := func() *Scenario {
		return &Scenario{
			Name:    "s",
			Initial: []Cluster{{Nodes: make([]ClusterNode, 1)}},
			Nodes:   make([]NodeTemplate, 1),
			Pods:    make([]PodTemplate, 1),
		}
	}
	for _, row := range []struct {
		reason string
		spoil  func(*Scenario)
		want   string
	}{
		{"it is as it should be", func(*Scenario) {}, ""},
		{"as many pods as go", func(s *Scenario) { s.Actions.Arrivals = maxPods }, ""},
		{"one more", func(s *Scenario) { s.Actions.Arrivals = maxPods + 1 },
			"scenario s has 251 pods; at most 250 can be explored"},
		{"nodes are counted per cluster", func(s *Scenario) { s.Initial[0].Nodes = make([]ClusterNode, maxNodes+1) },
			"scenario s has 121 nodes; at most 120 can be explored"},
		{"node templates", func(s *Scenario) { s.Nodes = make([]NodeTemplate, maxNodeTemplates+1) },
			"scenario s has 251 node templates; at most 250 can be explored"},
		{"pod templates", func(s *Scenario) { s.Pods = make([]PodTemplate, maxPodTemplates+1) },
			"scenario s has 20001 pod templates; at most 20000 can be explored"},
		{"completions", func(s *Scenario) { s.Actions.Completions = 256 },
			"scenario s has 256 completions; at most 250 can be explored"},
		{"bounds for templates that are not there", func(s *Scenario) { s.Actions.ArrivalsOfTemplate = []int{1, 2} },
			"scenario s bounds the arrivals of 2 pod templates, but has 1"},
		{"nothing to begin with", func(s *Scenario) { s.Initial = nil }, "scenario s has no initial cluster"},
	} {
		s := good()
		row.spoil(s)
		got := ""
		if _, err := NewMachine(s, NewCatalog()); err != nil {
			got = err.Error()
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
}
