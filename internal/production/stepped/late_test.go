package stepped_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
	kubescheduler "k8s.io/kubernetes/pkg/scheduler"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	st "k8s.io/kubernetes/pkg/scheduler/testing"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
	"github.com/seed-a3f26817/modelcheck/spec"
)

func hear(a loop.Action) loop.Action {
	a.Heard = true
	return a
}

// TestLate: the scheduler does not know of objects before it hears of them, in the order of each kind. One that begins
// anew has heard of everything.
func TestLate(t *testing.T) {
	s := newScheduler(t, cluster(node("n1")), stepped.Options{Late: true})
	second, cordon := create(node("n2").Obj()), update("cordon", node("n1").Unschedulable(true).Obj())
	label := update("labels", namespace("default", map[string]string{"a": "b"}))
	p := create(pod("p").Obj())
	for _, a := range []loop.Action{second, cordon, label, p} {
		if _, err := s.Do(a); err != nil {
			t.Fatal(err)
		}
	}
	known := func() []string {
		var names []string
		view := s.State().View()
		for _, n := range view.Nodes {
			if names = append(names, n.Name); n.Spec.Unschedulable {
				names = append(names, "cordoned")
			}
		}
		for _, n := range view.Namespaces {
			if n.Labels["a"] != "" {
				names = append(names, n.Name)
			}
		}
		for _, p := range view.Pods {
			names = append(names, p.Name)
		}
		return names
	}
	for _, row := range []struct {
		reason string
		action loop.Action
		want   []string
	}{
		{"it has heard of nothing", loop.Action{}, []string{"n1"}},
		{"of a pod it hears as of anything", hear(p), []string{"n1", "p"}},
		{"kinds have watches of their own", hear(label), []string{"n1", "default", "p"}},
		{"the node comes before the other is cordoned", hear(second), []string{"n1", "n2", "default", "p"}},
		{"it begins anew", loop.Action{Verb: loop.Restart}, []string{"n1", "cordoned", "n2", "default", "p"}},
	} {
		if row.action.Ref.Kind != "" || row.action.Verb == loop.Restart {
			if _, err := s.Do(row.action); err != nil {
				t.Fatalf("%s: %v", row.reason, err)
			}
		}
		if diff := cmp.Diff(row.want, known()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
	if _, err := s.Do(hear(cordon)); err == nil {
		t.Error("it hears of a change twice")
	}
}

// homelessCache forgets pods of nodes of which it has not heard.
type homelessCache struct{ internalcache.Cache }

func (c homelessCache) AddPod(logger klog.Logger, pod *v1.Pod) error {
	if c.Dump().Nodes[pod.Spec.NodeName] == nil {
		return nil
	}
	return c.Cache.AddPod(logger, pod)
}

// TestLatePlanted: a cache that forgets pods which come before their node is noticed only if the scheduler hears late.
func TestLatePlanted(t *testing.T) {
	second, bound := create(node("n2").Obj()), create(pod("p").Node("n2").Obj())
	for _, late := range []bool{false, true} {
		s := newScheduler(t, cluster(node("n1")), stepped.Options{Late: late, Plant: func(s *kubescheduler.Scheduler) {
			s.Cache = homelessCache{s.Cache}
		}})
		actions := []loop.Action{second, bound}
		if late {
			actions = append(actions, hear(bound), hear(second))
		}
		if broken := breaks(t, s, actions); (len(broken) > 0) != late {
			t.Errorf("late %v: it breaks %q", late, broken)
		}
	}
}

// TestLatePlace: that a pod which changes loses its place is noticed, also while something else is unheard.
func TestLatePlace(t *testing.T) {
	p, q, second := create(pod("p").Obj()), create(pod("q").Obj()), create(node("n2").Obj())
	label := update("labels", pod("p").Label("app", "p").Obj())
	for _, planted := range []bool{false, true} {
		s := newScheduler(t, cluster(node("n1")), stepped.Options{Late: true, Plant: func(s *kubescheduler.Scheduler) {
			if planted {
				s.SchedulingQueue = novelQueue{s.SchedulingQueue}
			}
		}})
		broken := breaks(t, s, []loop.Action{p, hear(p), q, hear(q), second, label, hear(label)})
		if noticed := slices.Contains(broken, "keeps-place: default/p"); noticed != planted {
			t.Errorf("planted %v: it breaks %q", planted, broken)
		}
	}
}

// hastyCache does not say that it has assumed a pod.
type hastyCache struct{ internalcache.Cache }

func (c hastyCache) IsAssumedPod(*v1.Pod) (bool, error) { return false, nil }

// unsettledCache forgets assumed pods when a node comes.
type unsettledCache struct{ internalcache.Cache }

func (c unsettledCache) AddNode(logger klog.Logger, node *v1.Node) {
	dump := c.Dump()
	for _, info := range dump.Nodes {
		for _, pod := range info.GetPods() {
			if dump.AssumedPods.Has(string(pod.GetPod().UID)) {
				_ = c.ForgetPod(logger, pod.GetPod())
			}
		}
	}
	c.Cache.AddNode(logger, node)
}

// TestLatePodsPlanted: what goes wrong between a binding and the scheduler's hearing of it is noticed, and only then.
func TestLatePodsPlanted(t *testing.T) {
	p, second := create(pod("p").Obj()), create(node("n2").Obj())
	label := update("labels", pod("p").Label("a", "b").Obj())
	bound := loop.Action{Verb: loop.Update, Ref: p.Ref}
	for _, row := range []struct {
		reason  string
		plant   func(internalcache.Cache) internalcache.Cache
		actions []loop.Action
		want    string
	}{
		{"nothing is planted", func(c internalcache.Cache) internalcache.Cache { return c },
			[]loop.Action{p, hear(p), label, schedule, second, hear(label), hear(second), hear(bound)}, ""},
		{"an older change of a bound pod brings it back", func(c internalcache.Cache) internalcache.Cache {
			return hastyCache{c}
		}, []loop.Action{p, hear(p), label, schedule, hear(label)}, "conservation: default/p"},
		{"a bound pod is forgotten before it is heard of", func(c internalcache.Cache) internalcache.Cache {
			return unsettledCache{c}
		}, []loop.Action{p, hear(p), schedule, second, hear(second)}, "cache-agrees: "},
	} {
		for _, late := range []bool{false, true} {
			s := newScheduler(t, cluster(node("n1")), stepped.Options{Late: late, Plant: func(s *kubescheduler.Scheduler) {
				s.Cache = row.plant(s.Cache)
			}})
			actions := row.actions
			if !late {
				actions = slices.DeleteFunc(slices.Clone(actions), func(a loop.Action) bool { return a.Heard })
			}
			broken := breaks(t, s, actions)
			if want := late && row.want != ""; (len(broken) > 0) != want || want && !slices.Contains(broken, row.want) {
				t.Errorf("%s, late %v: it breaks %q", row.reason, late, broken)
			}
		}
	}
}

// TestLateVolumes: a pod waits for its volume until the scheduler has heard both of what it has written itself and of
// the claim that the volume controller has bound.
func TestLateVolumes(t *testing.T) {
	s := newScheduler(t, withVolume(cluster(node("n1"))), stepped.Options{Late: true})
	first := create(pod("first").PVC("one").Obj())
	do := func(actions ...loop.Action) {
		t.Helper()
		if broken := breaks(t, s, actions); len(broken) > 0 {
			t.Errorf("it breaks %q", broken)
		}
	}
	waits := func(reason string, want bool) {
		t.Helper()
		if q, _ := s.State().Queued("default/first"); q.Volumes != want {
			t.Errorf("%s: it waits: %v", reason, q.Volumes)
		}
	}
	do(first, hear(first), schedule)
	waits("its volume is reserved", true)
	controller := (&loop.Scope{Late: 1}).Actions(s.State(), loop.Used{})
	bind := controller[slices.IndexFunc(controller, func(a loop.Action) bool { return a.Controller })]
	do(bind)
	waits("the scheduler has not heard that the claim is bound", true)
	do(hear(bind))
	waits("it has not heard of its own write", true)
	for _, u := range s.State().Unheard {
		if u.Ref.Kind == "PersistentVolume" {
			do(hear(u.Action))
		}
	}
	waits("it has heard of both", false)
}

// TestLateProvisioning: a pod waits for its volume to be provisioned while the scheduler has not heard of what it has
// written to the claim itself, and until it has heard that the claim is bound.
func TestLateProvisioning(t *testing.T) {
	initial := withVolume(cluster(node("n1")))
	initial.PersistentVolumes, initial.StorageClasses[0].Provisioner = nil, "csi.example.com"
	s := newScheduler(t, initial, stepped.Options{Late: true})
	first := create(pod("first").PVC("one").Obj())
	if broken := breaks(t, s, []loop.Action{first, hear(first), schedule}); len(broken) > 0 {
		t.Errorf("it breaks %q", broken)
	}
	if q, _ := s.State().Queued("default/first"); !q.Volumes {
		t.Errorf("it does not wait for its volume: %+v", q)
	}
}

// TestLateNamespace has a run of namespace-labels-unheard: a namespace is heard to be gone before the last pod in it.
func TestLateNamespace(t *testing.T) {
	dev := namespace("dev", map[string]string{"env": "dev"})
	there := st.MakePod().Namespace("dev").Name("there").Node("n1").Obj()
	initial := with(cluster(node("n1")), there)
	initial.Namespaces = append(initial.Namespaces, dev)
	apart := pod("apart").PodAntiAffinity(v1.LabelHostname, &metav1.LabelSelector{},
		st.PodAntiAffinityWithRequiredReq).Obj()
	term := &apart.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution[0]
	term.NamespaceSelector = &metav1.LabelSelector{MatchLabels: dev.Labels}
	s := newScheduler(t, initial, stepped.Options{Late: true})
	want := []string{"wake-up: default/apart: namespace-labels-unheard"}
	actions := []loop.Action{create(apart), hear(create(apart)), schedule, remove(there), gone(there), remove(dev),
		hear(remove(dev))}
	if diff := cmp.Diff(want, breaks(t, s, actions)); diff != "" {
		t.Errorf("what it breaks (-want +got):\n%s", diff)
	}
}

// TestLateDryRun has a run of dry-run-rejection-forgotten, while it is unheard that the pod is nominated.
func TestLateDryRun(t *testing.T) {
	low := pod("low").Priority(-1).Req(cpu("1")).Node("n1").Terminating().Obj()
	urgent := create(pod("urgent").Priority(10).Req(cpu("1")).Obj())
	cordoned, uncordoned := update("cordon", node("n1").Unschedulable(true).Obj()), update("cordon", node("n1").Obj())
	for _, late := range []bool{false, true} {
		s := newScheduler(t, with(cluster(node("n1")), low), stepped.Options{Late: late})
		actions := []loop.Action{urgent, hear(urgent), schedule, cordoned, hear(cordoned), uncordoned, hear(uncordoned)}
		if !late {
			actions = slices.DeleteFunc(actions, func(a loop.Action) bool { return a.Heard })
		}
		want := []string{"wake-up-to-preempt: default/urgent: dry-run-rejection-forgotten"}
		if diff := cmp.Diff(want, breaks(t, s, actions)); diff != "" {
			t.Errorf("late %v: what it breaks (-want +got):\n%s", late, diff)
		}
	}
}

// TestLatePreemption: a pod that preempts once more, for its victim is unheard to terminate, looks as if it waits: also
// while something happens once it was filtered.
func TestLatePreemption(t *testing.T) {
	low, other := pod("low").Req(cpu("1")).Node("n1").Obj(), pod("other").Req(cpu("1")).Node("n2").Terminating().Obj()
	urgent := create(pod("urgent").Priority(10).Req(cpu("1")).Obj())
	nominated := loop.Action{Verb: loop.Update, Ref: urgent.Ref, Heard: true,
		Doc: "nomination: the scheduler nominates it to n1"}
	label := update("labels", namespace("default", map[string]string{"a": "b"}))
	for _, tried := range []loop.Action{schedule, onceFiltered(label)} {
		s := newScheduler(t, with(cluster(node("n1")), low, other), stepped.Options{Late: true})
		actions := []loop.Action{urgent, hear(urgent), gone(other), schedule, hear(gone(other)), nominated, tried}
		if broken := breaks(t, s, actions); len(broken) > 0 {
			t.Errorf("%v: it breaks %q", tried, broken)
		}
		if q, _ := s.State().Queued("default/urgent"); !q.In(loop.Unschedulable) {
			t.Errorf("%v: it is %v", tried, q.Queues)
		}
	}
}

// TestLateGivesWay: a pod gives way to a preemption, which is unheard, and comes back from its own cycle without the
// nomination: the API server has none already, so that nothing is to be written.
func TestLateGivesWay(t *testing.T) {
	low := pod("low").Req(cpu("1")).Node("n1").Obj()
	gives := pod("gives").Priority(5).NodeSelector(map[string]string{"no": "node"}).NominatedNodeName("n1").Obj()
	urgent := create(pod("urgent").Priority(10).Req(cpu("1")).Obj())
	s := newScheduler(t, with(cluster(node("n1")), low, gives), stepped.Options{Late: true})
	if broken := breaks(t, s, []loop.Action{urgent, hear(urgent), schedule, schedule}); len(broken) > 0 {
		t.Errorf("it breaks %q", broken)
	}
	state := s.State()
	if is := state.Pod("default/gives"); is.Status.NominatedNodeName != "" || len(state.Nominated) != 1 {
		t.Errorf("it is nominated to %q, and the queue has %v", is.Status.NominatedNodeName, state.Nominated)
	}
}

// TestClaimRestored is the run of claim-restored-outdated in which a device is given away twice: a pod waits for the
// devices of two claims, the first fails, and another pod is tried before the scheduler hears of what the first has
// given back. It is not where the scheduler has heard of it before.
func TestClaimRestored(t *testing.T) {
	for _, heard := range []bool{false, true} {
		initial := withDevices(cluster(node("n1")), []string{"d1", "d2"}, "one", "two", "three")
		for i := range initial.ResourceSlices[0].Spec.Devices {
			d := &initial.ResourceSlices[0].Spec.Devices[i]
			d.BindingConditions, d.BindingFailureConditions = []string{"Attached"}, []string{"Failed"}
		}
		s := newScheduler(t, initial, stepped.Options{Late: true})
		first, second := uses("first", "one"), uses("second", "three")
		p, _ := first.Object.(*v1.Pod)
		p.Spec.ResourceClaims = append(p.Spec.ResourceClaims, v1.PodResourceClaim{Name: "d", ResourceClaimName: new("two")})
		var broken []string
		do := func(actions ...loop.Action) { broken = append(broken, breaks(t, s, actions)...) }
		hearClaims := func() {
			for {
				unheard := s.State().Unheard
				i := slices.IndexFunc(unheard, func(u loop.Unheard) bool { return u.Ref.Kind == "ResourceClaim" })
				if i < 0 {
					return
				}
				do(hear(unheard[i].Action))
			}
		}
		do(first, hear(first), second, hear(second), schedule)
		hearClaims()
		scope := &loop.Scope{Events: 1, Happens: []loop.EventType{loop.DeviceFailed}, Templates: initial}
		for _, a := range scope.Actions(s.State(), loop.Used{}) {
			if a.Ref.Name == "one" && !a.Controller {
				do(a, hear(a))
			}
		}
		want := []string{"devices-once: default/second: claim-restored-outdated"}
		if heard {
			hearClaims()
			want = nil
		}
		do(schedule)
		if diff := cmp.Diff(want, broken); diff != "" {
			t.Errorf("heard %v: what it breaks (-want +got):\n%s", heard, diff)
		}
	}
}

// TestLateScope: what has happened is heard of sooner or later, and no more is unheard than the scope allows.
func TestLateScope(t *testing.T) {
	kinds := cluster(node("n1"), node("n2"))
	kinds.Pods = nil
	scope := &loop.Scope{Name: "late", Initial: []*spec.Snapshot{cluster(node("n1"))}, Templates: kinds,
		Events: 4, Late: 1, Happens: []loop.EventType{loop.NodeCordon}}
	s := newScheduler(t, scope.Initial[0], stepped.Options{Late: true})
	used := loop.Used{}
	var got []string
	for range 4 {
		actions := scope.Actions(s.State(), used)
		if len(actions) == 0 {
			break
		}
		got = append(got, actions[0].String())
		used = used.After(actions[0])
		if _, err := s.Do(actions[0]); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"Node n1: cordon: it is cordoned", "the scheduler hears of it: Node n1: cordon: it is cordoned",
		"Node n1: cordon: it is uncordoned", "the scheduler hears of it: Node n1: cordon: it is uncordoned"}
	if diff := cmp.Diff(want, got); diff != "" || used.Events != 2 {
		t.Errorf("%d events (-want +got):\n%s", used.Events, diff)
	}
}

// unawareCache does not take nodes of which it has pods already.
type unawareCache struct{ internalcache.Cache }

func (c unawareCache) AddNode(logger klog.Logger, node *v1.Node) {
	if c.Dump().Nodes[node.Name] == nil {
		c.Cache.AddNode(logger, node)
	}
}

// TestLateForEver: what is unheard is heard of in the end, after which time passes, so feasible pods are bound. A
// scheduler that has lost a node because it heard of its pod first never binds them.
func TestLateForEver(t *testing.T) {
	initial := cluster(node("n1").Unschedulable(true))
	scope := liveScope(initial, 0, pod("p").Obj())
	scope.Arrivals, scope.Events, scope.Happens = 2, 2, []loop.EventType{loop.NodeAdded, loop.PodBound}
	scope.Templates.Nodes = []*v1.Node{node("n2").Obj()}
	for _, late := range []int{0, 1} {
		scope.Late = late
		for _, planted := range []bool{false, true} {
			result, keys := explored(t, scope, 2, func(s *kubescheduler.Scheduler) {
				if planted {
					s.Cache = unawareCache{s.Cache}
				}
			}, nil)
			lost := slices.ContainsFunc(keys, func(key string) bool { return strings.HasPrefix(key, "bound-in-the-end/new/") })
			if lost != (planted && late > 0) || !planted && keys != nil || !result.Liveness.Decided() {
				t.Errorf("late %d, planted %v: found %q, %+v", late, planted, keys, *result.Liveness)
			}
			t.Logf("late %d, planted %v: %d states, %+v", late, planted, result.Distinct, *result.Liveness)
		}
	}
}
