package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/deviations"
	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// meaning says what the class of a finding means; by is what explains it.
func meaning(class decisions.Class, by string) string {
	said := map[decisions.Class]string{
		decisions.New:            "nothing known explains it",
		decisions.Reported:       "an issue or pull request of Kubernetes says so, and the rule %s reproduces it exactly",
		decisions.Unconfirmed:    "the rule %s reproduces it exactly; nobody of Kubernetes has confirmed it",
		decisions.Documentation:  "documents and behaviour differ, and the behaviour is meant; the rule is %s",
		decisions.Interpretation: "the documents can be read otherwise; the rule is %s",
		decisions.Erratum:        "the model as first written is not what Kubernetes documents; the rule is %s",
		decisions.ByDesign:       "Kubernetes documents it, though the formal model wants better",
		decisions.Witness:        "it is what was to be found",
	}[class]
	if strings.Contains(said, "%s") {
		said = fmt.Sprintf(said, by)
	}
	return class.String() + ", " + said
}

// tally counts what explains findings, by class: deviations by name, and what is by design by its sort.
type tally map[decisions.Class][]string

func (t tally) add(class decisions.Class, name string) {
	if !slices.Contains(t[class], name) {
		t[class] = append(t[class], name)
	}
}

// tallyOf counts what explains the findings.
func tallyOf(findings []decisions.Finding) tally {
	t := tally{}
	for _, f := range findings {
		for _, quirk := range f.Quirks {
			t.add(decisions.Class(quirk.Class), quirk.Name)
		}
		if len(f.Quirks) == 0 && f.Class == decisions.ByDesign {
			t.add(f.Class, f.ID)
		}
	}
	return t
}

// deviate says how many reported and unconfirmed deviations there are; empty if there is none.
func (t tally) deviate() string {
	var parts []string
	n := 0
	for _, class := range []decisions.Class{decisions.Reported, decisions.Unconfirmed} {
		if n = len(t[class]); n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", count(int64(n)), class))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, " and ") + map[bool]string{true: " deviation", false: " deviations"}[len(parts) == 1 &&
		len(t[decisions.Reported])+len(t[decisions.Unconfirmed]) == 1]
}

// verdict is the verdict in words. It never says that it holds if deviations were seen.
func (t tally) verdict(v decisions.Verdict) string {
	if deviate := t.deviate(); v == decisions.Holds && deviate != "" {
		return "conforms but for " + deviate
	}
	return v.String()
}

// soFar says of what was explored, or looked at, what is known of it when the run ends early.
func (t tally) soFar(done string) string {
	if deviate := t.deviate(); deviate != "" {
		return fmt.Sprintf("what was %s so far conforms but for %s", done, deviate)
	}
	return fmt.Sprintf("what was %s so far holds", done)
}

// failing says which classes --strict lets fail.
func (t tally) failing(strict decisions.Strict) string {
	var names []string
	for _, class := range strict {
		if len(t[class]) > 0 {
			names = append(names, class.String())
		}
	}
	if len(names) == 0 {
		return ""
	}
	return ", as --strict lets these fail: " + strings.Join(names, ", ")
}

// rest says of what else there are how many, behind what verdict and soFar say.
func (t tally) rest(v decisions.Verdict) string {
	text := ""
	if deviate := t.deviate(); v == decisions.Violated && deviate != "" {
		text += "; " + deviate
	}
	var parts []string
	for _, class := range []decisions.Class{decisions.Documentation, decisions.Interpretation, decisions.Erratum,
		decisions.ByDesign} {
		if n := len(t[class]); n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", count(int64(n)), differs(class)))
		}
	}
	if len(parts) > 0 {
		text += "; " + strings.Join(parts, ", ")
	}
	return text
}

// differs says behind a number what so many are of.
func differs(class decisions.Class) string {
	switch class {
	case decisions.Documentation, decisions.Interpretation:
		return "of " + class.String()
	default:
		return class.String()
	}
}

// verdictWord is the verdict for programs.
func verdictWord(v decisions.Verdict, t tally) string {
	if v == decisions.Holds && t.deviate() != "" {
		return ConformsButFor
	}
	return v.String()
}

// VerdictWord is the verdict for programs.
func (r *Run) VerdictWord() string { return verdictWord(r.Verdict(), tallyOf(r.Result.Findings)) }

// ConformsButFor is the verdict of a run in which reported or unconfirmed deviations were seen, and nothing worse.
const ConformsButFor = "conforms but for deviations"

// norm quotes the sentence that the deviation does not keep, and says where it stands.
func (p *page) norm(name string) {
	e, known := deviations.EvidenceOf(name)
	if !known {
		return
	}
	lead := map[deviations.Basis]string{
		deviations.Documented: "  document: ", deviations.StatedInCode: "  in code:  ",
		deviations.OurReading: "  reading:  ",
	}[e.Norm.Basis]
	p.wrapped(lead, e.Norm.Words())
}

func quirkJSON(q spec.Quirk) Quirk {
	quirk := Quirk{Name: q.Name, Class: string(q.Class), Upstream: q.Upstream, Doc: q.Doc,
		OnControlPlane: deviations.OnPlane(q.Name)}
	if e, known := deviations.EvidenceOf(q.Name); known {
		quirk.Norm = &Norm{string(e.Norm.Basis), e.Norm.Text, e.Norm.Where, e.Norm.Source, e.Norm.Reading}
	}
	return quirk
}

// expects is what stands before what the model has a pod do: documented only where a sentence says so.
func expects(quirks []spec.Quirk) string {
	words := ""
	for _, quirk := range quirks {
		e, _ := deviations.EvidenceOf(quirk.Name)
		switch {
		case e.Norm.Basis == deviations.Documented && words == "":
			words = "documented is"
		case e.Norm.Basis == deviations.StatedInCode && words != "model expects":
			words = "stated in code"
		default:
			if e.Norm.Basis != deviations.Documented {
				words = "model expects"
			}
		}
	}
	if words == "" {
		return "model expects"
	}
	return words
}

// quirksOf returns the quirks that explain the findings.
func quirksOf(findings []decisions.Finding) []spec.Quirk {
	var quirks []spec.Quirk
	for i := range findings {
		quirks = append(quirks, findings[i].Quirks...)
	}
	return quirks
}

// deviationsOf names what explains a finding of the loop.
func deviationsOf(f *loop.Finding) []string {
	if f.Known == "" {
		return nil
	}
	return strings.Split(f.Known, "+")
}

// classes counts what explains the findings of the loop.
func (r *LoopRun) classes() tally {
	t := tally{}
	for _, result := range r.Results {
		for _, f := range slices.Concat(result.Findings, result.Untold) {
			for _, name := range deviationsOf(&f) {
				t.add(loopClass(&loop.Finding{Known: name}), name)
			}
		}
	}
	return t
}
