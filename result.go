package modelcheck

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/report"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Verdict is the answer of a run.
type Verdict string

const (
	// Holds: everything was explored, and no property is violated but in ways that are meant, documented, or a matter
	// of how documents are read.
	Holds Verdict = "holds"
	// Conforms: likewise, but reported or unconfirmed deviations of Kubernetes were seen.
	Conforms Verdict = "conforms but for deviations"
	// Violated: a property is violated in a way that nothing known explains.
	Violated Verdict = "violated"
	// Unfinished: nothing is violated so far, but not everything was explored.
	Unfinished Verdict = "not finished"
)

// Class says what is known of a finding.
type Class string

const (
	// New: nothing known explains it.
	New Class = "new"
	// Of all others, rules reproduce the whole decision exactly. Reported: an issue or pull request of Kubernetes says
	// so. Unconfirmed: it was found by modelcheck, and nobody of Kubernetes has confirmed it.
	Reported    = Class(spec.Reported)
	Unconfirmed = Class(spec.Unconfirmed)
	// Documentation: documents and behaviour differ, and the behaviour is meant. Interpretation: the documents can be
	// read otherwise.
	Documentation  = Class(spec.Documentation)
	Interpretation = Class(spec.Interpretation)
	// ByDesign: Kubernetes documents it, though the formal model wants better.
	ByDesign = Class(spec.ByDesign)
)

// Result is what came out of a run. But for Elapsed it is a function of the scheduler and the scope.
type Result struct {
	Verdict Verdict
	// Findings are the properties that are violated, new ones first, each once per property, plugin and class.
	Findings []Finding
	// States and Transitions count what was explored, and Decisions the distinct ones that kube-scheduler took.
	States, Transitions, Decisions int64
	// Depth is the largest number of steps from an initial state.
	Depth int
	// Stopped says what ended the run early; empty if everything was explored.
	Stopped string
	// Hanging names the questions that plugins or predicates were still at when the context was cancelled, and these;
	// empty if none hung.
	Hanging []string
	// Notes tell what was read and will not matter, and what of the plugins is not compared.
	Notes []string
	// KubernetesVersion is the release of the kube-scheduler, such as v1.36.3.
	KubernetesVersion string
	Elapsed           time.Duration

	run *report.Run
}

// Finding is one way in which a property is violated, with the shortest counterexample there is.
type Finding struct {
	// ID is the same in every run: property, plugin if one is answerable, and what explains it; if nothing does, that
	// it is new.
	ID    string
	Class Class
	// Property is the name of the property, and Plugin that of the plugin that is answerable; empty if none is alone.
	Property, Plugin string
	// Quirks are the names of the deviations that explain it.
	Quirks []string
	// Count is the number of distinct decisions, of steps, or of states that show it.
	Count int64
	// Sentence says what is wrong in the counterexample, and Reasons say all that is.
	Sentence string
	Reasons  []string
	// Steps lead from the initial state of the counterexample to the state that shows it, one sentence each.
	Steps []string
	// Cluster is that state, as manifests in YAML that the command and kubectl read.
	Cluster string

	text string
}

// newResult returns a run in the words of this package.
func newResult(run *report.Run) *Result {
	result := &Result{
		Verdict: Verdict(run.VerdictWord()), States: run.Result.Distinct, Transitions: run.Result.Generated,
		Decisions: run.Result.Asked, Depth: run.Result.Depth, Notes: run.Notes,
		KubernetesVersion: run.KubernetesVersion, Elapsed: run.Elapsed, run: run,
	}
	if !run.Result.Complete {
		result.Stopped = stopped(run.Result)
	}
	for _, hang := range run.Result.Hanging {
		result.Hanging = append(result.Hanging, hang.String())
	}
	for i := range run.Result.Findings {
		result.Findings = append(result.Findings, newFinding(run, &run.Result.Findings[i]))
	}
	return result
}

func newFinding(run *report.Run, f *decisions.Finding) Finding {
	finding := Finding{
		ID: f.ID, Class: Class(f.Class), Property: f.Property.Name, Plugin: f.Plugin, Count: f.Count,
		Reasons: f.Example.Reasons, text: textOf(run.Spec, []decisions.Finding{*f}),
	}
	if len(finding.Reasons) > 0 {
		finding.Sentence = finding.Reasons[0]
	}
	for _, quirk := range f.Quirks {
		finding.Quirks = append(finding.Quirks, quirk.Name)
	}
	for _, state := range run.NewTrace(f).States {
		if state.Step != nil {
			finding.Steps = append(finding.Steps, state.Step.Text)
		}
	}
	for _, file := range run.Files(f) {
		if file.Name == report.ClusterFile {
			finding.Cluster = string(file.Content)
		}
	}
	return finding
}

// textOf puts findings with their counterexamples in words.
func textOf(m *spec.Scheduler, findings []decisions.Finding) string {
	var text strings.Builder
	if err := report.FindingsText(&text, m, findings); err != nil {
		panic(err) // a strings.Builder has none
	}
	return text.String()
}

// stopped says what ended the exploration early.
func stopped(r *decisions.Result) string {
	for _, s := range r.Scenarios {
		if !s.Complete {
			return fmt.Sprintf("%s: %s", s.Scenario.Name, s.Stopped)
		}
	}
	return "the context was cancelled"
}

// String returns the result in one line.
func (r *Result) String() string {
	return fmt.Sprintf("%s: %d states, %d distinct decisions, %d findings", r.Verdict, r.States, r.Decisions,
		len(r.Findings))
}

// WriteText writes the report that the command prints. The error is the writer's.
func (r *Result) WriteText(w io.Writer) error { return report.Text(w, r.run) }

// WriteJSON writes the document that the command prints with -o json. The error is the writer's.
func (r *Result) WriteJSON(w io.Writer) error { return report.JSON(w, r.run) }

// WriteFindings writes every finding of some classes with its counterexample; of all classes if none is named. The
// error is the writer's.
func (r *Result) WriteFindings(w io.Writer, classes ...Class) error {
	_, err := io.WriteString(w, textOf(r.run.Spec, ofClasses(r.run.Result.Findings, classes)))
	return err
}

// String returns the finding with its counterexample, in words.
func (f Finding) String() string { return f.text }

// ofClasses returns the findings of the classes; all if there is none.
func ofClasses(findings []decisions.Finding, classes []Class) []decisions.Finding {
	if len(classes) == 0 {
		return findings
	}
	var some []decisions.Finding
	for _, f := range findings {
		for _, class := range classes {
			if string(f.Class) == string(class) {
				some = append(some, f)
			}
		}
	}
	return some
}
