package deviations

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"sigs.k8s.io/yaml"

	"github.com/seed-a3f26817/modelcheck/spec"
	"github.com/seed-a3f26817/modelcheck/testdata/deviations/evidence"
)

// Evidence is what is known of a deviation: who holds that it is one, by which sentence, and what it costs whom. It is
// kept in testdata/deviations/evidence, a file for each.
type Evidence struct {
	// Class is that of the quirk, or of the deviation between decisions.
	Class spec.Class `json:"class"`
	// Symptom says in one plain sentence what goes wrong, naming the component, as the title of an issue does.
	Symptom string `json:"symptom"`
	// Upstream are the issues and pull requests that are about it, the first one foremost; none if none was found.
	Upstream []Upstream `json:"upstream,omitempty"`
	Search   Search     `json:"search"`
	Norm     Norm       `json:"norm"`
	// Also are further sentences that bear on it.
	Also  []Quote `json:"also,omitempty"`
	Cause Cause   `json:"cause"`
	// Releases says in which releases it was seen.
	Releases string `json:"releases"`
	Impact   Impact `json:"impact"`
	// Reachable says how clients of an API server come to it.
	Reachable string   `json:"reachable"`
	Security  Security `json:"security"`
}

// Upstream is an issue or a pull request.
type Upstream struct {
	// Number is as in kubernetes/kubernetes#91492.
	Number string `json:"number"`
	// State is open, closed or merged, as the search found it, or not checked.
	State string `json:"state"`
	// Mended is the release that mends the deviation by it, such as v1.37; empty if none does.
	Mended string `json:"mended,omitempty"`
	// Says is what it says of the deviation.
	Says string `json:"says"`
}

// Search is how upstream was searched.
type Search struct {
	// Date is as in 2026-11-24.
	Date string `json:"date"`
	// Words are the queries.
	Words []string `json:"words"`
}

// Basis says what it is that is not kept.
type Basis string

const (
	// Documented: a sentence of a document.
	Documented Basis = "documented"
	// StatedInCode: a comment in the code.
	StatedInCode Basis = "stated in code"
	// OurReading: what follows from documents as we read them.
	OurReading Basis = "our reading"
)

// Norm is what is not kept.
type Norm struct {
	Basis Basis `json:"basis"`
	Quote `json:",inline"`
	// Reading is how the sentence is read, where that takes a word.
	Reading string `json:"reading,omitempty"`
}

// Quote is a sentence, or part of one, word for word.
type Quote struct {
	// Text has at most 25 words.
	Text string `json:"text"`
	// Where names the field, section or function in words.
	Where string `json:"where"`
	// Source is a URL, or a Go file of a module, such as k8s.io/api/core/v1/types.go.
	Source string `json:"source"`
}

// Cause is where kube-scheduler does it.
type Cause struct {
	// File is from the root of kubernetes/kubernetes.
	File     string `json:"file"`
	Function string `json:"function"`
	How      string `json:"how"`
	// Since is the release that it came with, as far as is known.
	Since string `json:"since"`
}

// Impact says whom it hurts.
type Impact struct {
	// Clusters says which clusters meet it, Cost what it costs them.
	Clusters string `json:"clusters"`
	Cost     string `json:"cost"`
}

// Security says whether it should be told in private first.
type Security struct {
	Sensitive bool   `json:"sensitive"`
	Why       string `json:"why"`
}

// EvidenceFile is the path of the file, from the root of the repository.
func EvidenceFile(name string) string { return "testdata/deviations/evidence/" + name + ".yaml" }

// EvidenceOf returns what is known of the deviation of the name; false if there is none of the name.
func EvidenceOf(name string) (Evidence, bool) {
	e, ok := all()[name]
	return e, ok
}

// all reads the files once.
var all = sync.OnceValue(func() map[string]Evidence {
	read := map[string]Evidence{}
	files, err := evidence.Files.ReadDir(".")
	if err != nil {
		panic(fmt.Sprintf("deviations: the evidence cannot be read: %v", err)) // it is part of the program
	}
	for _, file := range files {
		text, err := evidence.Files.ReadFile(file.Name())
		if err != nil {
			panic(fmt.Sprintf("deviations: %s cannot be read: %v", file.Name(), err))
		}
		e, err := ParseEvidence(text)
		if err != nil {
			panic(fmt.Sprintf("deviations: %s: %v", file.Name(), err))
		}
		read[strings.TrimSuffix(file.Name(), ".yaml")] = e
	}
	return read
})

// ParseEvidence reads a file. The error names what is wrong with it.
func ParseEvidence(text []byte) (Evidence, error) {
	var e Evidence
	if err := yaml.UnmarshalStrict(text, &e); err != nil {
		return Evidence{}, err
	}
	return e, e.validate()
}

// mostWords is how long a quotation may be.
const mostWords = 25

func (e *Evidence) validate() error {
	var errs []error
	wrong := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	for field, value := range map[string]string{
		"symptom": e.Symptom, "search.date": e.Search.Date, "cause.file": e.Cause.File, "cause.function": e.Cause.Function,
		"cause.how": e.Cause.How, "cause.since": e.Cause.Since, "releases": e.Releases,
		"impact.clusters": e.Impact.Clusters, "impact.cost": e.Impact.Cost, "reachable": e.Reachable,
		"security.why": e.Security.Why,
	} {
		if value == "" {
			wrong("%s is missing", field)
		}
	}
	if len(e.Search.Words) == 0 {
		wrong("search.words is missing: which queries were made")
	}
	if !slices.Contains(spec.Classes(), e.Class) || e.Class == spec.OfText {
		wrong("class is %q, not one of reported, unconfirmed, documentation, interpretation, by-design", e.Class)
	}
	if !slices.Contains([]Basis{Documented, StatedInCode, OurReading}, e.Norm.Basis) {
		wrong("norm.basis is %q, not one of documented, stated in code, our reading", e.Norm.Basis)
	}
	switch mended := slices.ContainsFunc(e.Upstream, func(u Upstream) bool { return u.Mended != "" }); {
	case e.Class == spec.Reported && len(e.Upstream) == 0:
		wrong("class is reported, and upstream names no issue")
	case e.Class == spec.Unconfirmed && mended:
		wrong("class is unconfirmed, and upstream says where it is mended")
	}
	for i, u := range e.Upstream {
		states := []string{"open", "closed", "merged", "not checked"}
		if !strings.Contains(u.Number, "#") || u.Says == "" || !slices.Contains(states, u.State) {
			wrong("upstream[%d] needs a number with #, a state (open, closed, merged or not checked), and what it says", i)
		}
	}
	quotes := e.Also
	if e.Norm.Basis != OurReading || e.Norm.Text != "" {
		quotes = append(slices.Clone(quotes), e.Norm.Quote)
	} else if e.Norm.Reading == "" {
		wrong("norm.reading is missing: our reading without a sentence needs to be said")
	}
	for _, q := range quotes {
		if n := len(strings.Fields(q.Text)); n == 0 || n > mostWords || q.Where == "" || q.Source == "" {
			wrong("the quotation %q needs 1 to %d words (it has %d), where and source", q.Text, mostWords, n)
		}
	}
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(errs...)
}

// Names returns the names of all deviations, of single decisions first, in the order of reports.
func Names() []string {
	var names []string
	for _, q := range spec.Quirks() {
		names = append(names, q.Name)
	}
	for _, e := range Between() {
		names = append(names, e.Defect.Name)
	}
	return names
}
