package stepped_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	st "k8s.io/kubernetes/pkg/scheduler/testing"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// withProvisioner adds what withVolume does, but a provisioner in the place of the volume.
func withProvisioner(s *spec.Snapshot) *spec.Snapshot {
	s = withVolume(s)
	s.StorageClasses[0].Provisioner, s.PersistentVolumes = "csi.example.com", nil
	return s
}

// reportingDriver is the provisioner's driver, which wants pods to be placed by the capacity that it reports.
func reportingDriver() *storagev1.CSIDriver {
	return &storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: "csi.example.com"},
		Spec: storagev1.CSIDriverSpec{StorageCapacity: new(true)}}
}

// silentDriver is that driver, which reports nothing any more.
func silentDriver() *storagev1.CSIDriver {
	driver := reportingDriver()
	driver.Spec.StorageCapacity = new(false)
	return driver
}

// withReservedFar has a volume that is reserved for the first claim and can be reached from nowhere, and one that
// can.
func withReservedFar() *spec.Snapshot {
	s := withVolume(cluster(node("n1")))
	far, near := s.PersistentVolumes[0], withVolume(cluster()).PersistentVolumes[0]
	far.Spec.ClaimRef = &v1.ObjectReference{Namespace: "default", Name: "one"}
	far.Spec.NodeAffinity = &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{
		{MatchExpressions: []v1.NodeSelectorRequirement{{Key: "far", Operator: v1.NodeSelectorOpExists}}}}}}
	near.Name, near.Spec.CSI.VolumeHandle = "near", "near"
	near.Spec.Capacity = v1.ResourceList{"storage": resource.MustParse("2Gi")}
	s.PersistentVolumes = append(s.PersistentVolumes, near)
	return s
}

// withReportingDriver adds the driver, which has reported nothing yet.
func withReportingDriver(s *spec.Snapshot) *spec.Snapshot {
	s.CSIDrivers = []*storagev1.CSIDriver{reportingDriver()}
	return s
}

// roomy is enough for the claims of withProvisioner, on every node.
func roomy() *storagev1.CSIStorageCapacity {
	return &storagev1.CSIStorageCapacity{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "roomy"},
		StorageClassName: "local", NodeTopology: &metav1.LabelSelector{}, Capacity: new(resource.MustParse("5Gi"))}
}

// withVolume returns the snapshot with one volume, and two claims that want one and wait for their first consumer.
func withVolume(s *spec.Snapshot) *spec.Snapshot {
	mode, class, size := storagev1.VolumeBindingWaitForFirstConsumer, "local", v1.ResourceList{
		"storage": resource.MustParse("1Gi"),
	}
	modes := []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce}
	s.StorageClasses = []*storagev1.StorageClass{
		{
			ObjectMeta:        metav1.ObjectMeta{Name: class},
			Provisioner:       "kubernetes.io/no-provisioner",
			VolumeBindingMode: &mode,
		},
	}
	s.PersistentVolumes = []*v1.PersistentVolume{{
		ObjectMeta: metav1.ObjectMeta{Name: "pv"},
		Spec: v1.PersistentVolumeSpec{
			AccessModes: modes, Capacity: size, StorageClassName: class,
			PersistentVolumeSource: v1.PersistentVolumeSource{
				CSI: &v1.CSIPersistentVolumeSource{Driver: "csi.example.com", VolumeHandle: "v"},
			},
		},
		Status: v1.PersistentVolumeStatus{Phase: v1.VolumeAvailable},
	}}
	for _, name := range []string{"one", "two"} {
		s.PersistentVolumeClaims = append(s.PersistentVolumeClaims, &v1.PersistentVolumeClaim{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
			Spec: v1.PersistentVolumeClaimSpec{
				AccessModes:      modes,
				StorageClassName: &class,
				Resources:        v1.VolumeResourceRequirements{Requests: size},
			},
			Status: v1.PersistentVolumeClaimStatus{Phase: v1.ClaimPending},
		})
	}
	return s
}

