package model

import (
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/seed-a3f26817/modelcheck/internal/generate"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestFootprints: a predicate says the same of a node when what it says it does not read is changed, and so does each
// that a quirk changes.
func TestFootprints(t *testing.T) {
	p := spec.DefaultProfile()
	filters := spec.Filters()
	for _, quirk := range spec.Quirks() {
		odd := spec.New(p).With(quirk)
		filters = append(filters, slices.DeleteFunc(odd.Filters(), func(f spec.Filter) bool {
			return !odd.ChangesFilter(f.Plugin)
		})...)
	}
	rapid.Check(t, func(t *rapid.T) {
		q := generate.DrawQuestion(generate.Scope{Nodes: 3, Pods: 6}).Draw(t, "question")
		keepsCompany(t, q.Pod)
		other := generate.DrawQuestion(generate.Scope{Nodes: 3, Pods: 6}).Draw(t, "another cluster").Snapshot
		node := rapid.SampledFrom(q.Snapshot.Nodes).Draw(t, "node")
		for _, f := range filters {
			s := perturbed(f.Footprint, node, q.Snapshot, other)
			if f.Fails != nil && f.Fails(p, q.Pod, node, s) != f.Fails(p, q.Pod, node, q.Snapshot) {
				t.Fatalf("whether %s fails on %s is another matter when other objects change", f.Plugin, node.Name)
			}
			if got, want := f.Holds(p, q.Pod, node, s), f.Holds(p, q.Pod, node, q.Snapshot); got != want {
				t.Fatalf("%s says %v of %s, and %v when other objects change", f.Plugin, want, node.Name, got)
			}
		}
		for _, r := range spec.ScorePlugins() {
			if r.Raw == nil {
				continue
			}
			s := perturbed(r.Footprint, node, q.Snapshot, other)
			if got, want := r.Raw(p, q.Pod, node, s), r.Raw(p, q.Pod, node, q.Snapshot); got != want {
				t.Fatalf("%s scores %s %d, and %d when other objects change", r.Plugin, node.Name, want, got)
			}
		}
	})
}

// perturbed keeps of the snapshot what the footprint allows to read, and has objects of another cluster for the rest.
func perturbed(footprint spec.Footprint, node *v1.Node, s, other *spec.Snapshot) *spec.Snapshot {
	if footprint == spec.ReadsCluster {
		return s
	}
	changed := *other
	if footprint == spec.ReadsNodes {
		changed.Nodes = s.Nodes
		return &changed
	}
	changed.Nodes = append([]*v1.Node{node}, other.Nodes[1:]...)
	stranger := func(pod *v1.Pod) bool { return pod.Spec.NodeName == node.Name }
	changed.Pods = slices.Clone(other.Pods)
	if slices.Contains([]spec.Footprint{spec.ReadsNodeAndPods, spec.ReadsNodeAndVolumes, spec.ReadsNodePodsAndDevices},
		footprint) {
		changed.Pods = append(slices.DeleteFunc(changed.Pods, stranger), spec.PodsOn(node, s)...)
	}
	if footprint == spec.ReadsNodeAndVolumes {
		changed.PersistentVolumes, changed.PersistentVolumeClaims = s.PersistentVolumes, s.PersistentVolumeClaims
		changed.StorageClasses, changed.CSINodes, changed.VolumeAttachments = s.StorageClasses, s.CSINodes,
			s.VolumeAttachments
		changed.CSIDrivers, changed.CSIStorageCapacities = s.CSIDrivers, s.CSIStorageCapacities
	}
	if footprint == spec.ReadsNodeAndDevices || footprint == spec.ReadsNodePodsAndDevices {
		changed.ResourceClaims, changed.ResourceSlices = s.ResourceClaims, s.ResourceSlices
		changed.DeviceClasses, changed.Now = s.DeviceClasses, s.Now
	}
	return &changed
}

// TestIdle: a predicate that says it is idle has nothing to say, whatever the nodes are and however many pods like
// those of the snapshot are on them.
func TestIdle(t *testing.T) {
	idle, active := 0, 0
	p := spec.DefaultProfile()
	rapid.Check(t, func(t *rapid.T) {
		m, _ := newMachine(t, drawScenario(t))
		s, more := m.Named(drawNamed(t, m)), m.Named(drawNamed(t, m))
		pending := rapid.SampledFrom(m.Scenario.Pods).Draw(t, "pending pod").Pod
		likeThem := *more
		likeThem.Pods = slices.DeleteFunc(slices.Clone(more.Pods), func(pod *v1.Pod) bool {
			return !slices.ContainsFunc(
				s.Pods,
				func(known *v1.Pod) bool { return known.GenerateName == pod.GenerateName },
			)
		})
		for _, f := range spec.Filters() {
			if f.Idle == nil {
				continue
			}
			if !f.Idle(p, pending, s.Pods, s) {
				active++
				continue
			}
			idle++
			for _, node := range likeThem.Nodes {
				if !f.Holds(p, pending, node, &likeThem) {
					t.Fatalf("%s is idle, yet rejects %s", f.Plugin, node.Name)
				}
			}
		}
		for _, r := range spec.ScorePlugins() {
			if r.Idle != nil && r.Idle(p, pending, s.Pods, s) && !r.Abstains(p, pending, likeThem.Nodes, &likeThem) {
				t.Fatalf("%s is idle, yet scores", r.Plugin)
			}
		}
	})
	if idle == 0 || active == 0 {
		t.Errorf("filters were idle %d times and active %d times; both are wanted", idle, active)
	}
}

// drawNamed draws an arrangement whose pods are told apart; their generateName is their template.
func drawNamed(t *rapid.T, m *Machine) *Arrangement {
	a := drawArrangement(t, m.Scenario)
	for i := range m.Scenario.Pods {
		m.Scenario.Pods[i].Pod.GenerateName = m.Scenario.Pods[i].Name
	}
	who := newIdentities(m.Scenario)
	name := func(pods []Pod) {
		for i, p := range pods {
			pods[i] = newPod(p.Template(), p.Phase(), who.pod(p.Template(), 0))
		}
	}
	name(a.Pending)
	for i := range a.Nodes {
		a.Nodes[i].ID = who.node(a.Nodes[i].Template, 0)
		name(a.Nodes[i].Bound)
		name(a.Nodes[i].Nominated)
	}
	return a
}
