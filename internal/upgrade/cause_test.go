package upgrade

import (
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// said is a side that was asked, and what it says of its decision.
type said struct {
	Side
	findings []Finding
	// explained are the sets of defects, sorted and joined, that explain the decision.
	explained []string
}

func (s said) Explain() []Finding { return s.findings }

func (s said) Explains(quirks []string) bool {
	quirks = slices.Clone(quirks)
	slices.Sort(quirks)
	return slices.Contains(s.explained, strings.Join(quirks, "+"))
}

// TestCauses: nobody is blamed for what others did, and no defect is gone that may be there still.
func TestCauses(t *testing.T) {
	const images, first = "image-volumes-unscaled", "image-size-of-first-node"
	known := func(quirks ...string) []Finding { return []Finding{{Class: decisions.Reported, Quirks: quirks}} }
	fresh := func(id, plugin string) []Finding { return []Finding{{ID: id, Class: decisions.New, Plugin: plugin}} }
	differ := func(in, plugin string) []Difference { return []Difference{{In: in, Plugin: plugin}} }
	imagesDiffer := differ(inScore, "ImageLocality")
	older := spec.ChangesSince("v1.35")
	for _, row := range []struct {
		reason      string
		release     string
		differences []Difference
		from, to    said
		want        []Cause
	}{
		{"the later decision is not explained by it", "v1.36.0", imagesDiffer, said{findings: known(images)}, said{},
			[]Cause{{Gone, images}}},
		{"it would explain the later decision too", "v1.36.0", imagesDiffer, said{findings: known(images)},
			said{explained: []string{images}}, []Cause{{Allowed, "score of ImageLocality"}}},
		{"it would, beside another one", "v1.36.0", imagesDiffer, said{findings: known(first)},
			said{findings: known(images), explained: []string{first + "+" + images}}, []Cause{{Came, images}}},
		{"both have it", "v1.36.0", imagesDiffer, said{findings: known(images)}, said{findings: known(images)},
			[]Cause{{Allowed, "score of ImageLocality"}}},
		{"what its plugin says is the same", "v1.36.0", differ(inStatus, "NodePorts"), said{findings: known(images)}, said{},
			[]Cause{{Allowed, "status of NodePorts"}}},
		{"nothing explains the later decision", "v1.36.0", imagesDiffer, said{findings: known(images)},
			said{findings: fresh("n", "ImageLocality")}, []Cause{{Unexplained, "n"}}},
		{"what is not explained is of another plugin", "v1.35.4", differ(inScore, "NodeResourcesBalancedAllocation"),
			said{}, said{findings: fresh("n", "ImageLocality")}, []Cause{{Documented, "balance-gained"}}},
		{"what is said of no plugin follows from a plugin", "v1.36.0", imagesDiffer, said{},
			said{findings: slices.Concat(fresh("outcome", ""), fresh("n", "ImageLocality"))}, []Cause{{Unexplained, "n"}}},
		{"no plugin is answerable", "v1.36.0", differ(inOutcome, ""), said{}, said{findings: fresh("outcome", "")},
			[]Cause{{Unexplained, "outcome"}}},
		{"it came with the later release, and changes nothing in the earlier", "v1.36.0", differ(inFailure, ""),
			said{explained: []string{"unknown-capacity-panics"}}, said{findings: known("unknown-capacity-panics")},
			[]Cause{{Came, "unknown-capacity-panics"}}},
		{"the change does not concern the pod", "v1.35.4", imagesDiffer, said{}, said{},
			[]Cause{{Allowed, "score of ImageLocality"}}},
	} {
		x := newExplainer(spec.New(spec.DefaultProfile()), row.release)
		if wide := row.release == "v1.35.4"; wide != (len(x.changes) == len(older)) {
			t.Fatalf("%s: changes %v", row.reason, x.changes)
		}
		pod := &v1.Pod{}
		q := spec.Question{Pod: pod, Snapshot: &spec.Snapshot{Pods: []*v1.Pod{pod}}}
		if got := x.causes(q, row.differences, row.from, row.to); !slices.Equal(got, row.want) {
			t.Errorf("%s: %v, want %v", row.reason, got, row.want)
		}
	}
}

// TestDeletedVictims: that victims which terminate are not deleted any more is a documented change, where they are.
func TestDeletedVictims(t *testing.T) {
	one := v1.ResourceList{v1.ResourceCPU: resource.MustParse("1"), v1.ResourcePods: resource.MustParse("9")}
	n := &v1.Node{Status: v1.NodeStatus{Allocatable: one}}
	n.Name = "n"
	pod := func(name string, priority int32) *v1.Pod {
		p := &v1.Pod{Spec: v1.PodSpec{Priority: &priority}}
		p.Name, p.Namespace = name, "default"
		p.Spec.Containers = []v1.Container{{Name: "c", Resources: v1.ResourceRequirements{
			Requests: v1.ResourceList{v1.ResourceCPU: resource.MustParse("1")}}}}
		return p
	}
	asks, victim := pod("asks", 10), pod("victim", 0)
	victim.Spec.NodeName = n.Name
	q := spec.Question{Pod: asks, Snapshot: &spec.Snapshot{Nodes: []*v1.Node{n}, Pods: []*v1.Pod{asks, victim}}}
	differ := []Difference{{In: inWrites}}
	x := newExplainer(spec.New(spec.DefaultProfile()), "v1.34.4")
	if got := x.causes(q, differ, said{}, said{}); !slices.Equal(got, []Cause{{Allowed, inWrites}}) {
		t.Errorf("a victim that runs: %v", got)
	}
	victim.DeletionTimestamp = &metav1.Time{}
	if got := x.causes(q, differ, said{}, said{}); !slices.Equal(got, []Cause{{Documented, "terminating-spared"}}) {
		t.Errorf("a victim that terminates: %v", got)
	}
}
