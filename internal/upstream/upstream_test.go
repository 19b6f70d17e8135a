package main

import (
	"encoding/json"
	"fmt"
	"go/format"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/internal/upstream/recorder"
)

func TestWithRecorder(t *testing.T) {
	const before = `package p

func New(_ context.Context, _ runtime.Object, h fwk.Handle) (fwk.Plugin, error) { return nil, nil }

func (pl *P) Score(ctx context.Context, s fwk.CycleState, pod *v1.Pod, n fwk.NodeInfo) (int64, *fwk.Status) {
	return 0, nil
}

func (pl *P) Name() string { return "P" }
`
	const after = `package p; import "k8s.io/kubernetes/pkg/scheduler/recorder"

func unrecordedNew(_ context.Context, _ runtime.Object, h fwk.Handle) (fwk.Plugin, error) { return nil, nil }

func (pl *P) unrecordedScore(ctx context.Context, s fwk.CycleState, pod *v1.Pod, n fwk.NodeInfo) (int64, *fwk.Status) {
	return 0, nil
}

func (pl *P) Name() string { return "P" }

func New(a0 context.Context, a1 runtime.Object, a2 fwk.Handle) (r0 fwk.Plugin, r1 error) {
	r0, r1 = unrecordedNew(a0, a1, a2)
	recorder.Made(r0, a1)
	return
}

func (p *P) Score(a0 context.Context, a1 fwk.CycleState, a2 *v1.Pod, a3 fwk.NodeInfo) (r0 int64, r1 *fwk.Status) {
	r0, r1 = p.unrecordedScore(a0, a1, a2, a3)
	recorder.Score(p, a1, a2, a3, r0, r1)
	return
}
`
	got, err := withRecorder("p.go", before)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(after, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := format.Source([]byte(got)); err != nil {
		t.Error(err)
	}
	const without = "package p\n\nfunc f() {}\n"
	if got, err := withRecorder("p.go", without); err != nil || got != without {
		t.Errorf("nothing is to be recorded: %v\n%s", err, got)
	}
}

func TestCases(t *testing.T) {
	all, failed := cases(`=== RUN   TestA
--- PASS: TestA (0.00s)
    --- PASS: TestA/one (0.00s)
        --- PASS: TestA/one/x (0.00s)
        --- FAIL: TestA/one/y (0.00s)
    --- PASS: TestA/two (0.00s)
--- PASS: TestB (0.00s)
`)
	if all != 4 || failed != 1 {
		t.Errorf("%d cases, %d failed; want 4, 1", all, failed)
	}
}

func node(name, zone string) *v1.Node {
	return &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"zone": zone}}}
}

