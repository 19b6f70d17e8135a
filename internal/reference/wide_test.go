package reference

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"

	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// rowOfNodes is a scenario of so many nodes and pods of two templates each, all pods unbound. Nodes of the second
// template are tainted, and pods of the second template tolerate that and have the higher priority.
func rowOfNodes(nodes, pods [2]int) *model.Scenario {
	cpu := func(n int64) v1.ResourceList {
		return v1.ResourceList{
			v1.ResourceCPU:  *resource.NewQuantity(n, resource.DecimalSI),
			v1.ResourcePods: resource.MustParse("110"),
		}
	}
	s := &model.Scenario{Name: fmt.Sprint(nodes, pods)}
	var cluster model.Cluster
	for template := range 2 {
		node := &v1.Node{Status: v1.NodeStatus{Allocatable: cpu(2)}}
		pod := &v1.Pod{
			Spec: v1.PodSpec{
				Containers: []v1.Container{{Resources: v1.ResourceRequirements{Requests: cpu(int64(1 + template))}}},
			},
		}
		pod.Spec.Containers[0].Resources.Requests[v1.ResourcePods] = resource.Quantity{}
		priority := int32(template)
		pod.Spec.Priority = &priority
		if template == 1 {
			node.Spec.Taints = []v1.Taint{{Key: "gpu", Effect: v1.TaintEffectNoSchedule}}
			pod.Spec.Tolerations = []v1.Toleration{
				{Key: "gpu", Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoSchedule},
			}
		}
		s.Nodes = append(s.Nodes, model.NodeTemplate{Name: fmt.Sprintf("node%d", template), Node: node})
		s.Pods = append(s.Pods, model.PodTemplate{Name: fmt.Sprintf("pod%d", template), Pod: pod})
		for i := range nodes[template] {
			cluster.Nodes = append(cluster.Nodes, model.ClusterNode{Template: template, ID: i + 1})
		}
		for i := range pods[template] {
			cluster.Pending = append(cluster.Pending, model.ClusterPod{Template: template, ID: i + 1})
		}
	}
	s.Initial = []model.Cluster{cluster}
	return s
}

// steps takes steps as text.
type steps struct{ all []string }

func (s *steps) Add(action uint32, next []byte) int {
	s.all = append(s.all, fmt.Sprintf("%x %x", action, next))
	return len(s.all) - 1
}

func (s *steps) Find(string, int) {}

// TestPaths: states of one word and of several, and facts from arrays and from maps, give the same steps.
func TestPaths(t *testing.T) {
	for _, symmetry := range []bool{false, true} {
		f, err := New(rowOfNodes([2]int{2, 1}, [2]int{2, 2}), spec.NewReference(),
			Actions{Leave: true, Return: true}, symmetry)
		if err != nil {
			t.Fatal(err)
		}
		quick, plain := f.NewWorker(), f.NewWorker()
		if !quick.narrow || quick.direct == nil {
			t.Fatal("the scenario is too large to test the quick paths")
		}
		plain.narrow, plain.direct = false, make([][]*workerCell, len(f.nodes))
		for i := range plain.known {
			plain.known[i] = map[uint64]*workerCell{}
		}
		var states []string
		known := map[string]bool{}
		add := func(state []byte) {
			if !known[string(state)] {
				known[string(state)] = true
				states = append(states, string(state))
			}
		}
		f.Initial(add)
		for i := 0; i < len(states); i++ {
			var want, got steps
			plain.Expand([]byte(states[i]), &want)
			quick.Expand([]byte(states[i]), &got)
			if diff := cmp.Diff(want.all, got.all); diff != "" {
				t.Fatalf("symmetry %t, steps from %v (-several words +one word):\n%s", symmetry,
					f.View([]byte(states[i])), diff)
			}
			for _, step := range want.all {
				var action uint32
				var next []byte
				if _, err := fmt.Sscanf(step, "%x %x", &action, &next); err != nil {
					t.Fatal(err)
				}
				add(next)
			}
		}
		if len(states) < 10 {
			t.Errorf("symmetry %t: only %d states", symmetry, len(states))
		}
	}
}

// TestAllocatesNothing: once the tables are filled, expanding a state allocates nothing, be it of one word or
// of several.
func TestAllocatesNothing(t *testing.T) {
	for _, nodes := range [][2]int{{9, 6}, {30, 20}} {
		f, err := New(rowOfNodes(nodes, [2]int{12, 8}), spec.NewReference(),
			Actions{Leave: true, Return: true}, true)
		if err != nil {
			t.Fatal(err)
		}
		w := f.NewWorker()
		if wide := nodes[0] == 30; wide == w.narrow {
			t.Fatalf("states of %v nodes have %d bits", nodes, f.bits())
		}
		found := &frontier{known: map[string]bool{}}
		f.Initial(func(state []byte) { found.Add(0, state) })
		for i := 0; i < min(len(found.states), 500); i++ {
			w.Expand(found.states[i], found)
		}
		out := discard{}
		if n := testing.AllocsPerRun(10, func() {
			for _, state := range found.states[:500] {
				w.Expand(state, out)
			}
		}); n > 0 {
			t.Errorf("%v nodes: %v allocations", nodes, n)
		}
	}
}

type discard struct{}

func (discard) Add(uint32, []byte) int { return 0 }
func (discard) Find(string, int)       {}

