package stepped_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"
	kubescheduler "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// selective is a cluster with two devices, of which the class selects the second.
func selective() *spec.Snapshot {
	s := withDevices(cluster(node("n1")), []string{"d", "e"}, "one")
	s.ResourceSlices[0].Spec.Devices[1].Attributes = map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{
		"fast": {BoolValue: new(true)},
	}
	s.DeviceClasses[0].Spec.Selectors = []resourcev1.DeviceSelector{{CEL: &resourcev1.CELDeviceSelector{
		Expression: `device.attributes["gpu.example.com"].?fast.orValue(false)`}}}
	return s
}

// unwritten leaves out what is done before a pod is bound.
type unwritten struct{ framework.Framework }

func (unwritten) RunPreBindPlugins(context.Context, fwk.CycleState, *v1.Pod, string) *fwk.Status {
	return nil
}

// TestPlantedDevices: bugs about devices that are planted in the scheduler are noticed.
func TestPlantedDevices(t *testing.T) {
	around := func(put func(fwk.SharedDRAManager) fwk.SharedDRAManager) func(*kubescheduler.Scheduler) {
		return func(s *kubescheduler.Scheduler) { stepped.AroundDevices(s, put) }
	}
	careless := around(func(m fwk.SharedDRAManager) fwk.SharedDRAManager { return stepped.Careless{m} })
	unreserving := around(func(m fwk.SharedDRAManager) fwk.SharedDRAManager { return stepped.Unreserving{m} })
	two := withDevices(cluster(node("n1")), []string{"d"}, "one", "two")
	first := pod("first").Obj()
	for _, row := range []struct {
		property, bug string
		plant         func(*kubescheduler.Scheduler)
		initial       *spec.Snapshot
		actions       []loop.Action
	}{
		{"devices-once", "nobody knows which devices are allocated", careless, two,
			[]loop.Action{uses("first", "one"), schedule, uses("second", "two"), schedule}},
		{"allocations-valid", "nobody knows which devices are allocated", careless, two,
			[]loop.Action{uses("first", "one"), schedule, uses("second", "two"), schedule}},
		{"allocations-valid", "selectors of classes are not looked at",
			around(func(m fwk.SharedDRAManager) fwk.SharedDRAManager { return stepped.Unselective{m} }), selective(),
			[]loop.Action{uses("first", "one"), schedule}},
		{"kept-out", "nobody looks whether claims are there",
			func(s *kubescheduler.Scheduler) { stepped.LetIn(s, "DynamicResources") }, two,
			[]loop.Action{uses("first", "three")}},
		{"devices-ready", "nothing is written of claims", func(s *kubescheduler.Scheduler) {
			stepped.Below(s, func(inner framework.Framework) framework.Framework { return unwritten{inner} })
		}, two, []loop.Action{uses("first", "one"), schedule}},
		{"allocations-valid", "what is chosen is not reserved", unreserving, two,
			[]loop.Action{uses("first", "one"), failing(loop.WaitPermit), uses("second", "two"), schedule,
				on(loop.Allow, first)}},
	} {
		t.Run(row.property+"/"+row.bug, func(t *testing.T) {
			o := stepped.Options{Faults: true, Plant: row.plant}
			broken := breaks(t, newScheduler(t, row.initial, o), row.actions)
			if !slices.ContainsFunc(broken, func(text string) bool { return strings.HasPrefix(text, row.property+": ") }) {
				t.Errorf("%s does not notice that %s; what is noticed: %q", row.property, row.bug, broken)
			}
			if broken := breaks(t, newScheduler(t, row.initial, stepped.Options{Faults: true}),
				row.actions); broken != nil {
				t.Errorf("without the bug it breaks %q", broken)
			}
		})
	}
}

// fromTemplate is a cluster with a device and a template for claims.
func fromTemplate() *spec.Snapshot {
	s := withDevices(cluster(node("n1")), []string{"d"})
	template := &resourcev1.ResourceClaimTemplate{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "t"}}
	template.Spec.Spec = withDevices(&spec.Snapshot{}, nil, "like").ResourceClaims[0].Spec
	s.ResourceClaimTemplates = append(s.ResourceClaimTemplates, template)
	return s
}

// wantsClaim is a pod with a claim from the template.
func wantsClaim(name string) *v1.Pod {
	p := pod(name).Obj()
	p.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "c", ResourceClaimTemplateName: new("t")}}
	return p
}