func TestQuestions(t *testing.T) {
	call := func(point, pod string, state int, nodes ...*v1.Node) recorder.Record {
		r := recorder.Record{Plugin: "P", Point: point, Instance: 1, State: state,
			Pod: &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: pod}}}
		for _, n := range nodes {
			r.Cluster.Nodes = append(r.Cluster.Nodes, n)
			r.Cluster.Pods = append(r.Cluster.Pods, &v1.Pod{Spec: v1.PodSpec{NodeName: n.Name}})
		}
		return r
	}
	a, b := node("a", "x"), node("b", "x")
	for _, row := range []struct {
		reason  string
		records []recorder.Record
		want    []string // nodes and pods, and methods
	}{
		{"one cycle", []recorder.Record{call("PreFilter", "p", 1, a, b), call("Filter", "p", 1, a)},
			[]string{"2 2 PreFilter Filter"}},
		{"nodes that come one by one", []recorder.Record{call("Filter", "p", 1, a), call("Filter", "p", 1, b)},
			[]string{"2 2 Filter Filter"}},
		{"another cycle", []recorder.Record{call("Filter", "p", 1, a), call("Filter", "p", 2, a)},
			[]string{"1 1 Filter", "1 1 Filter"}},
		{"another pod", []recorder.Record{call("Filter", "p", 1, a), call("Filter", "q", 1, a)},
			[]string{"1 1 Filter", "1 1 Filter"}},
		{"no cycle", []recorder.Record{call("Filter", "p", 0, a), call("Filter", "p", 0, a)},
			[]string{"1 1 Filter", "1 1 Filter"}},
		{"another subject", []recorder.Record{call("Filter", "p", 1, a), call("Score", "p", 1, a)},
			[]string{"1 1 Filter", "1 1 Score"}},
		{"a node that changed", []recorder.Record{call("Filter", "p", 1, a), call("Filter", "p", 1, node("a", "y"))},
			[]string{"1 1 Filter", "1 1 Filter"}},
	} {
		var got []string
		for _, q := range questions(row.records) {
			text := fmt.Sprint(len(q.cluster.Nodes), " ", len(q.cluster.Pods))
			for _, a := range q.answers {
				text += " " + a.point
			}
			got = append(got, text)
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
}

func TestArguments(t *testing.T) {
	got, err := argumentsOf(json.RawMessage(`{"TypeMeta": {}, "DefaultingType": "List", "Shape": null, "Weight": 0,
		"BindTimeoutSeconds": 0, "Resources": [{"Name": "cpu", "Weight": 1}], "DefaultConstraints": []}`))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"defaultingType": "List", "weight": 0.0,
		"resources": []any{map[string]any{"name": "cpu", "weight": 1.0}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestAsk: a recorded answer is asked again and put to the model, if there can be such a cluster; one that
// kube-scheduler does not give is noticed.
func TestAsk(t *testing.T) {
	selector := map[string]string{"zone": "x"}
	asking := func(change func(*question)) *question {
		q := &question{plugin: "NodeAffinity", subject: filtering, pod: &v1.Pod{Spec: v1.PodSpec{NodeSelector: selector}},
			cluster: recorder.Cluster{Nodes: []*v1.Node{node("a", "x"), node("b", "y")}},
			answers: []answer{{point: "PreFilter", code: "Success"}, {point: "Filter", node: "a", code: "Success"},
				{point: "Filter", node: "b", code: "UnschedulableAndUnresolvable"}}}
		change(q)
		return q
	}
	for _, row := range []struct {
		reason      string
		change      func(*question)
		expressible int
		lacking     string
	}{
		{"as it is", func(*question) {}, 3, ""},
		{"another answer", func(q *question) { q.answers[2].code = "Success" }, 2, "otherwise"},
		{"another sort of rejection", func(q *question) { q.answers[2].code = "Unschedulable" }, 2, "otherwise"},
		{"an error", func(q *question) { q.answers[2].code = "Error" }, 2, "error"},
		{"a node that PreFilter left out", func(q *question) { q.answers[0].nodeNames = []string{"b"} }, 2, "otherwise"},
		{"a pod that names its node", func(q *question) {
			q.plugin, q.pod.Spec.NodeName, q.answers = "NodeName", "a", q.answers[1:]
		}, 0, "names its node"},
		{"names that no API server takes", func(q *question) {
			q.cluster.Nodes[0].Name, q.answers[1].node = "Node_A", "Node_A"
		}, 3, ""},
		{"no node", func(q *question) { q.cluster.Nodes = nil }, 0, "no node"},
		{"what the model does not read", func(q *question) { q.cluster.Others = []string{"ResourceClaim"} }, 3, ""},
		{"what no API server takes", func(q *question) { q.cluster.Nodes[0].Labels["/"] = "x" }, 0, "would refuse"},
		{"arguments that are not valid", func(q *question) { q.args = json.RawMessage(`{"No": 1}`) }, 0, "configuration"},
	} {
		tried := &tally{reasons: map[string]int{}, deviations: map[string]int{}}
		all := comparisons{}
		if err := tried.ask(t.Context(), all, asking(row.change)); err != nil {
			t.Fatal(err)
		}
		if tried.expressible != row.expressible || tried.agree != row.expressible || tried.differ != 0 {
			t.Errorf("%s: %+v; want %d answers that agree", row.reason, tried, row.expressible)
		}
		text := strings.Join(slices.Collect(maps.Keys(tried.reasons)), "\n")
		if !strings.Contains(text, row.lacking) || row.lacking == "" && text != "" {
			t.Errorf("%s: not expressible are %q; want %q", row.reason, text, row.lacking)
		}
		if err := all.close(); err != nil {
			t.Error(err)
		}
	}
}