// TestErrors: what is not tabulated is refused.
func TestErrors(t *testing.T) {
	wide := spec.DefaultProfile()
	for _, row := range []struct {
		reason   string
		scenario *model.Scenario
		model    *spec.Scheduler
		want     string
	}{
		{"a filter that looks across nodes", rowOfNodes([2]int{1, 0}, [2]int{1, 0}), spec.NewLiteral(wide),
			"scenario [1 0] [1 0]: filter InterPodAffinity looks across nodes, and the formal model is tabulated by node"},
		{"another reading", rowOfNodes([2]int{1, 0}, [2]int{1, 0}), spec.New(&spec.Profile{}),
			"scenario [1 0] [1 0]: preemption must be that of the literal reading, in which all sets of pods that " +
				"help compete"},
		{"the empty set competes", rowOfNodes([2]int{1, 0}, [2]int{1, 0}), spec.NewLiteral(&spec.Profile{}),
			"scenario [1 0] [1 0]: preemption must be that of the literal reading, in which all sets of pods that " +
				"help compete"},
		{"no cluster", &model.Scenario{Name: "none"}, spec.NewReference(),
			"scenario none has 0 initial clusters: the formal model begins with one"},
		{"too many pods without symmetry", rowOfNodes([2]int{1, 0}, [2]int{65, 0}), spec.NewReference(),
			"scenario [1 0] [65 0]: the pods on a node take 65 bits to tell apart, one for each pod without " +
				"symmetry; at most 64 can be explored"},
	} {
		_, err := New(row.scenario, row.model, Actions{}, false)
		if err == nil || err.Error() != row.want {
			t.Errorf("%s: error is %v, want %s", row.reason, err, row.want)
		}
	}
}

// TestCodec: a state holds its cells, whatever their width and number.
func TestCodec(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := &Model{}
		for range rapid.IntRange(2, 20).Draw(t, "fields") {
			f.widths = append(f.widths, rapid.IntRange(0, 64).Draw(t, "bits"))
		}
		fields, got := make([]uint64, len(f.widths)), make([]uint64, len(f.widths))
		for i, width := range f.widths {
			fields[i] = rapid.Uint64().Draw(t, "field") & (1<<width - 1)
		}
		state := make([]byte, f.Width())
		f.pack(fields, state)
		f.unpack(state, got)
		if diff := cmp.Diff(fields, got); diff != "" {
			t.Fatalf("%v bits (-packed +unpacked):\n%s", f.widths, diff)
		}
	})
}

// TestChangesArePacked: a step that writes what it changes of a state gives the state that is packed of all
// fields, sorted.
func TestChangesArePacked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := &Model{widths: []int{rapid.IntRange(0, 64).Draw(t, "bits of the unbound pods")}}
		fields := []uint64{0}
		draw := func(i int) uint64 {
			return rapid.Uint64().Draw(t, "field") & (1<<f.widths[i] - 1)
		}
		for template := range rapid.IntRange(1, 3).Draw(t, "node templates") {
			first, nodes := len(f.nodes), rapid.IntRange(1, 20).Draw(t, "nodes")
			width := rapid.SampledFrom([]int{0, 1, 2, 3, 4, 5, 7, 11, 16, 31, 32, 63, 64}).Draw(t, "bits of a node")
			for range nodes {
				f.nodes = append(f.nodes, node{template: template, first: first, last: first + nodes - 1})
				f.widths = append(f.widths, width)
				fields = append(fields, draw(len(fields)))
			}
			slices.Sort(fields[first+1:])
		}
		fields[0] = draw(0)
		state := make([]byte, f.Width())
		f.pack(fields, state)
		w := f.NewWorker()
		w.read(state)
		if !slices.Equal(w.fields, fields) {
			t.Fatalf("%v bits: read %x, want %x", f.widths, w.fields, fields)
		}
		node, unbound := rapid.IntRange(-1, len(f.nodes)-1).Draw(t, "node that changes"), draw(0)
		field := uint64(0)
		fields[0] = unbound
		if node >= 0 {
			field = draw(node + 1)
			fields[node+1] = field
			n := &f.nodes[node]
			slices.Sort(fields[n.first+1 : n.last+2])
		}
		f.pack(fields, state)
		for _, narrow := range []bool{f.bits() <= 64, false} {
			var got lastStep
			w.narrow, w.out = narrow, &got
			w.add(0, node, field, unbound)
			if !slices.Equal(got.state, state) {
				t.Fatalf("%v bits, one word %t: node %d, changed to %x: %x, want %x", f.widths, narrow, node, field,
					got.state, state)
			}
		}
	})
}

// FuzzCodec: whatever the widths are, fields come out of a state as they went in, and a state's bytes are
// those of its fields.
func FuzzCodec(f *testing.F) {
	f.Add([]byte{1, 2, 3}, []byte("some bytes to take fields from"))
	f.Add([]byte{64, 0, 64, 1, 63}, []byte{255, 255, 255, 255, 255, 255, 255, 255, 1, 2, 3, 4, 5, 6, 7, 8, 9})
	f.Add([]byte{11, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4}, []byte{0x5a, 0xa5, 0x3c})
	f.Add([]byte{0, 0}, []byte{})
	f.Fuzz(func(t *testing.T, widths, data []byte) {
		m := &Model{}
		for _, width := range widths {
			m.widths = append(m.widths, int(width)%65)
		}
		state := make([]byte, m.Width())
		copy(state, data)
		if spare := 8*len(state) - m.bits(); spare < 8 {
			state[len(state)-1] &= 0xff >> spare
		}
		fields := make([]uint64, len(m.widths))
		m.unpack(state, fields)
		again := make([]byte, len(state))
		m.pack(fields, again)
		back := make([]uint64, len(fields))
		m.unpack(again, back)
		sum := 0
		for i, width := range m.widths {
			if sum += width; fields[i]>>width != 0 && width < 64 || back[i] != fields[i] {
				t.Fatalf("field %d of %v is %x, then %x", i, m.widths, fields[i], back[i])
			}
		}
		if sum > 0 && string(again) != string(state) {
			t.Fatalf("%x, unpacked and packed, is %x; widths %v", state, again, m.widths)
		}
	})
}
