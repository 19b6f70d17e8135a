package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/printable"
)

// junitSuites is the root of JUnit XML, as CI systems commonly read it.
type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Time     string       `xml:"time,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name       string          `xml:"name,attr"`
	Tests      int             `xml:"tests,attr"`
	Failures   int             `xml:"failures,attr"`
	Errors     int             `xml:"errors,attr"`
	Skipped    int             `xml:"skipped,attr"`
	Time       string          `xml:"time,attr"`
	Properties []junitProperty `xml:"properties>property"`
	Cases      []junitCase     `xml:"testcase"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

// junitCase is a test case. At most one of Failure, Error and Skipped is set.
type junitCase struct {
	Class     string        `xml:"classname,attr"`
	Name      string        `xml:"name,attr"`
	Failure   *junitMessage `xml:"failure"`
	Error     *junitMessage `xml:"error"`
	Skipped   *junitMessage `xml:"skipped"`
	SystemOut *junitText    `xml:"system-out"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",cdata"`
}

type junitText struct {
	Text string `xml:",cdata"`
}

// JUnit writes the report as JUnit XML: each property is a test case, which fails with the findings that make the
// run fail. One whose findings are all explained, or that was not exercised, is skipped; one more test
// case is in error if the run did not finish. The error is the writer's.
func JUnit(w io.Writer, r *Run) error {
	suite := junitSuite{Name: "modelcheck", Time: fmt.Sprintf("%.3f", r.Elapsed.Seconds()), Properties: []junitProperty{
		{"kubernetesVersion", r.KubernetesVersion}, {"profile", r.profileNames()},
		{"reading", string(r.Spec.Reading())}, {"scope", scopeSentence(r)},
	}}
	for _, p := range r.Result.Properties {
		suite.Cases = append(suite.Cases, r.junitCase(p))
	}
	finished := junitCase{Class: "modelcheck", Name: "finished"}
	if !r.Result.Complete || len(r.NotRead) > 0 {
		finished.Error = &junitMessage{
			Message: "not everything was explored or read; what was, is judged",
			Type:    decisions.Unfinished.String(),
		}
	}
	suite.Cases = append(suite.Cases, finished)
	for _, missing := range r.NotSeen {
		c, said := junitCase{Class: "modelcheck.catalogue", Name: missing.Quirk}, &junitMessage{Message: missing.String()}
		if r.Strict.Has(missing.Class) {
			c.Failure = said
		} else {
			c.Skipped = said
		}
		suite.Cases = append(suite.Cases, c)
	}
	for _, c := range suite.Cases {
		suite.Tests++
		switch {
		case c.Failure != nil:
			suite.Failures++
		case c.Error != nil:
			suite.Errors++
		case c.Skipped != nil:
			suite.Skipped++
		}
	}
	all := junitSuites{
		Tests: suite.Tests, Failures: suite.Failures, Errors: suite.Errors, Skipped: suite.Skipped, Time: suite.Time,
		Suites: []junitSuite{suite},
	}
	for i, property := range suite.Properties {
		suite.Properties[i].Value = printable.Line(property.Value)
	}
	for i := range suite.Cases {
		suite.Cases[i].escape()
	}
	text, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, xml.Header+string(text)+"\n")
	return err
}

// junitCase makes a test case of a property.
func (r *Run) junitCase(p decisions.PropertyResult) junitCase {
	c := junitCase{Class: "modelcheck." + p.Kind(), Name: p.Name}
	var failing, passing []string
	text := &page{spec: r.Spec}
	for i := range r.Result.Findings {
		f := &r.Result.Findings[i]
		if f.Property.Name != p.Name {
			continue
		}
		if f.Fails(r.Strict) {
			failing = append(failing, f.ID)
		} else if f.Class != decisions.Witness {
			passing = append(passing, fmt.Sprintf("%s (%s)", f.ID, f.Class))
		}
		text.section(f.ID)
		text.finding(f)
		text.example(f)
	}
	body := strings.TrimPrefix(text.String(), "\n")
	switch {
	case len(failing) > 0:
		c.Failure = &junitMessage{
			Message: p.Doc + " Broken: " + strings.Join(failing, ", "),
			Type:    p.Verdict(),
			Text:    body,
		}
	case p.Missing() && r.Result.Complete:
		c.Failure = &junitMessage{Message: p.Doc + " No state that can be reached is one.", Type: p.Verdict()}
	case p.Missing():
		c.Skipped = &junitMessage{Message: p.Verdict() + " so far"}
	case p.Found:
		c.SystemOut = &junitText{body}
	case len(passing) > 0:
		c.Skipped, c.SystemOut = &junitMessage{
			Message: "explained: " + strings.Join(passing, ", "),
		}, &junitText{
			body,
		}
	case p.Exercised == 0:
		c.Skipped = &junitMessage{Message: "not exercised: it had nothing to say"}
	case p.Verdict() != "holds":
		// Findings that are all shown with one of another property.
		c.Skipped = &junitMessage{Message: p.Verdict() + ": " + brokenBy(p) + "; shown with another property"}
	}
	return c
}

// escape escapes what no XML can have in it, however it is written, in what may have parts of the input.
func (c *junitCase) escape() {
	c.Class, c.Name = printable.Line(c.Class), printable.Line(c.Name)
	for _, m := range []*junitMessage{c.Failure, c.Error, c.Skipped} {
		if m != nil {
			m.Message, m.Text = printable.Line(m.Message), printable.Escape(m.Text)
		}
	}
}

// firstFile is the file that the cluster or the configuration was read from; empty if there is none.
func (r *Run) firstFile() string {
	i := slices.IndexFunc(r.Scope.Files, func(file string) bool { return file != "-" })
	if i < 0 {
		return ""
	}
	return r.Scope.Files[i]
}
