package production

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
	"pgregory.net/rapid"
)

func TestFeedTellsWhatChanged(t *testing.T) {
	factory := informers.NewSharedInformerFactory(&fake.Clientset{}, 0)
	objects := newObjects(factory)
	var heard []string
	listen := func(listener string) {
		if _, err := factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(o any) { heard = append(heard, listener+" add "+o.(*v1.Pod).Name) },
			UpdateFunc: func(_, o any) { heard = append(heard, listener+" update "+o.(*v1.Pod).Name) },
			DeleteFunc: func(o any) { heard = append(heard, listener+" delete "+o.(*v1.Pod).Name) },
		}); err != nil {
			t.Fatal(err)
		}
	}
	a, b, c := pod("a", 1).Obj(), pod("b", 1).Obj(), pod("c", 1).Obj()
	changed := b.DeepCopy()
	steps := []struct {
		reason string
		pods   []*v1.Pod
		heard  []string
	}{
		{"all are new", []*v1.Pod{a, b}, []string{"1 add a", "1 add b"}},
		{"nothing changed", []*v1.Pod{a, b}, nil},
		{"another order is no event", []*v1.Pod{b, a}, nil},
		{"one went, one came", []*v1.Pod{c, b}, []string{"1 delete a", "1 add c"}},
		{"a changed object goes and comes", []*v1.Pod{c, changed}, []string{"1 delete b", "1 add b"}},
		{"all went, in their order", nil, []string{"1 delete c", "1 delete b"}},
	}
	listen("1")
	for _, step := range steps {
		heard = nil
		if err := objects.pods.set(step.pods); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(step.heard, heard); diff != "" {
			t.Errorf("%s: events (-want +got):\n%s", step.reason, diff)
		}
	}
	if err := objects.pods.set([]*v1.Pod{a}); err != nil {
		t.Fatal(err)
	}
	heard = nil
	listen("2")
	if diff := cmp.Diff([]string{"2 add a"}, heard); diff != "" {
		t.Errorf("a handler that comes late hears of what is there (-want +got):\n%s", diff)
	}
}

func TestListerHoldsTheLastSet(t *testing.T) {
	factory := informers.NewSharedInformerFactory(&fake.Clientset{}, 0)
	objects := newObjects(factory)
	lister := factory.Core().V1().Pods().Lister()
	// Two objects for each name: what is set has one of them at most.
	var pool [][2]*v1.Pod
	for _, name := range []string{"a", "b", "c", "d"} {
		pool = append(pool, [2]*v1.Pod{pod(name, 1).Obj(), pod(name, 2).Obj()})
	}
	rapid.Check(t, func(rt *rapid.T) {
		want := map[string]*v1.Pod{}
		var pods []*v1.Pod
		for _, i := range rapid.Permutation([]int{0, 1, 2, 3}).Draw(rt, "order") {
			if version := rapid.IntRange(0, 2).Draw(rt, "version"); version < 2 {
				pods = append(pods, pool[i][version])
				want[pool[i][version].Name] = pool[i][version]
			}
		}
		if err := objects.pods.set(pods); err != nil {
			rt.Fatal(err)
		}
		held, err := lister.Pods("default").List(labels.Everything())
		if err != nil {
			rt.Fatal(err)
		}
		got := map[string]*v1.Pod{}
		for _, p := range held {
			got[p.Name] = p
		}
		if diff := cmp.Diff(want, got, byPointer); diff != "" {
			rt.Fatalf("lister (-want +got):\n%s", diff)
		}
	})
}
