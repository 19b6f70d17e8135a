package spec

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestChangesSince: a release lacks what came after it, whichever patch of it is meant.
func TestChangesSince(t *testing.T) {
	for _, row := range []struct {
		release string
		lacks   int
	}{
		{"v1.33.13", len(Changes())},
		{"v1.34.0", len(Changes()) - 5},
		{"v1.34.4", len(Changes()) - 4},
		{"v1.35", len(Changes()) - 6},
		{"v1.35.4", len(Changes()) - 6},
		{"v1.36.0", 3},
		{"v1.36.3", 3},
		{"v1.37.2", 0},
		{"v1.40.1", 0},
	} {
		if got := ChangesSince(row.release); len(got) != row.lacks {
			t.Errorf("%s lacks %v, want %d", row.release, got, row.lacks)
		}
	}
}

// TestChanges: each change makes the difference that its document announces, and only where it concerns the question.
func TestChanges(t *testing.T) {
	resources := v1.ResourceList{v1.ResourceCPU: resource.MustParse("4"), v1.ResourceMemory: resource.MustParse("4Gi")}
	node := &v1.Node{}
	node.Name, node.Status.Allocatable = "node", resources
	node.Status.Images = []v1.ContainerImage{{Names: []string{"model:v1"}, SizeBytes: 1000 * mebibyte}}
	asking := func(change func(*v1.Pod)) *v1.Pod {
		pod := &v1.Pod{}
		pod.Name = "asks"
		pod.Spec.Containers = []v1.Container{{Name: "c", Image: "app:v1"}}
		change(pod)
		return pod
	}
	for _, row := range []struct {
		change        Change
		why           string
		pod           *v1.Pod
		before, after int64
		idle          *v1.Pod
	}{
		{
			BalanceGained(), "an empty node is as balanced with the pod as without: 100 before, no gain after",
			asking(func(p *v1.Pod) {
				p.Spec.Containers[0].Resources.Requests = v1.ResourceList{
					v1.ResourceCPU: resource.MustParse("1"), v1.ResourceMemory: resource.MustParse("1Gi")}
			}), 100, 75, nil,
		},
		{
			ImageVolumesScored(), "the node has the volume's image, which counted for nothing: 977 of 1977 of two images' most",
			asking(func(p *v1.Pod) {
				p.Spec.Volumes = []v1.Volume{{VolumeSource: v1.VolumeSource{Image: &v1.ImageVolumeSource{Reference: "model:v1"}}}}
			}), 0, 49, asking(func(*v1.Pod) {}),
		},
	} {
		s := &Snapshot{Nodes: []*v1.Node{node}, Pods: []*v1.Pod{row.pod}}
		after := New(DefaultProfile())
		before := after.Without(row.change)
		score := func(m *Scheduler) int64 {
			for _, r := range m.ScorePlugins() {
				if r.Plugin == row.change.Plugin {
					return r.Raw(m.Profile, row.pod, node, s)
				}
			}
			t.Fatalf("%s is not scored", row.change.Plugin)
			return 0
		}
		if a, b := score(before), score(after); a != row.before || b != row.after {
			t.Errorf("%s: %d and then %d, want %d and %d, as %s", row.change.Name, a, b, row.before, row.after, row.why)
		}
		if got := score(before.Without(row.change)); got != row.after {
			t.Errorf("%s: %d when it is back, want %d", row.change.Name, got, row.after)
		}
		if !row.change.Concerns(Question{Pod: row.pod, Snapshot: s}) {
			t.Errorf("%s does not concern a pod that it changes", row.change.Name)
		}
		if row.idle != nil && row.change.Concerns(Question{Pod: row.idle, Snapshot: s}) {
			t.Errorf("%s concerns a pod that it cannot change", row.change.Name)
		}
	}
}

// TestFeaturesDeclared: before the change nobody asks for declared features.
func TestFeaturesDeclared(t *testing.T) {
	pod, node := &v1.Pod{}, &v1.Node{}
	pod.Spec.Containers = []v1.Container{{RestartPolicyRules: []v1.ContainerRestartRule{
		{Action: v1.ContainerRestartRuleActionRestartAllContainers}}}}
	after := DefaultProfile()
	before := DefaultProfile()
	before.Lacks = ChangesSince("v1.35")
	if !NodeDeclaredFeatures().Holds(before, pod, node, &Snapshot{}) ||
		NodeDeclaredFeatures().Holds(after, pod, node, &Snapshot{}) {
		t.Error("a node that declares nothing is to take the pod before v1.36, and not since")
	}
}

