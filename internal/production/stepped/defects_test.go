package stepped_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	st "k8s.io/kubernetes/pkg/scheduler/testing"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestDefects has the shortest run of each known defect, and a control: nearly the same run, without it. When one
// is not found any more, kube-scheduler may have been mended: then the entry of loop.Defects says in which release. Of
// a defect that no single step shows the run is in TestNeverKeepsNomination.
func TestDefects(t *testing.T) {
	defects := loop.Defects()
	in := func(ns string, p *st.PodWrapper) *st.PodWrapper { return p.Namespace(ns) }
	app := func(value string) *metav1.LabelSelector {
		return &metav1.LabelSelector{MatchLabels: map[string]string{"app": value}}
	}
	group := func(name string) *st.PodWrapper {
		return pod(name).Label("app", "x").PodAffinity(v1.LabelHostname, app("x"), st.PodAffinityWithRequiredReq)
	}
	client := in("dev", pod("client")).PodAffinity(v1.LabelHostname, app("db"), st.PodAffinityWithRequiredReq)
	anywhere := client.DeepCopy()
	anywhere.Spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution[0].NamespaceSelector =
		&metav1.LabelSelector{
			MatchLabels: map[string]string{"env": "prod"},
		}
	there := client.DeepCopy()
	there.Spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution[0].Namespaces = []string{"prod"}
	db := in("prod", pod("db")).Label("app", "db").Obj()
	namespaces := func(nodes ...*st.NodeWrapper) *spec.Snapshot {
		s := cluster(nodes...)
		s.Namespaces = append(s.Namespaces, namespace("dev", nil), namespace("prod", map[string]string{"env": "prod"}))
		return s
	}
	gated := func() *st.PodWrapper {
		return pod("gated").Priority(10).Req(cpu("1")).SchedulingGates([]string{"example.com/quota"})
	}
	zoned := func(name, zone string) *st.NodeWrapper { return node(name).Label("zone", zone).Label("disk", "ssd") }
	web := func(name string) *st.PodWrapper {
		return pod(name).Label("app", "web").NodeSelector(map[string]string{"disk": "ssd"}).Req(cpu("500m")).
			SpreadConstraint(1, "zone", v1.DoNotSchedule, app("web"), nil, nil, nil, nil)
	}
	e, web1, filler := group("e").Node("n1").Obj(), web("web1").Node("n1").Obj(),
		pod("filler").Req(cpu("1")).Node("n2").Obj()
	low, urgent, late := pod("low").Req(cpu("1")).Node("n1").Obj(), pod("urgent").Priority(10).Req(cpu("1")).Obj(),
		pod("late").Req(cpu("1")).Obj()

	apart := func(from ...string) *v1.Pod {
		p := pod("apart")
		for _, value := range from {
			p.PodAntiAffinity(v1.LabelHostname, app(value), st.PodAntiAffinityWithRequiredReq)
		}
		return p.Obj()
	}
	one, other := pod("one").HostPort(80).Node("n1").Obj(), pod("other").HostPort(80).Node("n1").Obj()
	first, second := pod("first").PVC("one").Obj(), pod("second").PVC("two").Obj()
	withDisk := func(p *v1.Pod) *v1.Pod {
		p.Spec.Volumes = []v1.Volume{{Name: "d", VolumeSource: v1.VolumeSource{
			GCEPersistentDisk: &v1.GCEPersistentDiskVolumeSource{PDName: "disk"}}}}
		return p
	}
	elsewhere := withDisk(pod("elsewhere").Namespace("other").Node("n1").Obj())
	twice := pod("twice").PVC("one").PVC("one").Obj()
	both, rival := pod("both").PVC("one").PVC("two").Obj(), pod("rival").PVC("one").PVC("two").Obj()

	here := pod("here").Priority(10).Req(cpu("500m")).NodeSelector(map[string]string{v1.LabelHostname: "n1"}).Obj()
	sized := func(name, cpu string) *st.NodeWrapper {
		return node(name).Capacity(map[v1.ResourceName]string{"cpu": cpu, "memory": "8Gi", "pods": "10"})
	}
	images := map[string]int64{"app:1": 900 << 20}
	pulled := update("images", sized("n2", "4").Images(images).Obj())
	huge, user := create(pod("huge").Req(cpu("9")).Obj()), create(pod("user").Req(cpu("1")).Container("app:1").Obj())
	labelled := create(pod("web").Priority(10).Label("app", "web").Obj())
	plain := update("labels", pod("web").Priority(10).Obj())
	keeps := update("labels", pod("web").Priority(10).NominatedNodeName("n1").Obj())
	full := pod("full").Priority(20).Req(cpu("1")).Obj()
	shrinks := update("resize", pod("full").Priority(20).Req(cpu("500m")).NominatedNodeName("n1").Obj())
	memory := func(amount string) map[v1.ResourceName]string { return map[v1.ResourceName]string{"memory": amount} }
	boundless := func(amount string) loop.Action { return create(pod("p").Req(memory(amount)).Obj()) }
	waits := loop.Action{Verb: loop.Schedule, Fault: loop.WaitPermit}
	fails := loop.Action{Verb: loop.Schedule, Fault: loop.FailPreBind}
	failsLate := loop.Action{Verb: loop.Schedule, Fault: loop.LateStatus}
	told := func(p *v1.Pod) loop.Action { return loop.Action{Verb: loop.Write, Ref: loop.RefOf(p)} }
	wary := apart("web")
	wary.Spec.Priority, wary.Spec.Containers = urgent.Spec.Priority, urgent.Spec.Containers
	guard := func(app string) *v1.Pod { return pod("guard").Priority(10).Label("app", app).Node("n1").Obj() }
	claimGone := loop.Action{Verb: loop.Delete, Ref: loop.Ref{Kind: "ResourceClaim", Namespace: "default", Name: "one"}}
	for _, row := range []struct {
		name             string
		initial          func() *spec.Snapshot
		actions, control []loop.Action
		want             []string
	}{
		{
			name:    "hint-first-pod",
			initial: func() *spec.Snapshot { return with(cluster(node("n1").Unschedulable(true), node("n2")), e) },
			actions: []loop.Action{create(group("p").Obj()), schedule, remove(e), gone(e)},
			control: []loop.Action{remove(e), gone(e), create(group("p").Obj()), schedule}, // nobody sleeps
			want:    []string{"wake-up: default/p: hint-first-pod"},
		},
		{
			name:    "failure-told-late",
			initial: func() *spec.Snapshot { return cluster(node("n1")) },
			actions: []loop.Action{create(late), failsLate, backoff, schedule, told(late)},
			control: []loop.Action{create(late), failsLate, told(late), backoff, schedule},
			want:    []string{"condition-told: default/late: failure-told-late"},
		},
		{
			name:    "scale-down-overflows",
			initial: func() *spec.Snapshot { return cluster(node("n1")) },
			actions: []loop.Action{boundless("16Pi"), schedule, update("resize", pod("p").Req(memory("1Gi")).Obj())},
			control: []loop.Action{boundless("8Pi"), schedule, update("resize", pod("p").Req(memory("1Gi")).Obj())},
			want:    []string{"wake-up: default/p: scale-down-overflows"},
		},
		{
			name:    "image-count-outdated",
			initial: func() *spec.Snapshot { return cluster(sized("n1", "8").Images(images), sized("n2", "4")) },
			actions: []loop.Action{huge, schedule, pulled, user, schedule},
			control: []loop.Action{huge, pulled, schedule, user, schedule}, // it looks at n1 for the first time afterwards
			want: []string{"refinement: default/user: image-count-outdated",
				"levels-agree: default/user: image-count-outdated"},
		},
		{
			name:    "limits-node-unheard",
			initial: limited,
			actions: []loop.Action{create(both), schedule, create(node("n2").Obj())},
			control: []loop.Action{create(both), schedule,
				create(st.MakeCSINode().Name("n2").Obj()), create(node("n2").Obj())}, // of a CSINode that comes it hears
			want: []string{"wake-up: default/both: limits-node-unheard"},
		},
		{
			name:    "hint-unlimited-driver",
			initial: limited,
			actions: []loop.Action{create(both), schedule, allows(nil)},
			control: []loop.Action{create(both), schedule, allows(new(int32(2)))},
			want:    []string{"wake-up: default/both: hint-unlimited-driver"},
		},
		{
			name:    "limits-pod-unheard",
			initial: limited,
			actions: []loop.Action{create(both), schedule, create(rival), schedule, update("binding", boundTo("n1", rival))},
			control: []loop.Action{create(rival), schedule, update("binding", boundTo("n1", rival)), create(both), schedule},
			want:    []string{"wake-up: default/both: limits-pod-unheard"},
		},
		{
			name:    "limits-driver-unheard",
			initial: func() *spec.Snapshot { return demanded(true) },
			actions: []loop.Action{create(first), schedule, update("fields", demanded(false).CSIDrivers[0])},
			control: []loop.Action{create(first), update("fields", demanded(false).CSIDrivers[0]), schedule},
			want:    []string{"wake-up: default/first: limits-driver-unheard"},
		},
		{
			name: "allocation-time-added",
			initial: func() *spec.Snapshot {
				return withoutTime(withDevices(cluster(node("n1")), []string{"d", "e"}, "one", "two"))
			},
			actions: []loop.Action{uses("p", "one"), schedule},
			control: []loop.Action{uses("p", "two"), schedule}, // the other device is given to it anew
			want: []string{"refinement: default/p: allocation-time-added",
				"levels-agree: default/p: allocation-time-added", "no-errors: default/p: allocation-time-added"},
		},
		{
			name: "empty-claim-unbound",
			initial: func() *spec.Snapshot {
				s := withDevices(cluster(node("n1").Capacity(map[v1.ResourceName]string{"example.com/gpu": "1", "pods": "10"})),
					[]string{"d"}, "one")
				s.DeviceClasses[0].Spec.ExtendedResourceName = new("example.com/gpu")
				return s
			},
			actions: []loop.Action{asking(uses("p", "one"), "example.com/gpu"), schedule},
			control: []loop.Action{asking(create(pod("p").Obj()), "example.com/gpu"), schedule}, // has no claim of its own
			want: []string{"refinement: default/p: empty-claim-unbound",
				"levels-agree: default/p: empty-claim-unbound", "no-errors: default/p: empty-claim-unbound"},
		},
		{
			name:    "extended-resource-class-forgotten",
			initial: twoClasses,
			actions: []loop.Action{remove(twoClasses().DeviceClasses[1]), asking(create(pod("p").Obj()), "example.com/gpu"),
				schedule},
			control: []loop.Action{asking(create(pod("p").Obj()), "example.com/gpu"), schedule}, // none goes
			want: []string{"cache-agrees: : extended-resource-class-forgotten",
				"cache-agrees: : extended-resource-class-forgotten",
				"progress: default/p: extended-resource-class-forgotten",
				"refinement: default/p: extended-resource-class-forgotten",
				"levels-agree: default/p: extended-resource-class-forgotten",
				"cache-agrees: : extended-resource-class-forgotten"},
		},
		{
			name:    "device-reservation-freed",
			initial: oneDevice,
			actions: []loop.Action{asking(create(pod("first").Obj()), "example.com/gpu"), waits,
				asking(create(pod("second").Obj()), "example.com/gpu"), schedule, on(loop.Reject, first)},
			control: []loop.Action{asking(create(pod("first").Obj()), "example.com/gpu"), waits,
				asking(create(pod("second").Obj()), "example.com/gpu"), schedule, on(loop.Allow, first)},
			want: []string{"wake-up: default/second: device-reservation-freed"},
		},
		{
			name:    "device-reservation-freed", // of a claim that is there
			initial: oneDevice,
			actions: []loop.Action{uses("first", "one"), waits,
				asking(create(pod("second").Obj()), "example.com/gpu"), schedule, on(loop.Reject, first)},
			control: []loop.Action{uses("first", "one"), waits, on(loop.Reject, first),
				asking(create(pod("second").Obj()), "example.com/gpu"), schedule},
			want: []string{"wake-up: default/second: device-reservation-freed"},
		},
		{
			name:    "assumed-changes-unheard",
			initial: func() *spec.Snapshot { return cluster(node("n1")) },
			actions: []loop.Action{labelled, waits, plain, create(apart("web")), schedule},
			control: []loop.Action{labelled, plain, waits, create(apart("web")), schedule},
			want: []string{"progress: default/apart: assumed-changes-unheard",
				"refinement: default/apart: assumed-changes-unheard",
				"levels-agree: default/apart: assumed-changes-unheard"},
		},
		{
			name:    "nominated-changes-unheard",
			initial: func() *spec.Snapshot { return cluster(node("n1")) },
			actions: []loop.Action{labelled, fails, create(apart("web")), schedule, keeps},
			control: []loop.Action{labelled, fails, keeps, create(apart("web")), schedule},
			want:    []string{"wake-up: default/apart: nominated-changes-unheard"},
		},
		{
			name:    "nominated-changes-unheard",
			initial: func() *spec.Snapshot { return cluster(node("n1")) },
			actions: []loop.Action{create(full), fails, create(here), schedule, shrinks},
			control: []loop.Action{create(full), fails, shrinks, create(here), schedule},
			want:    []string{"wake-up: default/here: nominated-changes-unheard"},
		},
		{
			name:    "hint-namespace-selector",
			initial: func() *spec.Snapshot { return namespaces(node("n1")) },
			actions: []loop.Action{create(anywhere), schedule, create(db), schedule},
			control: []loop.Action{create(there), schedule, create(db), schedule}, // the namespace by its name
			want:    []string{"wake-up: dev/client: hint-namespace-selector"},
		},
		{
			name: "namespace-labels-unheard",
			initial: func() *spec.Snapshot {
				return with(namespaces(node("n1")), in("dev", pod("db")).Label("app", "db").Node("n1").Obj())
			},
			actions: []loop.Action{create(anywhere), schedule,
				update("labels", namespace("dev", map[string]string{"env": "prod"}))},
			control: []loop.Action{update("labels", namespace("dev", map[string]string{"env": "prod"})),
				create(anywhere), schedule},
			want: []string{"wake-up: dev/client: namespace-labels-unheard"},
		},
		{
			name:    "hint-spread-eligibility",
			initial: func() *spec.Snapshot { return with(cluster(zoned("n1", "a"), zoned("n2", "b")), web1, filler) },
			actions: []loop.Action{create(web("web2").Obj()), schedule,
				update("labels", node("n2").Label("zone", "b").Obj())},
			// its zone goes
			control: []loop.Action{create(web("web2").Obj()), schedule,
				update("labels", node("n2").Label("disk", "ssd").Obj())},
			want: []string{"wake-up: default/web2: hint-spread-eligibility"},
		},
		{
			name:    "hint-spread-terminating",
			initial: func() *spec.Snapshot { return with(cluster(zoned("n1", "a"), zoned("n2", "b")), web1, filler) },
			actions: []loop.Action{create(web("web2").Obj()), schedule, remove(web1)},
			// the other zone gets room
			control: []loop.Action{create(web("web2").Obj()), schedule, remove(filler), gone(filler)},
			want:    []string{"wake-up: default/web2: hint-spread-terminating"},
		},
		{
			name:    "nominated-bound-elsewhere",
			initial: func() *spec.Snapshot { return with(cluster(node("n1"), node("n2").Unschedulable(true)), low) },
			actions: []loop.Action{create(urgent), schedule, create(late), gone(low), schedule,
				update("binding", boundTo("n2", urgent))},
			// it goes altogether
			control: []loop.Action{create(urgent), schedule, create(late), gone(low), schedule, remove(urgent)},
			want:    []string{"wake-up: default/late: nominated-bound-elsewhere"},
		},
		{
			name: "nominated-bound-elsewhere", // by the scheduler, as another pod was nominated there
			initial: func() *spec.Snapshot {
				return with(cluster(sized("n1", "1500m"), node("n2")), pod("low").Req(cpu("500m")).Node("n1").Obj())
			},
			actions: []loop.Action{create(urgent), fails, create(here), schedule, backoff, schedule},
			control: []loop.Action{create(urgent), fails, create(here), schedule, backoff, gone(low), schedule},
			want:    []string{"wake-up: default/here: nominated-bound-elsewhere"},
		},
		{
			name:    "volume-reservation-freed",
			initial: func() *spec.Snapshot { return withVolume(cluster(node("n1"))) },
			actions: []loop.Action{create(first), create(second), failing(loop.WaitPermit), schedule,
				on(loop.Expire, first)},
			// nobody sleeps
			control: []loop.Action{create(first), failing(loop.WaitPermit), on(loop.Expire, first), create(second),
				schedule},
			want: []string{"wake-up: default/second: volume-reservation-freed"},
		},
		{
			name:    "hint-disk-other-namespace",
			initial: func() *spec.Snapshot { return with(cluster(node("n1")), elsewhere) },
			actions: []loop.Action{create(withDisk(pod("p").Obj())), schedule, remove(elsewhere), gone(elsewhere)},
			// one of its own namespace goes
			control: []loop.Action{remove(elsewhere), gone(elsewhere), create(withDisk(pod("here").Obj())), schedule,
				create(withDisk(pod("p").Obj())), schedule, remove(withDisk(pod("here").Node("n1").Obj())),
				gone(withDisk(pod("here").Node("n1").Obj()))},
			want: []string{"wake-up: default/p: hint-disk-other-namespace"},
		},
		{
			name:    "driver-gone-unheard",
			initial: func() *spec.Snapshot { return withReportingDriver(withProvisioner(cluster(node("n1")))) },
			actions: []loop.Action{create(first), schedule, remove(reportingDriver())},
			control: []loop.Action{create(first), schedule, create(roomy())}, // what it reports is heard
			want:    []string{"wake-up: default/first: driver-gone-unheard"},
		},
		{
			name:    "hint-driver-of-claims",
			initial: func() *spec.Snapshot { return withReportingDriver(withProvisioner(cluster(node("n1")))) },
			actions: []loop.Action{create(first), schedule, update("reports", silentDriver())},
			control: []loop.Action{create(first), schedule, create(roomy())}, // what it reports is heard
			want:    []string{"wake-up: default/first: hint-driver-of-claims"},
		},
		{
			name:    "volume-gone-unheard",
			initial: withReservedFar,
			actions: []loop.Action{create(first), schedule, remove(withReservedFar().PersistentVolumes[0])},
			// it becomes one for nobody
			control: []loop.Action{create(first), schedule, update("claim", withVolume(cluster()).PersistentVolumes[0])},
			want:    []string{"wake-up: default/first: volume-gone-unheard"},
		},
		{
			name:    "slice-gone-unheard",
			initial: oneSliceTooMany,
			actions: []loop.Action{uses("p", "one"), schedule, remove(oneSliceTooMany().ResourceSlices[1])},
			// it becomes one of another pool
			control: []loop.Action{uses("p", "one"), schedule, update("pool", ofAnotherPool())},
			want:    []string{"wake-up: default/p: slice-gone-unheard"},
		},
		{
			name:    "claim-bound-twice",
			initial: func() *spec.Snapshot { return withProvisioner(cluster(node("n1"))) },
			actions: []loop.Action{create(twice), schedule},
			control: []loop.Action{create(first), schedule}, // once
			want: []string{
				"refinement: default/twice: claim-bound-twice", "levels-agree: default/twice: claim-bound-twice",
				"no-errors: default/twice: claim-bound-twice",
			},
		},
		{
			name:    "gated-nomination",
			initial: func() *spec.Snapshot { return cluster(node("n1")) },
			actions: []loop.Action{create(gated().NominatedNodeName("n1").Obj()), create(late), schedule},
			control: []loop.Action{create(gated().Obj()), update("nomination", gated().NominatedNodeName("n1").Obj()),
				create(late), schedule},
			want: []string{"cache-agrees: default/gated: gated-nomination",
				"cache-agrees: default/gated: gated-nomination", "refinement: default/late: gated-nomination",
				"levels-agree: default/late: gated-nomination", "cache-agrees: default/gated: gated-nomination"},
		},
		{
			name: "hint-anti-affinity-of-others",
			initial: func() *spec.Snapshot {
				return with(cluster(node("n1")), pod("apart").PodAntiAffinity(v1.LabelHostname, app("x"),
					st.PodAntiAffinityWithRequiredReq).Node("n1").Obj())
			},
			actions: []loop.Action{create(pod("p").Label("app", "x").Obj()), schedule, create(node("n2").Obj())},
			// the pod has anti-affinity itself
			control: []loop.Action{create(pod("p").Label("app", "x").PodAntiAffinity(v1.LabelHostname, app("x"),
				st.PodAntiAffinityWithRequiredReq).Obj()), schedule, create(node("n2").Obj())},
			want: []string{"wake-up: default/p: hint-anti-affinity-of-others"},
		},
		{
			name:    "hint-own-labels",
			initial: func() *spec.Snapshot { return with(cluster(node("n1")), boundTo("n1", apart("web"))) },
			actions: []loop.Action{labelled, schedule, plain},
			control: []loop.Action{labelled, plain, schedule}, // it is tried afterwards
			want:    []string{"wake-up: default/web: hint-own-labels"},
		},
		{
			name:    "hint-anti-affinity-of-gone",
			initial: func() *spec.Snapshot { return with(cluster(node("n1")), boundTo("n1", apart("web"))) },
			actions: []loop.Action{labelled, schedule, remove(apart("web")), gone(apart("web"))},
			control: []loop.Action{labelled, remove(apart("web")), gone(apart("web")), schedule},
			want:    []string{"wake-up: default/web: hint-anti-affinity-of-gone"},
		},
		{
			name:    "hint-nominated-skipped",
			initial: func() *spec.Snapshot { return cluster(node("n1")) },
			actions: []loop.Action{labelled, fails, create(wary), schedule, remove(pod("web").Obj())},
			control: []loop.Action{labelled, schedule, create(wary), schedule, remove(pod("web").Obj()),
				gone(pod("web").Obj())}, // it is on its node
			want: []string{"wake-up: default/apart: hint-nominated-skipped"},
		},
		{
			name: "claim-deletion-unheard",
			initial: func() *spec.Snapshot {
				return withDevices(cluster(node("n1")), []string{"d"}, "one", "two")
			},
			actions: []loop.Action{uses("p", "one"), schedule, uses("q", "two"), schedule, claimGone},
			control: []loop.Action{uses("p", "one"), schedule, claimGone, uses("q", "two"), schedule},
			want:    []string{"wake-up: default/q: claim-deletion-unheard"},
		},
		{
			name:    "configuration-repeated",
			initial: func() *spec.Snapshot { return configured(false, "r", "second") },
			actions: []loop.Action{uses("p", "one"), schedule},
			control: []loop.Action{uses("p", "two"), schedule}, // for one request
			want:    []string{"allocations-valid: default/p: configuration-repeated"},
		},
		{
			name:    "class-configuration-for-all",
			initial: func() *spec.Snapshot { return configured(true) },
			actions: []loop.Action{uses("p", "one"), schedule},
			control: []loop.Action{uses("p", "two"), schedule}, // which has one request
			want:    []string{"allocations-valid: default/p: class-configuration-for-all"},
		},
		{
			name:    "nominated-nowhere",
			initial: func() *spec.Snapshot { return cluster(node("n1")) },
			actions: []loop.Action{create(pod("huge").Req(cpu("9")).Obj()), schedule},
			control: []loop.Action{create(late), schedule}, // it is bound
			want:    []string{"cache-agrees: default/huge: nominated-nowhere"},
		},
		{
			name:    "preempted-unheard",
			initial: func() *spec.Snapshot { return cluster(node("n1")) },
			actions: []loop.Action{create(late), waits, create(urgent), schedule, remove(urgent)},
			control: []loop.Action{create(late), waits, create(urgent), remove(urgent)}, // nobody is preempted
			want:    []string{"wake-up: default/late: preempted-unheard"},
		},
		{
			name:    "hint-anti-affinity-all-terms",
			initial: func() *spec.Snapshot { return with(cluster(node("n1")), web1) },
			actions: []loop.Action{create(apart("web", "db")), schedule, remove(web1), gone(web1)},
			control: []loop.Action{create(apart("web")), schedule, remove(web1), gone(web1)}, // one term
			want:    []string{"wake-up: default/apart: hint-anti-affinity-all-terms"},
		},
		{
			name:    "hint-anti-affinity-term-left",
			initial: func() *spec.Snapshot { return with(cluster(zoned("n1", "a"), zoned("n2", "a")), front("web")) },
			actions: []loop.Action{create(loner()), schedule, update("labels", front("db"))},
			control: []loop.Action{create(loner()), schedule, update("labels", pod("front").Node("n1").Obj())},
			want:    []string{"wake-up: default/loner: hint-anti-affinity-term-left"},
		},
		{
			name: "dry-run-rejection-forgotten",
			initial: func() *spec.Snapshot {
				return with(cluster(node("n1")), pod("low").Req(cpu("1")).Node("n1").Obj(), guard("web"))
			},
			actions: []loop.Action{create(wary), schedule, update("labels", guard("db"))},
			control: []loop.Action{create(wary), schedule, remove(guard("web")), gone(guard("web"))},
			want:    []string{"wake-up-to-preempt: default/apart: dry-run-rejection-forgotten"},
		},
		{
			name:    "host-port-forgotten",
			initial: func() *spec.Snapshot { return with(cluster(node("n1")), one, other) },
			actions: []loop.Action{remove(one), gone(one), create(pod("p").HostPort(80).Obj()), schedule},
			control: []loop.Action{create(pod("p").HostPort(80).Obj()), schedule},
			want: []string{"cache-agrees: : host-port-forgotten", "cache-agrees: : host-port-forgotten",
				"refinement: default/p: host-port-forgotten", "levels-agree: default/p: host-port-forgotten",
				"exclusive: default/p: host-port-forgotten"},
		},
		{
			name:    "nominated-node-gone",
			initial: func() *spec.Snapshot { return cluster(node("n1")) },
			actions: []loop.Action{create(pod("p").NominatedNodeName("n2").Obj()), schedule},
			control: []loop.Action{create(pod("p").NominatedNodeName("n1").Obj()), schedule},
			want:    []string{"no-errors: default/p: nominated-node-gone"},
		},
		{
			name:    spec.TurnedAwayKeepsNomination().Name, // the nomination is a decision's; the error is seen here
			initial: func() *spec.Snapshot { return withClaim(cluster(node("n1"))) },
			actions: []loop.Action{create(pod("p").PVC("claim").Obj()), schedule},
			control: []loop.Action{create(pod("p").Obj()), schedule},
			want:    []string{"no-errors: default/p: turned-away-keeps-nomination"},
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			if slices.ContainsFunc(defects, func(k loop.Known) bool {
				return k.Name == row.name && !k.In(production.KubernetesVersion)
			}) {
				row.want = nil
			}
			got := breaks(t, newScheduler(t, row.initial(), stepped.Options{Faults: true}), row.actions)
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("what it breaks (-want +got):\n%s", diff)
			}
			if got := breaks(t, newScheduler(t, row.initial(), stepped.Options{Faults: true}),
				row.control); got != nil {
				t.Errorf("the control breaks %q", got)
			}
		})
	}
	// TestEvictionDefects has six of them, TestProfileHints five, TestLostNodes two, twenty-two tests one each.
	if len(defects) != 80 {
		t.Errorf("there are %d known defects: give each a row", len(defects))
	}
}
