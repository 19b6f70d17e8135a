package spec

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"
)

// TestPreemptionLaws: what documented preemption promises, and how it stands to the ideal.
func TestPreemptionLaws(t *testing.T) {
	m := New(DefaultProfile())
	rapid.Check(t, func(t *rapid.T) {
		q := question(t)
		if m.SchedulingEnabled(q.Pod, q.Snapshot) {
			return
		}
		documented := union(
			q.Snapshot.Nodes,
			func(n *v1.Node) []Candidate { return m.DocumentedCandidates(q.Pod, n, q.Snapshot) },
		)
		for _, c := range documented {
			checkVictims(t, m, q, c)
		}
		ideal := m.Preemption(q.Pod, q.Snapshot)
		if m.PreemptionEnabled(q.Pod, q.Snapshot) != (len(ideal) > 0) || (len(ideal) > 0) != (len(documented) > 0) {
			t.Fatalf("ideal %v and documented %v do not agree on whether a preemption helps", ideal, documented)
		}
		chosen := m.DocumentedPreemption(q.Pod, q.Snapshot)
		if (len(chosen) > 0) != (len(documented) > 0) {
			t.Fatal("if there are candidates one must win")
		}
		for _, c := range chosen {
			if m.CasualtyOf(q.Pod, ideal[0], q.Snapshot).Compare(m.CasualtyOf(q.Pod, c, q.Snapshot)) > 0 {
				t.Fatalf("documented %+v is better than ideal %+v", m.CasualtyOf(q.Pod, c, q.Snapshot),
					m.CasualtyOf(q.Pod, ideal[0], q.Snapshot))
			}
		}
	})
}

// checkVictims: the candidate is sound (its eviction makes the pod feasible), irredundant (none of them is needless),
// and evicts only lower priority pods of its own node.
func checkVictims(t *rapid.T, m *Scheduler, q Question, c Candidate) {
	n := q.Snapshot.Nodes[c.Node]
	if !m.Feasibility(q.Pod, n, q.Snapshot.Without(c.Victims...)) {
		t.Fatalf("%v on %s is not enough", names(c.Victims), n.Name)
	}
	for _, victim := range c.Victims {
		if !BoundTo(victim, n, q.Snapshot) || Priority(victim) >= Priority(q.Pod) {
			t.Fatalf("%s must not be evicted from %s", victim.Name, n.Name)
		}
		if m.Feasibility(q.Pod, n, q.Snapshot.Without(minus(c.Victims, []*v1.Pod{victim})...)) {
			t.Fatalf("%s of %v on %s is evicted needlessly", victim.Name, names(c.Victims), n.Name)
		}
	}
}

// TestOutcomesAreCoherent: outcomes exist, and follow from the operators they are made of.
func TestOutcomesAreCoherent(t *testing.T) {
	m := New(DefaultProfile())
	rapid.Check(t, func(t *rapid.T) {
		q := question(t)
		outcomes := m.Outcomes(q.Pod, q.Snapshot)
		if len(outcomes) == 0 {
			t.Fatal("something must become of the pod")
		}
		for _, o := range outcomes {
			if (o.Type == Bind) != m.SchedulingEnabled(q.Pod, q.Snapshot) {
				t.Fatalf("the pod is bound exactly if a node is feasible: %v", o)
			}
			if o.Type == Bind && !m.Feasibility(q.Pod, q.Snapshot.Nodes[o.Node], q.Snapshot) {
				t.Fatalf("bound to an infeasible node: %v", o)
			}
			if o.Type == Preempt && (!Preempts(q.Pod) || len(o.Victims) == 0) {
				t.Fatalf("preempts without being allowed, or nobody: %v", o)
			}
			if o.KeepsNomination && q.Pod.Status.NominatedNodeName == "" {
				t.Fatalf("keeps what it does not hold: %v", o)
			}
		}
	})
}

// TestOutcomesDoNotDependOnOrder: the order of nodes and pods is no input.
func TestOutcomesDoNotDependOnOrder(t *testing.T) {
	m := New(DefaultProfile())
	rapid.Check(t, func(t *rapid.T) {
		q := question(t)
		shuffled := &Snapshot{
			Nodes: rapid.Permutation(q.Snapshot.Nodes).Draw(t, "nodes"),
			Pods:  rapid.Permutation(q.Snapshot.Pods).Draw(t, "pods"),
		}
		before, after := said(q.Snapshot, unordered(m.Outcomes(q.Pod, q.Snapshot))),
			said(shuffled, unordered(m.Outcomes(q.Pod, shuffled)))
		slices.Sort(before)
		slices.Sort(after)
		if diff := cmp.Diff(before, after); diff != "" {
			t.Fatalf("another order gives other outcomes (-before +after):\n%s", diff)
		}
	})
}

// unordered returns the outcomes with their victims by name.
func unordered(outcomes []Outcome) []Outcome {
	return each(outcomes, func(o Outcome) Outcome {
		o.Victims = slices.SortedFunc(
			slices.Values(o.Victims),
			func(a, b *v1.Pod) int { return slices.Compare([]string{a.Name}, []string{b.Name}) },
		)
		return o
	})
}

