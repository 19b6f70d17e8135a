package production

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"pgregory.net/rapid"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// What is kept between questions must not show: a scheduler that has answered others answers as a new
// one would, and what it keeps is what it would build anew.
func TestReuseDoesNotShow(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		pool := drawPool(rt)
		used := newScheduler(t, Options{})
		for range rapid.IntRange(2, 5).Draw(rt, "questions") {
			q := pool.drawQuestion(rt)
			fresh := newScheduler(t, Options{})
			want := certain(fresh.Decide(q))
			got := certain(used.Decide(q))
			if diff := cmp.Diff(want, got, byPointer); diff != "" {
				rt.Fatalf("a new scheduler (-) decides differently from one in use (+):\n%s", diff)
			}
			if again := certain(used.Decide(q)); cmp.Diff(got, again, byPointer) != "" {
				rt.Fatalf("the same question again:\n%s", cmp.Diff(got, again, byPointer))
			}
			checkKept(rt, used.worker.engine)
		}
	})
}

// certain returns the decision without what is left to chance: which of several outcomes it was that was written.
func certain(d *spec.Decision) *spec.Decision {
	if len(d.Outcomes) > 1 {
		d.Writes = nil
	}
	return d
}

// byPointer compares pods as questions do.
var byPointer = cmp.Comparer(func(a, b *v1.Pod) bool { return a == b })

// checkKept compares each kept NodeInfo of the last question with one built anew.
func checkKept(t *rapid.T, e *engine) {
	for i, info := range e.snapshot.infos {
		kept := info.(*framework.NodeInfo)
		anew := framework.NewNodeInfo(e.snapshot.bound[i]...)
		anew.SetNode(kept.Node())
		if images := e.snapshot.cluster.images; images != nil {
			anew.ImageStates = newCluster(e.objects.nodes.held).images[i]
		}
		same := cmp.Options{
			cmp.AllowUnexported(framework.NodeInfo{}, framework.PodInfo{}),
			cmpopts.IgnoreFields(framework.NodeInfo{}, "Generation"),
			cmpopts.IgnoreFields(framework.PodInfo{}, "cachedResource"),
			cmpopts.EquateEmpty(),
			byPointer,
			cmp.Comparer(func(a, b *v1.Node) bool { return a == b }),
			cmp.Comparer(func(a, b fwk.AffinityTerm) bool {
				return a.TopologyKey == b.TopologyKey && a.Selector.String() == b.Selector.String()
			}),
		}
		if diff := cmp.Diff(anew, kept, same); diff != "" {
			t.Fatalf("node %s: what is kept (+) is not what would be built anew (-):\n%s", kept.Node().Name, diff)
		}
	}
}

func TestKeptNodeInfosAreBounded(t *testing.T) {
	known := newNodeInfos()
	n := node("a", 1).Obj()
	for range maxNodeInfos {
		known.get(known.cluster([]*v1.Node{n}), 0, n, []*v1.Pod{{}})
	}
	if known.size <= maxNodeInfos {
		t.Fatalf("%d kept, want more than the bound %d before it is trimmed", known.size, maxNodeInfos)
	}
	known.trim(1, 1)
	if known.size != 0 || len(known.pods) != 0 || len(known.nodes) != 0 {
		t.Errorf("after trimming %d entries, %d pods and %d nodes are kept, want none", known.size, len(known.pods),
			len(known.nodes))
	}
}
