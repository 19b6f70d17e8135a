package production

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	kubescheduler "k8s.io/kubernetes/pkg/scheduler"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"pgregory.net/rapid"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// drawLargeCluster draws nodes of uneven zones, some of which are too small for a pod of two CPUs or kept for others.
func drawLargeCluster(t *rapid.T) []*v1.Node {
	n := rapid.IntRange(90, 420).Draw(t, "nodes")
	scarce := rapid.SampledFrom([]int{1, 2, 8}).Draw(t, "one in so many nodes is large")
	draw := rapid.SliceOfN(rapid.IntRange(0, 1<<16), n, n).Draw(t, "draws")
	var nodes []*v1.Node
	for i := range n {
		node := node(fmt.Sprintf("n%03d", i), map[bool]int{true: 4, false: 1}[draw[i]%scarce == 0])
		if zone := draw[i] / 8 % 7; zone < 6 { // more in a than in b, fewest in c, some in none
			node.Label(v1.LabelTopologyZone, []string{"a", "a", "a", "b", "b", "c"}[zone])
		}
		if draw[i]/64%11 == 0 {
			node.Taints([]v1.Taint{{Key: "kept", Effect: v1.TaintEffectNoSchedule}})
		}
		nodes = append(nodes, node.Obj())
	}
	return nodes
}

// TestAgreesOnSamples holds the search for feasible nodes in clusters of any size against that of a complete
// kube-scheduler with one worker: pod after pod, each beginning where the one before ended, both find as many feasible
// nodes, look at as many nodes, and the node it takes is one that the decision gives.
func TestAgreesOnSamples(t *testing.T) {
	sampled := 0
	rapid.Check(t, func(rt *rapid.T) {
		nodes := drawLargeCluster(rt)
		percentage := rapid.SampledFrom([]int32{0, 1, 30, 70, 99, 100}).Draw(rt, "percentage")
		cfg, err := LoadConfig("scheduler.yaml", fmt.Appendf(nil, header+"\npercentageOfNodesToScore: %d", percentage))
		if err != nil {
			rt.Fatal(err)
		}
		pods := []*v1.Pod{pod("p", 2).Obj(), pod("q", 1).Obj(), pod("r", 2).Obj(), pod("s", 1).Obj()}
		only := nodes[rapid.IntRange(0, len(nodes)-1).Draw(rt, "only node")].Name
		pods[2].Spec.Affinity = &v1.Affinity{NodeAffinity: &v1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{
				MatchFields: []v1.NodeSelectorRequirement{{Key: "metadata.name", Operator: v1.NodeSelectorOpIn,
					Values: []string{only}}}}}}}}
		ctx, cancel := context.WithCancel(klog.NewContext(t.Context(), logr.Discard()))
		defer cancel()
		sched := newKubeScheduler(ctx, rt, ask(nodes, pods...), kubescheduler.WithParallelism(1),
			kubescheduler.WithPercentageOfNodesToScore(&percentage))
		f := sched.Profiles[v1.DefaultSchedulerName]
		if err := sched.Cache.UpdateSnapshot(klog.FromContext(ctx),
			f.SnapshotSharedLister().(*internalcache.Snapshot)); err != nil {
			rt.Fatal(err)
		}
		starts := &Starts{}
		s := newSchedulerOf(t, cfg, Options{Starts: starts})
		for _, p := range pods {
			d := s.Decide(spec.Question{Pod: p, Snapshot: ask(nodes, pods...).Snapshot})
			info, err := framework.NewPodInfo(p)
			if err != nil {
				rt.Fatal(err)
			}
			result, err := sched.SchedulePod(ctx, f, framework.NewCycleState(), &framework.QueuedPodInfo{PodInfo: info})
			if err != nil {
				if d.Outcomes[0].Type != spec.Wait {
					rt.Fatalf("pod %s: kube-scheduler says %v; outcomes %v", p.Name, err, outcomes(d))
				}
				break // how many nodes it looked at, and so where it goes on, it does not say
			}
			looked, found := 0, 0
			for _, n := range d.Nodes {
				if n.Filtered {
					looked++
					found += map[bool]int{true: 1}[n.Overall == spec.Fits]
				}
			}
			if found != result.FeasibleNodes || d.Sample != nil && len(d.Sample.Found) != found {
				rt.Fatalf("pod %s: %d feasible nodes, sample %+v; kube-scheduler found %d", p.Name, found, d.Sample,
					result.FeasibleNodes)
			}
			if looked != result.EvaluatedNodes {
				rt.Fatalf("pod %s: %d nodes looked at; kube-scheduler %d", p.Name, looked, result.EvaluatedNodes)
			}
			if d.Sample != nil {
				sampled++
			}
			host := slices.IndexFunc(nodes, func(n *v1.Node) bool { return n.Name == result.SuggestedHost })
			if !slices.ContainsFunc(d.Outcomes, func(o spec.Outcome) bool { return o.Type == spec.Bind && o.Node == host }) {
				rt.Fatalf("pod %s: kube-scheduler binds to %d; outcomes %v", p.Name, host, outcomes(d))
			}
			starts.Node = (starts.Node + looked) % len(nodes)
		}
	})
	if sampled == 0 {
		t.Error("no decision was about a sample")
	}
}

