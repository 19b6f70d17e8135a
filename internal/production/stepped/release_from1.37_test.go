//go:build !before1.37

package stepped_test

import (
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/klog/v2"
	kubescheduler "k8s.io/kubernetes/pkg/scheduler"
	internalqueue "k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
	"github.com/seed-a3f26817/modelcheck/spec"
)

func (q restlessQueue) AddUnschedulablePodIfNotPresent(logger klog.Logger, info *framework.QueuedPodInfo,
	cycle int64) error {
	err := q.SchedulingQueue.AddUnschedulablePodIfNotPresent(logger, info, cycle)
	q.Activate(logger, map[string]*v1.Pod{loop.Key(info.Pod): info.Pod})
	return err
}

func (q sulkingQueue) AddUnschedulablePodIfNotPresent(logger klog.Logger, info *framework.QueuedPodInfo,
	cycle int64) error {
	defer func() { info.UnschedulablePlugins = nil }()
	info.UnschedulablePlugins = sets.New("None")
	return q.SchedulingQueue.AddUnschedulablePodIfNotPresent(logger, info, cycle)
}

func (q losingQueue) AddUnschedulablePodIfNotPresent(_ klog.Logger, info *framework.QueuedPodInfo, _ int64) error {
	q.Done(info.Pod.UID)
	return nil
}

// signingQueue gives all pods one signature.
type signingQueue struct {
	internalqueue.SchedulingQueue
	signature string
}

func (q signingQueue) GetPod(name, namespace string, group *v1.PodSchedulingGroup) (*framework.QueuedPodInfo, bool) {
	info, ok := q.SchedulingQueue.GetPod(name, namespace, group)
	if ok {
		info = info.DeepCopy()
		info.PodSignature = []byte(q.signature)
	}
	return info, ok
}

// TestSignatures: pods of one signature that are not equal are told of, also a pod that is no longer what it was; and
// without the bug nothing is.
func TestSignatures(t *testing.T) {
	cfg := unspread(t)
	profile, err := cfg.Spec(v1.DefaultSchedulerName)
	if err != nil {
		t.Fatal(err)
	}
	selects := func(name string) *v1.Pod { return pod(name).NodeSelector(map[string]string{"disk": "ssd"}).Obj() }
	plain, tolerant, spreading := pod("p").Obj(), pod("p").Toleration("slow").Obj(), pod("p").Obj()
	spreading.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{
		{MaxSkew: 1, TopologyKey: "zone", WhenUnsatisfiable: v1.ScheduleAnyway}}
	for _, row := range []struct {
		actions []loop.Action
		but     string
	}{
		{[]loop.Action{create(selects("a")), create(selects("b"))}, ""},
		{[]loop.Action{create(selects("a")), create(plain)},
			"default/p and default/a have the same signature, but only one of them can be on n1"},
		{[]loop.Action{create(spreading)}, "default/p spreads over topologies, and has a signature"},
		{[]loop.Action{create(plain), update("tolerations", tolerant)},
			"default/p has the signature that it had before it was changed, but only one of them can be on n2"},
	} {
		for _, planted := range []bool{false, true} {
			o := stepped.Options{}
			if planted {
				o.Plant = func(s *kubescheduler.Scheduler) {
					s.SchedulingQueue = signingQueue{s.SchedulingQueue, "all"}
				}
			}
			s, err := stepped.New(t.Context(), cfg,
				cluster(node("n1"), node("n2").Taints([]v1.Taint{{Key: "slow", Effect: v1.TaintEffectNoSchedule}})), o)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, a := range row.actions {
				before := s.State()
				step, err := s.Do(a)
				if err != nil {
					t.Fatal(err)
				}
				taken := &loop.Transition{Model: spec.New(profile), Before: before, Action: a, Step: step, After: s.State()}
				for _, b := range taken.Broken() {
					got = append(got, b.Property.Name+": "+b.But)
				}
			}
			var want []string
			if planted && row.but != "" {
				want = []string{"signatures: " + row.but}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%v, planted %t: it breaks %q, want %q", row.actions, planted, got, want)
			}
			s.Close()
		}
	}
}

func (greedyQueue) Delete(klog.Logger, *v1.Pod) {}

func (c staleCache) UpdateNode(klog.Logger, *v1.Node, *v1.Node) {}

// changeNext has the scheduler change a copy of the pod that it takes next.
func changeNext(s *kubescheduler.Scheduler, change func(*v1.Pod)) {
	next := s.NextEntity
	s.NextEntity = func(logger klog.Logger) (framework.QueuedEntityInfo, error) {
		entity, err := next(logger)
		info := entity.(*framework.QueuedPodInfo).DeepCopy()
		change(info.Pod)
		return info, err
	}
}

// TestBacksOff: a failure that is counted twice is told of.
func TestBacksOff(t *testing.T) {
	big := pod("big").Req(cpu("2")).Obj()
	for _, row := range []struct {
		bug   string
		plant func(*kubescheduler.Scheduler)
		want  string
	}{
		{"none", nil, ""},
		{"a failure is counted twice", func(s *kubescheduler.Scheduler) {
			stepped.Inner(s, func(q internalqueue.SchedulingQueue) internalqueue.SchedulingQueue { return miscounting{q} })
		}, "backs-off: default/big"},
	} {
		s := newScheduler(t, cluster(node("n1")), stepped.Options{Plant: row.plant})
		broken := breaks(t, s, []loop.Action{create(big), schedule})
		if row.want == "" && len(broken) > 0 || row.want != "" && !slices.Contains(broken, row.want) {
			t.Errorf("%s: it breaks %q, want %q", row.bug, broken, row.want)
		}
	}
}

// miscounting counts a rejection twice.
type miscounting struct{ internalqueue.SchedulingQueue }

func (q miscounting) AddUnschedulablePodIfNotPresent(logger klog.Logger, info *framework.QueuedPodInfo,
	cycle int64) error {
	info.UnschedulableCount++
	return q.SchedulingQueue.AddUnschedulablePodIfNotPresent(logger, info, cycle)
}

// TestClaimCountLost: a node that goes and comes back between two cycles takes the uses of its claims with it, as the
// cache tells snapshots only what was added and taken away. Then a claim that one pod may use is used by two.
func TestClaimCountLost(t *testing.T) {
	n := node("n1").Obj()
	first, second := create(pod("first").PVC("claim").Obj()), create(pod("second").PVC("claim").Obj())
	for _, row := range []struct {
		actions []loop.Action
		lost    bool
	}{
		{[]loop.Action{first, schedule, second, schedule}, false},
		{[]loop.Action{first, schedule, remove(n), create(n), second, schedule}, true},
	} {
		initial := withVolume(withClaim(cluster(node("n1"))))
		c, volume := initial.PersistentVolumeClaims[0], initial.PersistentVolumes[0]
		c.UID, c.Spec.VolumeName, c.Spec.AccessModes = "uid", "pv",
			[]v1.PersistentVolumeAccessMode{v1.ReadWriteOncePod}
		volume.Spec.ClaimRef = &v1.ObjectReference{Namespace: c.Namespace, Name: c.Name, UID: c.UID}
		volume.Status.Phase = v1.VolumeBound
		broken := breaks(t, newScheduler(t, initial, stepped.Options{Faults: true}), row.actions)
		shared := func(b string) bool { return strings.HasPrefix(b, "exclusive: default/second") }
		if slices.ContainsFunc(broken, shared) != row.lost {
			t.Errorf("%v: what it breaks is %q", row.actions, broken)
		}
	}
}
