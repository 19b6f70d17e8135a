package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// element is any element of XML.
type element struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Children []element  `xml:",any"`
}

// junitElements has, for each element of JUnit XML, the attributes it must have, those it may have, and the
// elements that may follow in it, in this order. JUnit XML has no schema of its own; these are the parts that all
// common readers know.
//
// This is what the report promises, not a schema: see https://github.com/testmoapp/junitxml for the format in general.
var junitElements = map[string]struct{ must, may, in []string }{
	"testsuites": {nil, []string{"tests", "failures", "errors", "skipped", "time"}, []string{"testsuite"}},
	"testsuite": {
		[]string{"name", "tests"},
		[]string{"failures", "errors", "skipped", "time"},
		[]string{"properties", "testcase"},
	},
	"properties": {nil, nil, []string{"property"}},
	"property":   {[]string{"name", "value"}, nil, nil},
	"testcase":   {[]string{"classname", "name"}, nil, []string{"failure", "error", "skipped", "system-out"}},
	"failure":    {nil, []string{"message", "type"}, nil},
	"error":      {nil, []string{"message", "type"}, nil},
	"skipped":    {nil, []string{"message", "type"}, nil},
	"system-out": {nil, nil, nil},
}

// wrong tells what is wrong with the element as one of JUnit XML; nil if nothing is.
func (e element) wrong() error {
	known, ok := junitElements[e.XMLName.Local]
	if !ok {
		return fmt.Errorf("there is no element %s", e.XMLName.Local)
	}
	missing := slices.Clone(known.must)
	for _, attr := range e.Attrs {
		name := attr.Name.Local
		missing = slices.DeleteFunc(missing, func(must string) bool { return must == name })
		if !slices.Contains(known.must, name) && !slices.Contains(known.may, name) {
			return fmt.Errorf("%s has no attribute %s", e.XMLName.Local, name)
		}
		_, err := strconv.ParseFloat(attr.Value, 64)
		if number := slices.Contains([]string{"tests", "failures", "errors", "skipped", "time"}, name); number &&
			err != nil {
			return fmt.Errorf("%s of %s is %q", name, e.XMLName.Local, attr.Value)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("%s lacks %s", e.XMLName.Local, strings.Join(missing, ", "))
	}
	last := 0
	for _, child := range e.Children {
		at := slices.Index(known.in, child.XMLName.Local)
		if at < last {
			return fmt.Errorf("%s does not belong there in %s", child.XMLName.Local, e.XMLName.Local)
		}
		if last = at; child.wrong() != nil {
			return child.wrong()
		}
	}
	return nil
}

// TestJUnitElements: a report is JUnit XML as common readers know it, and one that is not is noticed.
func TestJUnitElements(t *testing.T) {
	wrong := func(text string) error {
		var root element
		if err := xml.Unmarshal([]byte(text), &root); err != nil {
			return err
		}
		return root.wrong()
	}
	run := explored(t, t.Context(), blindFilter, small())
	run.Result.Complete = false // so that there is an error too
	var text bytes.Buffer
	if err := JUnit(&text, run); err != nil {
		t.Fatal(err)
	}
	if err := wrong(text.String()); err != nil {
		t.Error(err)
	}
	for _, row := range []struct{ reason, was, is string }{
		{"no such element", "<skipped ", "<ignored "},
		{"no such attribute", " classname=", " class="},
		{"no number", `tests="`, `tests="about `},
		{"the wrong place", "<properties>", "<testcase classname=\"c\" name=\"n\"></testcase><properties>"},
	} {
		if !strings.Contains(text.String(), row.was) {
			t.Fatalf("%s: the report does not have %s", row.reason, row.was)
		}
		if wrong(strings.Replace(text.String(), row.was, row.is, 1)) == nil {
			t.Errorf("%s is not noticed", row.reason)
		}
	}
}
