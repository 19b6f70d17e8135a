package expression_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/internal/expression"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

func pod(name, node, cpu string) *v1.Pod {
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, Labels: map[string]string{"app": name[:1]}},
		Spec: v1.PodSpec{NodeName: node, Containers: []v1.Container{{Name: "c", Resources: v1.ResourceRequirements{
			Requests: v1.ResourceList{v1.ResourceCPU: resource.MustParse(cpu)},
		}}}},
	}
}

func node(name string) *v1.Node {
	return &v1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"zone": "z" + name}},
		Status:     v1.NodeStatus{Allocatable: v1.ResourceList{v1.ResourceCPU: resource.MustParse("4")}},
	}
}

func cluster() *spec.Snapshot {
	return &spec.Snapshot{
		Nodes: []*v1.Node{node("n1"), node("n2")},
		Pods:  []*v1.Pod{pod("a1", "n1", "1"), pod("a2", "n1", "1500m"), pod("b1", "", "1")},
	}
}

func said(breaches []invariants.Breach) string {
	var text []string
	for _, b := range breaches {
		found := ""
		if b.Found {
			found = "found: "
		}
		text = append(text, found+b.Sentence())
	}
	return strings.Join(text, "\n")
}

// TestStates checks what expressions about states say, and why.
func TestStates(t *testing.T) {
	for _, row := range []struct {
		reason     string
		kind       expression.Subject
		expression string
		want       string
	}{
		{"what holds is not a breach", expression.OfStates, "size(pods) == 3 && !end", ""},
		{"a comparison says both sides", expression.OfStates, "size(pods) < 2",
			"the expression is false, as size(pods) is 3"},
		{"of all, the element that decides", expression.OfStates, "pods.all(p, has(p.spec.nodeName))",
			"the expression is false, as p is default/b1, has(p.spec.nodeName) is false"},
		{"of exists, of what there was none", expression.OfStates, "pods.exists(p, p.metadata.namespace == 'shop')",
			"the expression is false, as pods is [default/a1, default/a2, default/b1]"},
		{"within within", expression.OfStates, "nodes.all(n, size(pods.on(n)) < 2)",
			"the expression is false, as n is n1, size(pods.on(n)) is 2"},
		{"of a conjunction, what is false", expression.OfStates, "size(nodes) == 2 && size(pods) == 2",
			"the expression is false, as size(pods) is 3"},
		{"of a disjunction, all", expression.OfStates, "size(nodes) == 3 || size(pods) == 2",
			"the expression is false, as size(nodes) is 2, size(pods) is 3"},
		{"requests of one pod, and of several, as quantities", expression.OfStates,
			"pods.all(p, requests(p, 'cpu').isLessThan(quantity('2'))) && nodes.all(n, requests(pods.on(n), " +
				"'cpu').compareTo(quantity(n.status.allocatable['cpu']).sub(quantity('2'))) <= 0)",
			`the expression is false, as n is n1, requests(pods.on(n), "cpu").compareTo(quantity(n.status.allocatable["cpu"]).sub(quantity("2"))) is 1`},
		{"a field that is absent is an error, not false", expression.OfStates, "pods.all(p, p.spec.nodeName != '')",
			"the expression cannot be evaluated: no such key: nodeName; a field that is empty is absent: ask has(), " +
				"or write .?field.orValue(...)"},
		{"optional values", expression.OfStates, "pods.exists(p, p.spec.?nodeName.orValue('none') == 'none')", ""},
		{"what is to be found is found", expression.Reachable, "pods.exists(p, p.metadata.name == 'b1')",
			"found: the expression is true, as p is default/b1, p.metadata.name is \"b1\""},
		{"what is to be found is not", expression.Reachable, "size(pods) > 3", ""},
		{"an error is not what was to be found", expression.Reachable, "pods.all(p, p.spec.nodeName != '')",
			"the expression cannot be evaluated: no such key: nodeName; a field that is empty is absent: ask has(), " +
				"or write .?field.orValue(...)"},
		{"an evaluation that would take for ever", expression.OfStates,
			"lists.range(1000).map(a, string(size(pods) + a)).all(a, lists.range(100 * size(pods)).all(b, " +
				"lists.range(100 * size(pods)).all(c, a != 'x' || b != c)))",
			"the expression cannot be evaluated: lists.range costs 60000 units, after 9980000: at most 10000000 may be " +
				"spent; make it smaller, or the cluster"},
	} {
		t.Run(row.reason, func(t *testing.T) {
			compiled, err := expression.Compile(expression.Rule{Name: "mine", Subject: row.kind,
				Expression: row.expression})
			if err != nil {
				t.Fatal(err)
			}
			_, breaches := compiled.Property.State(&invariants.State{Cluster: cluster()})
			if diff := cmp.Diff(row.want, said(breaches)); diff != "" {
				t.Errorf("said (-want +got):\n%s", diff)
			}
		})
	}
}

