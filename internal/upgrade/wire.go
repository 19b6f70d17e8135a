package upgrade

import (
	"fmt"
	"reflect"
	"time"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// protocol is the number of what goes over the pipe: programs that speak another one are not asked.
const protocol = 2

// greeting is what the program that serves says first.
type greeting struct {
	Protocol int
	Release  string
	Wrong    string // why it cannot serve
}

// configuration is the first thing that it is sent: what its kube-scheduler runs with.
type configuration struct {
	Name string // of the file
	Text []byte // nil for the default configuration
	// Profile is asked about pods that no profile is for.
	Profile string
}

// request asks something. Objects are sent once, in the order of their numbers, before the first question about them.
type request struct {
	// Forget: the objects so far do not come up any more, and numbers begin at 0 again.
	Forget bool
	// Objects are new ones, in JSON, and Kinds their kinds: indexes of the snapshot's fields.
	Objects [][]byte
	Kinds   []int
	// Pod is the pod that asks, by number, and Snapshot has the numbers of the objects by field.
	Pod      int
	Snapshot [][]int
	// Now is when that is so.
	Now time.Time
	// Explain asks about the last question instead; with Explains, whether these defects explain it.
	Explain  bool
	Explains []string
}

// reply is the answer.
type reply struct {
	Decision *decision
	Findings []Finding
	Explains bool
	// Unread are fields of new objects that the release does not know, or whose features it has off.
	Unread []string
	// Wrong says why there is no answer.
	Wrong string
}

// decision is a spec.Decision in which pods are indexes into the snapshot's.
type decision struct {
	Filters, ScorePlugins []string
	Nodes                 []spec.NodeDecision
	Candidates            []outcome
	Outcomes              []outcome
	Writes                []write
	InternalError         string
	Failure               string
}

type outcome struct {
	Type            spec.OutcomeType
	Node            int
	Victims         []int
	KeepsNomination bool
}

type write struct {
	Verb, Resource string
	Pod            int // -1 if it is no pod
	Fields         []string
}

// kinds are the fields of a snapshot that hold objects.
var kinds = func() (indexes []int) {
	t := reflect.TypeFor[spec.Snapshot]()
	for i := range t.NumField() {
		if t.Field(i).IsExported() && t.Field(i).Type.Kind() == reflect.Slice {
			indexes = append(indexes, i)
		}
	}
	return indexes
}()

// encoded writes a decision for the pipe.
func encoded(d *spec.Decision, s *spec.Snapshot) *decision {
	index := make(map[*v1.Pod]int, len(s.Pods))
	for i, pod := range s.Pods {
		index[pod] = i
	}
	victims := func(pods []*v1.Pod) (all []int) {
		for _, pod := range pods {
			all = append(all, index[pod])
		}
		return all
	}
	sent := &decision{
		Filters: d.Filters, ScorePlugins: d.ScorePlugins, Nodes: d.Nodes, InternalError: d.InternalError,
		Failure: d.Failure,
	}
	for _, c := range d.Candidates {
		sent.Candidates = append(sent.Candidates, outcome{Node: c.Node, Victims: victims(c.Victims)})
	}
	for _, o := range d.Outcomes {
		sent.Outcomes = append(sent.Outcomes, outcome{o.Type, o.Node, victims(o.Victims), o.KeepsNomination})
	}
	for _, w := range d.Writes {
		pod := -1
		if i, ok := index[w.Pod]; ok && w.Pod != nil {
			pod = i
		}
		sent.Writes = append(sent.Writes, write{w.Verb, w.Resource, pod, w.Fields})
	}
	return sent
}

// decoded reads what encoded wrote.
func (d *decision) decoded(s *spec.Snapshot) (*spec.Decision, error) {
	var wrong error
	pods := func(indexes []int) (all []*v1.Pod) {
		for _, i := range indexes {
			if i < 0 || i >= len(s.Pods) {
				wrong = fmt.Errorf("it names pod %d of %d", i, len(s.Pods))
				return nil
			}
			all = append(all, s.Pods[i])
		}
		return all
	}
	got := &spec.Decision{
		Filters: d.Filters, ScorePlugins: d.ScorePlugins, Nodes: d.Nodes, InternalError: d.InternalError,
		Failure: d.Failure,
	}
	for _, c := range d.Candidates {
		got.Candidates = append(got.Candidates, spec.Candidate{Node: c.Node, Victims: pods(c.Victims)})
	}
	for _, o := range d.Outcomes {
		if o.Node >= len(s.Nodes) {
			wrong = fmt.Errorf("it names node %d of %d", o.Node, len(s.Nodes))
		}
		got.Outcomes = append(got.Outcomes, spec.Outcome{Type: o.Type, Node: o.Node, Victims: pods(o.Victims),
			KeepsNomination: o.KeepsNomination})
	}
	for _, w := range d.Writes {
		written := spec.Write{Verb: w.Verb, Resource: w.Resource, Fields: w.Fields}
		if w.Pod >= 0 {
			if one := pods([]int{w.Pod}); one != nil {
				written.Pod = one[0]
			}
		}
		got.Writes = append(got.Writes, written)
	}
	if d.Failure == "" && len(d.Nodes) != len(s.Nodes) {
		wrong = fmt.Errorf("it is about %d nodes of %d", len(d.Nodes), len(s.Nodes))
	}
	return got, wrong
}
