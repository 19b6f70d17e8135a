package spec

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// reservedBy returns the claim, reserved for pods of these UIDs.
func reservedBy(c *resourcev1.ResourceClaim, uids ...string) *resourcev1.ResourceClaim {
	for _, uid := range uids {
		c.Status.ReservedFor = append(c.Status.ReservedFor,
			resourcev1.ResourceClaimConsumerReference{Resource: "pods", Name: "other", UID: types.UID(uid)})
	}
	return c
}

// others are the UIDs of so many pods.
func others(n int) []string {
	var uids []string
	for i := range n {
		uids = append(uids, fmt.Sprint("uid-", i))
	}
	return uids
}

// TestResourceClaims: which claims a pod uses, and whether all that it needs are there.
func TestResourceClaims(t *testing.T) {
	madeFor := func(name, pod string) *resourcev1.ResourceClaim {
		c := deviceClaim(name)
		c.OwnerReferences = []metav1.OwnerReference{{Kind: "Pod", Name: pod, UID: types.UID(pod), Controller: new(true)}}
		return c
	}
	leaving, foreign, owned := deviceClaim("leaving"), deviceClaim("foreign"), madeFor("owned", "p")
	leaving.DeletionTimestamp = new(metav1.Now())
	foreign.Namespace = "elsewhere"
	owned.OwnerReferences[0].Controller = nil
	s := &Snapshot{ResourceClaims: []*resourcev1.ResourceClaim{deviceClaim("a"), deviceClaim("b"), leaving, foreign, owned,
		madeFor("p-made", "p"), madeFor("other-made", "other")}}
	template := func(p *v1.Pod) {
		p.Spec.ResourceClaims = append(p.Spec.ResourceClaims,
			v1.PodResourceClaim{Name: "made", ResourceClaimTemplateName: new("t")})
	}
	made := func(entry, claim string) func(*v1.Pod) {
		return func(p *v1.Pod) {
			status := v1.PodResourceClaimStatus{Name: entry}
			if claim != "" {
				status.ResourceClaimName = &claim
			}
			p.Status.ResourceClaimStatuses = append(p.Status.ResourceClaimStatuses, status)
		}
	}
	named := func(names ...string) func(*v1.Pod) { return func(p *v1.Pod) { usingClaims(p, names...) } }
	type changes = []func(*v1.Pod)
	for _, row := range []struct {
		reason  string
		changes changes
		want    []string
		there   bool
	}{
		{"none", nil, nil, true},
		{"by name", changes{named("a", "b")}, []string{"a", "b"}, true},
		{"twice the same", changes{named("a", "a")}, []string{"a"}, true},
		{"one is missing", changes{named("a", "gone")}, []string{"a"}, false},
		{"of another namespace", changes{named("foreign")}, nil, false},
		{"on its way out", changes{named("leaving")}, nil, false},
		{"made from a template", changes{template, made("made", "p-made")}, []string{"p-made"}, true},
		{"not made yet", changes{template}, nil, false},
		{"made for another entry", changes{template, made("other", "p-made")}, nil, false},
		{"made for another pod", changes{template, made("made", "other-made")}, nil, false},
		{"not controlled by the pod", changes{template, made("made", "owned")}, nil, false},
		{"made, and gone", changes{template, made("made", "gone")}, nil, false},
		{"there was no need to make one", changes{template, made("made", "")}, nil, true},
		{"... for another entry", changes{template, made("other", "")}, nil, false},
		{"... which says nothing of a claim by name", changes{named("gone"), made("gone", "")}, nil, false},
	} {
		p := usingClaims(pod("p"))
		for _, change := range row.changes {
			change(p)
		}
		got := each(ResourceClaims(p, s), func(c *resourcev1.ResourceClaim) string { return c.Name })
		if diff := cmp.Diff(row.want, got); diff != "" && len(got)+len(row.want) > 0 {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
		if there := ResourceClaimsThere(p, s); there != row.there {
			t.Errorf("%s: all are there: %v", row.reason, there)
		}
	}
}

// claimRow is a claim of a pod p, and what becomes of the pod on node n and in general.
type claimRow struct {
	reason string
	claim  *resourcev1.ResourceClaim
	want   bool
	// turnedAway: the state of the claim keeps the pod from every node.
	turnedAway bool
}

func claimRows() []claimRow {
	x := func() *resourcev1.ResourceClaim { return having(deviceClaim("c", exactly("r")), "p/x") }
	worn := func(tolerations ...resourcev1.DeviceToleration) *resourcev1.ResourceClaim {
		return resulting(having(deviceClaim("c", exactly("r")), "p/worn"),
			func(r *resourcev1.DeviceRequestAllocationResult) { r.Tolerations = tolerations })
	}
	on := func(c *resourcev1.ResourceClaim, zones ...string) *resourcev1.ResourceClaim {
		c.Status.Allocation.NodeSelector = zoned(zones...)
		return c
	}
	reporting := func(c *resourcev1.ResourceClaim, of, condition string,
		status metav1.ConditionStatus) *resourcev1.ResourceClaim {
		c.Status.Allocation.Devices.Results[0].BindingConditions = []string{"ready"}
		c.Status.Allocation.Devices.Results[0].BindingFailureConditions = []string{"broken"}
		c.Status.Devices = append(c.Status.Devices, resourcev1.AllocatedDeviceStatus{
			Driver: "d", Pool: "p", Device: of, Conditions: []metav1.Condition{{Type: condition, Status: status}},
		})
		return c
	}
	classless := func(classes ...string) *resourcev1.ResourceClaim {
		r := resourcev1.DeviceRequest{Name: "r"}
		for i, class := range classes {
			r.FirstAvailable = append(r.FirstAvailable,
				resourcev1.DeviceSubRequest{Name: fmt.Sprint(i), DeviceClassName: class})
		}
		return deviceClaim("c", r)
	}
	unready := reporting(having(deviceClaim("c", exactly("r", several(2))), "p/y", "p/x"), "x", "broken",
		metav1.ConditionTrue)
	for i := range unready.Status.Allocation.Devices.Results {
		result := &unready.Status.Allocation.Devices.Results[i]
		result.BindingConditions, result.BindingFailureConditions = []string{"ready"}, []string{"broken"}
	}
	most := resourcev1.ResourceClaimReservedForMaxSize
	return []claimRow{
		{"no allocation yet, and a device", deviceClaim("c", exactly("r")), true, false},
		{"... and none", deviceClaim("c", exactly("r", selecting("gone"))), false, false},
		{"a class is not there", classless("gone"), false, true},
		{"... of the only alternative that could be met", classless("gone", "never"), false, false},
		{"... of the first alternative", classless("gone", "any"), true, false},
		{"... of none", classless("gone", "gone"), false, true},
		{"an allocation for every node", x(), true, false},
		{"... for this node", on(x(), "a"), true, false},
		{"... for others", on(x(), "b"), false, false},
		{"... for one of several terms", on(x(), "b", "a"), true, false},
		{"reserved for others, of whom there may be more", reservedBy(x(), others(most-1)...), true, false},
		{"... of whom there may not", reservedBy(x(), others(most)...), false, true},
		{"... and for the pod itself", reservedBy(x(), append(others(most-1), "p")...), true, false},
		{"not allocated, and reserved for many", reservedBy(deviceClaim("c", exactly("r")), others(most)...), true, false},
		{"its device evicts pods", worn(), false, false},
		{"... unless tolerated", worn(resourcev1.DeviceToleration{Key: "worn", Operator: "Exists"}), true, false},
		{"... which does not matter once it is reserved", reservedBy(worn(), "p"), true, false},
		{"NoSchedule is about new allocations", having(deviceClaim("c", exactly("r")), "p/stale"), true, false},
		{"a device of that name of another pool", having(deviceClaim("c", exactly("r")), "q/worn"), true, false},
		{"the second of its devices evicts", having(deviceClaim("c", exactly("r", several(2))), "p/x", "p/worn"), false,
			false},
		{"a device failed to be bound", reporting(x(), "x", "broken", metav1.ConditionTrue), false, false},
		{"... also one that is reserved for the pod", reservedBy(reporting(x(), "x", "broken", metav1.ConditionTrue), "p"),
			false, false},
		{"... behind one that is not ready", unready, false, false},
		{"... it did not", reporting(x(), "x", "broken", metav1.ConditionFalse), true, false},
		{"another condition", reporting(x(), "x", "slow", metav1.ConditionTrue), true, false},
		{"another device failed", reporting(x(), "worn", "broken", metav1.ConditionTrue), true, false},
	}
}

// claimed is the cluster of a row: device x, worn and stale are on node n.
func (row claimRow) claimed() (*v1.Pod, *v1.Node, *Snapshot) {
	n, s := deviceWorld(slice("p", device("x"), device("worn", spoiled("worn=:NoExecute")),
		device("stale", spoiled("stale=:NoSchedule"))))
	p := usingClaims(pod("p"), "c")
	s.Pods, s.ResourceClaims = []*v1.Pod{p}, []*resourcev1.ResourceClaim{row.claim}
	return p, n, s
}

// TestDynamicResources: what a claim lets its pod do.
func TestDynamicResources(t *testing.T) {
	f := DynamicResources()
	for _, row := range claimRows() {
		p, n, s := row.claimed()
		if got := f.Holds(&Profile{Selects: selects}, p, n, s); got != row.want {
			t.Errorf("%s: feasible: %v", row.reason, got)
		}
		if got := f.TurnsAway(&Profile{Selects: selects}, p, s); got != row.turnedAway {
			t.Errorf("%s: turned away: %v", row.reason, got)
		}
	}
	row := claimRows()[0]
	p, n, s := row.claimed()
	usingClaims(p, "gone")
	if f.Holds(&Profile{Selects: selects}, p, n, s) || !f.TurnsAway(&Profile{Selects: selects}, p, s) {
		t.Error("a claim is missing: the pod is turned away")
	}
	p, n, s = row.claimed()
	s.ResourceClaims = append(s.ResourceClaims, deviceClaim("second", exactly("r")))
	usingClaims(p, "second")
	if f.Holds(&Profile{Selects: selects}, p, n, s) {
		t.Error("there is a device for one claim, and the pod has two")
	}
	if f.Fails(&Profile{Selects: selects}, p, n, s) {
		t.Error("it ends in an error, though no selector asks for what is not there")
	}
	if idle := f.Idle(&Profile{}, pod("p"), nil, s); !idle || f.Idle(&Profile{}, p, nil, s) {
		t.Error("the filter is idle for pods without claims, and for those alone")
	}
}

// TestDeallocatable: what is allocated may be given back if it does not help somewhere, and nobody else uses it.
func TestDeallocatable(t *testing.T) {
	x := func(zones ...string) *resourcev1.ResourceClaim {
		c := having(deviceClaim("c", exactly("r")), "p/x")
		if len(zones) > 0 {
			c.Status.Allocation.NodeSelector = zoned(zones...)
		}
		return c
	}
	failed := func(c *resourcev1.ResourceClaim) *resourcev1.ResourceClaim {
		c.Status.Allocation.Devices.Results[0].BindingFailureConditions = []string{"broken"}
		c.Status.Devices = []resourcev1.AllocatedDeviceStatus{{Driver: "d", Pool: "p", Device: "x",
			Conditions: []metav1.Condition{{Type: "broken", Status: metav1.ConditionTrue}}}}
		return c
	}
	for _, row := range []struct {
		reason string
		claim  *resourcev1.ResourceClaim
		want   bool
	}{
		{"it keeps the pod from a node", x("a"), true},
		{"it does not", x("a", "b"), false},
		{"it has no allocation", deviceClaim("c", exactly("r")), false},
		{"a device failed to be bound", failed(x()), true},
		{"reserved for the pod", reservedBy(x("a"), "p"), true},
		{"reserved for another", reservedBy(x("a"), "other"), false},
		{"reserved for both", reservedBy(x("a"), "p", "other"), false},
	} {
		p, _, s := claimRow{claim: row.claim}.claimed()
		if got := len(DefaultProfile().Deallocatable(p, s)) > 0; got != row.want {
			t.Errorf("%s: it may be: %v", row.reason, got)
		}
		if (&Profile{}).Deallocatable(p, s) != nil {
			t.Errorf("%s: a profile without DynamicResources gives it back", row.reason)
		}
	}
}
