package scenario

import (
	"encoding/json"
	"slices"
	"strings"
)

// readAdmitted reads the documents of a theme. Themes are made for the newest release of Kubernetes: what an older one
// does not know, or does not admit, is left out, and told. In the newest it is an error of the theme.
func readAdmitted(file string, documents []document, admit Admission) (m *Manifests, leftOut []string, err error) {
	for {
		r := newReading(Input{Admit: admit})
		r.add(file)
		m, err := r.read(documents)
		if err == nil || !olderRelease {
			return m, leftOut, err
		}
		before := len(documents)
		for _, wrong := range r.errs {
			documents = slices.DeleteFunc(slices.Clone(documents), func(d document) bool { return d.states(wrong) })
			leftOut = append(leftOut, wrong.Error())
		}
		if len(documents) == before {
			return nil, nil, err
		}
	}
}

// states reports whether the document states the object that has something wrong with it.
func (d document) states(wrong *Error) bool {
	var head header
	if d.source.Document != wrong.Source.Document || json.Unmarshal(d.json, &head) != nil {
		return false
	}
	kind, rest, _ := strings.Cut(wrong.Object, " ")
	name := rest[strings.LastIndex(rest, "/")+1:]
	return head.Kind == kind && head.Metadata.Name == name
}
