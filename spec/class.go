package spec

import "slices"

// Class says who holds that kube-scheduler does otherwise than is documented, or why it may.
type Class string

const (
	// Reported: an issue or a pull request of Kubernetes says so.
	Reported Class = "reported"
	// Unconfirmed: it was found here, and nobody of Kubernetes has confirmed it.
	Unconfirmed Class = "unconfirmed"
	// Documentation: documents and behaviour differ, and maintainers or comments in the code say that the behaviour
	// is meant.
	Documentation Class = "documentation"
	// Interpretation: the documents can be read otherwise.
	Interpretation Class = "interpretation"
	// OfText: the model as first written is not what Kubernetes documents. Only errata are of this class.
	OfText Class = "erratum"
	// ByDesign: a document says so, though something better is wanted.
	ByDesign Class = "by-design"
)

// Classes returns the classes of deviations, in the order of reports.
func Classes() []Class {
	return []Class{Reported, Unconfirmed, Documentation, Interpretation, OfText, ByDesign}
}

// LeastSettled returns the class of what it takes all of these classes to explain: that of the one about which least is
// settled. What nobody has confirmed is not confirmed by what stands beside it.
func LeastSettled(classes []Class) Class {
	for _, class := range []Class{Unconfirmed, Reported, Interpretation, Documentation, OfText, ByDesign} {
		if slices.Contains(classes, class) {
			return class
		}
	}
	return ""
}

// ClassOfQuirks returns the class of what it takes all the quirks to explain.
func ClassOfQuirks(quirks []Quirk) Class {
	return LeastSettled(each(quirks, func(q Quirk) Class { return q.Class }))
}
