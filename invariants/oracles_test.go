package invariants

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// mirrored returns the decision about the Renamed question that says the same: nodes the other way round, and
// victims by their new names.
func mirrored(d *spec.Decision, renamed spec.Question, original spec.Question) *spec.Decision {
	other := *d
	other.Nodes = slices.Clone(d.Nodes)
	slices.Reverse(other.Nodes)
	other.Outcomes = nil
	for _, o := range d.Outcomes {
		if o.Node >= 0 {
			o.Node = len(d.Nodes) - 1 - o.Node
		}
		var victims []*v1.Pod
		for _, victim := range o.Victims {
			pods := renamed.Snapshot.Pods
			victims = append(victims, pods[len(pods)-1-slices.Index(original.Snapshot.Pods, victim)])
		}
		o.Victims = victims
		other.Outcomes = append(other.Outcomes, o)
	}
	return &other
}

func TestNamesDoNotMatter(t *testing.T) {
	for _, row := range []struct {
		reason string
		change func(c *Case, other *spec.Decision)
		want   []Breach
	}{
		{"the same", func(*Case, *spec.Decision) {}, nil},
		{"a verdict differs", func(_ *Case, other *spec.Decision) {
			other.Nodes[0].Statuses = []spec.Status{spec.Fits, spec.Fits}
		}, []Breach{{Plugin: "F",
			Reason: "F says that node b does not fit, and that it fits under other names and in another order"}}},
		{"the verdict of all differs",
			func(_ *Case, other *spec.Decision) { other.Nodes[1].Overall = spec.Unresolvable },
			[]Breach{{Reason: "all filters together say that node a does not fit, and that it does not fit whoever " +
				"is evicted under other names and in another order"}}},
		{"a score differs", func(c *Case, other *spec.Decision) {
			schedulable(c)
			*other = *mirrored(c.Decision, Renamed(c.Question), c.Question)
			other.Nodes[1].Scores = []spec.Score{{}, {Value: 71, Raw: 7}}
		}, []Breach{{Plugin: "R",
			Reason: "R scores node a 70 from raw 7, and 71 from raw 7 under other names and in another order"}}},
		{"another victim", func(c *Case, other *spec.Decision) {
			// so that the choice is not one among equals
			c.Question.Snapshot.Pods[3].Spec.Priority = c.Question.Snapshot.Pods[0].Spec.Priority
			other.Outcomes[0].Victims = nil
		}, []Breach{{Reason: "the pod's outcomes are not the same under other names and in another order"}}},
		{"another victim, as not all nodes are tried", func(c *Case, other *spec.Decision) {
			c.Question.Snapshot.Pods[3].Spec.Priority = c.Question.Snapshot.Pods[0].Spec.Priority
			other.Outcomes[0].Victims, other.Shortlist = nil, &spec.Search{Nodes: 2, Enough: 1}
		}, nil},
		{"another of equal victims", func(_ *Case, other *spec.Decision) { other.Outcomes[0].Victims = nil }, nil},
		{"no decision", func(_ *Case, other *spec.Decision) { other.Failure = "panic" },
			[]Breach{{Reason: `there is a decision or none (""), and the contrary ("panic") under other names and in another order`}}},
	} {
		c := newCase()
		other := mirrored(c.Decision, Renamed(c.Question), c.Question)
		row.change(c, other)
		c.Again = func(spec.Question) *spec.Decision { return other }
		applies, got := NamesDoNotMatter().Decision(c)
		if diff := cmp.Diff(row.want, got); diff != "" || !applies {
			t.Errorf("%s: applies: %t (-want +got):\n%s", row.reason, applies, diff)
		}
	}
	if applies, _ := NamesDoNotMatter().Decision(newCase()); applies {
		t.Error("it applies though production cannot be asked again")
	}
}

func TestRenamed(t *testing.T) {
	c := newCase()
	pending := c.Question.Pod
	pending.Spec.NodeSelector = map[string]string{v1.LabelHostname: "b", "zone": "z"}
	pending.Status.NominatedNodeName = "gone"
	q := Renamed(c.Question)
	low := q.Snapshot.Pods[2]
	type said struct {
		Node, Pending, Low, On, Hostname, Zone, Nominated string
	}
	got := said{
		q.Snapshot.Nodes[1].Name,
		q.Pod.Name,
		low.Name,
		low.Spec.NodeName,
		q.Pod.Spec.NodeSelector[v1.LabelHostname],
		q.Pod.Spec.NodeSelector["zone"],
		q.Pod.Status.NominatedNodeName,
	}
	want := said{"n-999", "p-996", "p-995", "n-999", "n-998", "z", "gone"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !slices.Contains(q.Snapshot.Pods, q.Pod) || pending.Name != "pending" {
		t.Error("the pending pod is not in the snapshot, or the question was changed")
	}
}

func TestCountingOn(t *testing.T) {
	fits, rejects := []spec.Status{spec.Fits}, []spec.Status{spec.Unschedulable}
	for _, row := range []struct {
		reason string
		in     []spec.Increment
		err    error
		want   []Breach
	}{
		{"the same", []spec.Increment{{With: rejects, Added: rejects, Without: fits, Removed: fits}}, nil, nil},
		{"one that goes still counts",
			[]spec.Increment{{With: rejects, Added: rejects, Without: fits, Removed: rejects}}, nil,
			[]Breach{{Plugin: "F",
				Reason: "once ns/low goes, F says that node a does not fit; asked afresh, that it fits"}}},
		{"one that comes does not count", []spec.Increment{{With: rejects, Added: fits, Without: fits, Removed: fits}},
			nil,
			[]Breach{{Plugin: "F",
				Reason: "once ns/low comes, F says that node a fits; asked afresh, that it does not fit"}}},
		{"a plugin fails", nil, errors.New("planted"), []Breach{{Reason: "planted"}}},
	} {
		c := newCase()
		for i := range row.in {
			row.in[i].Pod, row.in[i].Filters = c.Question.Snapshot.Pods[1], []string{"F"}
		}
		c.Increments = func() ([]spec.Increment, error) { return row.in, row.err }
		applies, got := CountingOn().Decision(c)
		if diff := cmp.Diff(row.want, got); diff != "" || !applies {
			t.Errorf("%s: applies: %t (-want +got):\n%s", row.reason, applies, diff)
		}
	}
}
