package reference_test

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/seed-a3f26817/modelcheck/internal/reference"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// anyConfiguration draws a small configuration in which nodes and pods are often alike.
func anyConfiguration(t *rapid.T) *reference.Configuration {
	some := func(what string, names ...string) []string {
		return rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, 1, rapid.ID).Draw(t, what)
	}
	c := &reference.Configuration{
		Name: "any", Complete: rapid.SampledFrom(slices.Sorted(maps.Keys(reference.Completions()))).Draw(t, "complete"),
	}
	for range rapid.IntRange(1, 3).Draw(t, "nodes") {
		node := reference.ConfiguredNode{
			Cap:    rapid.Int64Range(1, 4).Draw(t, "cap"),
			Taints: some("taints", "a"),
			Labels: some("labels", "x"),
		}
		for range rapid.IntRange(1, 2).Draw(t, "nodes alike") {
			c.Nodes = append(c.Nodes, node)
		}
	}
	c.Nodes = c.Nodes[:min(len(c.Nodes), 3)]
	for range rapid.IntRange(1, 4).Draw(t, "pods") {
		pod := reference.ConfiguredPod{
			Req: rapid.Int64Range(0, 4).Draw(t, "req"), Prio: rapid.Int32Range(-2, 3).Draw(t, "prio"),
			Tol: some("tol", "a"), Sel: some("sel", "x"),
		}
		for range rapid.IntRange(1, 3).Draw(t, "pods alike") {
			c.Pods = append(c.Pods, pod)
		}
	}
	c.Pods = c.Pods[:min(len(c.Pods), 5)]
	return c
}

func modelOf(t *rapid.T, c *reference.Configuration, symmetry bool) *reference.Model {
	s, actions := c.Scenario()
	f, err := reference.New(s, spec.NewReference(), actions, symmetry)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// collected takes the successors of a state.
type collected struct {
	next    [][]byte
	actions []uint32
	reports []string
}

func (c *collected) Add(action uint32, next []byte) int {
	c.next, c.actions = append(c.next, bytes.Clone(next)), append(c.actions, action)
	return len(c.next) - 1
}

func (c *collected) Find(key string, _ int) { c.reports = append(c.reports, key) }

// reached explores a machine: its states with their successors, in the order in which they were found.
func reached(f *reference.Model) (states []string, steps map[string]*collected) {
	steps = map[string]*collected{}
	worker := f.NewWorker()
	add := func(state []byte) {
		if steps[string(state)] == nil {
			steps[string(state)] = &collected{}
			states = append(states, string(state))
		}
	}
	f.Initial(add)
	for i := 0; i < len(states); i++ {
		out := steps[states[i]]
		worker.Expand([]byte(states[i]), out)
		for _, next := range out.next {
			add(next)
		}
	}
	return states, steps
}

// TestIsSpec: without symmetry, the steps from every state are those that the spec gives when it is asked
// about the whole cluster, tables and packed states left aside.
func TestIsSpec(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := anyConfiguration(t)
		f := modelOf(t, c, false)
		states, steps := reached(f)
		for i, state := range states {
			if i == 300 {
				break
			}
			view := f.View([]byte(state))
			var got []string
			for _, next := range steps[state].next {
				got = append(got, f.View(next).String())
			}
			slices.Sort(got)
			if diff := gocmp.Diff(wholly(c, view), got); diff != "" {
				t.Fatalf("steps from %v (-spec +tables):\n%s", view, diff)
			}
			var reports []string
			if len(got) == 0 && len(view.Unbound) > 0 {
				reports = []string{reference.Deadlock}
			}
			if diff := gocmp.Diff(reports, steps[state].reports); diff != "" {
				t.Fatalf("reports in %v (-want +got):\n%s", view, diff)
			}
		}
	})
}