// TestSteps checks the variables of steps.
func TestSteps(t *testing.T) {
	before, after := cluster(), cluster()
	after.Pods = after.Pods[1:]
	step := &invariants.Step{Named: func() invariants.NamedStep {
		return invariants.NamedStep{Before: before, After: after, Step: &model.NamedStep{
			Class: model.Preempt, Pod: before.Pods[2], Node: before.Nodes[0], Victims: before.Pods[:1],
		}}
	}}
	for expr, want := range map[string]string{
		"step.action == 'preempt' && step.node == 'n1' && step.victims.all(v, v.metadata.labels.app == 'a')": "",
		"size(after.pods) == size(before.pods)": "the expression is false, as size(after.pods) is 2, " +
			"size(before.pods) is 3",
		"step.pod.metadata.name == 'a1'": `the expression is false, as step.pod.metadata.name is "b1"`,
	} {
		compiled, err := expression.Compile(expression.Rule{Name: "mine", Subject: expression.OfSteps,
			Expression: expr})
		if err != nil {
			t.Fatal(err)
		}
		_, breaches := compiled.Property.Step(step)
		if diff := cmp.Diff(want, said(breaches)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", expr, diff)
		}
	}
}

// TestStepsWithoutPod: what happens to a node or a budget is a step without a pod.
func TestStepsWithoutPod(t *testing.T) {
	s := cluster()
	for _, named := range []model.NamedStep{{Class: model.Cordon, Node: s.Nodes[0]}, {Class: model.Refresh}} {
		step := &invariants.Step{
			Named: func() invariants.NamedStep { return invariants.NamedStep{Before: s, After: s, Step: &named} },
		}
		for expr, want := range map[string]string{
			"!has(step.pod) && step.action in ['cordon', 'refresh budget']": "",
			"step.pod.metadata.name == 'a1'": "the expression cannot be evaluated: no such key: pod; a field that is " +
				"empty is absent: " +
				"ask has(), or write .?field.orValue(...)",
		} {
			compiled, err := expression.Compile(expression.Rule{Name: "mine", Subject: expression.OfSteps,
				Expression: expr})
			if err != nil {
				t.Fatal(err)
			}
			_, breaches := compiled.Property.Step(step)
			if diff := cmp.Diff(want, said(breaches)); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", named.Class, expr, diff)
			}
		}
	}
}

// TestDecisions checks the variables of decisions.
func TestDecisions(t *testing.T) {
	s := cluster()
	c := &invariants.Case{
		Question: spec.Question{Pod: s.Pods[2], Snapshot: s},
		Decision: &spec.Decision{
			Filters: []string{"NodeName", "NodeResourcesFit"},
			Nodes: []spec.NodeDecision{
				{Statuses: []spec.Status{spec.Fits, spec.Unschedulable}},
				{Statuses: []spec.Status{spec.Fits, spec.Fits}},
			},
			Outcomes: []spec.Outcome{{Type: spec.Bind, Node: 1}},
		},
	}
	for expr, want := range map[string]string{
		"decision.outcomes.all(o, o.type == 'bind' && o.node == 'n2') && decision.feasible == ['n2']": "",
		"decision.rejected['n1'] == ['NodeResourcesFit']":                                             "",
		"pod.metadata.name == 'a1'":                `the expression is false, as pod.metadata.name is "b1"`,
		"decision.outcomes.all(o, o.node != 'n2')": `the expression is false, as o is {node: "n2", type: "bind", victims: []}, o.node is "n2"`,
	} {
		compiled, err := expression.Compile(expression.Rule{Name: "mine", Subject: expression.OfDecisions,
			Expression: expr})
		if err != nil {
			t.Fatal(err)
		}
		_, breaches := compiled.Property.Decision(c)
		if diff := cmp.Diff(want, said(breaches)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", expr, diff)
		}
	}
}