// TestResizeSummed: the change makes the difference for the filter, and concerns pods of which a resize is reported.
func TestResizeSummed(t *testing.T) {
	n := node("n")
	n.Status.Allocatable = v1.ResourceList{
		v1.ResourceCPU: resource.MustParse("6"), v1.ResourcePods: resource.MustParse("9"),
	}
	resizing := running("4", "1", runs("a", "1", "1"), runs("b", "4", "4"))
	s := &Snapshot{Nodes: []*v1.Node{n}, Pods: []*v1.Pod{resizing}}
	after := New(DefaultProfile())
	q := Question{Pod: pod("p", "cpu", "1"), Snapshot: s}
	before := after.Without(ResizeSummed())
	if before.Feasibility(q.Pod, n, s) || !after.Feasibility(q.Pod, n, s) {
		t.Error("beside a pod that counts 8 before v1.37 and 5 since, on a node of cpu 6, a pod of 1 is to fit since")
	}
	if !ResizeSummed().Concerns(q) {
		t.Error("it does not concern a question that it changes")
	}
	resizing.Status.ContainerStatuses = nil
	if ResizeSummed().Concerns(q) {
		t.Error("it concerns a question without pods that are being resized")
	}
}

// TestReleasesOfDefects: a defect explains nothing in a release that has it not yet, or no more.
func TestReleasesOfDefects(t *testing.T) {
	for name, in := range map[string]map[string]bool{
		"image-volumes-unscaled": {"": true, "v1.36.3": true, "v1.37.0": false, "v1.38.1": false},
		"unreported-free":        {"": true, "v1.36.3": false, "v1.37.0": true, "v1.38.1": true},
	} {
		for release, want := range in {
			profile := DefaultProfile()
			profile.Release = release
			if has := exists(New(profile).Explanations(), func(q Quirk) bool { return q.Name == name }); has != want {
				t.Errorf("%q has %s: %v, want %v", release, name, has, want)
			}
		}
	}
}

// TestWholeResized: what the status says of the pod as a whole counts since the change, and not before.
func TestWholeResized(t *testing.T) {
	n := node("n")
	n.Status.Allocatable = v1.ResourceList{
		v1.ResourceCPU: resource.MustParse("6"), v1.ResourcePods: resource.MustParse("9"),
	}
	list := func(cpu string) v1.ResourceList { return v1.ResourceList{v1.ResourceCPU: resource.MustParse(cpu)} }
	resizing := pod("r")
	resizing.Spec.NodeName = n.Name
	resizing.Spec.Containers = []v1.Container{{Name: "c"}}
	resizing.Spec.Resources = &v1.ResourceRequirements{Requests: list("1")}
	ReportWhole(resizing, list("6"), &v1.ResourceRequirements{Requests: list("6")})
	s := &Snapshot{Nodes: []*v1.Node{n}, Pods: []*v1.Pod{resizing}}
	after := New(DefaultProfile())
	before := after.Without(WholeResized())
	q := Question{Pod: pod("p", "cpu", "1"), Snapshot: s}
	if !before.Feasibility(q.Pod, n, s) || after.Feasibility(q.Pod, n, s) {
		t.Error("beside a pod resized from 6 to 1 as a whole, which runs with 6, on a node of cpu 6, a pod of 1 is to fit " +
			"before v1.36, and not since")
	}
	if !WholeResized().Concerns(q) {
		t.Error("it does not concern a question that it changes")
	}
	ReportWhole(resizing, nil, nil)
	if WholeResized().Concerns(q) {
		t.Error("it concerns a question without a pod that is resized as a whole")
	}
}

