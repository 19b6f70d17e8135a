package stepped_test

import (
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestRemadeClaim has the runs of remade-claim-awaited: a pod waits for its volume while the claim, or the volume that
// is reserved for it, is made anew.
func TestRemadeClaim(t *testing.T) {
	c, provisioned := withVolume(cluster(node("n1"))), provisionable(node("n1"))
	claim := c.PersistentVolumeClaims[0]
	free, taken := c.PersistentVolumes[0].DeepCopy(), c.PersistentVolumes[0].DeepCopy()
	taken.Spec.ClaimRef = &v1.ObjectReference{Namespace: "default", Name: "other", UID: "of-other"}
	begins := []loop.Action{create(pod("p").PVC(claim.Name).Obj()), schedule}
	awaited := []string{"no-vain-wait: default/p: remade-claim-awaited"}
	for _, row := range []struct {
		reason  string
		cluster *spec.Snapshot
		actions []loop.Action
		want    []string
	}{
		{"at once", c, []loop.Action{again(claim)}, awaited},
		{"control: kube-scheduler sees it gone", c, []loop.Action{remove(claim), create(claim)}, nil},
		{"control: a volume is to be made for it", provisioned, []loop.Action{again(claim)}, nil},
		{"the volume is another claim's", c, []loop.Action{again(taken)}, awaited},
		{"control: it is nobody's", c, []loop.Action{again(free)}, nil},
		{"control: kube-scheduler sees it gone", c, []loop.Action{remove(free), create(taken)}, nil},
	} {
		s := newScheduler(t, row.cluster, stepped.Options{})
		if broken := breaks(t, s, slices.Concat(begins, row.actions)); !slices.Equal(broken, row.want) {
			t.Errorf("%s: it breaks %q, want %q", row.reason, broken, row.want)
		}
	}
}

// TestRemadeUnheard: a pod is bound though its claim for a volume is made anew, and not bound, of which kube-scheduler
// has not heard.
func TestRemadeUnheard(t *testing.T) {
	c := withVolume(cluster(node("n1")))
	anew := c.PersistentVolumeClaims[0].DeepCopy()
	bound := c.PersistentVolumeClaims[0]
	bound.Spec.VolumeName, bound.Status.Phase = "pv", v1.ClaimBound
	bound.Annotations = map[string]string{"pv.kubernetes.io/bind-completed": "yes"}
	c.PersistentVolumes[0].Spec.ClaimRef = &v1.ObjectReference{Namespace: "default", Name: bound.Name}
	p := create(pod("p").PVC(bound.Name).Obj())
	s := newScheduler(t, c, stepped.Options{Late: true})
	if broken := breaks(t, s, []loop.Action{again(anew), p, hear(p), schedule}); len(broken) > 0 {
		t.Errorf("it breaks %q", broken)
	}
	if node := s.State().Pod("default/p").Spec.NodeName; node != "n1" {
		t.Errorf("it is bound to %q", node)
	}
}

// TestRemadeDevices has the run of remade-claim-unheard: a pod waits for more devices than there are, and its claim is
// made anew for fewer.
func TestRemadeDevices(t *testing.T) {
	c := withDevices(cluster(node("n1")), []string{"d"}, "one", "two")
	one, two := c.ResourceClaims[0], c.ResourceClaims[1]
	fewer := one.DeepCopy()
	one.Spec.Devices.Requests[0].Exactly.Count = 2
	for _, row := range []struct {
		reason  string
		actions []loop.Action
		want    []string
	}{
		{"at once", []loop.Action{again(fewer)}, []string{"wake-up: default/p: remade-claim-unheard"}},
		{"control: kube-scheduler hears of both", []loop.Action{remove(one), create(fewer)}, nil},
		{"control: it asks for as many", []loop.Action{again(one)}, nil},
		{"control: it is not the pod's", []loop.Action{again(two)}, nil},
	} {
		s := newScheduler(t, c, stepped.Options{})
		begins := []loop.Action{uses("p", "one"), schedule}
		if broken := breaks(t, s, slices.Concat(begins, row.actions)); !slices.Equal(broken, row.want) {
			t.Errorf("%s: it breaks %q, want %q", row.reason, broken, row.want)
		}
	}
}

// TestRemadeVolume has the run of remade-claim-unheard for volumes: a pod waits as a driver allows no volume more, and
// its claim is made anew, for one that is no driver's; and that of volume-gone-unheard, without others that look at
// volumes.
func TestRemadeVolume(t *testing.T) {
	c := limited()
	c.CSINodes[0] = allowing(new(int32))
	one, two, volume := c.PersistentVolumeClaims[0], c.PersistentVolumeClaims[1], c.PersistentVolumes[0]
	plain := volume.DeepCopy()
	plain.Name = "plain"
	plain.Spec.PersistentVolumeSource = v1.PersistentVolumeSource{HostPath: &v1.HostPathVolumeSource{Path: "/plain"}}
	c.PersistentVolumes = append(c.PersistentVolumes, plain)
	elsewhere := one.DeepCopy()
	elsewhere.Spec.VolumeName = plain.Name
	begun, limitsAlone := *c, without(t, "VolumeBinding", "VolumeZone")
	binding := one.DeepCopy()
	binding.Annotations, binding.Status.Phase = nil, v1.ClaimPending
	begun.PersistentVolumeClaims = []*v1.PersistentVolumeClaim{binding, two}
	awaited, comes, made := begun, plain.DeepCopy(), binding.DeepCopy()
	awaited.PersistentVolumes, comes.Name = []*v1.PersistentVolume{plain}, volume.Name
	class := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "made"}, Provisioner: limitedDriver}
	awaited.StorageClasses, made.Spec.StorageClassName = []*storagev1.StorageClass{class}, &class.Name
	awaited.PersistentVolumeClaims = []*v1.PersistentVolumeClaim{made, two}
	unbound, toPlain, toVolume := awaited, made.DeepCopy(), made.DeepCopy()
	unbound.PersistentVolumes, made = c.PersistentVolumes, made.DeepCopy()
	made.Spec.VolumeName, toPlain.Spec.VolumeName = "", plain.Name
	unbound.PersistentVolumeClaims = []*v1.PersistentVolumeClaim{made, two}
	for _, row := range []struct {
		reason  string
		cfg     *production.Config
		cluster *spec.Snapshot
		action  loop.Action
		want    []string
	}{
		{"at once", byDefault(t), c, again(elsewhere), []string{"wake-up: default/p: remade-claim-unheard"}},
		{"control: it is as it was", byDefault(t), c, again(one), nil},
		{"control: it is not the pod's", byDefault(t), c, again(two), nil},
		{"the volume goes", limitsAlone, &begun, remove(volume), []string{"wake-up: default/p: volume-gone-unheard"}},
		{"control: another one goes", limitsAlone, &begun, remove(plain), nil},
		{"a volume comes that is no driver's", limitsAlone, &awaited, create(comes),
			[]string{"wake-up: default/p: volume-gone-unheard"}},
		{"the volume is made anew as one that is no driver's", byDefault(t), c, again(comes),
			[]string{"wake-up: default/p: volume-gone-unheard"}},
		{"control: it is the driver's again", byDefault(t), c, again(volume), nil},
		{"the claim is bound to one that is no driver's", limitsAlone, &unbound, update("binding", toPlain),
			[]string{"wake-up: default/p: volume-gone-unheard"}},
		{"control: it is bound to one of the driver's", limitsAlone, &unbound, update("binding", toVolume), nil},
		{"control: it is the driver's", limitsAlone, &awaited, create(volume), nil},
	} {
		s := schedulerUnder(t, row.cfg, row.cluster, stepped.Options{})
		begins := []loop.Action{create(pod("p").PVC("one").Obj()), schedule}
		if broken := breaksUnder(t, row.cfg, s, append(begins, row.action)); !slices.Equal(broken, row.want) {
			t.Errorf("%s: it breaks %q, want %q", row.reason, broken, row.want)
		}
	}
}

