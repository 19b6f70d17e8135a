package report

import (
	"io"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/audit"
)

// AuditDocument is an audit as JSON. docs/reference/json.md describes it.
type AuditDocument struct {
	SchemaVersion     int      `json:"schemaVersion"`
	KubernetesVersion string   `json:"kubernetesVersion"`
	Profile           string   `json:"profile"`
	Reading           string   `json:"reading"`
	Verdict           string   `json:"verdict"`
	Stopped           string   `json:"stopped,omitempty"`
	Notes             []string `json:"notes"`
	NotRead           []string `json:"notRead,omitempty"`
	// Pods is how many there are in all. Nodes are those of the cluster, at the end of what would happen if there is
	// a what-if.
	Pods  int         `json:"pods"`
	Nodes []AuditNode `json:"nodes"`

	// What follows is of the cluster as it is.
	Pending []AuditPending `json:"pending"`
	Bound   *AuditBound    `json:"bound,omitempty"`
	Budgets []AuditBudget  `json:"budgets"`

	WhatIf *AuditWhatIf `json:"whatIf,omitempty"`

	Decisions  int       `json:"decisions"`
	Findings   []Finding `json:"findings"`
	Unmodelled []string  `json:"unmodelled"`
	Undecided  int       `json:"undecided,omitempty"`
}

// AuditNode is a node. Amounts are quantities, by resource.
type AuditNode struct {
	Name          string            `json:"name"`
	Zone          string            `json:"zone,omitempty"`
	Pods          int               `json:"pods"`
	Allocatable   map[string]string `json:"allocatable"`
	Requested     map[string]string `json:"requested"`
	Overcommitted []string          `json:"overcommitted,omitempty"`
	// Unschedulable: it is cordoned. Unreachable: no pending pod could go there, whoever is evicted.
	Unschedulable bool `json:"unschedulable,omitempty"`
	Unreachable   bool `json:"unreachable,omitempty"`
	// Broken counts pods whose rules it no longer keeps, by plugin.
	Broken map[string]int `json:"broken,omitempty"`
	// Utilisation is how much is requested of each resource that the node has, in percent.
	Utilisation map[string]int `json:"utilisation"`
}

// AuditAnswer is what kube-scheduler decides about a pod.
type AuditAnswer struct {
	Outcome  string        `json:"outcome"`
	Node     string        `json:"node,omitempty"`
	Equals   int           `json:"equals,omitempty"`
	Victims  []string      `json:"victims,omitempty"`
	Reasons  []AuditReason `json:"reasons,omitempty"`
	Message  string        `json:"message,omitempty"`
	Failure  string        `json:"failure,omitempty"`
	Findings []string      `json:"findings,omitempty"`
}

// AuditReason is why so many nodes are not feasible.
type AuditReason struct {
	Nodes   int      `json:"nodes"`
	Text    string   `json:"text"`
	Status  string   `json:"status"`
	Plugins []string `json:"plugins"`
}

// AuditPending are pods that wait and that nothing but the name tells apart.
type AuditPending struct {
	Pods     []string    `json:"pods"`
	Decision AuditAnswer `json:"decision"`
}

// AuditBound is about the pods on nodes.
type AuditBound struct {
	Pods    int           `json:"pods"`
	Checked int           `json:"checked"`
	Broken  []AuditBroken `json:"broken"`
	Asked   int           `json:"asked"`
	Stay    int           `json:"stay"`
	Moves   []AuditMove   `json:"moves"`
}

// AuditBroken is a rule that nodes no longer keep.
type AuditBroken struct {
	Plugin string     `json:"plugin"`
	Pods   []AuditPod `json:"pods"`
}

// AuditPod is a pod with a node.
type AuditPod struct {
	Pod  string `json:"pod"`
	Node string `json:"node,omitempty"`
}

// AuditMove is a pod that would not be placed where it is.
type AuditMove struct {
	AuditPod
	Decision AuditAnswer `json:"decision"`
}

