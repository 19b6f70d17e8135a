package spec

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Erratum is a place where the model as first written is not what Kubernetes documents.
type Erratum struct {
	// ID is E1, E2, ...; it is short and stable. Parts of one erratum have a letter: E11a.
	ID string
	// Name says in a few words what Kubernetes does and the model does not.
	Name string
	// Written is the formula as written, Documented what Kubernetes documents instead, and Source where.
	Written, Documented, Source string
	// Plugin is the plugin that the erratum is about; empty if it is about none in particular.
	Plugin string

	// mend replaces the part of the text; nil if the erratum is not about single decisions.
	mend func(t *text)
}

// Doc puts the erratum in two sentences.
func (e Erratum) Doc() string {
	return "As written: " + e.Written + ". Documented: " + e.Documented + "."
}

// quirk returns the erratum as something that explains a difference.
func (e Erratum) quirk() Quirk {
	return Quirk{
		Name: e.ID, Class: OfText, Title: e.Name, Plugin: e.Plugin, Upstream: e.Source, Doc: e.Doc(), Erratum: &e,
	}
}

// Errata returns every known place where the model as first written is not what Kubernetes documents, by number.
// With all of them mended NewLiteral is New.
func Errata() []Erratum {
	all := slices.Concat(preemptionErrata(), feasibilityErrata(), leftOutErrata(), viabilityErrata())
	slices.SortFunc(
		all,
		func(a, b Erratum) int { return cmp.Or(cmp.Compare(a.number(), b.number()), cmp.Compare(a.ID, b.ID)) },
	)
	return all
}

// number is that of the id, letters left aside.
func (e Erratum) number() int {
	n, err := strconv.Atoi(strings.TrimRight(e.ID[1:], "abcdefghijklmnopqrstuvwxyz"))
	if err != nil {
		panic("spec: the id of an erratum is E and a number: " + e.ID)
	}
	return n
}