// TestBoundWaitsOn has the run of bound-waits-on: somebody else binds a pod that waits on permit.
func TestBoundWaitsOn(t *testing.T) {
	p, urgent := pod("p").Req(cpu("1")).Obj(), pod("urgent").Req(cpu("1")).Priority(10).Obj()
	bound := p.DeepCopy()
	bound.Spec.NodeName = "n1"
	waits := []loop.Action{create(p), failing(loop.WaitPermit)}
	on := []string{"conservation: default/p: bound-waits-on"}
	for _, row := range []struct {
		reason  string
		actions []loop.Action
		want    []string
	}{
		{"it is deleted", []loop.Action{update("binding", bound), remove(p), gone(p)}, on},
		{"it ends", []loop.Action{update("binding", bound), {Verb: loop.Complete, Ref: loop.RefOf(p)}}, on},
		{"it is a victim", []loop.Action{update("binding", bound), create(urgent), schedule},
			[]string{"refinement: default/urgent: bound-waits-on", "levels-agree: default/urgent: bound-waits-on",
				"condition-told: default/p: bound-told-failed"}},
		{"control: it goes on", []loop.Action{update("binding", bound)}, nil},
		{"control: nobody binds it, and it is a victim", []loop.Action{create(urgent), schedule}, nil},
		{"control: nobody binds it", []loop.Action{remove(p)}, nil},
	} {
		s := newScheduler(t, cluster(node("n1")), stepped.Options{Faults: true})
		if broken := breaks(t, s, slices.Concat(waits, row.actions)); !slices.Equal(broken, row.want) {
			t.Errorf("%s: it breaks %q, want %q", row.reason, broken, row.want)
		}
	}
}