// byControllers takes what controllers do, until they have nothing left to do.
func byControllers(t *testing.T, s *stepped.Scheduler) (broken []string) {
	t.Helper()
	for range 9 {
		all := (&loop.Scope{}).Actions(s.State(), loop.Used{})
		i := slices.IndexFunc(all, func(a loop.Action) bool { return a.Controller })
		if i < 0 {
			return broken
		}
		broken = append(broken, breaks(t, s, all[i:i+1])...)
	}
	t.Fatal("the controllers come to no end")
	return nil
}

// TestClaimFromTemplate: a pod waits for its claim, and is woken when its status names that; a claim goes with its pod,
// and one that is deleted is made again. It is noticed if the pod is not woken.
func TestClaimFromTemplate(t *testing.T) {
	first := wantsClaim("first")
	run := func(o stepped.Options) (*stepped.Scheduler, []string) {
		s := newScheduler(t, fromTemplate(), o)
		broken := breaks(t, s, []loop.Action{create(first)})
		if q, _ := s.State().Queued("default/first"); !q.In(loop.Gated) {
			t.Errorf("without its claim the pod is %+v", q)
		}
		return s, append(broken, byControllers(t, s)...)
	}
	s, broken := run(stepped.Options{})
	claims := s.State().API.ResourceClaims
	if len(claims) != 1 || claims[0].OwnerReferences[0].UID != s.State().Pod("default/first").UID {
		t.Fatalf("claims are made: %v", claims)
	}
	broken = append(broken, breaks(t, s, []loop.Action{schedule})...)
	if s.State().Pod("default/first").Spec.NodeName != "n1" || broken != nil {
		t.Errorf("with its claim the pod is not bound; broken is %q", broken)
	}
	broken = append(breaks(t, s, []loop.Action{remove(first), gone(first)}), byControllers(t, s)...)
	if left := s.State().API.ResourceClaims; len(left) > 0 || broken != nil {
		t.Errorf("without the pod there is %v; broken is %q", left, broken)
	}

	s, _ = run(stepped.Options{})
	broken = append(breaks(t, s, []loop.Action{remove(s.State().API.ResourceClaims[0])}), byControllers(t, s)...)
	broken = append(broken, breaks(t, s, []loop.Action{schedule})...)
	if s.State().Pod("default/first").Spec.NodeName != "n1" || broken != nil {
		t.Errorf("with another claim the pod is not bound; broken is %q", broken)
	}

	_, broken = run(stepped.Options{Plant: func(s *kubescheduler.Scheduler) {
		s.SchedulingQueue = losingQueue{s.SchedulingQueue}
	}})
	if !slices.ContainsFunc(broken, func(text string) bool { return strings.HasPrefix(text, "wake-up: ") }) {
		t.Errorf("wake-up does not notice that the pod is not woken; what is noticed: %q", broken)
	}
}

// TestTrouble: what is written of a claim for devices is written again where somebody else writes first, and not where
// it is refused; a volume that somebody else writes first is chosen again; a pod whose status cannot be written at
// first is where it would be.
func TestTrouble(t *testing.T) {
	claims := withDevices(cluster(node("n1")), []string{"d"}, "one")
	volumes, first := withVolume(cluster(node("n1"))), create(pod("first").PVC("one").Obj())
	for _, row := range []struct {
		name    string
		initial *spec.Snapshot
		actions []loop.Action
		ends    loop.QueueName
		bound   bool
	}{
		{"a claim is outrun", claims, []loop.Action{uses("first", "one"), failing(loop.Outrun)}, 0, true},
		{"a claim is refused", claims, []loop.Action{uses("first", "one"), failing(loop.RefuseWrite)}, loop.BackingOff,
			false},
		{"a volume is outrun", volumes, []loop.Action{first, failing(loop.Outrun)}, loop.BackingOff, false},
		{"a volume is refused", volumes, []loop.Action{first, failing(loop.RefuseWrite)}, loop.BackingOff, false},
		{"the server is busy", cluster(node("n1").Unschedulable(true)),
			[]loop.Action{create(pod("first").Obj()), failing(loop.Busy)}, loop.Unschedulable, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newScheduler(t, row.initial, stepped.Options{Faults: true})
			if broken := breaks(t, s, row.actions); broken != nil {
				t.Errorf("it breaks %q", broken)
			}
			q, queued := s.State().Queued("default/first")
			if bound := s.State().Pod("default/first").Spec.NodeName != ""; bound != row.bound || queued == bound ||
				queued && !q.In(row.ends) {
				t.Errorf("bound %t, queued %v; want bound %t or in %s", bound, q.Queues, row.bound, row.ends)
			}
		})
	}
}