// AuditBudget is a budget that blocks evictions.
type AuditBudget struct {
	Name               string `json:"name"`
	DisruptionsAllowed int32  `json:"disruptionsAllowed"`
	Pods               int    `json:"pods"`
	Nodes              int    `json:"nodes"`
	Ever               bool   `json:"ever,omitempty"`
	Doubly             int    `json:"doubly,omitempty"`
}

// AuditWhatIf is what would happen.
type AuditWhatIf struct {
	Changes   []string       `json:"changes"`
	Assumed   []string       `json:"assumed"`
	Added     []string       `json:"added,omitempty"`
	Removed   []AuditPod     `json:"removed,omitempty"`
	Placed    []AuditPod     `json:"placed"`
	Evicted   []AuditEvicted `json:"evicted"`
	Pending   []AuditPending `json:"pending"`
	Blocked   []AuditBlocked `json:"blocked,omitempty"`
	Unsettled []string       `json:"unsettled,omitempty"`
	Fill      *AuditFill     `json:"fill,omitempty"`
	Steps     []AuditStep    `json:"steps"`
}

// AuditEvicted is a pod that lost its node, for another pod or by a drain (for is empty).
type AuditEvicted struct {
	AuditPod
	For       string `json:"for,omitempty"`
	Recreated string `json:"recreated,omitempty"`
}

// AuditBlocked is a pod that a drain cannot evict.
type AuditBlocked struct {
	AuditPod
	Budgets []string `json:"budgets"`
}

// AuditFill is how many copies of a pod fit.
type AuditFill struct {
	Pod        string         `json:"pod"`
	Copies     int            `json:"copies"`
	On         map[string]int `json:"on"`
	AtOnce     int            `json:"atOnce,omitempty"`
	Unfinished bool           `json:"unfinished,omitempty"`
	Next       AuditAnswer    `json:"next"`
}

// AuditStep is a decision of kube-scheduler, or an eviction by a drain.
type AuditStep struct {
	Pod      string       `json:"pod"`
	Drained  string       `json:"drainedFrom,omitempty"`
	Decision *AuditAnswer `json:"decision,omitempty"`
}

// AuditJSON writes the audit for programs. The error is the writer's.
func AuditJSON(w io.Writer, a *Audit) error {
	return writeJSON(w, NewAuditDocument(a))
}

// NewAuditDocument returns the document of an audit.
func NewAuditDocument(a *Audit) *AuditDocument {
	r := a.Result
	d := &AuditDocument{
		SchemaVersion: SchemaVersion, KubernetesVersion: a.KubernetesVersion, Profile: a.Spec.Profile.SchedulerName,
		Reading: string(a.Spec.Reading()), Verdict: a.Verdict().String(), Stopped: r.Stopped,
		Notes: append([]string{}, a.Notes...), NotRead: a.NotRead, Pods: a.Pods,
		Pending: pendingJSON(r.Pending), Budgets: []AuditBudget{},
		Decisions: r.Decisions, Findings: []Finding{}, Unmodelled: append([]string{}, r.Unmodelled...),
		Undecided: r.Undecided,
	}
	nodes := r.Nodes
	if r.WhatIf != nil {
		nodes, d.WhatIf = r.WhatIf.After, whatIfJSON(a)
	} else {
		d.Bound = boundJSON(&r.Bound)
	}
	d.Nodes = make([]AuditNode, len(nodes))
	for i := range nodes {
		d.Nodes[i] = auditNodeJSON(&nodes[i])
	}
	for i := range r.Budgets {
		b := &r.Budgets[i]
		d.Budgets = append(d.Budgets, AuditBudget{b.Budget.Namespace + "/" + b.Budget.Name,
			b.Budget.Status.DisruptionsAllowed, len(b.Pods), b.Nodes, b.Ever, b.Doubly})
	}
	for i := range r.Findings {
		d.Findings = append(d.Findings, findingJSON(a.Spec, &r.Findings[i]))
	}
	return d
}