// TestListedAnew: when objects of a kind are listed anew, kube-scheduler hears of those that are as they were, too. On
// a control plane of v1.37.2 that retried the pod of remade-claim-unheard, as all kinds were listed anew.
func TestListedAnew(t *testing.T) {
	other := &resourcev1.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "other"}}
	for _, row := range []struct {
		reason string
		gone   loop.Action
		want   bool
	}{
		{"another class is gone", missed(remove(other)), true},
		{"control: its deletion is heard of", remove(other), false},
	} {
		c := withDevices(cluster(node("n1")), []string{"d"}, "one")
		c.DeviceClasses = append(c.DeviceClasses, other)
		c.ResourceClaims[0].Spec.Devices.Requests[0].Exactly.Count = 2
		s := newScheduler(t, c, stepped.Options{})
		if broken := breaks(t, s, []loop.Action{uses("p", "one"), schedule, row.gone}); broken != nil {
			t.Errorf("%s: it breaks %q", row.reason, broken)
		}
		q, _ := s.State().Queued("default/p")
		if got := !q.In(loop.Unschedulable); got != row.want {
			t.Errorf("%s: retried %t, want %t", row.reason, got, row.want)
		}
	}
}

// TestEarlierFailure has the run of earlier-failure-requeues, which v1.36 mended: the binding of a pod fails that was
// made anew meanwhile.
func TestEarlierFailure(t *testing.T) {
	p := pod("p").Obj()
	arrives := loop.Action{Verb: loop.Write, Ref: loop.RefOf(p)}
	s := newScheduler(t, cluster(node("n1")), stepped.Options{Faults: true})
	begins := []loop.Action{create(p), failing(loop.SlowBind), remove(p), create(p), failing(loop.SlowBind), arrives}
	if broken := breaks(t, s, begins); broken != nil {
		t.Errorf("it breaks %q", broken)
	}
	if q, _ := s.State().Queued("default/p"); !q.Binds {
		t.Errorf("the new pod is not about to be bound any more: %v", q)
	}
}