func withoutVolume() *spec.Snapshot {
	s := withVolume(cluster(node("n1")))
	s.PersistentVolumes = nil
	return s
}

// boundClaim returns the first claim of withVolume, bound to its volume.
func boundClaim() *v1.PersistentVolumeClaim {
	bound := withVolume(cluster()).PersistentVolumeClaims[0]
	bound.Spec.VolumeName, bound.Status.Phase = "pv", v1.ClaimBound
	bound.Annotations = map[string]string{"pv.kubernetes.io/bind-completed": "yes"}
	return bound
}

// byController returns the binding of a claim by the volume controller.
func byController(claim *v1.PersistentVolumeClaim) loop.Action {
	a := update("binding", claim)
	a.Controller = true
	return a
}

// near has the volume be for the nodes of zone a.
func near(s *spec.Snapshot) *spec.Snapshot {
	s.PersistentVolumes[0].Spec.NodeAffinity = &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{
		NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchExpressions: []v1.NodeSelectorRequirement{
			{Key: "zone", Operator: v1.NodeSelectorOpIn, Values: []string{"a"}}}}}}}
	return s
}

// withTwoVolumes returns the cluster with a volume for each of the claims.
func withTwoVolumes(s *spec.Snapshot) *spec.Snapshot {
	other := withVolume(s).PersistentVolumes[0].DeepCopy()
	other.Name = "pv2"
	s.PersistentVolumes = append(s.PersistentVolumes, other)
	return s
}

// provisionable returns a cluster of the nodes with a claim for which no volume fits, and one is made.
func provisionable(nodes ...*st.NodeWrapper) *spec.Snapshot {
	s := withVolume(cluster(nodes...))
	s.StorageClasses[0].Provisioner, s.PersistentVolumes, s.PersistentVolumeClaims = "csi.example.com", nil,
		s.PersistentVolumeClaims[:1]
	return s
}

