package stepped_test

import (
	"slices"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
)

// TestReservationTakenForWritten has the runs of reservation-taken-for-written: a pod fails after its device was
// reserved for it, and is tried again before kube-scheduler has heard that it took that away.
func TestReservationTakenForWritten(t *testing.T) {
	p, claims := uses("p", "claim"), loop.Ref{Kind: "ResourceClaim", Namespace: "default", Name: "claim"}
	about := func(doc string) loop.Action {
		return loop.Action{Verb: loop.Update, Ref: claims, Doc: doc, Heard: true}
	}
	written := []loop.Action{about("finalizers: the scheduler adds one, as it is about to give it devices"),
		about("allocation: the scheduler gives it devices")}
	taken := about("reservation: the scheduler takes it from default/p")
	again, known := loop.Action{Verb: loop.Backoff}, []string{"devices-ready: default/p: reservation-taken-for-written"}
	for _, row := range []struct {
		reason   string
		then     []loop.Action // once it has failed
		want     []string
		reserved bool
	}{
		{"it has heard of what came before", append(written, again, schedule), known, false},
		{"it has heard of nothing", []loop.Action{again, schedule}, known, false},
		{"it hears as the pod waits",
			append(written, again, failing(loop.WaitPermit), taken, on(loop.Allow, p.Object)), known, false},
		{"control: it has heard", append(written, taken, again, schedule), nil, true},
	} {
		s := newScheduler(t, withDevices(cluster(node("n1")), []string{"d"}, "claim"),
			stepped.Options{Faults: true, Late: true})
		acts := append([]loop.Action{p, hear(p), failing(loop.FailBind)}, row.then...)
		if broken := breaks(t, s, acts); !slices.Equal(broken, row.want) {
			t.Errorf("%s: it breaks %q, want %q", row.reason, broken, row.want)
		}
		if node := s.State().Pod("default/p").Spec.NodeName; node != "n1" {
			t.Errorf("%s: it is bound to %q", row.reason, node)
		}
		if is := len(s.State().API.ResourceClaims[0].Status.ReservedFor) > 0; is != row.reserved {
			t.Errorf("%s: the claim is reserved: %t, want %t", row.reason, is, row.reserved)
		}
	}
}

// TestDevicesTakenForReserved has the run of reservation-taken-for-written in which the devices are taken back, too: a
// pod that was to be bound once finds no node that has them, and one comes before kube-scheduler has heard.
func TestDevicesTakenForReserved(t *testing.T) {
	p, name := pod("p").UID("p").Obj(), "claim"
	p.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "c", ResourceClaimName: &name}}
	initial := with(withDevices(cluster(node("n1").Unschedulable(true), node("n2")), []string{"d"}, name), p)
	claim := initial.ResourceClaims[0]
	claim.Status.Allocation = &resourcev1.AllocationResult{
		Devices: resourcev1.DeviceAllocationResult{Results: []resourcev1.DeviceRequestAllocationResult{
			{Request: "r", Driver: "gpu.example.com", Pool: "pool", Device: "d"}}},
		NodeSelector: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{
			MatchFields: []v1.NodeSelectorRequirement{
				{Key: "metadata.name", Operator: v1.NodeSelectorOpIn, Values: []string{"n1"}}}}}},
		AllocationTimestamp: &metav1.Time{Time: time.Unix(946684800, 0)},
	}
	claim.Status.ReservedFor = []resourcev1.ResourceClaimConsumerReference{{Resource: "pods", Name: "p", UID: "p"}}
	uncordon := update("cordon", node("n1").Obj())
	back := loop.Action{Verb: loop.Update, Ref: loop.RefOf(claim), Heard: true,
		Doc: "allocation: the scheduler takes its devices back"}
	for _, row := range []struct {
		reason string
		heard  []loop.Action
		want   []string
	}{
		{"it has not heard", nil, []string{"devices-ready: default/p: reservation-taken-for-written"}},
		{"control: it has", []loop.Action{back}, nil},
	} {
		s := newScheduler(t, initial, stepped.Options{Late: true})
		acts := slices.Concat([]loop.Action{schedule, uncordon, hear(uncordon)}, row.heard, []loop.Action{schedule})
		if broken := breaks(t, s, acts); !slices.Equal(broken, row.want) {
			t.Errorf("%s: it breaks %q, want %q", row.reason, broken, row.want)
		}
		if node := s.State().Pod("default/p").Spec.NodeName; node != "n1" {
			t.Errorf("%s: it is bound to %q", row.reason, node)
		}
	}
}
