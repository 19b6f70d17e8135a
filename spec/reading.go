package spec

import "slices"

// Reading says which of the two formal models a Scheduler is. They are never mixed.
type Reading string

const (
	// Kubernetes is the model with what Kubernetes documents for each filter, score and rule of preemption. New
	// gives it.
	Kubernetes Reading = "kubernetes"
	// Literal is the model exactly as it was first written. NewLiteral gives it.
	Literal Reading = "literal"
)

// Readings returns every reading, the default one first.
func Readings() []Reading { return []Reading{Kubernetes, Literal} }

// NewReading returns the model of the reading under the profile. The reading must be one of Readings.
func NewReading(reading Reading, profile *Profile) *Scheduler {
	if reading == Literal {
		return NewLiteral(profile)
	}
	return New(profile)
}

// Reading tells which reading of the formal model this is.
func (m *Scheduler) Reading() Reading {
	if m.text != nil {
		return Literal
	}
	return Kubernetes
}

// Explanations returns what may explain that a scheduler decides otherwise than this model, in the order in which
// it is tried: known defects of kube-scheduler, and before them, if the model is as first written, its errata. With
// takes them. A plugin with a predicate of its own has no defects that are known.
func (m *Scheduler) Explanations() []Quirk {
	if m.Reading() == Literal {
		return slices.Concat(each(Errata(), Erratum.quirk), m.Profile.defects())
	}
	return filter(
		m.Profile.defects(),
		func(q Quirk) bool { return !exists(m.own, func(p Plugin) bool { return p.name() == q.Plugin }) },
	)
}

// defects returns the known defects that the profile's release has.
func (p *Profile) defects() []Quirk {
	return filter(Quirks(), func(q Quirk) bool { return q.In(p.Release) })
}

// In reports whether the release, such as "v1.36.3", has the defect. All are in no release, which is "". Of the plugin
// for devices there is none before the feature is on.
func (q Quirk) In(release string) bool {
	mendedIn := func(in string) bool { return minor(release) == minor(in) && !before(release, in) }
	return release == "" || (q.Mended == "" || before(release, q.Mended)) && !exists(q.Backports, mendedIn) &&
		(q.Since == "" || !before(release, q.Since) || contains(q.Before, release)) &&
		(q.Plugin != devicesPlugin || minor(release) >= minor(DevicesClaimed().Since))
}

// Documented returns the model that Kubernetes documents, with the same own plugins, under the same profile.
func (m *Scheduler) Documented() *Scheduler { return New(m.Profile, m.own...) }

// scoresByPlugin reports whether a score of this model stands for a score plugin. The model as written knows one number
// for a node, which is comparable with other nodes' only.
func (m *Scheduler) scoresByPlugin() bool { return m.text == nil || m.text.scoresByPlugin() }
