package spec

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestReadableDisk(t *testing.T) {
	for _, row := range []struct {
		reason, id string
		want       bool
	}{
		{"a bare ID", "vol-1", true},
		{"a bare ID of another form", "disk", true},
		{"a zone and an ID", "aws://us-east-1a/vol-1", true},
		{"no zone", "aws:///vol-1", true},
		{"a zone and an ID of another form", "aws://us-east-1a/disk", false},
		{"no ID", "aws://us-east-1a", false},
		{"a path", "aws://us-east-1a/vol-1/x", false},
	} {
		if got := readableDisk(row.id); got != row.want {
			t.Errorf("%s: %s is readable: %t", row.reason, row.id, got)
		}
	}
}

// singleUsers is a cluster in which mine and another pod of its priority on n use the claim c, which is for one
// pod, as pending pod does. A pod of another namespace uses a claim of that name.
func singleUsers() (n *v1.Node, pending, mine *v1.Pod, s *Snapshot) {
	n = node("n")
	c := claim("c", "")
	c.Spec.AccessModes = []v1.PersistentVolumeAccessMode{v1.ReadWriteOncePod}
	pending, mine = important(mounting(pod("pending"), of("c")), 10), bound(mounting(pod("mine"), of("c")), n)
	stranger := bound(mounting(pod("stranger"), of("c")), n)
	stranger.Namespace = "elsewhere"
	return n, pending, mine, &Snapshot{
		Nodes: []*v1.Node{
			n,
		}, Pods: []*v1.Pod{pending, mine, stranger}, PersistentVolumeClaims: []*v1.PersistentVolumeClaim{c},
	}
}

// TestClaimUsers: counting without faults says what is documented; each fault says something else somewhere.
func TestClaimUsers(t *testing.T) {
	n, pending, mine, alone := singleUsers()
	second := bound(mounting(pod("second"), of("c")), n)
	both := *alone
	both.Pods = append([]*v1.Pod{second}, alone.Pods...)
	rival := nominated(important(mounting(pod("rival"), of("c")), 10), n)
	free := Snapshot{
		Nodes:                  alone.Nodes,
		Pods:                   []*v1.Pod{pending, rival},
		PersistentVolumeClaims: alone.PersistentVolumeClaims,
	}
	stranger := alone.Pods[2]
	rows := []struct {
		reason string
		s      *Snapshot
		fault  claimUsers
		faulty bool
	}{
		{"a user", alone, claimUsers{}, false},
		{"the user is gone", alone.Without(mine), claimUsers{}, true},
		{"one of two users is gone", both.Without(mine), claimUsers{onceBefore: true}, true},
		{"a user of another claim is gone", alone.Without(stranger), claimUsers{anyNamespace: true}, true},
		{"a user is nominated", free.WithBound(n, rival), claimUsers{idle: true}, true},
	}
	for _, row := range rows {
		want := unused(VolumeRules{}, pending, row.s)
		if got := (claimUsers{}).unused(pending, row.s); got != want {
			t.Errorf("%s: counted without faults, the claim is unused: %t, want %t", row.reason, got, want)
		}
		if got := row.fault.unused(pending, row.s); got != row.faulty {
			t.Errorf("%s: counted with %+v, the claim is unused: %t", row.reason, row.fault, got)
		}
	}
}

// TestVolumeQuirksGoTogether: two quirks of one filter both count, in any order, and leave the model they are put
// in as it is.
func TestVolumeQuirksGoTogether(t *testing.T) {
	n, pending, mine, s := singleUsers()
	second := bound(mounting(pod("second"), of("c")), n)
	both := *s
	both.Pods = append([]*v1.Pod{second}, s.Pods...)
	gone := both.Without(s.Pods[2]) // with both faults, the stranger was the last user
	m := New(DefaultProfile())
	holds := func(m *Scheduler) bool {
		restrictions := filter(m.Filters(), func(f Filter) bool { return f.Plugin == "VolumeRestrictions" })[0]
		return restrictions.Holds(m.Profile, pending, n, gone)
	}
	for _, row := range []struct {
		reason string
		quirks []Quirk
		want   bool
	}{
		{"no quirk", nil, false},
		{"counted once", []Quirk{SingleClaimCounted()}, false},
		{"of any namespace", []Quirk{SingleClaimNamespace()}, false},
		{"both", []Quirk{SingleClaimCounted(), SingleClaimNamespace()}, true},
		{"both, the other way round", []Quirk{SingleClaimNamespace(), SingleClaimCounted()}, true},
	} {
		if got := holds(m.With(row.quirks...)); got != row.want {
			t.Errorf("%s: the filter holds: %t, want %t", row.reason, got, row.want)
		}
	}
	if one := m.With(SingleClaimCounted()); !holds(one.With(SingleClaimNamespace())) || holds(one) || holds(m) {
		t.Error("a quirk put in after another does not count, or changes the model it is put in")
	}
	if len(PodsOn(n, gone)) != 2 || !contains(PodsOn(n, gone), mine) {
		t.Error("the cluster is not the one that the rows are about")
	}
}

// TestAnswers: an error of a filter ends the cycle only if the filter is asked, that is, if none before it rejects
// the node.
func TestAnswers(t *testing.T) {
	odd := New(DefaultProfile()).With(UnreadableDiskStopsAll())
	n, s := limits()
	pending := mounting(pod("pending"), ebs("aws://a/disk"))
	away := mounting(pod("pending"), ebs("aws://a/disk"), of("missing"))
	claimed := pending.DeepCopy()
	claimed.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "gpu", ResourceClaimName: new("not-there")}}
	elsewhere := pending.DeepCopy()
	elsewhere.Spec.NodeSelector = map[string]string{"no": "node"}
	for _, row := range []struct {
		reason string
		m      *Scheduler
		pod    *v1.Pod
		want   bool
	}{
		{"as documented, there always is a decision", New(DefaultProfile()), pending, true},
		{"the disk is not understood", odd, pending, false},
		{"a filter before rejects the node", odd, elsewhere, true},
		{"the pod is turned away before", odd, away, true},
		{"likewise, for a claim of devices that is not there", odd, claimed, true},
	} {
		q := Question{Pod: row.pod, Snapshot: s}
		if got := row.m.Decides(row.pod, s); got != row.want {
			t.Errorf("%s: there is a decision: %t", row.reason, got)
		}
		if got := row.m.Expect(q).NoDecision; got == row.want {
			t.Errorf("%s: none is expected: %t", row.reason, got)
		}
	}
	if len(s.CSINodes) == 0 || s.CSINodes[0].Name != n.Name {
		t.Error("the node has no CSINode, without which disks are not read")
	}

	// Disks of others are not read where the driver of the pod's own volume is not.
	s.Pods = append(s.Pods, bound(mounting(pod("other"), ebs("aws://a/disk")), n))
	wants := mounting(pod("wants"), of("b"))
	if odd.Decides(wants, s) {
		t.Error("the disk of another pod is not read")
	}
	s.CSIDrivers = []*storagev1.CSIDriver{{ObjectMeta: metav1.ObjectMeta{Name: "csi.b"},
		Spec: storagev1.CSIDriverSpec{PreventPodSchedulingIfMissing: new(true)}}}
	if !odd.Decides(wants, s) || odd.Feasibility(wants, n, s) {
		t.Error("the driver is not there, and yet the disk of another pod is read, or the pod fits")
	}
}