// TestPortworxMigrated: before the change a CSINode must say that volumes of Portworx are those of its driver.
func TestPortworxMigrated(t *testing.T) {
	n := node("n")
	limit := int32(0)
	csi := &storagev1.CSINode{Spec: storagev1.CSINodeSpec{Drivers: []storagev1.CSINodeDriver{{Name: "pxd.portworx.com",
		Allocatable: &storagev1.VolumeNodeResources{Count: &limit}}}}}
	csi.Name = n.Name
	wants := pod("p")
	wants.Spec.Volumes = []v1.Volume{{VolumeSource: v1.VolumeSource{
		PortworxVolume: &v1.PortworxVolumeSource{VolumeID: "one"}}}}
	s := &Snapshot{Nodes: []*v1.Node{n}, Pods: []*v1.Pod{wants}, CSINodes: []*storagev1.CSINode{csi}}
	after := New(DefaultProfile())
	before := after.Without(PortworxMigrated())
	holds := func(m *Scheduler) bool { return NodeVolumeLimits().Holds(m.Profile, wants, n, s) }
	if !holds(before) || holds(after) {
		t.Error("a node whose driver takes no volumes is to take an in-tree volume before v1.36, and not since")
	}
	csi.Annotations = map[string]string{
		v1.MigratedPluginsAnnotationKey: "kubernetes.io/gce-pd,kubernetes.io/portworx-volume"}
	if holds(before) {
		t.Error("its CSINode says that the volume is of the driver, which takes none")
	}
	if !PortworxMigrated().Concerns(Question{Pod: wants, Snapshot: s}) {
		t.Error("it does not concern a question that it changes")
	}
	wants.Spec.Volumes = nil
	if PortworxMigrated().Concerns(Question{Pod: wants, Snapshot: s}) {
		t.Error("it concerns a question without such volumes")
	}
}

// TestDevicesShared: it concerns pods with claims where some device or claim has what came with it.
func TestDevicesShared(t *testing.T) {
	claim := &resourcev1.ResourceClaim{}
	claim.Name, claim.Namespace = "c", "default"
	slice := &resourcev1.ResourceSlice{Spec: resourcev1.ResourceSliceSpec{Devices: []resourcev1.Device{{Name: "d"}}}}
	wants := pod("p")
	wants.Namespace = "default"
	wants.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "r", ResourceClaimName: &claim.Name}}
	q := Question{Pod: wants, Snapshot: &Snapshot{Pods: []*v1.Pod{wants},
		ResourceClaims: []*resourcev1.ResourceClaim{claim}, ResourceSlices: []*resourcev1.ResourceSlice{slice}}}
	if DevicesShared().Concerns(q) {
		t.Error("it concerns a device that has nothing of it")
	}
	attribute := resourcev1.FullyQualifiedName("a/b")
	for why, change := range map[string]func(){
		"a tainted device": func() { slice.Spec.Devices[0].Taints = []resourcev1.DeviceTaint{{Key: "k"}} },
		"counters":         func() { slice.Spec.SharedCounters = []resourcev1.CounterSet{{Name: "s"}} },
		"distinct attribute": func() {
			claim.Spec.Devices.Constraints = []resourcev1.DeviceConstraint{{DistinctAttribute: &attribute}}
		},
	} {
		change()
		if !DevicesShared().Concerns(q) {
			t.Errorf("it does not concern %s", why)
		}
		slice.Spec = resourcev1.ResourceSliceSpec{Devices: []resourcev1.Device{{Name: "d"}}}
		claim.Spec = resourcev1.ResourceClaimSpec{}
	}
	slice.Spec.SharedCounters = []resourcev1.CounterSet{{Name: "s"}}
	wants.Spec.ResourceClaims = nil
	if DevicesShared().Concerns(q) {
		t.Error("it concerns a pod without claims")
	}
}

// TestTerminatingSpared: before the change all victims are deleted.
func TestTerminatingSpared(t *testing.T) {
	runs, terminates := pod("runs"), pod("terminates")
	terminates.DeletionTimestamp = &metav1.Time{}
	o := Outcome{Type: Preempt, Victims: []*v1.Pod{runs, terminates}}
	after := New(DefaultProfile())
	if got := after.Deleted(o); len(got) != 1 || got[0] != runs {
		t.Errorf("%d are deleted since, want the one that runs", len(got))
	}
	if got := after.Without(TerminatingSpared()).Deleted(o); len(got) != 2 {
		t.Errorf("%d are deleted before, want both", len(got))
	}
	asks := pod("asks")
	q := Question{Pod: asks, Snapshot: &Snapshot{Pods: []*v1.Pod{asks, runs, terminates}}}
	if !TerminatingSpared().Concerns(q) {
		t.Error("it does not concern a question with a pod that terminates")
	}
	q.Snapshot.Pods = q.Snapshot.Pods[:2]
	if TerminatingSpared().Concerns(q) {
		t.Error("it concerns a question without such a pod")
	}
}