// TestProvisioning: a pod waits in its binding cycle for the volume that is made for it on its node, and is bound
// when it is there; if its provisioner gives up it comes back, and may be placed elsewhere.
func TestProvisioning(t *testing.T) {
	first := pod("first").Req(cpu("1")).PVC("one").Obj()
	selects := []string{"Pod default/first is created", "the scheduler takes the next pod"}
	for _, row := range []struct {
		reason string
		nodes  []*st.NodeWrapper
		run    []string // the actions, by how they begin
		node   string   // that of the pod afterwards
		claims string   // the volume of its claim, or the node that is selected for it
		next   []string // what the controllers may do then
	}{
		{"no node is selected", []*st.NodeWrapper{node("n1")}, selects[:1], "", "", nil},
		{
			"a node is selected", []*st.NodeWrapper{node("n1")}, selects, "", "n1",
			[]string{
				"PersistentVolume pvc-default-one-1: provisioning: the provisioner makes it for default/one, on n1",
				"PersistentVolumeClaim default/one: provisioning: the provisioner gives up on n1",
			},
		},
		{
			"the volume is made", []*st.NodeWrapper{node("n1")}, append(selects, "PersistentVolume pvc"), "", "n1",
			[]string{"PersistentVolumeClaim default/one: binding: the volume controller binds it to pvc-default-one-1"},
		},
		{
			"it is bound", []*st.NodeWrapper{node("n1")},
			append(selects, "PersistentVolume pvc", "PersistentVolumeClaim default/one: binding"),
			"n1", "pvc-default-one-1", nil,
		},
		{
			"the provisioner gives up, and the other node is taken", []*st.NodeWrapper{node("n1"), node("n2")},
			append(selects, "Node n1: cordon", "PersistentVolumeClaim default/one: provisioning", "backoff",
				"the scheduler takes",
				"PersistentVolume pvc", "PersistentVolumeClaim default/one: binding"), "n2", "pvc-default-one-1", nil,
		},
		{
			"the selected node goes", []*st.NodeWrapper{node("n1"), node("n2")},
			append(selects, "Pod default/first has waited", "Node n1 is deleted"), "", "n1",
			[]string{"PersistentVolumeClaim default/one: provisioning: the provisioner gives up on n1"},
		},
	} {
		t.Run(row.reason, func(t *testing.T) {
			initial := provisionable(row.nodes...)
			kinds := *initial
			kinds.Pods = []*v1.Pod{first}
			scope := &loop.Scope{
				Initial:   []*spec.Snapshot{initial},
				Templates: &kinds,
				Faults:    2,
				Events:    1,
				Happens:   []loop.EventType{loop.NodeCordon, loop.NodeRemoved},
			}
			s := newScheduler(t, initial, stepped.Options{})
			for _, begins := range row.run {
				action := create(first)
				if begins != selects[0] {
					actions := scope.Actions(s.State(), loop.Used{})
					i := slices.IndexFunc(
						actions,
						func(a loop.Action) bool { return strings.HasPrefix(a.String(), begins) },
					)
					if i < 0 {
						t.Fatalf("%q cannot happen; there are %v", begins, actions)
					}
					action = actions[i]
				}
				if broken := breaks(t, s, []loop.Action{action}); broken != nil {
					t.Errorf("%s breaks %q", action, broken)
				}
			}
			state := s.State()
			claim := state.API.PersistentVolumeClaims[0]
			if got := cmp.Or(claim.Spec.VolumeName,
				claim.Annotations["volume.kubernetes.io/selected-node"]); got != row.claims {
				t.Errorf("the claim has %q, want %q", got, row.claims)
			}
			if got := state.Pod("default/first").Spec.NodeName; got != row.node {
				t.Errorf("the pod is on %q, want %q", got, row.node)
			}
			for _, volume := range state.API.PersistentVolumes {
				if host := volume.Spec.NodeAffinity.Required.NodeSelectorTerms[0].MatchExpressions[0].Values[0]; row.
					node != "" &&
					host != row.node ||
					volume.Spec.ClaimRef.UID != claim.UID {
					t.Errorf("the volume can be reached from %s, and is for %q; the claim is %q", host,
						volume.Spec.ClaimRef.UID, claim.UID)
				}
			}
			var next []string
			for _, action := range scope.Actions(state, loop.Used{}) {
				if action.Controller {
					next = append(next, action.String())
				}
			}
			if !slices.Equal(next, row.next) {
				t.Errorf("the controllers may do %q, want %q", next, row.next)
			}
		})
	}
}

// TestVolumes: a pod waits in its binding cycle for its volumes, and is bound when they are, or comes back.
func TestVolumes(t *testing.T) {
	first := pod("first").PVC("one").Obj()
	binds := update("binding", boundClaim())
	for _, row := range []struct {
		reason  string
		actions []loop.Action
		place   string // of the pod in the queue afterwards; empty if it is bound
	}{
		{"it waits", []loop.Action{schedule}, "[binding]"},
		{"its volume is bound", []loop.Action{schedule, binds}, ""},
		{"it waits on permit first, then for its volume", []loop.Action{failing(loop.WaitPermit), on(loop.Allow, first),
			binds}, ""},
		{"its volume is not bound in time", []loop.Action{schedule, on(loop.Expire, first)}, "[backoff]"},
		{"bind fails after the wait", []loop.Action{failing(loop.FailBind), binds}, "[backoff]"},
		{"pre-bind fails after the wait", []loop.Action{failing(loop.FailPreBind), binds}, "[backoff]"},
	} {
		s := newScheduler(t, withVolume(cluster(node("n1"))), stepped.Options{Faults: true})
		actions := append([]loop.Action{create(first)}, row.actions...)
		if broken := breaks(t, s, actions); broken != nil {
			t.Errorf("%s: it breaks %q", row.reason, broken)
		}
		q, queued := s.State().Queued("default/first")
		place := ""
		if queued {
			place = strings.ReplaceAll("["+q.Queues[0].String()+"]", " ", "")
		}
		if node := s.State().Pod("default/first").Spec.NodeName; place != row.place || (place == "") != (node == "n1") {
			t.Errorf("%s: the pod is %s, on node %q; want %s", row.reason, place, node, row.place)
		}
	}
}
