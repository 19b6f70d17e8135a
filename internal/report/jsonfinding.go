package report

import (
	"math"
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Finding is one way in which a property is broken.
type Finding struct {
	ID       string `json:"id"`
	Class    string `json:"class"`
	Property string `json:"property"`
	Plugin   string `json:"plugin,omitempty"`
	// Quirks are the deviations that explain it.
	Quirks  []Quirk `json:"quirks,omitempty"`
	Count   int64   `json:"count"`
	Example Example `json:"example"`
	// Configuration is the KubeSchedulerConfiguration of the profile that the example asks, if it was drawn; else empty.
	Configuration string `json:"configuration,omitempty"`
}

// Quirk is a deviation, or an erratum of the model as first written.
type Quirk struct {
	Name     string `json:"name"`
	Class    string `json:"class"`
	Upstream string `json:"upstream"`
	Doc      string `json:"doc"`
	// Norm is the sentence that it does not keep; nil for an erratum.
	Norm *Norm `json:"norm,omitempty"`
	// OnControlPlane says what was to be seen of it on a control plane, such as "confirmed with v1.37.2"; empty if it was
	// on none.
	OnControlPlane string `json:"onControlPlane,omitempty"`
}

// Norm is the sentence that a deviation does not keep.
type Norm struct {
	// Basis is documented, stated in code, or our reading.
	Basis string `json:"basis"`
	Quote string `json:"quote,omitempty"`
	Where string `json:"where,omitempty"`
	// Source is a URL, or a Go file of a module.
	Source  string `json:"source,omitempty"`
	Reading string `json:"reading,omitempty"`
}

// Example is a shortest counterexample.
type Example struct {
	Scenario string   `json:"scenario"`
	Reasons  []string `json:"reasons"`
	Steps    []Step   `json:"steps"`
	// Loop is how many of the last steps go on for ever; 0 if none do.
	Loop int `json:"loop,omitempty"`
	// Cluster is what the steps lead to.
	Cluster List `json:"cluster"`
	// Decision is the decision there; nil if the property is not one of decisions.
	Decision *Decision `json:"decision,omitempty"`
}

// Step is a step of a counterexample.
type Step struct {
	Action  string   `json:"action"`
	Pod     string   `json:"pod,omitempty"`
	Budget  string   `json:"budget,omitempty"`
	Node    string   `json:"node,omitempty"`
	Victims []string `json:"victims,omitempty"`
	Text    string   `json:"text"`
}

// Decision is a decision of production beside what the model says.
type Decision struct {
	Pod           string `json:"pod"`
	Failure       string `json:"failure,omitempty"`
	InternalError string `json:"internalError,omitempty"`
	// Message is kube-scheduler's own why no node is feasible; modelcheck explain has it, and the reasons of nodes.
	Message    string              `json:"message,omitempty"`
	Nodes      []NodeDecision      `json:"nodes"`
	Candidates []CandidateDecision `json:"candidates"`
	Outcomes   []Outcome           `json:"outcomes"`
	// Unmodelled are plugins that had a say and that the model does not know; then it cannot tell what is allowed.
	Unmodelled []string `json:"unmodelled,omitempty"`
	// Sample and Shortlist are the nodes at which kube-scheduler's searches ended, for feasible nodes and for nodes on
	// which a preemption helps; nil where it looked at all.
	Sample    *Search `json:"sample,omitempty"`
	Shortlist *Search `json:"shortlist,omitempty"`
	// MoreOutcomes: the model allows more outcomes than are listed here.
	MoreOutcomes bool `json:"moreOutcomes,omitempty"`
	// NotWeighed is after how many sets of pods the search for the least damage was given up; then no candidate is ideal.
	NotWeighed int `json:"notWeighed,omitempty"`
}

// Search is a search for nodes that ended once it had found enough.
type Search struct {
	Nodes  int      `json:"nodes"`
	Enough int      `json:"enough"`
	Found  []string `json:"found"`
}

// NodeDecision is the part of a decision that concerns one node.
type NodeDecision struct {
	Name     string         `json:"name"`
	Statuses []PluginStatus `json:"statuses"`
	Overall  string         `json:"overall,omitempty"`
	Reasons  []string       `json:"reasons,omitempty"`
	Feasible bool           `json:"modelFeasible"`
	Scores   []PluginScore  `json:"scores,omitempty"`
	Total    *int64         `json:"total,omitempty"`
}

// PluginStatus is a filter's status. Model is the model's where production's is not right; empty elsewhere.
type PluginStatus struct {
	Plugin     string `json:"plugin"`
	Production string `json:"production"`
	Model      string `json:"model,omitempty"`
}

// PluginScore is a score plugin's weighted score, and the raw one before normalisation. Those of the model are nil
// if it has none.
type PluginScore struct {
	Plugin        string `json:"plugin"`
	Production    int64  `json:"production"`
	Model         *int64 `json:"model,omitempty"`
	ProductionRaw int64  `json:"productionRaw"`
	ModelRaw      *int64 `json:"modelRaw,omitempty"`
}

// CandidateDecision is a set of pods that could be evicted from a node, the damage, and whose candidate it is.
type CandidateDecision struct {
	Node            string   `json:"node"`
	Victims         []string `json:"victims"`
	Violations      int      `json:"violations"`
	HighestPriority *int32   `json:"highestPriority,omitempty"`
	PrioritySum     int64    `json:"prioritySum"`
	EarliestStart   string   `json:"earliestStart,omitempty"`
	Production      bool     `json:"production"`
	Documented      bool     `json:"documented"`
	Ideal           bool     `json:"ideal"`
}

// Outcome is what may become of the pod, and according to whom.
type Outcome struct {
	Type            string   `json:"type"`
	Node            string   `json:"node,omitempty"`
	Victims         []string `json:"victims,omitempty"`
	KeepsNomination bool     `json:"keepsNomination,omitempty"`
	Production      bool     `json:"production"`
	Documented      bool     `json:"documented"`
	// Undecided: it was not found out whether it is documented; then it counts as such.
	Undecided bool `json:"undecided,omitempty"`
}

func findingJSON(m *spec.Scheduler, f *decisions.Finding) Finding {
	finding := Finding{
		ID: f.ID, Class: string(f.Class), Property: f.Property.Name, Plugin: f.Plugin, Count: f.Count,
		Configuration: string(f.Configuration),
	}
	for _, quirk := range f.Quirks {
		finding.Quirks = append(finding.Quirks, quirkJSON(quirk))
	}
	example := &finding.Example
	example.Scenario, example.Reasons, example.Steps = f.Example.Scenario, reasons(f), []Step{}
	example.Loop = f.Example.Loop
	last := len(f.Example.Stages) - 1
	for i, text := range sentences(f.Example.Stages) {
		example.Steps = append(example.Steps, stepJSON(f.Example.Stages[i].Step, text))
	}
	end := f.Example.Stages[last].Cluster
	if c := f.Example.Case; c != nil {
		end = c.Question.Snapshot
		example.Decision = decisionJSON(m, c)
	}
	example.Cluster = manifests(end)
	return finding
}

// stepJSON returns a step that reads so in words.
func stepJSON(step *model.NamedStep, text string) Step {
	s := Step{
		Action:  step.Class.String(),
		Pod:     stepPod(step),
		Budget:  stepBudget(step),
		Victims: podNames(step.Victims),
		Text:    text,
	}
	if step.Node != nil {
		s.Node = step.Node.Name
	}
	return s
}

func decisionJSON(m *spec.Scheduler, c *invariants.Case) *Decision {
	d := &Decision{
		Pod: name(c.Question.Pod), Failure: c.Decision.Failure, InternalError: c.Decision.InternalError,
		Message: c.Decision.Message, Unmodelled: c.Unmodelled,
		Nodes: []NodeDecision{}, Candidates: []CandidateDecision{}, Outcomes: []Outcome{},
		Sample: searchJSON(c, c.Decision.Sample), Shortlist: searchJSON(c, c.Decision.Shortlist),
		MoreOutcomes: c.Expected.MoreOutcomes, NotWeighed: c.Expected.NotWeighed,
	}
	for n := range c.Decision.Nodes {
		d.Nodes = append(d.Nodes, nodeJSON(c, n))
	}
	casualty := m.Casualties(c.Question.Pod, c.Question.Snapshot)
	for _, candidate := range candidatesOf(c) {
		damage := casualty(candidate.Candidate)
		entry := CandidateDecision{
			Node: c.Question.Snapshot.Nodes[candidate.Node].Name, Victims: podNames(candidate.Victims),
			Violations: damage.Violations, PrioritySum: damage.PrioritySum, EarliestStart: earliest(candidate.Victims,
				damage),
			Production: candidate.production, Documented: candidate.documented, Ideal: candidate.ideal,
		}
		if damage.HighestPriority != math.MinInt32 {
			entry.HighestPriority = &damage.HighestPriority
		}
		d.Candidates = append(d.Candidates, entry)
	}
	production := distinct(c.Decision.Outcomes, nil)
	documented := documentedOutcomes(c, production)
	for _, o := range production {
		d.Outcomes = append(d.Outcomes, outcomeJSON(c, o, true, allows(c, o)))
	}
	for _, o := range documented {
		if findAlike(production, o) < 0 {
			d.Outcomes = append(d.Outcomes, outcomeJSON(c, o, false, true))
		}
	}
	return d
}

func nodeJSON(c *invariants.Case, n int) NodeDecision {
	got, want := &c.Decision.Nodes[n], &c.Expected.Nodes[n]
	node := NodeDecision{Name: c.Question.Snapshot.Nodes[n].Name, Statuses: []PluginStatus{}, Feasible: want.Feasible,
		Reasons: got.Reasons}
	for f, plugin := range c.Decision.Filters {
		node.Statuses = append(node.Statuses, PluginStatus{plugin, got.Statuses[f].String(),
			modelStatus(c, plugin, n, got.Statuses[f])})
	}
	if got.Filtered {
		node.Overall = got.Overall.String()
	}
	if got.Scores == nil {
		return node
	}
	node.Total = &got.Total
	for r, plugin := range c.Decision.ScorePlugins {
		score := PluginScore{Plugin: plugin, Production: got.Scores[r].Value, ProductionRaw: got.Scores[r].Raw}
		if m := slices.Index(c.Expected.ScorePlugins, plugin); m >= 0 && want.Scores != nil {
			score.Model, score.ModelRaw = &want.Scores[m].Value, &want.Scores[m].Raw
		}
		node.Scores = append(node.Scores, score)
	}
	return node
}

func outcomeJSON(c *invariants.Case, o spec.Outcome, production, documented bool) Outcome {
	words := Outcome{
		Type: o.Type.String(), Victims: podNames(o.Victims), KeepsNomination: o.KeepsNomination,
		Production: production, Documented: documented, Undecided: len(c.Unmodelled) == 0 && c.Expected.Undecided(o),
	}
	if o.Node >= 0 {
		words.Node = c.Question.Snapshot.Nodes[o.Node].Name
	}
	return words
}

func searchJSON(c *invariants.Case, s *spec.Search) *Search {
	if s == nil {
		return nil
	}
	search := &Search{Nodes: s.Nodes, Enough: s.Enough, Found: []string{}}
	for _, n := range s.Found {
		search.Found = append(search.Found, c.Question.Snapshot.Nodes[n].Name)
	}
	return search
}

func podNames(pods []*v1.Pod) []string {
	var all []string
	for _, pod := range pods {
		all = append(all, name(pod))
	}
	return all
}