func auditNodeJSON(n *audit.Node) AuditNode {
	node := AuditNode{
		Name: n.Node.Name, Zone: n.Node.Labels[v1.LabelTopologyZone], Pods: len(n.Pods),
		Allocatable: quantitiesOf(n.Node.Status.Allocatable), Requested: quantitiesOf(n.Requested),
		Unschedulable: n.Node.Spec.Unschedulable, Unreachable: n.Unreachable, Broken: n.Broken,
		Utilisation: map[string]int{},
	}
	for resource := range n.Node.Status.Allocatable {
		node.Utilisation[string(resource)] = n.Utilisation(resource)
	}
	for _, resource := range n.Overcommitted {
		node.Overcommitted = append(node.Overcommitted, string(resource))
	}
	return node
}

func quantitiesOf(list v1.ResourceList) map[string]string {
	all := map[string]string{}
	for resource, quantity := range list {
		all[string(resource)] = quantity.String()
	}
	return all
}

func answerJSON(answer *audit.Answer) AuditAnswer {
	a := AuditAnswer{Outcome: answer.Type.String(), Node: answer.Node, Victims: podNames(answer.Victims),
		Message: answer.Message, Failure: answer.Failure, Findings: answer.Findings}
	if answer.Failure != "" {
		a.Outcome = "none"
	}
	if answer.Equals > 1 {
		a.Equals = answer.Equals
	}
	for _, r := range answer.Reasons {
		a.Reasons = append(a.Reasons, AuditReason{r.Nodes, r.Text, r.Status.String(), append([]string{}, r.Plugins...)})
	}
	return a
}

func pendingJSON(groups []audit.Pending) []AuditPending {
	all := []AuditPending{}
	for i := range groups {
		all = append(all, AuditPending{podNames(groups[i].Pods), answerJSON(&groups[i].Answer)})
	}
	return all
}

func boundJSON(b *audit.Bound) *AuditBound {
	bound := &AuditBound{Pods: b.Pods, Checked: b.Checked, Broken: []AuditBroken{}, Asked: b.Asked, Stay: b.Stay,
		Moves: []AuditMove{}}
	for _, broken := range b.Broken {
		bound.Broken = append(bound.Broken, AuditBroken{broken.Plugin, podsJSON(broken.Pods)})
	}
	for i := range b.Moves {
		bound.Moves = append(bound.Moves, AuditMove{podJSON(b.Moves[i].Pod), answerJSON(&b.Moves[i].Answer)})
	}
	return bound
}

func podJSON(pod *v1.Pod) AuditPod { return AuditPod{name(pod), pod.Spec.NodeName} }

func podsJSON(pods []*v1.Pod) []AuditPod {
	all := []AuditPod{}
	for _, pod := range pods {
		all = append(all, podJSON(pod))
	}
	return all
}

func whatIfJSON(a *Audit) *AuditWhatIf {
	w := a.Result.WhatIf
	d := &AuditWhatIf{Changes: a.WhatIf, Assumed: w.Assumed, Added: w.Added, Placed: []AuditPod{},
		Evicted: []AuditEvicted{}, Pending: pendingJSON(w.Pending), Unsettled: w.Unsettled, Steps: []AuditStep{}}
	for _, pod := range w.Removed {
		d.Removed = append(d.Removed, podJSON(pod))
	}
	for _, placed := range w.Placed {
		d.Placed = append(d.Placed, AuditPod{name(placed.Pod), placed.Node})
	}
	for _, e := range w.Evicted {
		d.Evicted = append(d.Evicted, AuditEvicted{podJSON(e.Pod), e.By, e.Recreated})
	}
	for _, b := range w.Blocked {
		d.Blocked = append(d.Blocked, AuditBlocked{podJSON(b.Pod), append([]string{}, b.Budgets...)})
	}
	if f := w.Fill; f != nil {
		d.Fill = &AuditFill{name(f.Pod), f.Copies, f.On, f.AtOnce, f.Unfinished, answerJSON(&f.Next)}
	}
	for _, step := range w.Steps {
		s := AuditStep{Pod: name(step.Pod)}
		if step.Answer == nil {
			s.Drained = step.Pod.Spec.NodeName
		} else {
			answer := answerJSON(step.Answer)
			s.Decision = &answer
		}
		d.Steps = append(d.Steps, s)
	}
	return d
}