// TestErrors checks what is said of expressions that are wrong, and where.
func TestErrors(t *testing.T) {
	for _, row := range []struct{ reason, kind, expression, want string }{
		{"nothing", "state", " ", "it is empty: write an expression that is true or false, such as size(pods) > 0"},
		{"a field that pods do not have", "state", "pods.all(p,\n  p.sepc.nodeName == '')",
			"2:4: undefined field 'sepc'"},
		{"a variable that states do not have", "state", "step.action == 'arrive'",
			"1:1: undeclared reference to 'step'"},
		{"nor do decisions", "decision", "end", "1:1: undeclared reference to 'end'"},
		{"not true or false", "state", "size(pods)", "1:1: it is of type int: want one that is true or false"},
		{"a comparison of what cannot be compared", "state", "size(pods) == 'three'",
			"1:12: found no matching overload for '_==_' applied to '(int, string)'"},
		{"a parenthesis is missing", "state", "(size(pods) == 3", "1:17: Syntax error: missing ')' at '<EOF>'"},
		{"one equals sign", "state", "size(pods) = 3", "1:12: Syntax error: token recognition error at: '= '\n1:14: " +
			"Syntax error: extraneous input '3' expecting <EOF>"},
		{"a function that is not there", "state", "nodes.all(n, free(n, 'cpu') > 0)",
			"1:18: undeclared reference to 'free'"},
		{"too few arguments", "state", "requests(pods[0]) > 1",
			"1:9: found no matching overload for 'requests' applied to '(v1.Pod)'"},
		{"a quantity is no number", "state", "requests(pods, 'cpu') <= 4",
			"1:23: found no matching overload for '_<=_' applied to '(kubernetes.Quantity, int)'"},
		{"a step has no end", "step", "end == true", "1:1: undeclared reference to 'end'"},
	} {
		t.Run(row.reason, func(t *testing.T) {
			_, err := expression.Compile(expression.Rule{Name: "mine", Subject: expression.Subject(row.kind),
				Expression: row.expression})
			if diff := cmp.Diff(row.want, fmt.Sprint(err)); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

// TestNames checks which expressions tell objects apart by their names.
func TestNames(t *testing.T) {
	for expr, want := range map[string]bool{
		"pods.all(p, nodes.exists(n, has(p.spec.nodeName) && p.spec.nodeName == n.metadata.name))": false,
		"pods.all(p, p.metadata.labels.app == 'web')":                                              false,
		"pods.exists(p, p.metadata.name == 'web-1')":                                               true,
		"pods.all(p, p.spec.?nodeName.orValue('') == '')":                                          true,
		"nodes.all(n, n.metadata.labels['kubernetes.io/hostname'] == 'n1')":                        true,
		"pods.all(p, p.spec.containers.all(c, c.name == 'main'))":                                  false,
		"pods.map(p, p.metadata.name) == ['a']":                                                    true,
	} {
		compiled, err := expression.Compile(expression.Rule{Name: "mine", Subject: expression.OfStates,
			Expression: expr})
		if err != nil {
			t.Fatal(err)
		}
		if compiled.Names != want {
			t.Errorf("%s: uses names %v, want %v", expr, compiled.Names, want)
		}
	}
}

// FuzzCompile checks that whatever compiles can be asked, and that nothing panics.
func FuzzCompile(f *testing.F) {
	for _, seed := range []string{"", "true", "pods.all(p, has(p.spec.nodeName))",
		"nodes.map(n, n.metadata.name)[7] == ''", "requests(pods, 'cpu') == quantity('1')", "pods.on(nodes[0]) == pods",
		"pods[9] == pods[0]", "requests(nodes, 'cpu') == quantity('1')", "pods.on(pods[0]) == pods", "1/0 == 1",
		"end ? pods == [] : nodes == []"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		compiled, err := expression.Compile(expression.Rule{Name: "fuzz", Subject: expression.OfStates,
			Expression: text})
		if (err == nil) == (compiled == nil) {
			t.Fatalf("compiled %v with error %v: want one of them", compiled, err)
		}
		if err == nil {
			compiled.Property.State(&invariants.State{Cluster: cluster()})
		}
	})
}
