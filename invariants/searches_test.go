package invariants

import (
	"fmt"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// large makes the case one of 300 nodes, of which so many are feasible, the first ones. 144 of 300 are enough.
func large(feasible int) func(*Case) {
	return func(c *Case) {
		c.Question.Snapshot = &spec.Snapshot{}
		c.Decision.Nodes, c.Expected.Nodes = make([]spec.NodeDecision, 300), make([]spec.ExpectedOnNode, 300)
		c.Decision.Nodes[0].Scores = []spec.Score{{}}
		for i := range 300 {
			n := &v1.Node{}
			n.Name = fmt.Sprint("n", i)
			c.Question.Snapshot.Nodes = append(c.Question.Snapshot.Nodes, n)
			c.Expected.Nodes[i].Feasible = i < feasible
		}
	}
}

// preemptable makes it one in which a preemption helps on the first so many nodes. 30 of 300 are enough.
func preemptable(candidates int) func(*Case) {
	return func(c *Case) {
		large(0)(c)
		c.Spec = spec.New(&spec.Profile{Preempts: true, Limits: spec.Limits{MinCandidateNodesPercentage: 10}})
		c.Expected.Candidates = nil
		for i := range candidates {
			c.Expected.Candidates = append(c.Expected.Candidates, spec.Candidate{Node: i})
		}
	}
}

// found is a search that found the nodes from the first to before the last.
func found(nodes, enough, first, last int) *spec.Search {
	s := &spec.Search{Nodes: nodes, Enough: enough}
	for i := first; i < last; i++ {
		s.Found = append(s.Found, i)
	}
	return s
}

func sampled(s *spec.Search) func(*Case)     { return func(c *Case) { c.Decision.Sample = s } }
func shortlisted(s *spec.Search) func(*Case) { return func(c *Case) { c.Decision.Shortlist = s } }

var searchRows = []decisionRow{
	{"a small cluster", SearchesConform(), nil, []string{silent}},
	{"few are feasible, and all were found", SearchesConform(), []func(*Case){large(20)}, []string{silent}},
	{"no sample, where one is documented", SearchesConform(), []func(*Case){large(250)},
		[]string{"kube-scheduler went on after 144 feasible nodes, which are enough of 300"}},
	{"any sample of the size", SearchesConform(), []func(*Case){large(250), sampled(found(300, 144, 70, 214))}, nil},
	{"all, as there are fewer", SearchesConform(), []func(*Case){large(20), sampled(found(300, 144, 0, 20))}, nil},
	{"a smaller share", SearchesConform(), []func(*Case){large(250), sampled(found(300, 100, 0, 100))}, []string{
		"100 feasible nodes are enough for kube-scheduler; documented are 144 of 300",
		"kube-scheduler found 100 feasible nodes; it was to find 144"}},
	{"it stopped too early", SearchesConform(), []func(*Case){large(250), sampled(found(300, 144, 0, 143))},
		[]string{"kube-scheduler found 143 feasible nodes; it was to find 144"}},
	{"it missed one of few", SearchesConform(), []func(*Case){large(20), sampled(found(300, 144, 0, 19))},
		[]string{"kube-scheduler found 19 feasible nodes; it was to find 20"}},
	{"one too many", SearchesConform(), []func(*Case){large(250), sampled(found(300, 144, 0, 145))},
		[]string{"kube-scheduler found 145 feasible nodes; it was to find 144"}},
	{"one is not feasible", SearchesConform(), []func(*Case){large(213), sampled(found(300, 144, 70, 214))},
		[]string{"kube-scheduler counts n213 among the feasible nodes; the model does not"}},
	{"it left out feasible nodes", SearchesConform(), []func(*Case){large(250), sampled(found(150, 100, 0, 100))},
		[]string{"kube-scheduler looked for feasible nodes among 150 of 300 nodes, while 250 are such"}},
	{"any shortlist of the size", SearchesConform(), []func(*Case){preemptable(90), shortlisted(found(300, 30, 50, 80))},
		nil},
	{"a longer one, for the sake of budgets", SearchesConform(),
		[]func(*Case){preemptable(90), shortlisted(found(300, 30, 50, 90))}, nil},
	{"one too short", SearchesConform(), []func(*Case){preemptable(90), shortlisted(found(300, 30, 50, 79))},
		[]string{"kube-scheduler found 29 nodes on which a preemption helps; it was to find 30"}},
	{"one node where it does not help", SearchesConform(),
		[]func(*Case){preemptable(79), shortlisted(found(300, 30, 50, 80))},
		[]string{"kube-scheduler counts n79 among the nodes on which a preemption helps; the model does not"}},
	{"a plugin the model does not know had a say", SearchesConform(),
		[]func(*Case){large(250), func(c *Case) { c.Unmodelled = []string{"Unknown"} }}, []string{silent}},
}
