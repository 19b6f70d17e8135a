package spec

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"pgregory.net/rapid"
)

// app selects the pods of an app.
func app(name string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": name}}
}

func expression(key string, operator metav1.LabelSelectorOperator, values ...string) *metav1.LabelSelector {
	return &metav1.LabelSelector{
		MatchExpressions: []metav1.LabelSelectorRequirement{{Key: key, Operator: operator, Values: values}},
	}
}

// near is the affinity term for pods of an app in the owner's namespace.
func near(topologyKey, name string) v1.PodAffinityTerm {
	return v1.PodAffinityTerm{TopologyKey: topologyKey, LabelSelector: app(name)}
}

// podWith: labels are given as key and value in turn.
func podWith(name string, labels ...string) *v1.Pod {
	p := pod(name)
	p.Labels = pairs(labels)
	p.Spec.Affinity = &v1.Affinity{PodAffinity: &v1.PodAffinity{}, PodAntiAffinity: &v1.PodAntiAffinity{}}
	return p
}

func nodeWith(name string, labels ...string) *v1.Node {
	n := node(name)
	n.Labels = pairs(labels)
	return n
}

func pairs(keysAndValues []string) map[string]string {
	set := map[string]string{}
	for i := 0; i+1 < len(keysAndValues); i += 2 {
		set[keysAndValues[i]] = keysAndValues[i+1]
	}
	return set
}

func TestMatchesPod(t *testing.T) {
	named := func(name string, labels ...string) *v1.Namespace {
		return &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: pairs(labels)}}
	}
	s := &Snapshot{Namespaces: []*v1.Namespace{named("own"), named("prod", "env", "prod"), named("dev", "env", "dev")}}
	own, prod, everything := []string{"own"}, []string{"prod"}, &metav1.LabelSelector{}
	for _, row := range []struct {
		reason     string
		namespaces []string
		selector   *metav1.LabelSelector
		pods       *metav1.LabelSelector
		other      string // its namespace; it has the label app=x
		want       bool
	}{
		{"no namespaces, no selector: the owner's namespace", nil, nil, app("x"), "own", true},
		{"... and no other", nil, nil, app("x"), "prod", false},
		{"an empty list is no list", []string{}, nil, app("x"), "own", true},
		{"a listed namespace", prod, nil, app("x"), "prod", true},
		{"the owner's namespace is not implied by a list", prod, nil, app("x"), "own", false},
		{"an empty selector is every namespace", nil, everything, app("x"), "dev", true},
		{"... also one that is not in the snapshot", nil, everything, app("x"), "gone", true},
		{"a selected namespace", nil, expression("env", metav1.LabelSelectorOpIn, "prod"), app("x"), "prod", true},
		{"the owner's namespace is not implied by a selector", nil, expression("env", metav1.LabelSelectorOpExists),
			app("x"), "own", false},
		{"list and selector: the union", own, expression("env", metav1.LabelSelectorOpIn, "prod"), app("x"), "prod",
			true},
		{"... of both", own, expression("env", metav1.LabelSelectorOpIn, "prod"), app("x"), "own", true},
		{"... and nothing else", own, expression("env", metav1.LabelSelectorOpIn, "prod"), app("x"), "dev", false},
		{"NotIn rules a namespace out", nil, expression("env", metav1.LabelSelectorOpNotIn, "prod"), app("x"), "prod",
			false},
		{"NotIn takes a namespace without the label", nil, expression("env", metav1.LabelSelectorOpNotIn, "prod"),
			app("x"), "own", true},
		{"DoesNotExist", nil, expression("env", metav1.LabelSelectorOpDoesNotExist), app("x"), "dev", false},
		{"the labels do not match", nil, nil, app("y"), "own", false},
		{"no label selector: no pods", nil, nil, nil, "own", false},
		{"an empty label selector: all pods", nil, nil, everything, "own", true},
		{"a malformed selector matches nothing", nil, nil, expression("app", metav1.LabelSelectorOpIn), "own", false},
	} {
		owner, other := podWith("owner"), podWith("other", "app", "x")
		owner.Namespace, other.Namespace = "own", row.other
		term := v1.PodAffinityTerm{Namespaces: row.namespaces, NamespaceSelector: row.selector, LabelSelector: row.pods}
		if got := MatchesPod(term, owner, other, s); got != row.want {
			t.Errorf("%s: got %v", row.reason, got)
		}
	}
}

func TestMatchLabelKeysAreNotReadTwice(t *testing.T) {
	owner, other := podWith("owner", "tier", "1"), podWith("other", "app", "x", "tier", "2")
	term := near("zone", "x")
	term.MatchLabelKeys = []string{"tier"}
	if !MatchesPod(term, owner, other, &Snapshot{}) {
		t.Error("the API server has merged the keys into the selector already, or the pod came when it did not")
	}
}

func TestColocated(t *testing.T) {
	for _, row := range []struct {
		reason string
		a, b   []string
		want   bool
	}{
		{"the same value", []string{"zone", "a"}, []string{"zone", "a"}, true},
		{"another value", []string{"zone", "a"}, []string{"zone", "b"}, false},
		{"an empty value is a value", []string{"zone", ""}, []string{"zone", ""}, true},
		{"a missing label is not the empty value", []string{"zone", ""}, nil, false},
		{"nodes without the label are not together", nil, nil, false},
	} {
		if got := Colocated("zone", nodeWith("a", row.a...), nodeWith("b", row.b...)); got != row.want {
			t.Errorf("%s: got %v", row.reason, got)
		}
	}
}

// TestSelectsAsTheAPI: selectors match what the API machinery says, also malformed ones.
func TestSelectsAsTheAPI(t *testing.T) {
	word := rapid.SampledFrom([]string{"a", "b", "c"})
	rapid.Check(t, func(t *rapid.T) {
		set := rapid.MapOf(word, word).Draw(t, "labels")
		selector := &metav1.LabelSelector{MatchLabels: rapid.MapOfN(word, word, 0, 1).Draw(t, "match labels")}
		for range rapid.IntRange(0, 2).Draw(t, "expressions") {
			selector.MatchExpressions = append(selector.MatchExpressions, metav1.LabelSelectorRequirement{
				Key: word.Draw(t, "key"), Values: rapid.SliceOfN(word, 0, 2).Draw(t, "values"),
				Operator: rapid.SampledFrom([]metav1.LabelSelectorOperator{"In", "NotIn", "Exists", "DoesNotExist",
					"Near"}).Draw(t, "operator"),
			})
		}
		parsed, err := metav1.LabelSelectorAsSelector(selector)
		if got, want := Selects(selector, set), err == nil && parsed.Matches(labels.Set(set)); got != want {
			t.Fatalf("%v selects %v: %v, want %v (%v)", selector, set, got, want, err)
		}
	})
	if Selects(nil, nil) {
		t.Error("no selector selects, want it to match nothing")
	}
}
