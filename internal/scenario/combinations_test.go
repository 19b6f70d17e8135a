package scenario

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-a3f26817/modelcheck/model"
)

// combinations is a file of a theme with Combinations of pods, and a node.
func combinations(template, fields string) string {
	return themeFile("web", "order: 1, description: A.") +
		"apiVersion: v1\nkind: Node\nmetadata: {name: node}\nstatus: {allocatable: {cpu: '1', pods: '9'}}\n" +
		"---\napiVersion: modelcheck.dev/v1alpha1\nkind: Combinations\nmetadata: {name: pods}\nspec:\n" +
		"  template: " + template + "\n  fields: " + fields + "\n---\n" + themeFile("web", "thorough: true, description: B.")
}

const combinedPod = "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: c}]}}"

// TestCombinations: every two values are together in some template, in a thorough run every three; those of the run
// are among those of the thorough one, by the same names.
func TestCombinations(t *testing.T) {
	file := combinations(combinedPod, "[{path: metadata.labels.app, values: [null, web, db]}, "+
		"{path: spec.restartPolicy, values: [null, Never]}, {path: 'spec.containers[0].ports[0]', values: [null, "+
		"{containerPort: 1, hostPort: 80}, {containerPort: 1, hostPort: 80, protocol: UDP}]}, "+
		"{path: spec.schedulerName, values: [null, other]}]")
	got, err := themeOf("web.yaml", []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	values := func(p model.PodTemplate) []string {
		port := "-"
		if ports := p.Pod.Spec.Containers[0].Ports; len(ports) > 0 {
			port = string(ports[0].Protocol)
		}
		return []string{p.Pod.Labels["app"], string(p.Pod.Spec.RestartPolicy), port, p.Pod.Spec.SchedulerName}
	}
	met := func(pods []model.PodTemplate, fields ...int) int {
		var seen []string
		for _, p := range pods {
			var chosen []string
			for _, f := range fields {
				chosen = append(chosen, values(p)[f])
			}
			seen = append(seen, strings.Join(chosen, "/"))
		}
		slices.Sort(seen)
		return len(slices.Compact(seen))
	}
	numbers := []int{3, 2, 3, 2}
	pairsOf, err := got.scenario(2, model.Actions{Arrivals: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	triplesOf, err := got.scenario(2, model.Actions{Arrivals: 1}, nil, got.thorough)
	if err != nil {
		t.Fatal(err)
	}
	for a := range numbers {
		for b := range a {
			if n := met(pairsOf.Pods, a, b); n != numbers[a]*numbers[b] {
				t.Errorf("fields %d and %d: %d of %d pairs", a, b, n, numbers[a]*numbers[b])
			}
			for c := range b {
				if n := met(triplesOf.Pods, a, b, c); n != numbers[a]*numbers[b]*numbers[c] {
					t.Errorf("fields %d, %d, %d: %d of %d triples", a, b, c, n, numbers[a]*numbers[b]*numbers[c])
				}
			}
		}
	}
	if len(pairsOf.Pods) > 12 || len(triplesOf.Pods) > 26 {
		t.Errorf("%d and %d templates: not few", len(pairsOf.Pods), len(triplesOf.Pods))
	}
	for i, p := range pairsOf.Pods {
		if other := triplesOf.Pods[i]; other.Name != p.Name || !slices.Equal(values(p), values(other)) {
			t.Errorf("template %d is %s %v, in a thorough run %s %v", i, p.Name, values(p), other.Name, values(other))
		}
	}
}

// TestCombinedObjects: what goes with a template has its number, also where one names the other.
func TestCombinedObjects(t *testing.T) {
	file := combinations("{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: c}], "+
		"volumes: [{name: v, persistentVolumeClaim: {claimName: pc}}]}}\n  with:\n  - {apiVersion: v1, "+
		"kind: PersistentVolumeClaim, metadata: {name: pc}, spec: {accessModes: [ReadWriteOnce], "+
		"resources: {requests: {storage: 1Gi}}}, status: {phase: Pending}}",
		"[{of: PersistentVolumeClaim/pc, path: spec.volumeMode, values: [Filesystem, Block]}, "+
			"{path: spec.priorityClassName, values: [null, system-node-critical]}]")
	got, err := themeOf("web.yaml", []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	s, err := got.scenario(1, model.Actions{Arrivals: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	for i, p := range s.Pods {
		claim := s.Around.PersistentVolumeClaims[i]
		if used := p.Pod.Spec.Volumes[0].PersistentVolumeClaim.ClaimName; used != claim.Name {
			t.Errorf("%s uses the claim %s, %s is of its number", p.Name, used, claim.Name)
		}
		seen = append(seen, string(*claim.Spec.VolumeMode)+"/"+p.Pod.Spec.PriorityClassName)
	}
	slices.Sort(seen)
	if len(slices.Compact(seen)) != 4 {
		t.Errorf("%v: want each mode with each class", seen)
	}
}

// TestWrongCombinations: what cannot be combined is an error with the place and what to do.
func TestWrongCombinations(t *testing.T) {
	for _, row := range []struct{ template, fields, want string }{
		{combinedPod, "[{path: spec.nodeName, values: [a]}]", "spec.fields[0].values: there are 1: give two or more"},
		{combinedPod, "[{path: a, values: [1, 2]}, {path: a, values: [1, 2]}]", "spec.fields[1].path: a is there twice"},
		{combinedPod, "[{path: 'spec.containers[x]', values: [1, 2]}]", "spec.containers[x] is no path"},
		{combinedPod, "[{path: 'spec.containers[0', values: [1, 2]}]", "spec.containers[0 is no path"},
		{combinedPod, "[{path: 'metadata.labels[\"a.b]', values: [1, 2]}]", `metadata.labels["a.b] is no path`},
		{combinedPod, "[{path: 'spec.containers[0]x', values: [1, 2]}]", "spec.containers[0]x is no path"},
		{combinedPod, "[{path: kind.name, values: [1, 2]}]", "name is asked of what is no object"},
		{combinedPod, "[{path: 'kind[0]', values: [1, 2]}]", "element 0 is asked of what is no list"},
		{"{apiVersion: v1, kind: Pod}", "[{path: a, values: [1, 2]}]", "the template has no metadata.name"},
		{combinedPod, "[{path: spec.colour, values: [red, green]}]", "unknown field"},
		{combinedPod, "[{of: q, path: a, values: [1, 2]}]", "there is no q, but Pod/p"},
		{combinedPod + "\n  with: [" + combinedPod + "]", "[{path: a, values: [1, 2]}]", "Pod/p is there twice"},
		{combinedPod, "[{way: spec.colour, values: [red, green]}]", "spec.fields[0].way: unknown field"},
	} {
		got, err := themeOf("web.yaml", []byte(combinations(row.template, row.fields)))
		if err == nil {
			_, err = got.scenario(2, model.Actions{Arrivals: 1}, nil)
		}
		if err == nil || !strings.Contains(err.Error(), row.want) || !strings.Contains(err.Error(), "web.yaml") {
			t.Errorf("%s, %s: %v; want %q, with the file", row.template, row.fields, err, row.want)
		}
	}
}