// wholly returns the views that follow, sorted: Next of the module, with the spec asked about all objects at once.
func wholly(c *reference.Configuration, view reference.View) []string {
	s := c.Snapshot()
	m := spec.NewReference()
	byName := map[string]*v1.Pod{}
	for _, pod := range s.Pods {
		byName[pod.Name] = pod
	}
	var here []*v1.Pod
	for _, node := range view.Nodes {
		for _, name := range node.Pods {
			byName[name].Spec.NodeName = node.Name
			here = append(here, byName[name])
		}
	}
	for _, name := range view.Unbound {
		here = append(here, byName[name])
	}
	s.Pods = here
	var all []string
	// then adds the view after some pods moved: to a node, to "" if they are unbound, to "left" if they left.
	then := func(to string, names ...string) {
		next := reference.View{}
		where := func(list []string, nodeState string) []string {
			list = slices.DeleteFunc(slices.Clone(list), func(name string) bool { return slices.Contains(names, name) })
			if nodeState == to {
				list = append(list, names...)
			}
			slices.SortFunc(list, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
			return list
		}
		for _, node := range view.Nodes {
			next.Nodes = append(next.Nodes, reference.ViewNode{Name: node.Name, Pods: where(node.Pods, node.Name)})
		}
		next.Unbound, next.Left = where(view.Unbound, ""), where(view.Left, "left")
		all = append(all, next.String())
	}
	unbound := spec.Unbound(s)
	for _, pod := range unbound {
		if slices.ContainsFunc(unbound, func(other *v1.Pod) bool { return spec.Priority(other) > spec.Priority(pod) }) {
			continue
		}
		for _, outcome := range m.Outcomes(pod, s) {
			switch outcome.Type {
			case spec.Bind:
				then(s.Nodes[outcome.Node].Name, pod.Name)
			case spec.Preempt:
				var victims []string
				for _, victim := range outcome.Victims {
					victims = append(victims, victim.Name)
				}
				then("", victims...)
			}
		}
	}
	actions := reference.Completions()[c.Complete]
	for _, pod := range here {
		if pod.Spec.NodeName != "" && actions.Unbind {
			then("", pod.Name)
		}
		if pod.Spec.NodeName != "" && actions.Leave {
			then("left", pod.Name)
		}
	}
	for _, name := range view.Left {
		if actions.Return {
			then("", name)
		}
	}
	slices.Sort(all)
	return all
}

// TestOrbits: with symmetry, there is one state for each orbit of the states without: as many as there are
// classes under all renamings of nodes and pods that are alike. The classes are counted by trying every renaming.
func TestOrbits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := anyConfiguration(t)
		named, alike := modelOf(t, c, false), modelOf(t, c, true)
		states, _ := reached(named)
		if len(states) > 3000 {
			t.Skip("too many states to try every renaming")
		}
		canonical, _ := reached(alike)
		group := renamings(c)
		if float64(len(group)) != alike.SymmetryGroup() {
			t.Fatalf("there are %d renamings, and the size of the group is %v", len(group), alike.SymmetryGroup())
		}
		orbits := map[string]bool{}
		for _, state := range states {
			at := whereabouts(c, named.View([]byte(state)))
			least := ""
			for _, r := range group {
				if renamed := r.of(at); least == "" || renamed < least {
					least = renamed
				}
			}
			orbits[least] = true
		}
		if len(orbits) != len(canonical) {
			t.Fatalf("%d states without symmetry in %d orbits; %d states with symmetry", len(states), len(orbits),
				len(canonical))
		}
	})
}

// whereabouts tells for each pod where it is: 0 unbound, 1 left, 2+i on node i.
func whereabouts(c *reference.Configuration, view reference.View) []int {
	at := make([]int, len(c.Pods))
	number := func(name string) int {
		var n int
		fmt.Sscanf(name, "p%d", &n)
		return n - 1
	}
	for _, name := range view.Left {
		at[number(name)] = 1
	}
	for _, node := range view.Nodes {
		var n int
		fmt.Sscanf(node.Name, "n%d", &n)
		for _, name := range node.Pods {
			at[number(name)] = 1 + n
		}
	}
	return at
}

// renaming says what each node and pod is called instead.
type renaming struct{ nodes, pods []int }

func (r renaming) of(at []int) string {
	renamed := make([]byte, len(at))
	for pod, nodeState := range at {
		if nodeState >= 2 {
			nodeState = 2 + r.nodes[nodeState-2]
		}
		renamed[r.pods[pod]] = byte(nodeState)
	}
	return string(renamed)
}

// renamings returns all renamings that leave alone what nodes and pods are.
func renamings(c *reference.Configuration) []renaming {
	nodes := permutations(len(c.Nodes), func(i, j int) bool { return fmt.Sprint(c.Nodes[i]) == fmt.Sprint(c.Nodes[j]) })
	pods := permutations(len(c.Pods), func(i, j int) bool { return fmt.Sprint(c.Pods[i]) == fmt.Sprint(c.Pods[j]) })
	var all []renaming
	for _, n := range nodes {
		for _, p := range pods {
			all = append(all, renaming{n, p})
		}
	}
	return all
}

// permutations returns those of 0..n-1 that send each number to one that is alike.
func permutations(n int, alike func(i, j int) bool) [][]int {
	all := [][]int{nil}
	for i := range n {
		var longer [][]int
		for _, p := range all {
			for j := range n {
				if alike(i, j) && !slices.Contains(p, j) {
					longer = append(longer, append(slices.Clone(p), j))
				}
			}
		}
		all = longer
	}
	return all
}