// TestAgreesOnShortlists: a complete kube-scheduler, which begins its search for candidates by chance and may try some
// nodes more than it must, takes the best of some shortlist, as is done here from each of the starts.
func TestAgreesOnShortlists(t *testing.T) {
	cfg, err := LoadConfig("scheduler.yaml", []byte(header+`
profiles:
- pluginConfig:
  - name: DefaultPreemption
    args: {minCandidateNodesAbsolute: 3, minCandidateNodesPercentage: 0}
`))
	if err != nil {
		t.Fatal(err)
	}
	starts := &Starts{}
	s := newSchedulerOf(t, cfg, Options{Starts: starts})
	var nodes []*v1.Node
	pods := []*v1.Pod{pod("p", 1).Priority(100).Obj()}
	for i := range 12 {
		name := fmt.Sprintf("n%02d", i)
		nodes = append(nodes, node(name, 1).Label(v1.LabelTopologyZone, []string{"a", "b", "b"}[i%3]).Obj())
		pods = append(pods, on(name, 0, pod("v"+name, 1).Priority(int32(i*7%12))))
	}
	q := ask(nodes, pods...)
	chosen := map[int]bool{}
	for starts.Candidate = range 2 * len(nodes) {
		d := s.Decide(q)
		want := &spec.Search{Nodes: 12, Enough: 3}
		for _, c := range d.Candidates {
			want.Found = append(want.Found, c.Node)
		}
		if diff := cmp.Diff(want, d.Shortlist); diff != "" || len(want.Found) != 3 || len(d.Outcomes) != 1 {
			t.Fatalf("start %d: %d outcomes, shortlist (-want +got):\n%s", starts.Candidate, len(d.Outcomes), diff)
		}
		chosen[d.Outcomes[0].Node] = true
	}
	if len(chosen) < 3 {
		t.Errorf("all starts lead to %v; want several", chosen)
	}
	ctx, cancel := context.WithCancel(klog.NewContext(t.Context(), logr.Discard()))
	defer cancel()
	profile, err := cfg.profile(v1.DefaultSchedulerName)
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		sched := newKubeScheduler(ctx, t, q, kubescheduler.WithParallelism(1), kubescheduler.WithProfiles(*profile))
		got, message := oneCycle(ctx, t, sched, sched.Profiles, q)
		noBetter := 0 // of the victims' priorities, which are all different
		for i := range nodes {
			if got.Node >= 0 && i*7%12 >= got.Node*7%12 {
				noBetter++
			}
		}
		if got.Type != spec.Preempt || noBetter < 3 {
			t.Errorf("kube-scheduler: %+v %s; want a preemption on the best of at least 3 nodes", got, message)
		}
	}
}

func TestTreeOrder(t *testing.T) {
	var nodes []*v1.Node
	for i, zone := range []string{"a", "a", "b", "", "a", "b", "c"} {
		n := node(fmt.Sprint(i), 1)
		if zone != "" {
			n.Label(v1.LabelTopologyZone, zone)
		}
		nodes = append(nodes, n.Obj())
	}
	if diff := cmp.Diff([]int{0, 2, 3, 6, 1, 5, 4}, treeOrder(nodes)); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}
