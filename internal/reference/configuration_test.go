package reference_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-a3f26817/modelcheck/internal/reference"
)

const oneNode = `"nodes": [{"cap": 4, "taints": [], "labels": ["x"]}]`

func TestReadConfigurationErrors(t *testing.T) {
	const pods = `"pods": [{"req": 1, "prio": 0, "tol": [], "sel": []}]`
	for _, row := range []struct {
		reason, text string
		want         []string
	}{
		{"nothing", "", []string{"in.json: line 1: it is not the JSON of one configuration: unexpected end of JSON input"}},
		{"cut off", `{"name": "a",` + "\n" + oneNode,
			[]string{"in.json: line 2: it is not the JSON of one configuration: unexpected end of JSON input"}},
		{"two of them", `{"name": "a"} {"name": "b"}`, []string{"in.json: line 1: it is not the JSON of one " +
			"configuration: invalid character '{' after top-level value"}},
		{"a wrong type", `{"name": "a", ` + oneNode + `, "pods": [{"req": "1"}]}`, []string{
			"in.json: pods.req: line 1: it is a string: want a value of type int64"}},
		{"a number for a list", `{"nodes": 3}`,
			[]string{"in.json: nodes: line 1: it is a number: want a value of type list"}},
		{"a string for an object", `{"nodes": ["n1"]}`,
			[]string{"in.json: nodes: line 1: it is a string: want a value of type object"}},
		{"a fraction", `{"nodes": [{"cap": 1.5}]}`,
			[]string{"in.json: nodes.cap: line 1: it is a number 1.5: want a value of type int64"}},
		{"an unknown field", `{"name": "a", ` + oneNode + `, ` + pods + `, "complete": "none", "color": 1}`,
			[]string{`in.json: unknown field "color"`}},
		{"letters count", `{"Name": "a", ` + oneNode + `, ` + pods + `, "complete": "none"}`, []string{
			`in.json: unknown field "Name"`,
			"in.json: name: it is missing; every field must be stated, lists may be empty"}},
		{"a field twice", `{"name": "a", "name": "b", ` + oneNode + `, ` + pods + `, "complete": "none"}`,
			[]string{`in.json: duplicate field "name"`}},
		{"fields left out", `{"nodes": [{"cap": 1, "taints": []}], ` + pods + `, "complete": "none"}`, []string{
			"in.json: name: it is missing; every field must be stated, lists may be empty",
			"in.json: nodes[0].labels: it is missing; every field must be stated, lists may be empty"}},
		{"nobody there", `{"name": "a", "nodes": [], "pods": [], "complete": "none"}`, []string{
			"in.json: nodes: there is none: want at least one", "in.json: pods: there is none: want at least one"}},
		{"values that make no sense", `{"name": "a", "nodes": [{"cap": 0, "taints": ["a b"], "labels": []}],
			"pods": [{"req": -1, "prio": 0, "tol": [""], "sel": []}], "complete": "sometimes"}`, []string{
			`in.json: complete: it is "sometimes": want one of ["both" "churn" "done" "none" "unbound"]`,
			"in.json: nodes[0].cap: it is 0: want 1 to 1000000000 cpus",
			`in.json: nodes[0].taints[0]: "a b" cannot be the key of a label or taint`,
			"in.json: pods[0].req: it is -1: want 0 to 1000000000 cpus",
			`in.json: pods[0].tol[0]: "" cannot be the key of a label or taint`}},
	} {
		t.Run(row.reason, func(t *testing.T) {
			_, err := reference.ReadConfiguration(strings.NewReader(row.text), "in.json")
			if err == nil {
				t.Fatal("it was read")
			}
			for _, want := range row.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("no %q in\n%v", want, err)
				}
			}
		})
	}
}

// TestConfigurationKinds: lists are sets, and what is equal is one kind.
func TestConfigurationKinds(t *testing.T) {
	c := &reference.Configuration{
		Name: "kinds", Complete: "churn",
		Nodes: []reference.ConfiguredNode{
			{2, []string{"a", "b"}, nil},
			{2, []string{"b", "a", "a"}, nil},
			{2, []string{"a"}, nil},
		},
		Pods: []reference.ConfiguredPod{
			{1, 0, []string{"a", "b"}, nil},
			{1, 0, []string{"b", "a"}, nil},
			{1, 0, []string{"b", "a"}, []string{"x"}},
		},
	}
	s, actions := c.Scenario()
	if diff := cmp.Diff(reference.Actions{Leave: true, Return: true}, actions); diff != "" {
		t.Errorf("actions (-want +got):\n%s", diff)
	}
	var kinds [][]string
	for _, kind := range s.Nodes {
		kinds = append(kinds, kind.Fixed)
	}
	for _, kind := range s.Pods {
		kinds = append(kinds, kind.Fixed)
	}
	if diff := cmp.Diff([][]string{{"n1", "n2"}, {"n3"}, {"p1", "p2"}, {"p3"}}, kinds); diff != "" {
		t.Errorf("kinds (-want +got):\n%s", diff)
	}
}

// FuzzReadConfiguration: whatever is read, it is a configuration or an error, and a configuration makes a reference.
func FuzzReadConfiguration(f *testing.F) {
	paths, err := filepath.Glob("../../testdata/configurations/*.json")
	if err != nil || len(paths) == 0 {
		f.Fatal("no configurations to begin with: ", err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := reference.ReadConfiguration(strings.NewReader(text), "fuzz")
		if err != nil {
			return
		}
		if s, _ := c.Scenario(); len(s.Initial[0].Pending) != len(c.Pods) || len(s.Initial[0].Nodes) != len(c.Nodes) {
			t.Errorf("%d nodes and %d pods became %d and %d", len(c.Nodes), len(c.Pods), len(s.Initial[0].Nodes),
				len(s.Initial[0].Pending))
		}
	})
}