// TestOutcomesDoNotDependOnNames: nodes are told apart by what they are, not by what they are called.
func TestOutcomesDoNotDependOnNames(t *testing.T) {
	m := New(DefaultProfile())
	rapid.Check(t, func(t *rapid.T) {
		q := question(t)
		renamed := &Snapshot{
			Nodes: each(q.Snapshot.Nodes, func(n *v1.Node) *v1.Node {
				other := n.DeepCopy()
				other.Name = "z" + n.Name
				return other
			}),
			Pods: each(q.Snapshot.Pods, func(p *v1.Pod) *v1.Pod {
				other := p.DeepCopy()
				if p.Spec.NodeName != "" {
					other.Spec.NodeName = "z" + p.Spec.NodeName
				}
				if p.Status.NominatedNodeName != "" {
					other.Status.NominatedNodeName = "z" + p.Status.NominatedNodeName
				}
				return other
			}),
		}
		flat := func(outcomes []Outcome) []string {
			return each(outcomes, func(o Outcome) string {
				return said(&Snapshot{Nodes: q.Snapshot.Nodes}, []Outcome{o})[0]
			})
		}
		before, after := flat(m.Outcomes(q.Pod, q.Snapshot)), flat(m.Outcomes(renamed.Pods[0], renamed))
		if diff := cmp.Diff(before, after); diff != "" {
			t.Fatalf("other names give other outcomes (-before +after):\n%s", diff)
		}
	})
}

// TestFootprints: filters and score plugins give the same answer when everything outside their footprint is taken away.
func TestFootprints(t *testing.T) {
	profile := DefaultProfile()
	within := func(f Footprint, n *v1.Node, s *Snapshot) *Snapshot {
		switch f {
		case ReadsNode:
			return &Snapshot{Nodes: []*v1.Node{n}}
		case ReadsNodeAndPods:
			return &Snapshot{Nodes: []*v1.Node{n}, Pods: PodsOn(n, s)}
		case ReadsNodeAndVolumes:
			return &Snapshot{
				Nodes: []*v1.Node{n}, Pods: PodsOn(n, s),
				PersistentVolumes: s.PersistentVolumes, PersistentVolumeClaims: s.PersistentVolumeClaims,
				StorageClasses: s.StorageClasses,
				CSINodes:       s.CSINodes, VolumeAttachments: s.VolumeAttachments,
				CSIDrivers: s.CSIDrivers, CSIStorageCapacities: s.CSIStorageCapacities,
			}
		case ReadsNodeAndDevices:
			return &Snapshot{Nodes: []*v1.Node{n}, ResourceClaims: s.ResourceClaims, ResourceSlices: s.ResourceSlices,
				DeviceClasses: s.DeviceClasses}
		case ReadsNodePodsAndDevices:
			return &Snapshot{Nodes: []*v1.Node{n}, Pods: PodsOn(n, s), ResourceClaims: s.ResourceClaims,
				ResourceSlices: s.ResourceSlices, DeviceClasses: s.DeviceClasses}
		default:
			return s
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		q := question(t)
		n := rapid.SampledFrom(q.Snapshot.Nodes).Draw(t, "node")
		for _, f := range Filters() {
			if f.Holds(profile, q.Pod, n, q.Snapshot) != f.Holds(profile, q.Pod, n,
				within(f.Footprint, n, q.Snapshot)) {
				t.Fatalf("%s reads more than it says", f.Plugin)
			}
		}
		for _, r := range filter(ScorePlugins(), func(r ScorePlugin) bool { return r.Raw != nil }) {
			if r.Raw(profile, q.Pod, n, q.Snapshot) != r.Raw(profile, q.Pod, n, within(r.Footprint, n, q.Snapshot)) {
				t.Fatalf("%s reads more than it says", r.Plugin)
			}
		}
	})
}

// TestOneNodeAtATime: what is said of one node can be asked of the part of the snapshot around it.
func TestOneNodeAtATime(t *testing.T) {
	m := New(DefaultProfile())
	rapid.Check(t, func(t *rapid.T) {
		q := question(t)
		for _, n := range q.Snapshot.Nodes {
			part := q.Snapshot.Around(n)
			if m.Feasibility(q.Pod, n, q.Snapshot) != m.Feasibility(q.Pod, n, part) {
				t.Fatalf("feasibility of %s depends on other nodes", n.Name)
			}
			if diff := cmp.Diff(m.Overall(q.Pod, n, q.Snapshot), m.Overall(q.Pod, n, part)); diff != "" {
				t.Fatalf("the status of %s depends on other nodes (-all +alone):\n%s", n.Name, diff)
			}
			sets := func(s *Snapshot) [][]string {
				return each(m.DocumentedCandidates(q.Pod, n, s), func(c Candidate) []string { return names(c.Victims) })
			}
			if diff := cmp.Diff(sets(q.Snapshot), sets(part)); diff != "" {
				t.Fatalf("candidates of %s depend on other nodes (-all +alone):\n%s", n.Name, diff)
			}
		}
	})
}
