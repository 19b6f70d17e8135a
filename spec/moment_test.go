package spec

import (
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// noon is when rows are asked.
var noon = metav1.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC)

// allocatedAgo is a claim with devices that must become ready, allocated so long before noon.
func allocatedAgo(ago time.Duration, devices ...string) *resourcev1.ResourceClaim {
	claim := having(deviceClaim("c", exactly("r", several(int64(len(devices))))), devices...)
	claim.Status.Allocation.AllocationTimestamp = &metav1.Time{Time: noon.Add(-ago)}
	for i := range claim.Status.Allocation.Devices.Results {
		claim.Status.Allocation.Devices.Results[i].BindingConditions = []string{"ready", "warm"}
	}
	return claim
}

// says adds what the driver reports of a device.
func says(claim *resourcev1.ResourceClaim, device string, conditions ...metav1.Condition) *resourcev1.ResourceClaim {
	claim.Status.Devices = append(claim.Status.Devices,
		resourcev1.AllocatedDeviceStatus{Driver: "d", Pool: "p", Device: device, Conditions: conditions})
	return claim
}

// TestLate: the time of drivers is over when it has elapsed, for what is not ready by then.
func TestLate(t *testing.T) {
	ready := metav1.Condition{Type: "ready", Status: metav1.ConditionTrue}
	warm := metav1.Condition{Type: "warm", Status: metav1.ConditionTrue}
	cold := metav1.Condition{Type: "warm", Status: metav1.ConditionFalse}
	unknown := allocatedAgo(time.Hour, "p/x")
	unknown.Status.Allocation.AllocationTimestamp = nil
	without := allocatedAgo(time.Hour, "p/x")
	without.Status.Allocation.Devices.Results[0].BindingConditions = nil
	for _, row := range []struct {
		reason string
		claim  *resourcev1.ResourceClaim
		now    metav1.Time
		want   bool
	}{
		{"it has time", allocatedAgo(9*time.Minute, "p/x"), noon, false},
		{"its last second", allocatedAgo(10*time.Minute-time.Second, "p/x"), noon, false},
		{"the time has elapsed", allocatedAgo(10*time.Minute, "p/x"), noon, true},
		{"long ago", allocatedAgo(time.Hour, "p/x"), noon, true},
		{"nobody knows when it is now", allocatedAgo(time.Hour, "p/x"), metav1.Time{}, false},
		{"nobody knows when it was allocated", unknown, noon, false},
		{"there is nothing to wait for", without, noon, false},
		{"no allocation", deviceClaim("c", exactly("r")), noon, false},
		{"it is ready", says(allocatedAgo(time.Hour, "p/x"), "x", ready, warm), noon, false},
		{"some conditions hold", says(allocatedAgo(time.Hour, "p/x"), "x", ready), noon, true},
		{"... and others do not", says(allocatedAgo(time.Hour, "p/x"), "x", ready, cold), noon, true},
		{"another device is ready", says(allocatedAgo(time.Hour, "p/x"), "y", ready, warm), noon, true},
		{"one of two is", says(allocatedAgo(time.Hour, "p/x", "p/y"), "x", ready, warm), noon, true},
		{"both are", says(says(allocatedAgo(time.Hour, "p/x", "p/y"), "x", ready, warm), "y", ready, warm), noon, false},
	} {
		p, n, s := claimRow{claim: row.claim}.claimed()
		s.Now = row.now
		profile := &Profile{
			Filters: []string{"DynamicResources"}, Selects: selects, BindingTimeout: 10 * time.Minute,
		}
		if got := profile.Late(row.claim, s); got != row.want {
			t.Errorf("%s: late: %v", row.reason, got)
		}
		if got := DynamicResources().Holds(profile, p, n, s); got == row.want {
			t.Errorf("%s: feasible: %v", row.reason, got)
		}
		if got := len(Unmets(profile, p, n, s)) > 0; got != row.want {
			t.Errorf("%s: there is a reason: %v", row.reason, got)
		}
		if got := len(profile.Deallocatable(p, s)) > 0; got != row.want {
			t.Errorf("%s: it may be given back: %v", row.reason, got)
		}
	}
	_, _, s := claimRow{claim: allocatedAgo(10*time.Minute, "p/x")}.claimed()
	s.Now = noon
	if patient := (&Profile{BindingTimeout: time.Hour}); patient.Late(s.ResourceClaims[0], s) {
		t.Error("the profile lets drivers take an hour")
	}
}

// TestMoment: it is when somebody was heard of last, as far as that matters.
func TestMoment(t *testing.T) {
	at := func(minutes int) metav1.Time { return metav1.NewTime(noon.Add(time.Duration(minutes) * time.Minute)) }
	of := func(change func(*Snapshot)) *Snapshot {
		_, _, s := claimRow{claim: allocatedAgo(10*time.Minute, "p/x")}.claimed()
		s.Nodes[0].Status.Conditions = []v1.NodeCondition{{LastHeartbeatTime: at(-60)}}
		change(s)
		return s
	}
	for _, row := range []struct {
		reason string
		s      *Snapshot
		want   metav1.Time
	}{
		{"devices were allocated", of(func(*Snapshot) {}), at(-10)},
		{"a node was heard of", of(func(s *Snapshot) { s.Nodes[0].Status.Conditions[0].LastHeartbeatTime = at(1) }), at(1)},
		{"a claim was created", of(func(s *Snapshot) { s.ResourceClaims[0].CreationTimestamp = at(2) }), at(2)},
		{"a driver reported", of(func(s *Snapshot) {
			says(s.ResourceClaims[0], "x", metav1.Condition{LastTransitionTime: at(3)})
		}), at(3)},
		{"nothing can be late", of(func(s *Snapshot) {
			s.ResourceClaims[0].Status.Allocation.Devices.Results[0].BindingConditions = nil
		}), metav1.Time{}},
	} {
		if got := Moment(row.s); !got.Equal(&row.want) {
			t.Errorf("%s: it is %v, not %v", row.reason, got, row.want)
		}
	}
}
