package stepped_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	st "k8s.io/kubernetes/pkg/scheduler/testing"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// byDefault returns the default configuration.
func byDefault(t testing.TB) *production.Config {
	t.Helper()
	cfg, err := production.DefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func newScheduler(t testing.TB, initial *spec.Snapshot, o stepped.Options) *stepped.Scheduler {
	t.Helper()
	return schedulerUnder(t, byDefault(t), initial, o)
}

// schedulerUnder returns a scheduler with the configuration.
func schedulerUnder(t testing.TB, cfg *production.Config, initial *spec.Snapshot,
	o stepped.Options) *stepped.Scheduler {
	t.Helper()
	s, err := stepped.New(t.Context(), cfg, initial, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// model is the formal model under the default profile.
func model(t testing.TB) *spec.Scheduler {
	t.Helper()
	return modelUnder(t, byDefault(t))
}

// modelUnder is the formal model under the configuration.
func modelUnder(t testing.TB, cfg *production.Config) *spec.Scheduler {
	t.Helper()
	profile, err := cfg.Spec(v1.DefaultSchedulerName)
	if err != nil {
		t.Fatal(err)
	}
	return spec.New(profile)
}

// alone answers single questions under the default profile.
func alone(t testing.TB) *production.Alone {
	t.Helper()
	return aloneUnder(t, byDefault(t))
}

// aloneUnder answers single questions under the configuration.
func aloneUnder(t testing.TB, cfg *production.Config) *production.Alone {
	t.Helper()
	a, err := production.NewAlone(t.Context(), cfg, 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

func create(object runtime.Object) loop.Action {
	return loop.Action{Verb: loop.Create, Ref: loop.RefOf(object), Object: object}
}

func remove(object runtime.Object) loop.Action {
	return loop.Action{Verb: loop.Delete, Ref: loop.RefOf(object)}
}

func gone(object runtime.Object) loop.Action {
	return loop.Action{Verb: loop.Gone, Ref: loop.RefOf(object)}
}

func update(doc string, object runtime.Object) loop.Action {
	return loop.Action{Verb: loop.Update, Ref: loop.RefOf(object), Object: object, Doc: doc}
}

func on(verb loop.Verb, object runtime.Object) loop.Action {
	return loop.Action{Verb: verb, Ref: loop.RefOf(object)}
}

var (
	schedule = loop.Action{Verb: loop.Schedule}
	backoff  = loop.Action{Verb: loop.Backoff}
	flush    = loop.Action{Verb: loop.Flush}
	restart  = loop.Action{Verb: loop.Restart}
)

func failing(fault loop.Fault) loop.Action { return loop.Action{Verb: loop.Schedule, Fault: fault} }

func node(name string) *st.NodeWrapper {
	return st.MakeNode().Name(name).Label(v1.LabelHostname, name).Capacity(map[v1.ResourceName]string{"cpu": "1",
		"memory": "4Gi", "pods": "10"})
}

// pod returns a pod that needs no CPU.
func pod(name string) *st.PodWrapper {
	return st.MakePod().Namespace("default").Name(name).SchedulerName(v1.DefaultSchedulerName)
}

func cpu(amount string) map[v1.ResourceName]string { return map[v1.ResourceName]string{"cpu": amount} }

func namespace(name string, labels map[string]string) *v1.Namespace {
	return &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}
}

func cluster(nodes ...*st.NodeWrapper) *spec.Snapshot {
	s := &spec.Snapshot{Namespaces: []*v1.Namespace{namespace("default", nil)}}
	for _, n := range nodes {
		s.Nodes = append(s.Nodes, n.Obj())
	}
	return s
}

// eventful is a run with everything in it: preemption, two equal nodes, a wait on permit, a failure of each sort, a
// restart.
func eventful() (*spec.Snapshot, []loop.Action) {
	low1, low2 := pod("low1").Req(cpu("1")).Obj(), pod("low2").Req(cpu("1")).Obj()
	urgent, late := pod("urgent").Priority(10).Req(cpu("1")).Obj(), pod("late").Obj()
	return cluster(node("n1"), node("n2")), []loop.Action{create(low1), create(low2), schedule, schedule,
		create(urgent), schedule, gone(low1), schedule, create(late), failing(loop.FailReserve), backoff,
		failing(loop.RejectPermit), flush, failing(loop.FailPreBind), backoff, failing(loop.FailBind), backoff,
		failing(loop.WaitPermit), on(loop.Expire, late), flush, failing(loop.WaitPermit), restart,
		failing(loop.WaitPermit), on(loop.Allow, late), remove(low2), gone(low2)}
}

// history takes the actions, and gives every state on the way.
func history(t testing.TB, s *stepped.Scheduler, actions []loop.Action) string {
	t.Helper()
	var text strings.Builder
	for _, a := range actions {
		step, err := s.Do(a)
		if err != nil {
			t.Fatal(err)
		}
		state := s.State()
		fmt.Fprintf(&text, "%s: %+v\n%s%q\n", a, step, state.Canonical(), state.Cache)
	}
	return text.String()
}

// TestRepeatable: a run is a function of its actions. A hundred runs, eight at a time, are the same byte for byte.
// With -race this also asks whether anything is read that still runs.
func TestRepeatable(t *testing.T) {
	initial, actions := eventful()
	want := history(t, newScheduler(t, initial, stepped.Options{Faults: true}), actions)
	for _, said := range []string{"Popped:default/urgent", "in flight", "deletionTimestamp"} {
		if !strings.Contains(strings.ReplaceAll(want, "Places:[in", "in"), said) {
			t.Errorf("the run is not as eventful as it should be: it lacks %q", said)
		}
	}
	var runs sync.WaitGroup
	for range 8 {
		runs.Go(func() {
			for range 12 {
				initial, actions := eventful()
				if diff := cmp.Diff(want, history(t, newScheduler(t, initial, stepped.Options{Faults: true}),
					actions)); diff != "" {
					t.Errorf("repeated, the run differs (-first +again):\n%s", diff)
				}
			}
		})
	}
	runs.Wait()
}

// TestHolds: the eventful run breaks no property.
func TestHolds(t *testing.T) {
	initial, actions := eventful()
	for _, broken := range breaks(t, newScheduler(t, initial, stepped.Options{Faults: true}), actions) {
		t.Error(broken)
	}
}

// breaks takes the actions and gives the properties that they break, as "property: pod: known defect", each with
// its last action.
func breaks(t testing.TB, s *stepped.Scheduler, actions []loop.Action) []string {
	t.Helper()
	return breaksUnder(t, byDefault(t), s, actions)
}

// breaksUnder is breaks of a scheduler with the configuration.
func breaksUnder(t testing.TB, cfg *production.Config, s *stepped.Scheduler, actions []loop.Action) []string {
	t.Helper()
	m, alone := modelUnder(t, cfg), aloneUnder(t, cfg)
	var broken []string
	for _, a := range actions {
		before := s.State()
		step, err := s.Do(a)
		if err != nil {
			t.Fatal(err)
		}
		taken := &loop.Transition{Model: m, Ask: alone.Decide, Before: before, Action: a, Step: step, After: s.State()}
		for _, b := range taken.Broken() {
			broken = append(broken, strings.TrimSuffix(fmt.Sprintf("%s: %s: %s", b.Property.Name, b.Pod, b.Known),
				": "))
		}
	}
	return broken
}

// TestImpossible: an action that the state does not allow is an error that says so.
func TestImpossible(t *testing.T) {
	p, bound := pod("p").Obj(), pod("bound").Node("n1").Obj()
	for _, row := range []struct {
		reason string
		action loop.Action
		want   string
	}{
		{"the queue is empty", schedule, "the scheduler takes the next pod: no pod is ready to be scheduled"},
		{"nobody waits", on(loop.Allow, p), "Pod default/p is allowed by permit: the pod does not wait on permit"},
		{"it does not exist", update("labels", p), "Pod default/p: labels: Pod default/p does not exist"},
		{"a bound pod stays where it is", update("labels", pod("bound").Obj()),
			`Pod default/bound: labels: Pod default/bound: spec.nodeName is "n1", and is not changed any more`},
		{"it exists", create(node("n1").Obj()), "Node n1 is created: Node n1 exists already"},
	} {
		_, err := newScheduler(t, with(cluster(node("n1")), bound), stepped.Options{}).Do(row.action)
		if err == nil || err.Error() != row.want {
			t.Errorf("%s: error is %v, want %s", row.reason, err, row.want)
		}
	}
}

// TestUnknownCall: a write that the API has no answer to is an error of the run, not a success that nobody made. A
// claim that is to be bound for the pod is such a one.
func TestUnknownCall(t *testing.T) {
	s := newScheduler(t, cluster(node("n1")), stepped.Options{})
	if _, err := s.Do(create(pod("p").Obj())); err != nil {
		t.Fatal(err)
	}
	s.Poison()
	if _, err := s.Do(schedule); err == nil ||
		!strings.Contains(err.Error(), `calls that the in-memory API has no answer to: ["update pods/status"]`) {
		t.Errorf("error is %v", err)
	}
}

// BenchmarkRun returns what it costs to build a scheduler with two nodes, and what an action costs after that.
func BenchmarkRun(b *testing.B) {
	cfg, err := production.DefaultConfig()
	if err != nil {
		b.Fatal(err)
	}
	var building, steps time.Duration
	actions := []loop.Action{create(pod("p").Obj()), schedule, create(pod("q").Obj()), schedule}
	for b.Loop() {
		start := time.Now()
		s, err := stepped.New(b.Context(), cfg, cluster(node("n1"), node("n2")),
			stepped.Options{})
		if err != nil {
			b.Fatal(err)
		}
		built := time.Now()
		for _, a := range actions {
			if _, err := s.Do(a); err != nil {
				b.Fatal(err)
			}
		}
		steps += time.Since(built)
		building += built.Sub(start)
		s.Close()
	}
	b.ReportMetric(float64(building.Microseconds())/float64(b.N), "µs/build")
	b.ReportMetric(float64(steps.Microseconds())/float64(b.N*len(actions)), "µs/step")
}

// ofDevices are the kinds that are not put into the scheduler as a whole: the loop says that it knows no claims.
var ofDevices = []string{"ResourceClaims", "ResourceClaimTemplates", "ResourceSlices", "DeviceClasses"}

// TestEveryKind: whatever a snapshot can hold, but for devices, is created, and is there again afterwards.
func TestEveryKind(t *testing.T) {
	initial := &spec.Snapshot{}
	named := metav1.ObjectMeta{Name: "x", Namespace: "default"}
	whole := reflect.ValueOf(initial).Elem()
	for i := range whole.NumField() {
		name := whole.Type().Field(i).Name
		if field := whole.Field(i); field.CanSet() && field.Kind() == reflect.Slice && !slices.Contains(ofDevices, name) {
			object := reflect.New(field.Type().Elem().Elem())
			object.Elem().FieldByName("ObjectMeta").Set(reflect.ValueOf(named))
			field.Set(reflect.Append(field, object))
		}
	}
	state := newScheduler(t, initial, stepped.Options{}).State()
	want := whole.NumField() - 2 - len(ofDevices) // one field is not exported, one says when it is
	if got := len(loop.Objects(state.API)); got != want {
		t.Errorf("a snapshot has %d kinds of object, the API has %d objects after one of each was created", want, got)
	}
}
